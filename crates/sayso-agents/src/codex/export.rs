//! Codex: literal calls; a prefix there is always open at its end.

use sayso_core::policy::decision::Decision;
use sayso_core::text::json;

use crate::export::{Exported, Part, System, Thing, Writer};

/// Codex: how rules are written for it.
pub const SYSTEM: System = System::new(&Writer {
    name: "codex",
    help: "Codex: `*.rules`",
    write,
});

fn write(parts: &[Part<'_>], out: &mut Exported) {
    let mut text = String::new();
    for part in parts {
        let word = match part.rule.decision {
            Decision::Allow => "allow",
            Decision::Ask => "prompt",
            Decision::Deny => "forbidden",
        };
        let strict = part.rule.decision != Decision::Allow;
        let line = match &part.thing {
            // Exactly these words cannot be said, and more must not be allowed.
            Thing::Words { words, open } if (*open || strict) && !words.is_empty() => {
                let list: Vec<String> = words.split(' ').map(json::quote).collect();
                let reason = part
                    .rule
                    .reason
                    .as_ref()
                    .map(|reason| format!(", justification = {}", json::quote(reason)))
                    .unwrap_or_default();
                Some(format!(
                    "prefix_rule(pattern = [{}], decision = \"{word}\"{reason})\n",
                    list.join(", ")
                ))
            }
            Thing::Host { host, whole } if (*whole || strict) && !host.contains('*') => {
                Some(format!(
                    "network_rule(host = {}, protocol = \"https\", decision = \"{word}\")\n",
                    json::quote(host)
                ))
            }
            _ => None,
        };
        match line {
            Some(line) if !text.contains(&line) => text.push_str(&line),
            Some(_) => {}
            None => out.cannot(part.rule),
        }
    }
    out.text = text;
}
