//! Files that only people read.

use super::fold::fold_whole;
use super::{active, components, fold, protected};

const ENDINGS: [&str; 5] = ["md", "txt", "rst", "adoc", "log"];

/// Whether a file is text for people: `*.md *.txt *.rst *.adoc *.log`, and neither [`active()`] nor [`protected()`].
///
/// It may be written without asking, so wherever the name could be read in two ways the answer is no.
pub fn prose(canonical: &str) -> bool {
    let Some(name) = components(canonical).last() else { return false };
    let has_ending = |folded: &str| folded.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending));
    // A short name on Windows stands for some other name.
    let is_plain = !name.contains('~') && has_ending(&fold(name)) && has_ending(&fold_whole(name));
    is_plain && !active(canonical) && protected(canonical, None).is_none()
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn text_for_people_is_prose() {
        for path in [
            "/ws/README.md",
            "/ws/docs/a.TXT",
            "/ws/x.rst",
            "/ws/x.adoc",
            "/ws/build.log",
            "/ws/.github/ISSUE_TEMPLATE/bug.md",
            "/ws/漢字.md",
        ] {
            assert!(prose(path), "{path}");
        }
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
        for path in ["/ws/x.sh:y.md", "/ws/x.md:y.sh", "/ws/AGENTS~1.MD", "/ws/.md", "/ws/x.json", "/ws/md", "/", "/ws/x.md/y"] {
            assert!(!prose(path), "{path}");
        }
    }
}
