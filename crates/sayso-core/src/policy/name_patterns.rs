//! Patterns of things with names: web addresses, MCP tools, tools and agents.

use crate::call::tool;
use crate::call::url::Url;
use crate::packed::{Packed, Packer, Unpacker};
use crate::policy::command_pattern::Reach;
use crate::policy::glob::wild;
use crate::policy::pattern_error::PatternError;

/// A pattern of web addresses, such as `https://*.rust-lang.org/**`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlPattern {
    /// As it was written.
    pub written: String,
    scheme: Option<String>,
    host: String,
    port: Option<u16>,
    path: String,
}

/// A pattern of MCP tools, such as `github/get_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPattern {
    /// As it was written.
    pub written: String,
    server: String,
    tool: String,
}

/// A pattern of tool names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPattern {
    /// As it was written.
    pub written: String,
}

impl UrlPattern {
    /// Reads a pattern. Without a scheme it means `https`; without a path, every path of the host.
    pub fn parse(written: &str) -> Result<UrlPattern, PatternError> {
        if written.is_empty()
            || written
                .chars()
                .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
        {
            return Err(PatternError::CharacterInAddress);
        }
        let (scheme, rest) = match written.split_once("://") {
            Some((scheme @ ("http" | "https" | "*"), rest)) => (Some(scheme.to_owned()), rest),
            Some((scheme, _)) => return Err(PatternError::Scheme(scheme.to_owned())),
            None if written.starts_with("domain:") => {
                return Err(PatternError::DomainPrefix);
            }
            None => (None, written),
        };
        let (authority, path) = match rest.find('/') {
            Some(at) => (
                rest.get(..at).unwrap_or_default(),
                rest.get(at..).unwrap_or_default(),
            ),
            None => (rest, "/**"),
        };
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !host.starts_with('[') || host.ends_with(']') => (
                host,
                Some(
                    port.parse::<u16>()
                        .map_err(|_| PatternError::Port(port.to_owned()))?,
                ),
            ),
            _ => (authority, None),
        };
        if host.is_empty() || host.contains('@') {
            return Err(PatternError::NoHost);
        }
        let label_wild = host
            .split('.')
            .any(|label| label.contains('*') && label != "*");
        if label_wild {
            return Err(PatternError::StarInLabel);
        }
        Ok(UrlPattern {
            written: written.to_owned(),
            scheme,
            host: host.to_ascii_lowercase(),
            port,
            path: path.to_owned(),
        })
    }

    /// Whether it matches every host.
    pub fn is_everything(&self) -> bool {
        self.host == "*"
    }

    /// Whether it stands for the hosts of everybody below a name that people register under: `*.com`.
    pub fn is_of_a_whole_domain(&self) -> bool {
        self.host
            .strip_prefix("*.")
            .is_some_and(|parent| !parent.contains('.'))
    }

    /// Whether the address matches.
    pub fn matches(&self, url: &Url, reach: Reach) -> bool {
        let scheme = match self.scheme.as_deref() {
            Some("*") => true,
            Some(scheme) => scheme == url.scheme || reach == Reach::Wide,
            None => url.scheme == "https" || reach == Reach::Wide,
        };
        let own_port = if url.scheme == "http" { 80 } else { 443 };
        let port = match self.port {
            Some(port) => port == url.port,
            None => url.port == own_port || reach == Reach::Wide,
        };
        scheme && port && self.matches_host(&url.host, reach) && self.matches_page(url, reach)
    }

    /// Whether an address that could not be read could be meant: the pattern's host stands somewhere in it.
    pub fn may_match(&self, text: &str) -> bool {
        let host = self.host.trim_start_matches("*.");
        self.host == "*" || text.to_ascii_lowercase().contains(host)
    }

    /// Whether a host that is only known by name could be meant.
    pub fn matches_host(&self, host: &str, reach: Reach) -> bool {
        if self.host == "*" || self.host == host {
            return true;
        }
        match self.host.strip_prefix("*.") {
            Some(parent) => {
                host.strip_suffix(parent)
                    .is_some_and(|rest| rest.ends_with('.'))
                    || reach == Reach::Wide && host == parent
            }
            None => false,
        }
    }

    /// A page that is only known when it runs may be any: allow needs a pattern for all of them, deny takes every one.
    fn matches_page(&self, url: &Url, reach: Reach) -> bool {
        if url.open {
            reach == Reach::Wide || self.path == "/**"
        } else {
            self.matches_path(&url.path, reach)
        }
    }

    fn matches_path(&self, path: &str, reach: Reach) -> bool {
        let only_path = path.split('?').next().unwrap_or(path);
        if reach == Reach::Wide {
            // Another query or another spelling of a character is the same page, or near enough for a denial.
            let pattern = self.path.split('?').next().unwrap_or(&self.path);
            let (start, open) = pattern
                .strip_suffix("/**")
                .map_or((pattern, false), |start| (start, true));
            return [only_path.to_owned(), decoded(only_path)]
                .iter()
                .any(|path| segments_match(start, path, open));
        }
        match self.path.strip_suffix("/**") {
            Some("") => true,
            Some(start) => segments_match(start, only_path, true),
            // A pattern without `**` names one page; a query could carry anything out, so it must be named too.
            None => segments_match(&self.path, path, false),
        }
    }
}

/// A path with its `%XX` spelled out.
fn decoded(path: &str) -> String {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        out.push(code.unwrap_or(*first));
        rest = if code.is_some() {
            after.get(2..).unwrap_or_default()
        } else {
            after
        };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn segments_match(pattern: &str, path: &str, open: bool) -> bool {
    let mut given = path.split('/').filter(|part| !part.is_empty());
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        match given.next() {
            Some(segment) if wild(part, segment) => {}
            _ => return false,
        }
    }
    open || given.next().is_none()
}

impl McpPattern {
    /// Reads `server/tool`.
    pub fn parse(written: &str) -> Result<McpPattern, PatternError> {
        let Some((server, tool)) = written.split_once('/') else {
            return Err(PatternError::NotServerAndTool);
        };
        if server.is_empty() || tool.is_empty() || !written.chars().all(|c| c.is_ascii_graphic()) {
            return Err(PatternError::CharacterInMcpName);
        }
        Ok(McpPattern {
            written: written.to_owned(),
            server: server.to_owned(),
            tool: tool.to_owned(),
        })
    }

    /// Whether it matches every server.
    pub fn is_everything(&self) -> bool {
        self.server == "*"
    }

    /// Whether the tool matches. A name that is not plain can be mistaken for another one, so nothing allows it.
    pub fn matches(&self, server: &str, tool: &str, reach: Reach) -> bool {
        let plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic()) && !name.contains("__")
        };
        let wide = reach == Reach::Wide;
        if !(wide || plain(server) && plain(tool) && !server.contains('/')) {
            return false;
        }
        if wide && !server.is_ascii() {
            // Over-approximate: a server that looks like another one is treated as it.
            return wild(&self.tool.to_ascii_lowercase(), &tool.to_ascii_lowercase());
        }
        wild(&self.server, server) && wild(&self.tool, tool)
    }
}

impl ToolPattern {
    /// Reads a tool name, with `*` and `?`.
    pub fn parse(written: &str) -> Result<ToolPattern, PatternError> {
        if written.is_empty() || written.chars().any(char::is_control) {
            return Err(PatternError::NoToolName);
        }
        Ok(ToolPattern {
            written: written.to_owned(),
        })
    }

    /// Whether it names one tool.
    pub fn is_exact(&self) -> bool {
        !self.written.contains(['*', '?'])
    }

    /// Whether the tool matches, under the name it was called with or any other name of its kind.
    pub fn matches(&self, called: &str, kind: tool::Kind) -> bool {
        let same_kind = || tool::find(&self.written).is_some_and(|row| row.kind == kind);
        wild(&self.written, called)
            || same_kind()
            || kind.tool().is_some_and(|row| wild(&self.written, row.name))
    }
}

/// By what was written: reading it again gives the same.
macro_rules! packed_as_written {
    ($($name:ident)*) => {
        $(impl Packed for $name {
            fn pack(&self, out: &mut Packer) {
                self.written.pack(out);
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                $name::parse(&String::unpack(from)?).ok()
            }
        })*
    };
}

packed_as_written!(UrlPattern McpPattern ToolPattern);

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(pattern: &str, url: &str) -> bool {
        UrlPattern::parse(pattern)
            .unwrap()
            .matches(&Url::parse(url).unwrap(), Reach::Narrow)
    }

    #[test]
    fn addresses_match_by_label_and_segment() {
        assert!(fetch(
            "https://*.rust-lang.org/**",
            "https://doc.rust-lang.org/std/index.html"
        ));
        assert!(fetch("docs.rs", "https://docs.rs/serde?x=1"));
        assert!(fetch("https://a.example/x/*", "https://a.example/x/y"));
        for (pattern, url) in [
            (
                "https://*.rust-lang.org/**",
                "https://rust-lang.org.evil.example/",
            ),
            ("https://*.rust-lang.org/**", "https://evilrust-lang.org/"),
            ("https://*.rust-lang.org/**", "http://doc.rust-lang.org/"),
            ("docs.rs", "http://docs.rs/"),
            ("docs.rs", "https://docs.rs:8443/"),
            ("https://a.example/x/*", "https://a.example/x/y/z"),
            ("https://a.example/x", "https://a.example/x?secret=1"),
            (
                "https://docs.python.org/**",
                "https://docs.python.org.evil.example/",
            ),
        ] {
            assert!(!fetch(pattern, url), "{pattern} should not match {url}");
        }
    }

    #[test]
    fn h_49_mcp_tools_match_by_server_and_tool() {
        let matches = |pattern: &str, server: &str, tool: &str| {
            McpPattern::parse(pattern)
                .unwrap()
                .matches(server, tool, Reach::Narrow)
        };
        assert!(matches("github/get_*", "github", "get_issue"));
        assert!(!matches("good/write", "evil", "write"));
        assert!(!matches("a/b", "a/b", "c"));
        assert!(!matches("*/*", "a__b", "c"));
        assert!(!matches("*/*", "gith\u{443}b", "c"));
        assert!(McpPattern::parse("github").is_err());
    }

    #[test]
    fn a_tool_is_named_by_any_of_its_names() {
        assert!(
            ToolPattern::parse("bash")
                .unwrap()
                .matches("terminal", tool::Kind::Terminal)
        );
        assert!(
            ToolPattern::parse("drop_*")
                .unwrap()
                .matches("drop_database", tool::Kind::Custom)
        );
        assert!(
            !ToolPattern::parse("bash")
                .unwrap()
                .matches("bashful", tool::Kind::Custom)
        );
    }

    #[test]
    fn bad_address_patterns_are_refused() {
        for written in [
            "",
            "a b",
            "a\\b",
            "a\u{7}b",
            "ftp://a",
            "https:///x",
            "https://u@a.example/",
            "a:x",
            "a.ex*mple",
        ] {
            assert!(UrlPattern::parse(written).is_err(), "{written:?}");
        }
        assert_eq!(
            UrlPattern::parse("domain:a.example").map_err(|error| error.to_string()),
            Err("write the host alone, without `domain:`".to_owned())
        );
    }

    #[test]
    fn ports_and_addresses_in_brackets_are_told_apart() {
        for (written, host, port) in [
            ("https://A.example:8443/x", "a.example", Some(8443)),
            ("a.example", "a.example", None),
            ("https://[::1]/x", "[::1]", None),
            ("https://[::1]:8443/x", "[::1]", Some(8443)),
        ] {
            let pattern = UrlPattern::parse(written).unwrap();
            assert_eq!(
                (pattern.host.as_str(), pattern.port),
                (host, port),
                "{written}"
            );
        }
        assert!(fetch(
            "https://a.example:8443/**",
            "https://a.example:8443/x"
        ));
        assert!(!fetch("https://a.example:8443/**", "https://a.example/x"));
    }

    #[test]
    fn what_matches_every_host_or_server_is_known() {
        let host = |written: &str| UrlPattern::parse(written).unwrap().is_everything();
        assert!(host("*") && host("https://*/x") && !host("*.example.com") && !host("a.example"));
        let server = |written: &str| McpPattern::parse(written).unwrap().is_everything();
        assert!(server("*/*") && server("*/get_*") && !server("github/*"));
        let exact = |written: &str| ToolPattern::parse(written).unwrap().is_exact();
        assert!(exact("bash") && !exact("drop_*") && !exact("drop_?"));
    }

    #[test]
    fn a_denial_takes_what_may_be_meant() {
        let may = |pattern: &str, text: &str| UrlPattern::parse(pattern).unwrap().may_match(text);
        assert!(
            may("*.evil.example", "to EVIL.example, now")
                && may("*", "anything")
                && !may("evil.example", "good.example")
        );
        let host = |pattern: &str, host: &str, reach| {
            UrlPattern::parse(pattern)
                .unwrap()
                .matches_host(host, reach)
        };
        assert!(
            host("*.a.example", "a.example", Reach::Wide)
                && !host("*.a.example", "a.example", Reach::Narrow)
        );
        assert!(!host("*.a.example", "b.example", Reach::Wide));
        let wide = |pattern: &str, url: &str| {
            UrlPattern::parse(pattern)
                .unwrap()
                .matches(&Url::parse(url).unwrap(), Reach::Wide)
        };
        assert!(wide("https://a.example/x/y", "https://a.example/%78/y"));
        assert!(!wide("https://a.example/x/y", "https://a.example/78/y"));
        assert!(wide("https://a.example/x/y", "http://a.example:81/x/y?z"));
    }

    #[test]
    fn a_page_that_is_not_known_may_be_any() {
        let url = Url {
            open: true,
            ..Url::parse("https://a.example/x").unwrap()
        };
        let open = |pattern: &str, reach| UrlPattern::parse(pattern).unwrap().matches(&url, reach);
        assert!(
            open("https://a.example/y", Reach::Wide) && open("https://a.example/**", Reach::Narrow)
        );
        assert!(
            !open("https://a.example/x", Reach::Narrow)
                && !open("https://a.example/x/**", Reach::Narrow)
        );
    }

    #[test]
    fn encoded_signs_are_spelled_out() {
        for (path, plain) in [
            ("/%41b", "/Ab"),
            ("/a41", "/a41"),
            ("/%4", "/%4"),
            ("/%zz", "/%zz"),
            ("/%2541", "/%41"),
        ] {
            assert_eq!(decoded(path), plain);
        }
    }

    #[test]
    fn bad_patterns_of_tools_are_refused() {
        for written in [
            "",
            "github",
            "/get",
            "github/",
            "git hub/get",
            "gith\u{443}b/get",
        ] {
            assert!(McpPattern::parse(written).is_err(), "{written:?}");
        }
        assert!(ToolPattern::parse("").is_err() && ToolPattern::parse("a\u{7}").is_err());
    }
}
