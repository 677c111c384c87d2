//! What `rules` and `grants` work with: everything that is remembered, and the journal that changes are written to.

use std::io::{self, IsTerminal, Write};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_store::journal::{Journal, Sync};
use sayso_store::record;
use sayso_store::rules_and_grants::Standing;
use sayso_store::rules_and_grants::change::{self, Change};
use sayso_world::locations::Whereabouts;

use super::Stop;
use sayso_runtime::record_folder;

/// Everything that is remembered.
pub(super) struct Book {
    pub whereabouts: Whereabouts,
    pub standing: Vec<Standing>,
}

/// Which of it a command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shelf {
    /// Rules: those that were added, and patterns from answers that last.
    Rules,
    /// The other answers.
    Grants,
}

impl Shelf {
    pub(super) fn has(self, one: &Standing) -> bool {
        (self == Shelf::Rules) == one.is_rule()
    }

    fn word(self) -> &'static str {
        match self {
            Shelf::Rules => "rule",
            Shelf::Grants => "grant",
        }
    }
}

impl Book {
    pub(super) fn open() -> Result<Book, Stop> {
        let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
        let standing =
            sayso_runtime::rules_layer::standing(&whereabouts.state).map_err(Stop::usage)?;
        Ok(Book {
            whereabouts,
            standing,
        })
    }

    /// Those that a command is about.
    pub(super) fn of(&self, shelf: Shelf) -> impl Iterator<Item = &Standing> {
        self.standing.iter().filter(move |one| shelf.has(one))
    }

    /// The one that a person means.
    pub(super) fn find(&self, shelf: Shelf, word: &str) -> Result<&Standing, Stop> {
        let (kind, shown) = (shelf.word(), visible(word));
        if let Some(one) = self.of(shelf).find(|one| one.id == word) {
            return Ok(one);
        }
        let found: Vec<&Standing> = self.of(shelf).filter(|one| one.is_meant_by(word)).collect();
        match found.as_slice() {
            [one] => Ok(one),
            [] => {
                let other = if shelf == Shelf::Rules {
                    Shelf::Grants
                } else {
                    Shelf::Rules
                };
                let hint = match self.of(other).any(|one| one.is_meant_by(word)) {
                    true => format!("it is a {}: use `sayso {}s`", other.word(), other.word()),
                    false => format!("`sayso {kind}s list` shows all of them"),
                };
                Err(Stop::hint(format!("there is no {kind} `{shown}`"), &hint))
            }
            many => {
                let ids: Vec<String> = many
                    .iter()
                    .map(|one| format!("`{}`", visible(&one.id)))
                    .collect();
                Err(Stop::hint(
                    format!("`{shown}` is the beginning of {} {kind}s", many.len()),
                    &format!("say which: {}", ids.join(", ")),
                ))
            }
        }
    }

    /// Writes a change down.
    pub(super) fn write(&self, change: &Change<'_>) -> Result<(), Stop> {
        let journal = Journal::open(&self.whereabouts.state).map_err(Stop::usage)?;
        let user = Value::Number(self.whereabouts.uid.to_string()).into();
        let mut about: Vec<(&'static str, Node)> = vec![("user", user)];
        // Whoever listens to a session hears that something of it was taken back.
        if let Change::Removed(id) = change
            && let Some(one) = self.standing.iter().find(|one| one.id == *id)
        {
            about.extend(
                one.session()
                    .map(|session| ("session", record::text(session))),
            );
            about.push(("words", record::text(&format!("taken back: {}", one.words))));
        }
        change::write(&journal, about, change, Sync::Disk)
            .map(drop)
            .map_err(|why| Stop::hint(why, "nothing was changed"))
    }
}

/// Asks for a yes at the terminal, unless it was given with `--yes`. Without a terminal nobody says yes.
pub(super) fn confirm(question: &str, yes: bool) -> Result<bool, Stop> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Stop::hint(
            question,
            "there is no terminal to ask at; add `--yes` if you mean it",
        ));
    }
    let mut out = io::stderr().lock();
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
