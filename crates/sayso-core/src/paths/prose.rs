//! Files that only people read.

use super::exec_locations::acts_by_place;
use super::fold::fold_whole;
use super::{active, components, fold, protected, relative};

const ENDINGS: [&str; 5] = ["md", "txt", "rst", "adoc", "log"];

/// Whether a file of a workspace is text for people: `*.md *.txt *.rst *.adoc *.log`, and neither [`active_in()`] nor [`protected()`].
///
/// It may be written without asking, so wherever the name could be read in two ways the answer is no.
pub fn prose_in(canonical: &str, workspace: &str) -> bool {
    let is_text = components(canonical)
        .last()
        .is_some_and(|name| has_ending(&fold(name)) && has_ending(&fold_whole(name)));
    is_text && !active_in(canonical, workspace) && protected(canonical, None).is_none()
}

/// [`active()`], or a text whose place in the workspace makes something run, install or obey it: `commands/x.md`, `tests/x.txt`, `.any/x.md`.
///
/// Where the workspace itself lies says nothing of that: one below `~/.local` or `build` has its texts for people, too.
pub fn active_in(canonical: &str, workspace: &str) -> bool {
    let may_be_text = components(canonical)
        .last()
        .is_some_and(|name| has_ending(&fold(name)) || has_ending(&fold_whole(name)));
    active(canonical)
        || may_be_text && acts_by_place(relative(canonical, workspace).unwrap_or(canonical))
}

fn has_ending(folded: &str) -> bool {
    folded
        .rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(path: &str) -> bool {
        prose_in(path, "/ws")
    }

    #[test]
    fn text_for_people_is_prose() {
        for path in [
            "/ws/README.md",
            "/ws/docs/a.TXT",
            "/ws/x.rst",
            "/ws/x.adoc",
            "/ws/build.log",
            "/ws/CONTRIBUTING.md",
            "/ws/漢字.md",
        ] {
            assert!(prose(path), "{path}");
        }
    }

    #[test]
    fn a_09_the_place_counts_below_the_workspace_only() {
        let workspace = "/home/u/.local/src/build/tests";
        assert!(prose_in("/home/u/.local/src/build/tests/a.md", workspace));
        assert!(!prose_in(
            "/home/u/.local/src/build/tests/.x/a.md",
            workspace
        ));
        assert!(
            !prose_in("/home/u/.local/src/build/other/a.md", workspace),
            "outside nothing is known of the place"
        );
        assert!(active_in("/ws/.ruler/x.md", "/ws") && active_in("/ws/x/.any/x.MD", "/ws"));
        assert!(active_in("/ws/.any/x.dat:y.md", "/ws") && active_in("/ws/.any/x.md:y.dat", "/ws"));
        assert!(
            !active_in("/ws/.any/x.rs", "/ws") && !active_in("/ws/tests/x.py", "/ws"),
            "only texts are judged by their place"
        );
    }

    #[test]
    fn z_13_protected_beats_prose() {
        for path in [
            "/ws/.git/notes.md",
            "/ws/.venv/x.txt",
            "/ws/venv/a.md",
            "/ws/.git/hooks/x.md",
            "/ws/.ssh/notes.txt",
            "/ws/.env.md",
            "/dev/x.log",
        ] {
            assert!(!prose(path), "{path}");
        }
    }

    #[test]
    fn z_14_active_beats_prose() {
        for path in [
            "/ws/AGENTS.md",
            "/ws/claude.MD",
            "/ws/requirements-dev.txt",
            "/ws/sub/CMakeLists.txt",
            "/ws/.cursor/rules/x.md",
            "/ws/SKILL.md",
        ] {
            assert!(!prose(path), "{path}");
        }
    }

    #[test]
    fn names_that_can_be_read_in_two_ways_are_not_prose() {
        for path in [
            "/ws/x.sh:y.md",
            "/ws/x.md:y.sh",
            "/ws/x.dat:y.md",
            "/ws/x.md:y.dat",
            "/ws/AGENTS~1.MD",
            "/ws/.md",
            "/ws/x.json",
            "/ws/md",
            "/",
            "/ws/x.md/y",
        ] {
            assert!(!prose(path), "{path}");
        }
    }
}
