//! Zed: `agent.tool_permissions` in `settings.json`; deny, then confirm, then allow, then the tool's default, then that of all.

use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;

use crate::import::jsonc;
use crate::import::patterns::{any_command, of_regex};
use crate::import::{
    About, File, ImportError, Imported, Ordered, Reader, Rule, System, without_order,
};

const EDITORS: [&str; 6] = [
    "edit_file",
    "write_file",
    "create_directory",
    "copy_path",
    "move_path",
    "save_file",
];
/// Tools that are asked about where no rule names them.
const ASKED: [&str; 3] = ["terminal", "edit_file", "fetch"];
const READERS: [&str; 5] = ["read_file", "list_directory", "find_path", "grep", "open"];

/// Zed: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "zed",
    help: "Zed: `settings.json`",
    import,
    own_files: None,
});

fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    for file in files {
        let document = jsonc::read(file)?;
        let permissions = document
            .get("agent")
            .and_then(|agent| agent.get("tool_permissions"));
        let Some(permissions) = permissions else {
            out.note(
                &file.name,
                "the whole file",
                "it has no `agent.tool_permissions`: nothing was taken from it",
            );
            continue;
        };
        let tools = permissions
            .get("tools")
            .map(Node::entries)
            .unwrap_or_default();
        // Zed asks where nothing else is said.
        let default = permissions
            .get("default")
            .and_then(Node::as_text)
            .unwrap_or("confirm");
        let unnamed = ASKED
            .iter()
            .copied()
            .filter(|name| !tools.iter().any(|entry| entry.key == *name));
        let nothing = Node::map::<String>([]);
        let named = tools.iter().map(|entry| (entry.key.as_str(), &entry.node));
        for (name, node) in named.chain(unnamed.map(|name| (name, &nothing))) {
            let mut list = Vec::new();
            tool(file, name, node, default, &mut list, &mut out);
            without_order(list, &mut out);
        }
        out.note(
            &file.name,
            "`$VAR` and `$(…)` in commands",
            "asked about: Zed denies them outright, with the advice to write them out",
        );
        if document
            .get("agent")
            .and_then(|agent| agent.get("sandbox_permissions"))
            .is_some()
        {
            out.note(
                &file.name,
                "sandbox_permissions",
                "left out: it is no rule; see `sandbox` in sayso's policy",
            );
        }
    }
    Ok(out)
}

fn tool(
    file: &File,
    name: &str,
    node: &Node,
    default: &str,
    list: &mut Vec<Ordered>,
    out: &mut Imported,
) {
    let place = format!("{}, {name}", file.name);
    let mut put = |decision: Decision, about: About| {
        list.push(Ordered {
            rule: Rule {
                decision,
                about,
                except: Vec::new(),
                agent: None,
                reason: None,
            },
            exact: true,
        });
    };
    match node
        .get("default")
        .and_then(Node::as_text)
        .unwrap_or(default)
    {
        "allow" => whole(name, false)
            .into_iter()
            .for_each(|about| put(Decision::Allow, about)),
        "deny" => whole(name, true)
            .into_iter()
            .for_each(|about| put(Decision::Deny, about)),
        _ if name == "terminal" || name.starts_with("mcp:") => whole(name, true)
            .into_iter()
            .for_each(|about| put(Decision::Ask, about)),
        // The tool alone: a command that may write is another one. Where some of it is allowed, the rest asks by itself.
        _ if node.get("always_allow").is_none() => put(Decision::Ask, About::Tool(name.to_owned())),
        _ => {}
    }
    for (key, decision) in [
        ("always_allow", Decision::Allow),
        ("always_confirm", Decision::Ask),
        ("always_deny", Decision::Deny),
    ] {
        for item in node.get(key).map(Node::items).unwrap_or_default() {
            let Some(pattern) = item.get("pattern").and_then(Node::as_text) else {
                out.note(
                    &place,
                    key,
                    "denied as a whole, as Zed does: a rule has no pattern",
                );
                whole(name, true)
                    .into_iter()
                    .for_each(|about| put(Decision::Deny, about));
                continue;
            };
            let exact = item
                .get("case_sensitive")
                .and_then(Node::as_bool)
                .unwrap_or(false);
            let strict = decision != Decision::Allow;
            match translated(name, pattern, strict, exact) {
                Some(abouts) => abouts.into_iter().for_each(|about| put(decision, about)),
                None if strict => {
                    whole(name, true)
                        .into_iter()
                        .for_each(|about| put(decision, about));
                    out.note(&place, pattern, "for the whole tool: the expression has no form here, and less would be looser");
                }
                None => out.note(
                    &place,
                    pattern,
                    "left out: an expression cannot allow here, so it asks; say it in words",
                ),
            }
        }
    }
}

/// Everything that a tool does.
fn whole(name: &str, strict: bool) -> Vec<About> {
    let files = |about: fn(String) -> About| {
        let mut all = vec![about("**".to_owned())];
        if strict {
            all.push(about("/**".to_owned()));
        }
        all
    };
    match name {
        "terminal" => vec![any_command()],
        "fetch" => vec![About::Fetch(
            if strict { "*://*/**" } else { "https://*/**" }.to_owned(),
        )],
        name if EDITORS.contains(&name) => files(About::Write),
        name if READERS.contains(&name) => files(About::Read),
        name => match name
            .strip_prefix("mcp:")
            .and_then(|rest| rest.split_once(':'))
        {
            Some((server, tool)) => vec![About::Mcp(format!("{server}/{tool}"))],
            None => vec![About::Tool(name.to_owned())],
        },
    }
}

fn translated(name: &str, pattern: &str, strict: bool, exact: bool) -> Option<Vec<About>> {
    let about: fn(String) -> About = match name {
        "terminal" if strict => {
            let expression = if exact {
                pattern.to_owned()
            } else {
                format!("(?i){pattern}")
            };
            return Some(vec![About::CommandRegex(expression)]);
        }
        "terminal" => return of_regex(pattern),
        "fetch" => return host(pattern, strict).map(|about| vec![about]),
        name if EDITORS.contains(&name) => About::Write,
        name if READERS.contains(&name) => About::Read,
        _ => return None,
    };
    // `\.pem$` and `^src/` are the usual ones.
    let plain = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "_-/".contains(letter))
    };
    if let Some(ending) = pattern
        .strip_prefix("\\.")
        .and_then(|rest| rest.strip_suffix('$'))
        .filter(|ending| plain(ending))
    {
        let mut all = vec![about(format!("**/*.{ending}"))];
        if strict {
            all.push(about(format!("/**/*.{ending}")));
        }
        return Some(all);
    }
    let folder = pattern
        .strip_prefix('^')
        .and_then(|rest| rest.strip_suffix('/'))
        .filter(|folder| plain(folder))?;
    Some(vec![about(format!("{folder}/**"))])
}

/// `^https?://host` has no end, so that it is also for `host.example`; the host itself is what is meant, and what can be allowed.
fn host(pattern: &str, strict: bool) -> Option<About> {
    let rest = ["^https?://", "^https://"]
        .iter()
        .find_map(|start| pattern.strip_prefix(start))?;
    let host = rest.trim_end_matches('/').replace("\\.", ".");
    let plain = !host.is_empty()
        && !strict
        && host
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || ".-".contains(letter));
    plain.then(|| About::Fetch(format!("https://{host}/**")))
}
