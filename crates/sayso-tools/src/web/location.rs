//! Reads where a redirect leads, relative to the address that redirects.

use sayso_core::call::url::Url;

/// The whole address that `target` means on `base`. It is not checked here.
pub(super) fn join(base: &Url, target: &str) -> String {
    let origin = origin(base);
    if has_scheme(target) {
        return target.to_owned();
    }
    if target.starts_with("//") {
        return format!("{}:{target}", base.scheme);
    }
    let (path, rest) = target.split_at(target.find(['?', '#']).unwrap_or(target.len()));
    let own_path = base.path.split('?').next().unwrap_or("/");
    let path = match path {
        "" if rest.starts_with('?') => own_path.to_owned(),
        "" => base.path.clone(),
        _ if path.starts_with('/') => without_dots(path),
        _ => without_dots(&format!(
            "{}{path}",
            own_path
                .rsplit_once('/')
                .map_or("/".to_owned(), |(folder, _)| format!("{folder}/"))
        )),
    };
    format!("{origin}{path}{rest}")
}

/// Scheme, host and port, the port only where it is not the scheme's own.
pub(super) fn origin(url: &Url) -> String {
    let host = if url.host.contains(':') {
        format!("[{}]", url.host)
    } else {
        url.host.clone()
    };
    match (url.scheme.as_str(), url.port) {
        ("http", 80) | ("https", 443) => format!("{}://{host}", url.scheme),
        (scheme, port) => format!("{scheme}://{host}:{port}"),
    }
}

fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    out.pop();
                }
                if is_last {
                    out.push("");
                }
            }
            plain => out.push(plain),
        }
    }
    format!("/{}", out.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_like_browsers_do() {
        let base = Url::parse("http://a.example:81/b/c/d;p?q=/x/y").unwrap();
        for (target, wanted) in [
            ("http://g/h", "http://g/h"),
            ("//g", "http://g"),
            ("/g", "http://a.example:81/g"),
            ("g", "http://a.example:81/b/c/g"),
            ("./g/", "http://a.example:81/b/c/g/"),
            ("../g", "http://a.example:81/b/g"),
            ("../../../../g", "http://a.example:81/g"),
            ("..", "http://a.example:81/b/"),
            (".", "http://a.example:81/b/c/"),
            (
                "g/./h/../i?x=../y#z",
                "http://a.example:81/b/c/g/i?x=../y#z",
            ),
            ("?y", "http://a.example:81/b/c/d;p?y"),
            ("#s", "http://a.example:81/b/c/d;p?q=/x/y#s"),
            ("", "http://a.example:81/b/c/d;p?q=/x/y"),
            ("file:///etc/passwd", "file:///etc/passwd"),
            ("javascript:alert(1)", "javascript:alert(1)"),
            ("a/b:c", "http://a.example:81/b/c/a/b:c"),
            ("/@evil.example/", "http://a.example:81/@evil.example/"),
        ] {
            assert_eq!(join(&base, target), wanted, "{target}");
        }
        assert_eq!(
            join(&Url::parse("https://[2606:4700::1]/").unwrap(), "x"),
            "https://[2606:4700::1]/x"
        );
        assert_eq!(
            join(&Url::parse("https://a.example?q").unwrap(), "x"),
            "https://a.example/x"
        );
    }
}
