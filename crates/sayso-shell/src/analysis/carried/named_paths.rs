//! Paths in the words of a program whose effects are not all known.

use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Target};
use sayso_core::paths;

use super::commands::{Carry, Place};
use super::{Command, is_data};
use crate::expand::directories::in_folder;
use crate::parse::placeholder;
use crate::programs::effect_builder::{self, PLAIN};

/// Paths of one command that are looked at.
const MAX_PATHS: usize = 32;

/// Lists the paths in the words of a command: the policy counts those that are there and outside of the workspace, secret or protected.
pub(super) fn list(draft: &mut Draft, command: &Command<'_>, carries: &[Carry]) {
    // Words of a command that runs elsewhere are no paths of this machine.
    let away = carries
        .iter()
        .filter(|carry| carry.place != Place::Here)
        .filter_map(|carry| carry.start)
        .min();
    let upto = away.map_or(command.words.len(), |start| start - 1);
    let words = command.words.get(..upto).unwrap_or(&[]);
    let remote = carries.iter().any(|carry| carry.place == Place::Away);
    let mut pieces: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(at, _)| !is_data(words, *at))
        .flat_map(|(_, word)| pieces(word, remote))
        .collect();
    pieces.sort_unstable();
    pieces.dedup();
    for piece in pieces.into_iter().take(MAX_PATHS) {
        for folder in command.folders {
            let path = in_folder(folder, piece);
            let Some(asked) = effect_builder::asked(&path) else {
                continue;
            };
            let is_listed = |effect: &Effect| {
                effect.part == Some(command.part)
                    && effect.place().is_some_and(|place| place.written == asked)
            };
            if draft.effects.iter().any(is_listed) {
                continue;
            }
            let target = effect_builder::target(draft, &path, false, false);
            if matches!(target, Target::Path(_)) {
                let manner = Manner {
                    named: true,
                    ..PLAIN
                };
                let effect = Effect::new(EffectKind::Read, target);
                draft.effects.push(Effect {
                    manner,
                    certain: false,
                    part: Some(command.part),
                    at: Some(command.at),
                    ..effect
                });
            }
        }
    }
}

/// The parts of a word that may be paths: the whole word, behind `=`, `@`, `:` or `,`, and behind the letter of an option.
fn pieces(word: &str, remote: bool) -> Vec<&str> {
    // An address of a file is a path: `aws --body fileb://x`.
    if let Some((scheme, path)) = word.split_once("://")
        && scheme.to_ascii_lowercase().contains("file")
    {
        return pieces(path, remote);
    }
    if word.contains("://") || word.len() > 512 {
        return Vec::new();
    }
    // Of a text, what looks like `src=path` is one, and in code a name of a secret or a path that climbs: `getline < ".env"`.
    if word.contains(char::is_whitespace) {
        let assigned = word
            .split_whitespace()
            .filter(|part| part.contains('='))
            .flat_map(|part| pieces(part, remote));
        let names = word.split(|sign: char| sign.is_whitespace() || "'\"`()<>|;,=".contains(sign));
        let is_special = |name: &&str| {
            name.starts_with("../") || paths::secret(&paths::join("/", name), None).is_some()
        };
        return assigned
            .chain(names.filter(|name| !name.is_empty()).filter(is_special))
            .collect();
    }
    let letter = word
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))
        .and_then(|rest| rest.get(1..));
    let own = (!word.starts_with('-')).then_some(word);
    // The colon of `host:path` and `-v a:b` precedes a path of another machine.
    let parts = word
        .split(['=', ',', '@', ';'])
        .flat_map(move |part| part.split(':').take(if remote { 1 } else { usize::MAX }));
    let all = own
        .into_iter()
        .chain(letter)
        .chain(parts)
        .map(|piece| piece.trim_matches(['"', '\'', '{', '}', '[', ']']));
    let paths = all.filter(|piece| !piece.starts_with('-') && is_path(piece));
    paths
        .flat_map(|path| std::iter::once(path).chain(outer_folder(path)))
        .collect()
}

/// The folder of a path that starts elsewhere: the path itself may be one that the program makes.
fn outer_folder(path: &str) -> Option<&str> {
    let leads_out =
        path.starts_with(['/', placeholder::HOME]) || path.split('/').any(|name| name == "..");
    let (folder, _) = path
        .trim_end_matches('/')
        .rsplit_once('/')
        .filter(|_| leads_out)?;
    Some(folder).filter(|folder| !folder.is_empty())
}

fn is_path(piece: &str) -> bool {
    let text = piece.trim_start_matches(['/', '.']);
    let looks_like = piece.starts_with(placeholder::HOME)
        || piece.contains(['/', '.'])
            && !piece
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let climbs = piece.split('/').any(|name| name == "..");
    // Any plain word may be the name of a link that leads elsewhere.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_+".contains(&byte);
    let is_name = piece.len() > 1
        && piece.bytes().all(plain)
        && !piece.bytes().all(|byte| byte.is_ascii_digit());
    piece == "/"
        || climbs
        || is_name
        || !text.is_empty()
            && (looks_like || paths::secret(&paths::join("/", piece), None).is_some())
}
