//! A reader of bash that refuses what it does not fully account for: a text is read whole, or the reason and place are told.
//!
//! It reads lists, pipes, groups, loops, conditions, heredocs, substitutions and the common expansions as bash without start-up files
//! does. Functions, coprocesses, aliases, indirect expansions, subscripts and everything rare are refused on purpose: whoever needs
//! them is asked. So is whatever other shells read as other commands (`((`, `[[ a || b ]]`): not every agent runs bash. Where they read
//! another word (`{a,b}`, `$'…'`), the tree keeps both.
//! Nothing is skipped: every byte belongs to a node of the tree, to a blank or to a comment.

mod arithmetic;
mod braces;
mod compound;
mod conditional;
mod counting;
mod cursor;
mod decoded;
mod grammar;
mod heredoc;
mod parameter;
mod rewritten;
pub(crate) mod tree;
mod word;

#[cfg(test)]
mod tests;

use cursor::Cursor;
use tree::Document;

/// How deep constructs may stand in each other.
const DEEPEST: usize = 24;

/// Why a text was not read, and which bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Reads a whole text.
pub(crate) fn read(text: &str) -> Result<Document, Refusal> {
    let mut cursor = Cursor::new(text)?;
    let script = cursor.script(grammar::Until::End)?;
    cursor.at_end()?;
    Ok(Document {
        script,
        bodies: cursor.bodies,
    })
}

type Reading<T> = Result<T, Refusal>;
