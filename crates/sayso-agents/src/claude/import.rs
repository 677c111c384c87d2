//! Claude Code: `permissions` in `settings.json`; deny, then ask, then allow, over all files, which is how sayso reads rules.

use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;

use crate::import::jsonc;
use crate::import::patterns::{any_command, glob, words};
use crate::import::{About, File, ImportError, Imported, Reader, System, files_there};

/// Modes, and what they are called here; the others are not for a file to set.
const MODES: [(&str, &str); 3] = [
    ("default", "balanced"),
    ("acceptEdits", "auto-approve-edits"),
    ("dontAsk", "strict"),
];
/// Tools that change files. Rules for paths count only for the first.
const EDITORS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
/// Tools that look at files. Rules for paths count only for the first.
const READERS: [&str; 4] = ["Read", "Glob", "Grep", "LS"];

/// Claude Code: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "claude",
    help: "Claude Code: `settings.json`",
    import,
    own_files: Some(|around, home| {
        let folder = around.claude.clone();
        let folder = folder.unwrap_or_else(|| home.join(".claude"));
        files_there([folder.join("settings.json")])
    }),
});

fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    for file in files {
        let document = jsonc::read(file)?;
        let Some(permissions) = document.get("permissions") else {
            out.note(
                &file.name,
                "the whole file",
                "it has no `permissions`: nothing was taken from it",
            );
            continue;
        };
        for (key, decision) in [
            ("deny", Decision::Deny),
            ("ask", Decision::Ask),
            ("allow", Decision::Allow),
        ] {
            for item in permissions.get(key).map(Node::items).unwrap_or_default() {
                match item.as_text() {
                    Some(text) => rule(file, decision, text, &mut out),
                    None => out.note(
                        &file.name,
                        key,
                        "an entry that is no text was left out, as Claude Code does",
                    ),
                }
            }
        }
        others(file, &document, permissions, &mut out);
    }
    out.note(
        "Claude Code's own defaults",
        "what no rule names",
        "judged by sayso's mode: what only looks inside of the workspace is silent, the rest asks",
    );
    Ok(out)
}

fn others(file: &File, document: &Node, permissions: &Node, out: &mut Imported) {
    if let Some(mode) = permissions.get("defaultMode").and_then(Node::as_text) {
        match MODES.iter().find(|(theirs, _)| *theirs == mode) {
            Some((_, ours)) => out.keys.push(("mode".to_owned(), (*ours).to_owned())),
            None => out.note(
                &file.name,
                &format!("defaultMode: {mode}"),
                "left out: a file cannot set it here, so more is asked about",
            ),
        }
    }
    for folder in permissions
        .get("additionalDirectories")
        .map(Node::items)
        .unwrap_or_default()
    {
        out.note(
            &file.name,
            &format!("additionalDirectories: {}", folder.as_text().unwrap_or_default()),
            "left out: what lies outside of the workspace is asked about; an absolute `allow: {read: …}` lets it be read",
        );
    }
    for key in ["sandbox", "hooks"] {
        if document.get(key).is_some() {
            out.note(
                &file.name,
                key,
                "left out: it is no rule; see `sandbox` in sayso's policy",
            );
        }
    }
}

fn rule(file: &File, decision: Decision, text: &str, out: &mut Imported) {
    let (tool, inner) = match text
        .split_once('(')
        .and_then(|(tool, rest)| Some((tool, rest.strip_suffix(')')?)))
    {
        Some((tool, inner)) => (
            tool.trim(),
            Some(inner).filter(|inner| !matches!(*inner, "" | "*")),
        ),
        None => (text.trim(), None),
    };
    let strict = decision != Decision::Allow;
    match (tool, inner) {
        ("Bash", None) => out.add(decision, any_command()),
        ("Bash", Some(inner)) => bash(file, decision, text, inner, out),
        (tool, None) if EDITORS.contains(&tool) => whole(decision, strict, About::Write, out),
        (tool, None) if READERS.contains(&tool) => whole(decision, strict, About::Read, out),
        ("Edit", Some(path)) => paths(file, decision, text, path, false, out),
        ("Read", Some(path)) => paths(file, decision, text, path, true, out),
        (tool, Some(_)) if EDITORS.contains(&tool) || READERS.contains(&tool) => {
            out.note(&file.name, text, "left out: Claude Code does not look at such a rule either (only `Read(…)` and `Edit(…)` count)");
        }
        ("WebFetch", Some(inner)) => fetch(file, decision, text, inner, out),
        ("Agent" | "Task", Some(name)) => out.add(decision, About::Delegate(name.to_owned())),
        ("Agent" | "Task", None) => out.add(decision, About::Delegate("*".to_owned())),
        ("Cd", _) => out.note(
            &file.name,
            text,
            "left out: it is for a command of the person's own",
        ),
        (tool, inner) if tool.starts_with("mcp__") => mcp(file, decision, text, tool, inner, out),
        (_, Some(_)) if !strict => out.note(
            &file.name,
            text,
            "left out: a rule for an argument of this tool has no form here, so it asks",
        ),
        (tool, Some(_)) => {
            out.add(decision, About::Tool(tool.to_owned()));
            out.note(
                &file.name,
                text,
                "for the whole tool: a rule for an argument has no form here",
            );
        }
        (tool, None) if tool.is_empty() || tool.contains(['*', '?']) && !strict => {
            out.note(
                &file.name,
                text,
                "left out: a pattern for tools counts only to deny or ask",
            );
        }
        (tool, None) => out.add(decision, About::Tool(tool.to_owned())),
    }
}

/// Everything that a tool could reach.
fn whole(decision: Decision, strict: bool, about: fn(String) -> About, out: &mut Imported) {
    out.add(decision, about("**".to_owned()));
    if strict {
        out.add(decision, about("/**".to_owned()));
    }
}

fn bash(file: &File, decision: Decision, text: &str, inner: &str, out: &mut Imported) {
    let open = inner
        .strip_suffix(":*")
        .or_else(|| inner.strip_suffix(" *"));
    let about = match open {
        Some(start) if !start.contains('*') => words(start, true),
        _ if !inner.contains('*') => words(inner, false),
        _ => glob(
            &inner
                .strip_suffix(":*")
                .map_or_else(|| inner.to_owned(), |start| format!("{start} *")),
        ),
    };
    // `name:value` is about an argument of the tool, and the text of the command cannot be meant by it.
    let named = inner
        .split_once(':')
        .filter(|(name, value)| !value.is_empty() && *value != "*" && is_name(name));
    match (named, about) {
        (Some(("command", _)), _) => out.note(
            &file.name,
            text,
            "left out: Claude Code does not look at such a rule either",
        ),
        (Some(_), _) if decision == Decision::Allow => out.note(
            &file.name,
            text,
            "left out: such a rule counts only to deny or ask",
        ),
        (Some(_), _) | (None, None) if decision != Decision::Allow => {
            out.add(decision, any_command());
            out.note(
                &file.name,
                text,
                "for every command: what it says has no form here, and less would be looser",
            );
        }
        (_, Some(about)) => out.add(decision, about),
        (_, None) => out.note(
            &file.name,
            text,
            "left out: it has no form here, so it asks",
        ),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Patterns as git's ignore files have them, with four ways to say where they start.
fn paths(file: &File, decision: Decision, text: &str, path: &str, reads: bool, out: &mut Imported) {
    let strict = decision != Decision::Allow;
    if path.contains(['\\', '!', '[', '{']) {
        if strict {
            whole(
                decision,
                true,
                if reads { About::Read } else { About::Write },
                out,
            );
            out.note(
                &file.name,
                text,
                "for every path: the pattern has no form here, and less would be looser",
            );
        } else {
            out.note(
                &file.name,
                text,
                "left out: the pattern has no form here, so it asks",
            );
        }
        return;
    }
    let root = file
        .folder
        .as_deref()
        .map(|folder| folder.strip_suffix("/.claude").unwrap_or(folder));
    let own = path.strip_prefix("./").unwrap_or(path);
    let start = match () {
        () if path.starts_with("//") => path.get(1..).unwrap_or_default().to_owned(),
        () if path.starts_with("~/") || path == "~" => path.to_owned(),
        () if path.starts_with('/') => format!("{}{path}", root.unwrap_or_default()),
        // A name alone stands at any depth.
        () if !own.trim_end_matches('/').contains('/') => format!("**/{own}"),
        () => own.to_owned(),
    };
    let start = start.trim_end_matches('/').to_owned();
    let mut all = vec![start.clone()];
    if strict {
        // With a folder everything below is meant, and `src/**` at any depth.
        if !start.ends_with("**") {
            all.push(format!("{start}/**"));
        }
        if !start.starts_with(['/', '~', '*']) {
            all.extend(all.clone().iter().map(|pattern| format!("**/{pattern}")));
        }
    }
    for pattern in all {
        if reads {
            out.add(decision, About::Read(pattern.clone()));
        }
        // What must not be read must not be changed either.
        if !reads || decision == Decision::Deny {
            out.add(decision, About::Write(pattern));
        }
    }
}

fn fetch(file: &File, decision: Decision, text: &str, inner: &str, out: &mut Imported) {
    let domain = inner.strip_prefix("domain:").filter(|domain| {
        let labels = domain.strip_prefix("*.").unwrap_or(domain);
        !labels.is_empty()
            && labels
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || ".-".contains(letter))
    });
    match domain {
        Some(domain) if decision == Decision::Allow => {
            out.add(decision, About::Fetch(format!("https://{domain}/**")))
        }
        Some(domain) => out.add(decision, About::Fetch(format!("*://{domain}/**"))),
        None if decision == Decision::Allow => out.note(
            &file.name,
            text,
            "left out: the pattern has no form here, so it asks",
        ),
        None => {
            out.add(decision, About::Tool("WebFetch".to_owned()));
            out.note(
                &file.name,
                text,
                "for every address: the pattern has no form here, and less would be looser",
            );
        }
    }
}

fn mcp(
    file: &File,
    decision: Decision,
    text: &str,
    tool: &str,
    inner: Option<&str>,
    out: &mut Imported,
) {
    let name = tool.strip_prefix("mcp__").unwrap_or(tool);
    let (server, of_server) = name.split_once("__").unwrap_or((name, "*"));
    let is_wild = server.contains('*');
    if decision == Decision::Allow && (is_wild || inner.is_some() || server.is_empty()) {
        out.note(
            &file.name,
            text,
            "left out: an allow needs the exact name of the server, and has no arguments",
        );
        return;
    }
    if inner.is_some() {
        out.note(
            &file.name,
            text,
            "for the whole tool: a rule for an argument has no form here",
        );
    }
    let server = if server.is_empty() { "*" } else { server };
    out.add(decision, About::Mcp(format!("{server}/{of_server}")));
}
