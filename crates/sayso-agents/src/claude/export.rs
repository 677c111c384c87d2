//! Claude Code: `Tool(specifier)`, deny before ask before allow.

use sayso_core::policy::decision::Decision;
use sayso_core::text::json;

use crate::export::{Exported, Part, System, Thing, Writer};

/// Claude Code: how rules are written for it.
pub const SYSTEM: System = System::new(&Writer {
    name: "claude",
    help: "Claude Code: `permissions` of `settings.json`",
    write,
});

fn write(parts: &[Part<'_>], out: &mut Exported) {
    let mut lists: [(Decision, &str, Vec<String>); 3] = [
        (Decision::Allow, "allow", Vec::new()),
        (Decision::Ask, "ask", Vec::new()),
        (Decision::Deny, "deny", Vec::new()),
    ];
    for part in parts {
        let decision = part.rule.decision;
        let Some(text) = said(&part.thing, decision != Decision::Allow) else {
            out.cannot(part.rule);
            continue;
        };
        if let Some((_, _, list)) = lists.iter_mut().find(|(own, _, _)| *own == decision)
            && !list.contains(&text)
        {
            list.push(text);
        }
    }
    let list = |texts: &[String]| {
        texts
            .iter()
            .map(|text| format!("\n      {}", json::quote(text)))
            .collect::<Vec<_>>()
            .join(",")
    };
    let keys: Vec<String> = lists
        .iter()
        .map(|(_, key, texts)| {
            format!("    \"{key}\": [{}\n    ]", list(texts)).replace("[\n    ]", "[]")
        })
        .collect();
    out.text = format!(
        "{{\n  \"permissions\": {{\n{}\n  }}\n}}\n",
        keys.join(",\n")
    );
}

fn said(thing: &Thing, strict: bool) -> Option<String> {
    Some(match thing {
        Thing::Words { words, open } if words.is_empty() => open.then(|| "Bash".to_owned())?,
        // A colon with something behind it would be about an argument of the tool.
        Thing::Words { words, .. } | Thing::Glob(words) if words.contains([':', ')', '(']) => {
            return None;
        }
        Thing::Words { words, open: true } => format!("Bash({words} *)"),
        Thing::Words { words, open: false } => format!("Bash({words})"),
        Thing::Glob(text) => format!("Bash({text})"),
        Thing::Read(path) => format!("Read({})", anchored(path)?),
        Thing::Write(path) => format!("Edit({})", anchored(path)?),
        Thing::Host { host, .. } if host == "*" => "WebFetch".to_owned(),
        Thing::Host { host, whole } if *whole || strict => format!("WebFetch(domain:{host})"),
        Thing::Mcp { server, tool } if strict || !server.contains('*') => match tool.as_str() {
            "*" => format!("mcp__{server}"),
            tool => format!("mcp__{server}__{tool}"),
        },
        Thing::Tool(name) if strict || !name.contains(['*', '?']) => name.clone(),
        Thing::Delegate(name) if name == "*" => "Agent".to_owned(),
        Thing::Delegate(name) => format!("Agent({name})"),
        _ => return None,
    })
}

/// Patterns are gitignore's there: an absolute path has two slashes, and one of the project starts at the folder it runs in.
fn anchored(path: &str) -> Option<String> {
    if path.contains(['(', ')', '[', '!', '\\']) {
        return None;
    }
    Some(match path.strip_prefix('/') {
        Some(_) => format!("/{path}"),
        None if path.starts_with('~') || path.contains('/') => path.to_owned(),
        // Without a slash it would stand at any depth.
        None => format!("./{path}"),
    })
}
