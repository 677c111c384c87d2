//! The file that a file tool is about: what is known of it, and what is in it.

use sayso_core::analysis::effect::{EffectKind, Target};
use sayso_core::analysis::fact::{PathFact, PathKind};
use sayso_core::call::operation::MAX_BYTES;
use sayso_core::call::tool::Role;

use super::About;
use crate::error::PresentError;
use crate::ports::Content;

/// What stands where a file tool would write.
pub(super) enum Standing {
    /// Nothing yet.
    Nothing,
    /// A text, and whether it can be executed.
    Text {
        text: String,
        executable: Option<bool>,
    },
    /// Bytes that are no text.
    Bytes(Content),
    /// More than is read for a person; its size.
    Large(u64),
    /// Which file it is shows only when it runs.
    Unknown,
}

/// What is known of the path with a role.
pub(super) fn fact<'a>(about: About<'a>, role: Role) -> Option<&'a PathFact> {
    place_of(about, about.operation.text(role)?)
}

/// What is known of a path, as it was written in the call.
pub(super) fn place_of<'a>(about: About<'a>, written: &str) -> Option<&'a PathFact> {
    let places = about
        .reading
        .effects
        .iter()
        .filter_map(|effect| effect.place());
    places
        .filter(|place| place.written == written)
        .find_map(|place| place.fact.as_ref())
}

/// Reads what stands there. What cannot be read cannot be shown, and so is not asked about (H-27).
pub(super) fn standing(about: About<'_>) -> Result<Standing, PresentError> {
    let written = about.operation.text(Role::Path).unwrap_or_default();
    let unknown = |effect: &sayso_core::analysis::effect::Effect| {
        effect.kind == EffectKind::Write
            && matches!(&effect.target, Target::UnknownPath(path) if path == written)
    };
    let Some(fact) = fact(about, Role::Path) else {
        return match about.reading.effects.iter().any(unknown) {
            true => Ok(Standing::Unknown),
            false => Err(PresentError::NotLookedAt),
        };
    };
    match fact.kind {
        PathKind::Missing => Ok(Standing::Nothing),
        PathKind::File => read(about, &fact.canonical),
        kind => Err(PresentError::NotAFile {
            path: fact.canonical.clone(),
            kind,
        }),
    }
}

fn read(about: About<'_>, path: &str) -> Result<Standing, PresentError> {
    let most = MAX_BYTES as u64;
    let owned = || path.to_owned();
    let content = about
        .world
        .content(path, most)
        .map_err(|source| PresentError::Unreadable {
            path: owned(),
            source,
        })?
        .ok_or_else(|| PresentError::Gone { path: owned() })?;
    if content.size > most || content.bytes.len() as u64 != content.size {
        return if content.size > most {
            Ok(Standing::Large(content.size))
        } else {
            Err(PresentError::ReadInPart { path: owned() })
        };
    }
    match String::from_utf8(content.bytes) {
        Ok(text) if !text.contains('\0') => Ok(Standing::Text {
            text,
            executable: content.executable,
        }),
        Ok(text) => Ok(Standing::Bytes(Content {
            bytes: text.into_bytes(),
            ..content
        })),
        Err(error) => Ok(Standing::Bytes(Content {
            bytes: error.into_bytes(),
            ..content
        })),
    }
}
