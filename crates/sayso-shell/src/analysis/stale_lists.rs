//! Lists that the line itself may change before it uses them: what git tracks and what is ignored is only known for the time before it runs.

use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, EffectKind, Place};
use sayso_core::analysis::fact::{Question, is_pattern};
use sayso_core::paths::secret;

use crate::parse::characters::last_part;

/// Where a line may change what git tracks or what searches leave out, they are taken to look at everything.
pub(crate) fn forget_lists(draft: &mut Draft) {
    forget_files(draft);
    if !draft.effects.iter().any(changes_lists) {
        return;
    }
    // A line with `!` in an ignore file brings hidden names back.
    let names_ignore = |effect: &Effect| {
        effect
            .place()
            .is_some_and(|place| last_part(&place.written).contains("ignore"))
    };
    let hidden = draft.effects.iter().any(names_ignore);
    let mut stash = false;
    for question in &mut draft.questions {
        match question {
            Question::Below { search, .. } => {
                search.tracked = false;
                search.as_git = false;
                search.ignored = true;
                search.hidden |= hidden;
            }
            Question::GitHelpers { shows, .. } => stash |= shows.stash,
            _ => {}
        }
    }
    if stash {
        draft.effects.push(Effect::unknown(
            "git may show what the line itself puts into the stash",
        ));
    }
}

/// Where a line may change secrets that git tracks, git may find them changed by then; where it moves files, a word may name no path any more.
fn forget_files(draft: &mut Draft) {
    let keeps = |effect: &Effect| match effect.kind {
        EffectKind::Read | EffectKind::Connect | EffectKind::Environment | EffectKind::Signal => {
            true
        }
        EffectKind::Run => effect.manner.known_program,
        EffectKind::Write => {
            !effect.manner.moved_away
                && effect
                    .place()
                    .is_some_and(|place| is_plain_file(effect, place))
        }
        EffectKind::Delete | EffectKind::Privilege | EffectKind::Unknown => false,
    };
    if draft.effects.iter().all(keeps) {
        return;
    }
    for question in &mut draft.questions {
        if let Question::Tracked { reach, .. } = question {
            reach.changed = false;
            reach.words.clear();
        }
    }
}

/// Whether only one file changes, and none that is secret by its name.
fn is_plain_file(effect: &Effect, place: &Place) -> bool {
    let written = place.written.as_str();
    !effect.manner.recursive
        && !effect.manner.repository
        && !is_pattern(written)
        && secret(&format!("/{}", written.trim_start_matches('/')), None).is_none()
}

/// Whether each command of a text ends before the next one starts, and none runs twice. A sign in quotes only means that this is not told.
pub(crate) fn is_ordered(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |index: Option<usize>| {
        index
            .and_then(|index| bytes.get(index))
            .copied()
            .unwrap_or(b' ')
    };
    let together = |(index, byte): (usize, &u8)| match byte {
        b'|' | b'&' => {
            at(index.checked_sub(1)) != *byte
                && at(Some(index + 1)) != *byte
                && at(index.checked_sub(1)) != b'>'
        }
        b'(' => {
            matches!(at(index.checked_sub(1)), b'<' | b'>' | b')') || at(Some(index + 1)) == b')'
        }
        _ => false,
    };
    const REPEAT: [&str; 14] = [
        "do", "function", "trap", "coproc", "xargs", "parallel", "watch", "entr", "exec",
        "execdir", "ok", "okdir", "fd", "fdfind",
    ];
    let repeats = |word: &str| REPEAT.contains(&word);
    !bytes.iter().enumerate().any(together)
        && !text
            .split(|letter: char| !letter.is_alphanumeric())
            .any(repeats)
}

/// Whether an effect may change an index of git, or a file that says what is ignored.
fn changes_lists(effect: &Effect) -> bool {
    match effect.kind {
        EffectKind::Read | EffectKind::Connect | EffectKind::Environment | EffectKind::Signal => {
            false
        }
        EffectKind::Run => !effect.manner.known_program,
        EffectKind::Privilege | EffectKind::Unknown => true,
        EffectKind::Write | EffectKind::Delete => {
            let named = |path: &str| {
                let name = last_part(path);
                name.is_empty()
                    || name.starts_with("..")
                    || name == "."
                    || path.contains(".git")
                    || name.contains("ignore")
            };
            effect.manner.repository
                || effect.manner.recursive
                || effect.place().is_none_or(|place| named(&place.written))
        }
    }
}
