//! Calls and other entries by what they say: who, when, which tool, what came of it.

use rusqlite::ToSql;

use super::{Index, IndexError};

/// Which entries are wanted. What is empty does not narrow it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Not before this, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Before this.
    pub until: Option<i64>,
    /// The agent, also as the one who was handed the work by another.
    pub agent: Option<String>,
    /// How the session begins.
    pub session: Option<String>,
    /// The tools.
    pub tools: Vec<String>,
    /// What the policy said.
    pub decisions: Vec<String>,
    /// How it ended.
    pub outcomes: Vec<String>,
    /// The rule that made it so: its id, or where it stands.
    pub rule: Option<String>,
    /// A part of what it was about, in small or large letters.
    pub text: Option<String>,
    /// Which kinds of entries.
    pub kinds: Kinds,
}

/// Which kinds of entries are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// One for each call: its decision.
    #[default]
    Calls,
    /// Everything that was recorded.
    All,
    /// These.
    These(Vec<String>),
}

/// What the index knows of an entry. A decision also says when it was asked, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in the record")]
pub struct Listed {
    pub number: u64,
    /// In milliseconds since 1970, as all times here.
    pub at: i64,
    pub kind: String,
    pub call: Option<String>,
    pub session: Option<String>,
    pub agent: Option<String>,
    pub tool: Option<String>,
    pub decision: Option<String>,
    pub outcome: Option<String>,
    pub risk: Option<String>,
    pub rule: Option<String>,
    pub source: Option<String>,
    pub by: Option<String>,
    pub what: Option<String>,
    /// When the first prompt for it was shown.
    pub asked: Option<i64>,
    /// When it had run.
    pub ended: Option<i64>,
    /// Whether it went well; none if it did not run, or runs still.
    pub succeeded: Option<bool>,
    /// How long it ran.
    pub milliseconds: Option<u64>,
    /// When it was taken back.
    pub undone: Option<i64>,
    /// What the person typed as the answer.
    pub user_response: Option<String>,
    /// The word for it: once, session, deny and so on.
    pub user_response_word: Option<String>,
}

const COLUMNS: &str = "number, at, kind, call, session, agent, tool, decision, outcome, risk, rule, source, by, what, asked, ended, \
                       succeeded, milliseconds, undone, user_response, user_response_word";

impl Index {
    /// The last entries that are wanted, in their order; without a limit, all.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last(&self, filter: &Filter, limit: Option<u64>) -> Result<Vec<Listed>, IndexError> {
        let mut found = Vec::new();
        self.each(filter, limit, |listed| {
            found.push(listed);
            true
        })?;
        Ok(found)
    }

    /// The same, handed over one by one as long as `take` says so: all of a large record need not be in memory.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn each(
        &self,
        filter: &Filter,
        limit: Option<u64>,
        mut take: impl FnMut(Listed) -> bool,
    ) -> Result<(), IndexError> {
        let (condition, values) = filter.condition();
        let wanted = format!("SELECT {COLUMNS} FROM entries WHERE {condition} ORDER BY number");
        let sql = limit.map_or_else(
            || wanted.clone(),
            |limit| format!("SELECT * FROM ({wanted} DESC LIMIT {limit}) ORDER BY number"),
        );
        let mut run = || -> rusqlite::Result<()> {
            let mut query = self.db.prepare_cached(&sql)?;
            let mut rows = query.query(&*borrowed(&values))?;
            while let Some(row) = rows.next()? {
                if !take(Listed::read(row)?) {
                    break;
                }
            }
            Ok(())
        };
        Ok(run()?)
    }

    /// How many entries are wanted.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count(&self, filter: &Filter) -> Result<u64, IndexError> {
        let (condition, values) = filter.condition();
        let sql = format!("SELECT count(*) FROM entries WHERE {condition}");
        let counted = self.all(&sql, &borrowed(&values), |row| row.get(0))?;
        Ok(counted.first().copied().unwrap_or(0))
    }

    /// The numbers of all entries that are wanted, in their order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn numbers(&self, filter: &Filter) -> Result<Vec<u64>, IndexError> {
        let (condition, values) = filter.condition();
        let sql = format!("SELECT number FROM entries WHERE {condition} ORDER BY number");
        self.all(&sql, &borrowed(&values), |row| row.get(0))
    }

    /// The entry with this number.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn entry(&self, number: u64) -> Result<Option<Listed>, IndexError> {
        Ok(self
            .all(
                &format!("SELECT {COLUMNS} FROM entries WHERE number = ?1"),
                &[&number],
                Listed::read,
            )?
            .pop())
    }
}

impl Filter {
    /// Whether nothing is left out but other kinds.
    pub fn is_open(&self) -> bool {
        *self
            == Filter {
                kinds: self.kinds.clone(),
                ..Filter::default()
            }
    }

    /// The condition in SQL, with its values.
    pub(super) fn condition(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let mut parts: Vec<String> = Vec::new();
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut bind = |value: Box<dyn ToSql>| {
            values.push(value);
            format!("?{}", values.len())
        };
        match &self.kinds {
            Kinds::Calls => parts.push("kind = 'decided'".to_owned()),
            Kinds::All => {}
            Kinds::These(kinds) => parts.push(among("kind", kinds, &mut bind)),
        }
        if let Some(since) = self.since {
            parts.push(format!("at >= {}", bind(Box::new(since))));
        }
        if let Some(until) = self.until {
            parts.push(format!("at < {}", bind(Box::new(until))));
        }
        if let Some(agent) = &self.agent {
            let place = bind(Box::new(agent.clone()));
            parts.push(format!(
                "(agent = {place} OR substr(agent, 1, length({place}) + 3) = {place} || ' < ')"
            ));
        }
        if let Some(session) = &self.session {
            // What begins with it lies between it and its end; and its entries, between the first and the last of these sessions.
            let (from, to) = (
                bind(Box::new(session.clone())),
                bind(Box::new(format!("{session}\u{10FFFF}"))),
            );
            let of = format!("FROM sessions WHERE session >= {from} AND session <= {to}");
            parts.push(format!(
                "number BETWEEN (SELECT min(first_number) {of}) AND (SELECT max(last_number) {of})"
            ));
            parts.push(format!("session >= {from} AND session <= {to}"));
        }
        for (column, words) in [
            ("tool", &self.tools),
            ("decision", &self.decisions),
            ("outcome", &self.outcomes),
        ] {
            if !words.is_empty() {
                parts.push(among(column, words, &mut bind));
            }
        }
        if let Some(rule) = &self.rule {
            let place = bind(Box::new(rule.clone()));
            parts.push(format!("(rule = {place} OR source = {place})"));
        }
        if let Some(text) = &self.text {
            let place = bind(Box::new(text.to_ascii_lowercase()));
            parts.push(format!("instr(lower(what), {place}) > 0"));
        }
        (
            if parts.is_empty() {
                "1".to_owned()
            } else {
                parts.join(" AND ")
            },
            values,
        )
    }
}

fn among(
    column: &str,
    words: &[String],
    bind: &mut impl FnMut(Box<dyn ToSql>) -> String,
) -> String {
    let places: Vec<String> = words
        .iter()
        .map(|word| bind(Box::new(word.clone())))
        .collect();
    format!("{column} IN ({})", places.join(", "))
}

pub(super) fn borrowed(values: &[Box<dyn ToSql>]) -> Vec<&dyn ToSql> {
    values.iter().map(AsRef::as_ref).collect()
}

impl Listed {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Listed> {
        Ok(Listed {
            number: row.get(0)?,
            at: row.get(1)?,
            kind: row.get(2)?,
            call: row.get(3)?,
            session: row.get(4)?,
            agent: row.get(5)?,
            tool: row.get(6)?,
            decision: row.get(7)?,
            outcome: row.get(8)?,
            risk: row.get(9)?,
            rule: row.get(10)?,
            source: row.get(11)?,
            by: row.get(12)?,
            what: row.get(13)?,
            asked: row.get(14)?,
            ended: row.get(15)?,
            succeeded: row.get(16)?,
            milliseconds: row.get(17)?,
            undone: row.get(18)?,
            user_response: row.get(19)?,
            user_response_word: row.get(20)?,
        })
    }
}
