//! opencode: the last rule that matches counts, so that allows come first and denials last.

use std::collections::BTreeMap;

use sayso_core::policy::decision::Decision;
use sayso_core::text::json;

use crate::export::{Exported, Part, System, Thing, Writer};

/// opencode: how rules are written for it.
pub const SYSTEM: System = System::new(&Writer {
    name: "opencode",
    help: "opencode: `permission` of `opencode.json`",
    write,
});

fn write(parts: &[Part<'_>], out: &mut Exported) {
    // By tool, in the order in which they are to be read.
    let mut tools: BTreeMap<String, Vec<(String, Decision)>> = BTreeMap::new();
    let mut sorted: Vec<&Part<'_>> = parts.iter().collect();
    sorted.sort_by_key(|part| part.rule.decision);
    for part in sorted {
        let Some((tool, pattern)) = said(&part.thing, part.rule.decision != Decision::Allow) else {
            out.cannot(part.rule);
            continue;
        };
        let list = tools.entry(tool).or_default();
        // A key stands once, and its place is that of its strictest.
        list.retain(|(known, _)| *known != pattern);
        list.push((pattern, part.rule.decision));
    }
    let of = |(tool, list): (&String, &Vec<(String, Decision)>)| {
        let rules: Vec<String> = list
            .iter()
            .map(|(pattern, decision)| {
                format!("\n      {}: \"{}\"", json::quote(pattern), decision.word())
            })
            .collect();
        format!("    {}: {{{}\n    }}", json::quote(tool), rules.join(","))
    };
    let all: Vec<String> = tools.iter().map(of).collect();
    out.text = format!("{{\n  \"permission\": {{\n{}\n  }}\n}}\n", all.join(",\n"));
}

fn said(thing: &Thing, strict: bool) -> Option<(String, String)> {
    let of = |tool: &str, pattern: String| Some((tool.to_owned(), pattern));
    match thing {
        Thing::Words { words, open: true } if words.is_empty() => of("bash", "*".to_owned()),
        Thing::Words { words, open: true } => of("bash", format!("{words} *")),
        Thing::Words { words, open: false } => of("bash", words.clone()),
        Thing::Glob(text) => of("bash", text.clone()),
        Thing::Read(path) => of("read", crossing(path, strict)?),
        Thing::Write(path) => of("edit", crossing(path, strict)?),
        Thing::Host { host, .. } if strict || host == "*" => of("webfetch", "*".to_owned()),
        Thing::Mcp { server, tool } if strict || !server.contains('*') && !tool.contains('*') => {
            of(&format!("{server}_{tool}"), "*".to_owned())
        }
        Thing::Tool(name) if strict || !name.contains(['*', '?']) => of(name, "*".to_owned()),
        Thing::Delegate(name) => of("task", name.clone()),
        _ => None,
    }
}

/// There a `*` also spans folders: more than one of ours, which must not be in an allow.
fn crossing(path: &str, strict: bool) -> Option<String> {
    if !strict && (path.starts_with('/') || path.contains('?')) {
        return None;
    }
    let whole = path.replace("**/", "*").replace("**", "*");
    let single = path.replace("**", "").contains('*');
    (strict || !single).then_some(whole)
}
