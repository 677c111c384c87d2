//! Says beforehand what will come of a call of a file tool: why it will fail, or what is kept so that it can be undone.

use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::{Kind, Role};

use super::Files;
use super::call::Call;
use super::copy;
use super::error::FileToolError;
use super::make_folder;
use super::relocate;
use super::remove;
use super::write;
use crate::open_nofollow::{self, Spot};
use crate::undoable::Keep;

/// What stands against a call as things are now, in the words that it would fail with. Nothing is changed, and nothing is kept.
///
/// # Errors
/// Why it will fail.
pub fn check(kit: &Files, operation: &Operation, verdict: &Verdict) -> Result<(), FileToolError> {
    let call = Call {
        kit,
        operation,
        verdict,
    };
    match operation.kind() {
        Kind::FileWrite
        | Kind::FileEdit
        | Kind::FileCreate
        | Kind::FileCreateOverwrite
        | Kind::FileAppend
        | Kind::FileInsertAfter
        | Kind::FileInsertBefore => write::check(&call),
        Kind::FileDelete => remove::deletable(&call).map(drop),
        Kind::FileRmdir => remove::removable(&call).map(drop),
        Kind::FileMove => relocate::movable(&call).map(drop),
        Kind::FileCopy => copy::copyable(&call).map(drop),
        Kind::FileMkdir => make_folder::missing(&call).map(drop),
        Kind::FileRead => {
            let spot = Spot::of(&call.path(Role::Path)?.path)?;
            Ok(open_nofollow::file(&spot.folder, &spot.name, &spot.path).map(drop)?)
        }
        Kind::List => Ok(open_nofollow::names_of(&call.path(Role::Path)?.path).map(drop)?),
        _ => Ok(()),
    }
}

/// Whether a call of a file tool that changes something could be undone.
pub fn promise(kit: &Files, operation: &Operation, verdict: &Verdict) -> Keep {
    let call = Call {
        kit,
        operation,
        verdict,
    };
    match operation.kind() {
        // Where something goes there is nothing before, and a move keeps what it moves.
        Kind::FileMove | Kind::FileCopy | Kind::FileMkdir => Keep::NotThere,
        _ => call.path(Role::Path).map_or_else(
            |why| Keep::Cannot(why.to_string()),
            |judged| kit.promise(&judged.path),
        ),
    }
}
