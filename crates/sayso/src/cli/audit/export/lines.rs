//! The lines of the record byte for byte, so that another program can check the chain.

use std::io::{self, Write as _};

use sayso_core::text::visible::visible;
use sayso_store::index::Index;
use sayso_store::index::calls::{Filter, Kinds};
use sayso_store::read::{Reader, Stored};

use super::file::Target;
use crate::cli::{SourceError, Stop};

/// Writes the lines; false where one is not as it was written and so is missing.
pub(super) fn write(
    target: &mut Target,
    index: Option<&Index>,
    filter: &Filter,
    limit: Option<u64>,
) -> Result<bool, Stop> {
    let Some(index) = index else { return Ok(true) };
    let reader = Reader::open(index.state()).map_err(Stop::usage)?;
    // The index is asked only where something is to be left out.
    let wanted = if filter.is_open() && filter.kinds == Kinds::All && limit.is_none() {
        None
    } else {
        Some(numbers(index, filter, limit)?)
    };
    let mut whole = true;
    each(&reader, wanted.as_deref(), |entry| {
        match entry {
            Ok(stored) => writeln!(target, "{}", stored.text)?,
            Err(why) => {
                whole = false;
                let _ = writeln!(
                    io::stderr(),
                    "sayso: warning: {}",
                    visible(&why.to_string())
                );
            }
        }
        Ok(())
    })?;
    Ok(whole)
}

fn numbers(index: &Index, filter: &Filter, limit: Option<u64>) -> Result<Vec<u64>, Stop> {
    let mut numbers = index.numbers(filter).map_err(Stop::usage)?;
    if let Some(limit) = limit.and_then(|limit| usize::try_from(limit).ok()) {
        numbers.drain(..numbers.len().saturating_sub(limit));
    }
    Ok(numbers)
}

/// Goes through the entries with these numbers, which are in order; through all without any.
pub(super) fn each(
    reader: &Reader,
    wanted: Option<&[u64]>,
    mut take: impl FnMut(Result<Stored, SourceError>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let Some(numbers) = wanted else {
        let mut all = reader.forwards().map_err(Stop::usage)?;
        return all.try_for_each(|entry| take(entry.map_err(SourceError::from)));
    };
    let mut numbers = numbers.iter().copied().peekable();
    let Some(first) = numbers.peek().copied() else {
        return Ok(());
    };
    for entry in reader.from(first).map_err(Stop::usage)? {
        // Damage between the wanted ones is none of theirs.
        let Ok(stored) = entry else { continue };
        while numbers.next_if(|next| *next < stored.number).is_some() {}
        if numbers.next_if_eq(&stored.number).is_some() {
            take(Ok(stored))?;
        }
        if numbers.peek().is_none() {
            break;
        }
    }
    Ok(())
}
