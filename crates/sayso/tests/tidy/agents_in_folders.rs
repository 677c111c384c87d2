//! Another agent is another folder: nothing outside of the folder of an agent names it, but the registry.

use crate::{File, files, none};

/// In how many lines outside of their folders older agents are named: tables of paths that a program obeys, programs that `lineage` knows,
/// examples in the help. There are no such lines for an agent that is not here, and none are added for one that is.
const KNOWN: [(&str, usize); 15] = [
    ("claude", 46),
    ("cline", 6),
    ("codex", 25),
    ("copilot", 17),
    ("crush", 14),
    ("cursor", 22),
    ("droid", 4),
    ("gemini", 18),
    ("goose", 9),
    ("opencode", 46),
    ("qwen", 10),
    ("roo", 3),
    ("vscode", 4),
    ("windsurf", 5),
    ("zed", 6),
];

/// The name stands for other things, too, so only a literal or a path that begins with it names the agent.
const ORDINARY_WORDS: [&str; 1] = ["cursor"];

/// The folder of any other program.
const ANY: &str = "generic";

/// The folder that holds the folders of all agents.
fn agents_folder(files: &[File]) -> &str {
    let known = files
        .iter()
        .find_map(|file| file.name.strip_suffix("claude/hook.rs"));
    known.expect("the folder of Claude Code is there")
}

/// The folders in it that belong to one agent: those that have a part of one.
fn agents<'a>(files: &'a [File], folder: &str) -> Vec<&'a str> {
    let mut all: Vec<&str> = files
        .iter()
        .filter_map(|file| file.name.strip_prefix(folder)?.split_once('/'))
        .filter(|(_, part)| ["hook.rs", "import.rs", "mcp.rs"].contains(part))
        .map(|(agent, _)| agent)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a line of code names an agent.
fn names(line: &str, agent: &str) -> bool {
    let line = line.split("//").next().unwrap_or_default();
    let lower = line.to_ascii_lowercase();
    lower.match_indices(agent).any(|(at, _)| {
        let (before, after) = (&lower[..at], &lower[at + agent.len()..]);
        let is_word = !before.ends_with(|sign: char| sign.is_ascii_alphanumeric())
            && !after.starts_with(|sign: char| sign.is_ascii_alphanumeric());
        let is_name = !ORDINARY_WORDS.contains(&agent)
            || ["\"", "\".", "/.", "/"]
                .iter()
                .any(|start| before.ends_with(start));
        is_word && is_name
    })
}

/// The lines outside of its folder that name an agent; tests may.
fn places(files: &[File], folder: &str, own: &[&str], agent: &str) -> Vec<String> {
    let is_source = |file: &&File| {
        let inner = file.name.strip_prefix(folder).unwrap_or_default();
        let top = inner.split('/').next().unwrap_or_default();
        let is_own = own.contains(&top) || ["mod.rs", "lib.rs", "registry.rs"].contains(&inner);
        file.is_rust()
            && file.krate().is_some()
            && file.name.contains("/src/")
            && !file.name.contains("/tests")
            && !is_own
    };
    let of_file = |file: &File| {
        let product = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = product.lines().enumerate();
        lines
            .filter(|(_, line)| names(line, agent))
            .map(|(index, line)| format!("    {}:{}: {}", file.name, index + 1, line.trim()))
            .collect::<Vec<_>>()
    };
    files.iter().filter(is_source).flat_map(of_file).collect()
}

fn check(files: &[File], known: &[(&str, usize)]) -> Vec<String> {
    let folder = agents_folder(files);
    let own = agents(files, folder);
    let too_many = |agent: &&str| {
        let places = places(files, folder, &own, agent);
        let most = known
            .iter()
            .find(|(name, _)| name == agent)
            .map_or(0, |(_, most)| *most);
        (places.len() > most).then(|| {
            format!(
                "`{agent}` is named in {} lines outside of {folder}{agent}/, and {most} are known. Put what is about one agent into its \
                 folder, and let shared code take it from the agent's row in {folder}registry.rs:\n{}",
                places.len(),
                places.join("\n")
            )
        })
    };
    own.iter()
        .filter(|agent| **agent != ANY)
        .filter_map(too_many)
        .collect()
}

#[test]
fn an_agent_is_named_in_its_folder_and_in_the_registry_only() {
    none(&check(&files(), &KNOWN));
}

#[test]
fn another_agent_elsewhere_is_found() {
    let file = |name: &str, text: &str| File {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let mut files = vec![
        file("crates/sayso-agents/src/claude/hook.rs", "//! Claude.\n"),
        file(
            "crates/sayso-agents/src/newer/hook.rs",
            "//! Newer.\nconst NAME: &str = \"newer\";\n",
        ),
        file(
            "crates/sayso-agents/src/registry.rs",
            "//! All.\nuse newer::NEWER;\n",
        ),
        file(
            "crates/sayso/tests/it/hook/newer.rs",
            "//! Tests.\nlet name = \"newer\";\n",
        ),
        file(
            "crates/sayso/src/cli/x.rs",
            "//! A newer file.\n// newer\nlet renewer = newers;\n",
        ),
    ];
    assert!(check(&files, &[]).is_empty(), "{:?}", check(&files, &[]));
    files.push(file(
        "crates/sayso-core/src/x.rs",
        "//! X.\nmatch name {\n    \"newer\" => 1,\n",
    ));
    let found = check(&files, &[]);
    assert!(found.len() == 1 && found[0].contains("x.rs:3"), "{found:?}");
    assert!(check(&files, &[("newer", 1)]).is_empty());
}

#[test]
fn names_are_told_from_ordinary_words() {
    for (line, agent, is) in [
        ("    (\"claude\", 1),", "claude", true),
        ("variable(\"CLAUDE_CONFIG_DIR\")", "claude", true),
        ("// claude", "claude", false),
        ("self.cursor.next()", "cursor", false),
        ("let cursor = 1;", "cursor", false),
        ("\".cursor/mcp.json\"", "cursor", true),
        ("\"cursor-agent\"", "cursor", true),
        ("excluded", "claude", false),
    ] {
        assert_eq!(names(line, agent), is, "{line}");
    }
}
