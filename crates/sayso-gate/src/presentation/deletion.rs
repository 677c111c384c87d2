//! A deletion: which path, what stands there, how much goes with it, and whether it can be undone.

use sayso_core::analysis::fact::{Fact, MANY, PathFact, PathKind, Question};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::paths::join;
use sayso_core::prompt::presentation::Body;
use sayso_core::text::visible::visible;

use super::effect_lines::{self, Teller};
use super::{About, Made, binary, size, target, undo};

/// So much of a file tells what it is.
const START: u64 = 512;

/// The presentation of a call that deletes.
pub(super) fn make(about: About<'_>) -> Made {
    let written = about.operation.text(Role::Path).unwrap_or_default();
    let mut lines = vec![format!("Delete: {}", visible(written))];
    let Some(fact) = target::fact(about, Role::Path) else {
        lines.extend(undo::undo(about).map(|undo| undo.words()));
        return Made::of(Body::Text(lines)).warn("which file this deletes shows only when it runs");
    };
    if fact.canonical != written {
        lines.push(format!("which is: {}", visible(&fact.canonical)));
    }
    lines.push(what(about, fact));
    lines.extend(undo::undo(about).map(|undo| undo.words()));
    Made::of(Body::Text(lines))
}

fn what(about: About<'_>, fact: &PathFact) -> String {
    match fact.kind {
        PathKind::Missing => "There is no such file.".to_owned(),
        PathKind::Link => "It is a link: the link goes, and what it leads to stays.".to_owned(),
        PathKind::Device | PathKind::Channel => "It is a device or a pipe.".to_owned(),
        PathKind::File => file(about, fact),
        PathKind::Folder => {
            let recursive = about
                .reading
                .effects
                .iter()
                .any(|effect| effect.manner.recursive);
            if let Some(tally) = Some(Teller::new(about))
                .filter(|_| recursive)
                .and_then(|teller| teller.tally(&fact.canonical))
            {
                return format!(
                    "It is a folder, which goes with everything below: {}.",
                    effect_lines::words(tally)
                );
            }
            match (recursive, count(about, fact)) {
                (true, Some(0) | None) => {
                    "It is a folder, which goes with everything below.".to_owned()
                }
                (true, Some(1)) => {
                    "It is a folder, which goes with everything below: at least 1 file.".to_owned()
                }
                (true, Some(count)) => format!(
                    "It is a folder, which goes with everything below: at least {count} files."
                ),
                (false, _) if about.operation.kind() == Kind::FileRmdir => {
                    "It is a folder, which goes only if it is empty.".to_owned()
                }
                (false, _) => "It is a folder.".to_owned(),
            }
        }
    }
}

/// A file that cannot be looked into can still be deleted, and its path is what is asked about.
fn file(about: About<'_>, fact: &PathFact) -> String {
    let content = about.world.content(&fact.canonical, START).ok().flatten();
    let bytes = content.as_ref().map(|content| content.size).or(fact.size);
    let cut = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        // The last character may be cut in two.
        Err(error) => error.error_len().is_some(),
        Ok(_) => false,
    };
    match (content, bytes) {
        (Some(content), Some(bytes)) if content.bytes.contains(&0) || cut(&content.bytes) => {
            format!(
                "{}.",
                binary::words(binary::media(&fact.canonical, &content.bytes), bytes)
            )
        }
        (_, Some(bytes)) => format!("It is a file of {}.", size::words(bytes)),
        (_, None) => "It is a file.".to_owned(),
    }
}

/// How many files are below a folder, at least: what is hidden is not counted, and the world does not look everywhere.
fn count(about: About<'_>, fact: &PathFact) -> Option<usize> {
    let pattern = join(&fact.canonical, &format!("{MANY}{MANY}"));
    let question = Question::Names {
        pattern,
        parted: false,
    };
    let facts = about.world.answer(
        &about.operation.cwd(),
        about.operation.workspace(),
        &[question],
    );
    let Some(Some(Fact::Names(names))) = facts.answers.into_iter().next() else {
        return None;
    };
    let is_file = |fact: &PathFact| !matches!(fact.kind, PathKind::Folder | PathKind::Missing);
    Some(names.files.iter().filter(|(_, fact)| is_file(fact)).count())
}
