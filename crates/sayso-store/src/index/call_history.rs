//! The entries of one call: which of the record tell of it, and what an id that nobody has could have meant.

use super::calls::Listed;
use super::{Index, IndexError};

/// What a person meant by an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The entries of one call, in their order.
    Story(Vec<u64>),
    /// Several calls could be meant: the last ones, by their decisions.
    Several(Vec<Listed>),
    /// No call has it; these ids are like it.
    Nothing(Vec<String>),
}

/// So many calls are named where one cannot be told.
const NAMED: u64 = 5;
/// Ids that are like another are looked for among so many of the last calls.
const LOOKED_AT: u64 = 2_000;

impl Index {
    /// The entries of the call that an entry belongs to; only itself if it belongs to none.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn story_of(&self, number: u64) -> Result<Option<Vec<u64>>, IndexError> {
        let Some(entry) = self.entry(number)? else {
            return Ok(None);
        };
        let Some(call) = &entry.call else {
            return Ok(Some(vec![number]));
        };
        let sql =
            "SELECT number, kind FROM entries WHERE call = ?1 AND session IS ?2 ORDER BY number";
        let all: Vec<(u64, String)> = self.all(sql, &[call, &entry.session], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let mut story = Vec::new();
        let mut is_decided = false;
        for (at, kind) in all {
            // Another call with the same id begins where this one was decided.
            if is_decided && matches!(kind.as_str(), "asked" | "granted" | "decided") {
                if story.contains(&number) {
                    break;
                }
                (story, is_decided) = (Vec::new(), false);
            }
            is_decided |= kind == "decided";
            story.push(at);
        }
        // An undo names only the id, and means the last call that had it by then.
        let decided = "SELECT number FROM entries WHERE call = ?1 AND kind = 'decided' AND number < ?2 ORDER BY number DESC LIMIT 1";
        for undo in self.all(
            "SELECT number FROM undone WHERE call = ?1",
            &[call],
            |row| row.get::<_, u64>(0),
        )? {
            let meant = self.all(decided, &[call, &undo], |row| row.get::<_, u64>(0))?;
            if meant.iter().any(|number| story.contains(number)) && !story.contains(&undo) {
                story.push(undo);
            }
        }
        story.sort_unstable();
        Ok(Some(story))
    }

    /// The call with this id, or the one whose id begins with it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn find(&self, id: &str) -> Result<Found, IndexError> {
        let sql = "SELECT number FROM entries WHERE call = ?1 AND kind IN ('decided', 'undo') ORDER BY number DESC LIMIT ?2";
        let mut numbers: Vec<u64> = self.all(sql, &[&id, &NAMED], |row| row.get(0))?;
        if numbers.is_empty() {
            // Asked and not decided, or cut off before.
            let any = "SELECT number FROM entries WHERE call = ?1 ORDER BY number DESC LIMIT 1";
            numbers = self.all(any, &[&id], |row| row.get(0))?;
        }
        if numbers.is_empty() && !id.is_empty() {
            let longer = "SELECT number FROM entries WHERE call > ?1 AND call <= ?2 AND kind = 'decided' ORDER BY number DESC LIMIT ?3";
            numbers = self.all(longer, &[&id, &format!("{id}\u{10FFFF}"), &NAMED], |row| {
                row.get(0)
            })?;
        }
        match *numbers {
            [] => Ok(Found::Nothing(self.near(id)?)),
            [number] => Ok(Found::Story(self.story_of(number)?.unwrap_or_default())),
            _ => {
                let several = numbers
                    .iter()
                    .map(|number| self.entry(*number))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Found::Several(several.into_iter().flatten().collect()))
            }
        }
    }

    fn near(&self, id: &str) -> Result<Vec<String>, IndexError> {
        let sql = "SELECT call FROM entries WHERE kind = 'decided' AND call IS NOT NULL ORDER BY number DESC LIMIT ?1";
        let mut last: Vec<String> = self.all(sql, &[&LOOKED_AT], |row| row.get(0))?;
        last.sort_unstable();
        last.dedup();
        last.sort_by_key(|call| std::cmp::Reverse(likeness(id, call)));
        last.retain(|call| likeness(id, call) >= 2.min(id.chars().count()).max(1));
        last.truncate(usize::try_from(NAMED).unwrap_or(0));
        Ok(last)
    }
}

/// How many characters two ids share at their beginning or at their end.
fn likeness(one: &str, other: &str) -> usize {
    let shared = |pairs: &mut dyn Iterator<Item = (char, char)>| {
        pairs
            .take_while(|(one, other)| one.eq_ignore_ascii_case(other))
            .count()
    };
    shared(&mut one.chars().zip(other.chars()))
        .max(shared(&mut one.chars().rev().zip(other.chars().rev())))
}
