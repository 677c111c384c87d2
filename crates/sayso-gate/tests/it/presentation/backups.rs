//! What a prompt says about taking a call back: what is true for this call, and nothing else (Z-23, U-09).

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::presentation::{Body, Presentation, Undo};
use sayso_core::text::digest::Digest;
use sayso_gate::ports::{Content, Outlook, World};
use sayso_gate::presentation::build;
use sayso_gate::seal::Sealed;

use super::{call, judged};
use crate::bench::Setup;
use crate::world::Scripted;

/// The scripted world of a host that knows what will come of a call.
struct Foreseeing<'a>(&'a Scripted, Outlook);

impl World for Foreseeing<'_> {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.0.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        self.0.seal(files)
    }

    fn content(
        &self,
        path: &str,
        most: u64,
    ) -> Result<Option<Content>, sayso_gate::error::ContentError> {
        self.0.content(path, most)
    }

    fn outlook(&self, _: &Operation, _: &Verdict) -> Outlook {
        self.1.clone()
    }
}

fn shown(profile: &str, tool: &str, args: &[(&str, &str)], outlook: Outlook) -> Presentation {
    let setup = Setup::profile(profile);
    let (operation, judged) = judged(&setup, call(tool, args));
    let world = Foreseeing(&setup.world, outlook);
    build(
        &world,
        &operation,
        &judged.reading,
        &judged.verdict,
        setup.settings(),
    )
    .unwrap()
    .presentation
}

/// What is said about a call where the host says this of its undo.
fn said(profile: &str, tool: &str, args: &[(&str, &str)], undo: Undo) -> String {
    let shown = shown(
        profile,
        tool,
        args,
        Outlook {
            undo,
            failure: None,
        },
    );
    let words = shown.undo.as_ref().map(Undo::words).unwrap_or_default();
    // The sentence on the screen is the one of the value that is carried.
    match (
        &shown.body,
        shown.details.iter().find(|(name, _)| name == "undo"),
    ) {
        (_, Some((_, value))) => assert_eq!(*value, words),
        (Body::Text(lines), None) => {
            assert!(words.is_empty() || lines.contains(&words), "{lines:?}")
        }
        (_, None) => assert_eq!(words, ""),
    }
    words
}

const KEPT: &str = "~/state/backups/ab/abc…";
const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];

fn kept() -> Undo {
    Undo::Kept(KEPT.to_owned())
}

#[test]
fn z_23_a_prompt_says_which_is_true_for_this_call() {
    let edit: &[(&str, &str)] = &[("path", "src/main.rs"), ("content", "x")];
    assert_eq!(
        said("sayso", "file_write", edit, kept()),
        format!("`sayso undo` can take it back (backup: {KEPT}).")
    );
    let large = "a file of 70 MiB is too large for a backup (64 MiB at most)";
    assert_eq!(
        said(
            "sayso",
            "file_write",
            edit,
            Undo::Impossible(large.to_owned())
        ),
        format!("`sayso undo` cannot take it back: {large}.")
    );
    assert_eq!(
        said(
            "sayso",
            "file_write",
            &[("path", "new.rs"), ("content", "x")],
            Undo::Possible
        ),
        "`sayso undo` can take it back."
    );
    assert_eq!(
        said("sayso", "file_delete", &[("path", "src/main.rs")], kept()),
        format!("`sayso undo` can take it back (backup: {KEPT}).")
    );
}

#[test]
fn where_nothing_is_lost_and_nothing_kept_nothing_is_said() {
    let not = || Undo::Impossible("no".to_owned());
    assert_eq!(
        said(
            "sayso",
            "file_create",
            &[("path", "new.rs"), ("content", "x")],
            not()
        ),
        ""
    );
    assert_eq!(
        said(
            "sayso",
            "file_append",
            &[("path", "src/main.rs"), ("content", "x")],
            not()
        ),
        ""
    );
    assert_eq!(
        said("sayso", "terminal", &[("command", "cargo build")], not()),
        ""
    );
    assert_eq!(
        said(
            "sayso",
            "terminal",
            &[("command", "echo x > new.rs")],
            not()
        ),
        ""
    );
}

/// finding A-06: no profile names a backup that is not made: only the real one is shown.
#[test]
fn finding_a_06_only_the_real_backup_is_named() {
    for profile in PROFILES {
        for (tool, args) in [
            (
                "file_write",
                &[("path", "src/main.rs"), ("content", "x")][..],
            ),
            ("file_delete", &[("path", "src/main.rs")][..]),
        ] {
            let shown = shown(
                profile,
                tool,
                args,
                Outlook {
                    undo: kept(),
                    failure: None,
                },
            );
            let text = format!("{shown:?}");
            assert!(text.contains(KEPT), "{profile} {tool}: {text}");
            assert!(
                !text.contains(".bak") && !text.contains(".deleted"),
                "{profile} {tool}: {text}"
            );
        }
    }
}

/// finding A-13: a command that deletes or overwrites says whether it can be taken back, in every profile.
#[test]
fn finding_a_13_commands_that_take_something_away_say_whether_it_can_be_undone() {
    for profile in PROFILES {
        for command in [
            "rm src/main.rs",
            "rm -rf src",
            "git clean -fd",
            "echo x > src/main.rs",
            "rm \"$X\"",
            "git reset --hard",
        ] {
            let not = Undo::Impossible("nothing is kept".to_owned());
            let words = said(profile, "terminal", &[("command", command)], not);
            assert_eq!(
                words, "`sayso undo` cannot take it back: nothing is kept.",
                "{profile}: {command}"
            );
        }
    }
}

/// finding A-07: what is known to fail says so first, and claims neither a backup nor a replaced file.
#[test]
fn finding_a_07_what_will_fail_says_so_and_claims_nothing_else() {
    let failure = Some("`src/main.rs` is there already".to_owned());
    for (tool, args) in [
        (
            "file_create",
            &[("path", "src/main.rs"), ("content", "x")][..],
        ),
        ("file_move", &[("from", "a.rs"), ("to", "src/main.rs")][..]),
        ("file_copy", &[("from", "a.rs"), ("to", "src/main.rs")][..]),
        ("file_rmdir", &[("path", "src")][..]),
    ] {
        let shown = shown(
            "sayso",
            tool,
            args,
            Outlook {
                undo: kept(),
                failure: failure.clone(),
            },
        );
        assert_eq!(
            shown.warnings.first().map(String::as_str),
            Some("This will fail: `src/main.rs` is there already"),
            "{tool}"
        );
        assert_eq!(shown.undo, None, "{tool}");
        let text = format!("{shown:?}");
        for claim in [
            "undo` can",
            "would be replaced",
            "it replaces",
            "destructive",
        ] {
            assert!(!text.contains(claim), "{tool}: {claim}: {text}");
        }
    }
}

#[test]
fn a_hostile_name_of_a_backup_moves_nothing() {
    let words = said(
        "sayso",
        "file_delete",
        &[("path", "src/main.rs")],
        Undo::Impossible("\u{1b}[2Jgone\u{202e}".to_owned()),
    );
    assert!(
        !words.contains('\u{1b}') && !words.contains('\u{202e}'),
        "{words:?}"
    );
}
