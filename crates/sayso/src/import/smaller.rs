//! The smaller ones: Roo Code, Cline, goose and crush.

use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, yaml};

use super::patterns::{any_command, glob, words};
use super::{About, File, Imported, Ordered, Rule, jsonc, without_order};

fn texts(node: Option<&Node>) -> Vec<String> {
    node.map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(Node::as_text)
        .map(str::to_owned)
        .collect()
}

/// Two lists of prefixes: the longest that matches counts, and of two alike the denial.
pub(super) fn roo(files: &[File]) -> Result<Imported, String> {
    let mut out = Imported::default();
    let mut list: Vec<(usize, Decision, Ordered)> = Vec::new();
    for file in files {
        let document = jsonc::read(file)?;
        let of = |name: &str| {
            let nested = document.get("roo-cline").and_then(|own| own.get(name));
            texts(
                nested
                    .or_else(|| document.get(&format!("roo-cline.{name}")))
                    .or_else(|| document.get(name)),
            )
        };
        for (key, decision) in [
            ("allowedCommands", Decision::Allow),
            ("deniedCommands", Decision::Deny),
        ] {
            for prefix in of(key) {
                let trimmed = prefix.trim();
                // A prefix needs not end with a word there: what is allowed here ends with one, what is denied need not.
                let about = match (trimmed, decision) {
                    ("*", _) => Some(any_command()),
                    (_, Decision::Allow) => words(trimmed, true),
                    _ => glob(&format!("{trimmed}*")),
                };
                match about {
                    Some(about) => {
                        let rule = Rule {
                            decision,
                            about,
                            except: Vec::new(),
                            agent: None,
                            reason: None,
                        };
                        list.push((trimmed.len(), decision, Ordered { rule, exact: true }));
                    }
                    None if decision == Decision::Allow => out.note(
                        &file.name,
                        &prefix,
                        "left out: the prefix has no form here, so it asks",
                    ),
                    None => {
                        out.add(Decision::Deny, any_command());
                        out.note(&file.name, &prefix, "for every command: the prefix has no form here, and less would be looser");
                    }
                }
                if decision == Decision::Allow && trimmed != "*" {
                    out.note(
                        &file.name,
                        &prefix,
                        "for whole words: `git` is not also `gitleaks` here",
                    );
                }
            }
        }
    }
    list.sort_by_key(|(length, decision, _)| (*length, *decision));
    without_order(
        list.into_iter().map(|(_, _, ordered)| ordered).collect(),
        &mut out,
    );
    Ok(out)
}

/// `allow` and `deny` with `*`; a denial counts before an allow.
pub(super) fn cline(files: &[File]) -> Result<Imported, String> {
    let mut out = Imported::default();
    for file in files {
        let document = jsonc::read(file)?;
        for (key, decision) in [("deny", Decision::Deny), ("allow", Decision::Allow)] {
            for pattern in texts(document.get(key)) {
                let about = match pattern.strip_suffix(" *") {
                    _ if pattern == "*" => Some(any_command()),
                    Some(start) if !start.contains('*') => words(start, true),
                    _ if !pattern.contains('*') => words(&pattern, false),
                    _ => glob(&pattern),
                };
                match about {
                    Some(about) => out.add(decision, about),
                    None if decision == Decision::Allow => out.note(
                        &file.name,
                        &pattern,
                        "left out: the pattern has no form here, so it asks",
                    ),
                    None => {
                        out.add(decision, any_command());
                        out.note(&file.name, &pattern, "for every command: the pattern has no form here, and less would be looser");
                    }
                }
            }
        }
        if document.get("allowRedirects").and_then(Node::as_bool) == Some(true) {
            out.note(
                &file.name,
                "allowRedirects: true",
                "left out: where a command writes to is judged by itself",
            );
        }
    }
    Ok(out)
}

/// Lists of tools, by name alone.
pub(super) fn goose(files: &[File]) -> Result<Imported, String> {
    let mut out = Imported::default();
    for file in files {
        let document = yaml::read(&file.text, &Limits::policy())
            .map_err(|finding| format!("`{}`: {}", file.name, finding.message))?;
        let user = document.get("user");
        for (key, decision) in [
            ("never_allow", Decision::Deny),
            ("ask_before", Decision::Ask),
            ("always_allow", Decision::Allow),
        ] {
            for name in texts(user.and_then(|user| user.get(key))) {
                of_goose(&name, decision, &mut out);
            }
        }
        if document.get("smart_approve").is_some() {
            out.note(
                &file.name,
                "smart_approve",
                "left out: it is what a model once thought of the names of tools",
            );
        }
    }
    Ok(out)
}

fn of_goose(name: &str, decision: Decision, out: &mut Imported) {
    match name {
        "developer__shell" => out.add(decision, any_command()),
        "developer__text_editor" => {
            out.add(decision, About::Write("**".to_owned()));
            if decision != Decision::Allow {
                out.add(decision, About::Write("/**".to_owned()));
            }
        }
        name => match name.split_once("__") {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                out.add(decision, About::Mcp(format!("{server}/{tool}")))
            }
            _ => out.add(decision, About::Tool(name.to_owned())),
        },
    }
}

/// Tools that are allowed, and tools that are not there.
pub(super) fn crush(files: &[File]) -> Result<Imported, String> {
    let mut out = Imported::default();
    for file in files {
        let document = jsonc::read(file)?;
        for name in texts(
            document
                .get("options")
                .and_then(|options| options.get("disabled_tools")),
        ) {
            out.add(Decision::Deny, About::Tool(name));
        }
        for name in texts(
            document
                .get("permissions")
                .and_then(|permissions| permissions.get("allowed_tools")),
        ) {
            match name.split_once(':').map_or(name.as_str(), |(tool, _)| tool) {
                "bash" if name == "bash" => out.add(Decision::Allow, any_command()),
                "view" | "ls" | "grep" | "glob" => {
                    out.add(Decision::Allow, About::Read("**".to_owned()))
                }
                "edit" | "write" | "multiedit" => {
                    out.add(Decision::Allow, About::Write("**".to_owned()))
                }
                "fetch" if name == "fetch" => {
                    out.add(Decision::Allow, About::Fetch("https://*/**".to_owned()))
                }
                _ => out.note(
                    &file.name,
                    &name,
                    "left out: what it does has no form here, so it asks",
                ),
            }
        }
    }
    Ok(out)
}
