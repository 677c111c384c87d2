//! The files that redirects in unreadable text may write or read, so that what is protected or denied is found among them.

use std::collections::HashSet;

use sayso_core::analysis::draft::{Danger, Draft};
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Place, Target};
use sayso_core::analysis::fact::Question;
use sayso_core::analysis::risk::Tier;

use super::split::After;
use super::words::Seen;
use crate::programs::effect_builder::PLAIN;

/// So many are asked about with a folder in their path, and so many without.
const MOST_IN_FOLDERS: usize = 256;
const MOST_PLAIN: usize = 64;
/// No system opens a longer path.
const LONGEST: usize = 4096;

/// Puts the files behind `>` and `<` into a draft, as effects that may come about.
pub(crate) fn list(draft: &mut Draft, text: &str, seen: &Seen) {
    // The text of a here-document is mostly code, where `->` and `<` stand before names that are no files.
    let document = text.contains("<<");
    let (mut in_folders, mut plain) = (0, 0);
    let mut known = HashSet::new();
    for segment in &seen.segments {
        let kind = match segment.after {
            After::Output => EffectKind::Write,
            After::Input => EffectKind::Read,
            _ => continue,
        };
        let Some(path) = segment.words.first().filter(|path| is_literal(path)) else {
            continue;
        };
        let folder = path.contains('/');
        if !folder && ((document && !path.contains('.')) || plain >= MOST_PLAIN) {
            continue;
        }
        if !known.insert((segment.after == After::Output, path.as_str())) {
            continue;
        }
        if folder && in_folders >= MOST_IN_FOLDERS {
            let what = "more redirects than can be looked at".to_owned();
            draft.dangers.push(Danger {
                tier: Tier::Dangerous,
                what,
                part: None,
                shown_by_effect: false,
            });
            return;
        }
        in_folders += usize::from(folder);
        plain += usize::from(!folder);
        let question = draft.ask(Question::Path {
            path: path.clone(),
            no_follow: false,
        });
        let place = Place {
            written: path.clone(),
            question,
            fact: None,
        };
        let manner = Manner {
            redirect: true,
            ..PLAIN
        };
        draft.effects.push(Effect {
            manner,
            certain: false,
            ..Effect::new(kind, Target::Path(place))
        });
    }
}

/// Whether a word is the path itself. Which file a variable, a pattern or a home stands for is not known here, and the devices
/// are looked at as dangers.
fn is_literal(path: &str) -> bool {
    !path.is_empty()
        && path.len() < LONGEST
        && !path.starts_with(['~', '#'])
        && !path.starts_with("/dev/")
        && !path
            .chars()
            .any(|character| character.is_control() || "$`*?{[".contains(character))
}
