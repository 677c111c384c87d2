//! Places and names where a text is run, installed or obeyed, although its own name says nothing of the kind.

use super::{components, fold};

/// Folders that tools fill and read back: nobody writes texts for people there.
const MADE: [&str; 10] = [
    "__pycache__",
    "_deps",
    "bower_components",
    "cmakefiles",
    "dist-packages",
    "fastlane",
    "node_modules",
    "pods",
    "site-packages",
    "vendor",
];

/// What a build makes. In documentation these are chapters.
const BUILT: [&str; 6] = ["_build", "build", "dist", "obj", "out", "target"];

/// Texts here may be doctests, transcripts that are replayed (trycmd), or notebooks.
const TESTED: [&str; 7] = [
    "__tests__",
    "doctest",
    "doctests",
    "notebooks",
    "test",
    "testing",
    "tests",
];

/// Folders from which agents and their plugins load what they obey.
const TOLD: [&str; 36] = [
    "agent-os",
    "agents",
    "ai-context",
    "ai-rules",
    "ai_context",
    "bmad",
    "bmad-core",
    "_bmad",
    "chatmodes",
    "commands",
    "conductor",
    "hooks",
    "instructions",
    "knowledge",
    "memories",
    "memory",
    "memory-bank",
    "memory_bank",
    "microagents",
    "modes",
    "openspec",
    "output-styles",
    "personas",
    "playbooks",
    "prompt",
    "prompts",
    "rules",
    "skills",
    "slash-commands",
    "steering",
    "sub-agents",
    "subagents",
    "system-prompts",
    "system_prompts",
    "toolsets",
    "workflows",
];

/// Lists of packages lie here.
const LISTED: [&str; 6] = [
    "constraints",
    "dependencies",
    "deps",
    "reqs",
    "requirements",
    "pip",
];

/// Names (before the ending) that one agent or another reads at its start. In documentation they are chapters.
const READ_AT_START: [&str; 49] = [
    "aider",
    "ai",
    "amp",
    "augment",
    "boot",
    "bootstrap",
    "cline",
    "codebuddy",
    "codex",
    "constitution",
    "context",
    "conventions",
    "copilot",
    "cursor",
    "custom-instructions",
    "custom_instructions",
    "deepseek",
    "devin",
    "droid",
    "factory",
    "goose",
    "grok",
    "identity",
    "iflow",
    "instructions",
    "junie",
    "kimi",
    "kiro",
    "knowledge",
    "memories",
    "mistral",
    "opencode",
    "openhands",
    "persona",
    "project_rules",
    "prompt",
    "prompts",
    "qodo",
    "roo",
    "rules",
    "ruler",
    "steering",
    "tabnine",
    "tools",
    "trae",
    "user",
    "vibe",
    "windsurf",
    "workflow",
];

/// Whether the place of a text, relative to the workspace, makes it something that is run, installed or obeyed.
///
/// No list of agents is ever complete, so no text in any hidden folder counts as one for people.
pub(super) fn acts_by_place(relative: &str) -> bool {
    // Where a backslash parts names these are not the names, and a short name on Windows stands for some other one.
    if relative.contains(['\\', '~']) {
        return true;
    }
    let mut names = components(relative).map(fold).peekable();
    let (mut in_docs, mut tested, mut listed, mut soft) = (false, false, false, false);
    while let Some(folder) = names.next() {
        let folder = folder.as_ref();
        if folder.starts_with('.') {
            return true;
        }
        if names.peek().is_some() {
            if is_made(folder) {
                return true;
            }
            tested |= TESTED.contains(&folder) && !in_docs;
            soft |= (BUILT.contains(&folder) || TOLD.contains(&folder)) && !in_docs;
            listed |=
                LISTED.contains(&folder) || TESTED.contains(&folder) || BUILT.contains(&folder);
            in_docs |= matches!(folder, "docs" | "doc" | "documentation");
            continue;
        }
        let (stem, ending) = folder.rsplit_once('.').unwrap_or((folder, ""));
        let read_at_start = || {
            READ_AT_START.contains(&stem) || stem.ends_with("prompt") || stem.ends_with("prompts")
        };
        return soft
            || tested && !(ending == "md" && stem == "readme")
            || listed && ending == "txt"
            || (!in_docs || ending == "txt") && read_at_start();
    }
    false
}

fn is_made(folder: &str) -> bool {
    MADE.contains(&folder)
        || folder.ends_with(".egg-info")
        || folder.ends_with(".dist-info")
        || folder.starts_with("cmake-build")
        || folder.starts_with("bazel-")
}

#[cfg(test)]
mod tests {
    use super::acts_by_place;

    #[test]
    fn a_09_texts_are_obeyed_in_some_places() {
        for path in "
            .x/a.md a/.hidden/b/c.md .notes.txt build/CMakeFiles/app.dir/link.txt build/x.md dist/README.md target/a.txt
            x.egg-info/a.txt x-1.0.dist-info/METADATA.txt node_modules/x/README.md venvx/site-packages/x.txt tests/a.txt
            pkg/tests/deep/a.rst test/cmd/x.md tests/README.rst commands/x.md commands/git/commit.md plugin/agents/x.md
            memory/2025-01-01.md skills/pdf/reference.md prompts/x.txt rules/style.md requirements/dev/x.txt docs/requirements/x.txt
            CONTEXT.md sub/Conventions.md codex.md knowledge.md BOOTSTRAP.md PROMPT.md system_prompt.txt docs/prompt.txt
            RULER~1/x.md a\\b.md vendor/modules.txt cmake-build-debug/x.txt skills/docs/x.md bazel-out/x.log docs/.agent/x.md
            notebooks/x.md docs/node_modules/x.md docs/tests/x.txt docs/build/x.txt"
            .split_whitespace()
        {
            assert!(acts_by_place(path), "{path}");
        }
    }

    #[test]
    fn documentation_and_notes_are_for_people() {
        for path in "
            README.md CHANGELOG.md docs/guide.md docs/commands/add.md docs/rules/no-var.md docs/build/linux.md docs/tests/how.rst
            packages/a/docs/agents/x.md docs/context.md doc/tools.rst a/b/notes.txt LICENSE.txt tests/README.md src/notes.md
            specs/001/plan.md TODO.md builds.md test.md attests/x.txt requirements/product.md examples/x.txt robots.txt"
            .split_whitespace()
        {
            assert!(!acts_by_place(path), "{path}");
        }
        assert!(!acts_by_place(""));
    }
}
