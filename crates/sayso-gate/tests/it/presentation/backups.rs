//! What a prompt says about taking a call back: what is true for this call, and nothing else (Z-23, U-09).

use sayso_core::digest::Digest;
use sayso_core::fact::{Facts, Question};
use sayso_core::presentation::Body;
use sayso_gate::ports::{Backup, Content, World};
use sayso_gate::presentation::build;
use sayso_gate::seal::Sealed;

use super::{call, judged};
use crate::bench::Setup;
use crate::world::Scripted;

/// The scripted world of a host that keeps things.
struct Keeping<'a>(&'a Scripted, Backup);

impl World for Keeping<'_> {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.0.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        self.0.seal(files)
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, String> {
        self.0.content(path, most)
    }

    fn backup(&self, path: &str) -> Backup {
        assert!(path.starts_with('/'), "a canonical path: {path}");
        self.1.clone()
    }
}

/// What is said about a call where the host keeps this.
fn said(profile: &str, tool: &str, args: &[(&str, &str)], backup: Backup) -> String {
    let setup = Setup::profile(profile);
    let (operation, judged) = judged(&setup, call(tool, args));
    let world = Keeping(&setup.world, backup);
    let shown = build(&world, &operation, &judged.reading, &judged.verdict, setup.settings()).unwrap();
    match (shown.body, shown.details.iter().find(|(name, _)| name == "backup")) {
        (_, Some((_, value))) => value.clone(),
        (Body::Text(lines), None) => lines.last().cloned().unwrap_or_default(),
        (_, None) => String::new(),
    }
}

const KEPT: &str = "~/state/backups/ab/abc…";

#[test]
fn z_23_a_prompt_says_which_is_true_for_this_call() {
    let edit: &[(&str, &str)] = &[("path", "src/main.rs"), ("content", "x")];
    let kept = || Backup::Kept(KEPT.to_owned());
    assert_eq!(said("sayso", "file_write", edit, kept()), format!("`sayso undo` can take it back (backup: {KEPT})"));
    assert_eq!(said("sayso", "file_write", edit, Backup::None), "No backup is made: this cannot be undone.");
    let large = "a file of 70 MiB is too large for a backup (64 MiB at most)";
    assert_eq!(
        said("sayso", "file_write", edit, Backup::Not(large.to_owned())),
        format!("No backup is made ({large}): this cannot be undone.")
    );
    assert_eq!(said("sayso", "file_write", &[("path", "new.rs"), ("content", "x")], Backup::Needless), "`sayso undo` can take it back.");
    assert_eq!(said("sayso", "file_delete", &[("path", "src/main.rs")], kept()), format!("`sayso undo` can take it back (backup: {KEPT})"));
}

#[test]
fn where_nothing_is_lost_and_nothing_kept_nothing_is_said() {
    assert_eq!(said("sayso", "file_create", &[("path", "new.rs"), ("content", "x")], Backup::None), "");
}

#[test]
fn one_system_knows_backups_by_its_own_names() {
    let kept = || Backup::Kept(KEPT.to_owned());
    let edit: &[(&str, &str)] = &[("path", "src/main.rs"), ("content", "x")];
    assert_eq!(
        said("kollabor-spec", "file_write", edit, kept()),
        format!("`sayso undo` can take it back (backup: src/main.rs.bak, {KEPT})")
    );
    let delete: &[(&str, &str)] = &[("path", "src/main.rs")];
    assert_eq!(
        said("kollabor-spec", "file_delete", delete, kept()),
        format!("`sayso undo` can take it back (backup: src/main.rs.deleted, {KEPT})")
    );
}

#[test]
fn a_hostile_name_of_a_backup_moves_nothing() {
    let words = said("sayso", "file_delete", &[("path", "src/main.rs")], Backup::Not("\u{1b}[2Jgone\u{202e}".to_owned()));
    assert!(!words.contains('\u{1b}') && !words.contains('\u{202e}'), "{words:?}");
}
