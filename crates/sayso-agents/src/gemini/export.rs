//! Gemini CLI: rules with priorities, so that the strictest counts.

use std::fmt::Write as _;

use sayso_core::policy::decision::Decision;
use sayso_core::text::json;

use crate::export::{Exported, Part, System, Thing, Writer};

/// Gemini CLI: how rules are written for it.
pub const SYSTEM: System = System::new(&Writer {
    name: "gemini",
    help: "Gemini CLI: `policies/*.toml`",
    write,
});

fn write(parts: &[Part<'_>], out: &mut Exported) {
    let mut text = String::new();
    for part in parts {
        let (word, priority) = match part.rule.decision {
            Decision::Allow => ("allow", 300),
            Decision::Ask => ("ask_user", 600),
            Decision::Deny => ("deny", 900),
        };
        let strict = part.rule.decision != Decision::Allow;
        let Some(what) = said(&part.thing, strict) else {
            out.cannot(part.rule);
            continue;
        };
        let _ = write!(
            text,
            "[[rule]]\n{what}decision = \"{word}\"\npriority = {priority}\n"
        );
        if let Some(reason) = part
            .rule
            .reason
            .as_ref()
            .filter(|_| part.rule.decision == Decision::Deny)
        {
            let _ = writeln!(text, "denyMessage = {}", json::quote(reason));
        }
        text.push('\n');
    }
    out.text = text;
}

fn said(thing: &Thing, strict: bool) -> Option<String> {
    let tools = |names: &[&str]| {
        format!(
            "toolName = [{}]\n",
            names
                .iter()
                .map(|name| json::quote(name))
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    Some(match thing {
        Thing::Words { words, open: true } if words.is_empty() => tools(&["run_shell_command"]),
        Thing::Words { words, open } if *open || strict => {
            format!(
                "toolName = \"run_shell_command\"\ncommandPrefix = {}\n",
                json::quote(words)
            )
        }
        Thing::Read(path) if path == "**" => tools(&[
            "read_file",
            "read_many_files",
            "list_directory",
            "glob",
            "search_file_content",
        ]),
        Thing::Write(path) if path == "**" => tools(&["write_file", "replace"]),
        Thing::Host { host, .. } if host == "*" => tools(&["web_fetch"]),
        Thing::Mcp { server, tool }
            if !server.contains('*') && (tool == "*" || !tool.contains('*')) =>
        {
            match tool.as_str() {
                "*" => format!("mcpName = {}\n", json::quote(server)),
                tool => format!(
                    "mcpName = {}\ntoolName = {}\n",
                    json::quote(server),
                    json::quote(tool)
                ),
            }
        }
        Thing::Tool(name) if !name.contains(['*', '?']) => {
            format!("toolName = {}\n", json::quote(name))
        }
        _ => return None,
    })
}
