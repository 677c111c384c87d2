//! Counts over calls: how many ran, were asked and denied, by what, and how long people took to answer.

use rusqlite::ToSql;

use super::Index;
use super::calls::{Filter, Kinds, borrowed};

/// Counts over calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All of them.
    pub total: Counts,
    /// When the first of them was decided, in milliseconds since 1970.
    pub first: Option<i64>,
    /// When the last one was.
    pub last: Option<i64>,
    /// What a person was asked for, by the rule that made it so; the most first.
    pub asks_by_rule: Vec<(String, u64)>,
    /// What a person was asked for most: tool, what it was about, how often, and how often the answer was yes.
    pub most_asked: Vec<(String, String, u64, u64)>,
    /// The same counts for each agent; the busiest first.
    pub by_agent: Vec<(String, Counts)>,
    /// How long answers took, in milliseconds; as many as there are prompts whose time was recorded.
    pub answers: Answers,
}

/// How long answers took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "what they are called")]
pub struct Answers {
    pub count: u64,
    pub p50: Option<i64>,
    pub p95: Option<i64>,
}

/// How many calls ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub calls: u64,
    /// Those that a person was asked about.
    pub prompts: u64,
    /// A person said yes.
    pub approved: u64,
    /// They ran unasked.
    pub auto_approved: u64,
    /// A person said no.
    pub denied: u64,
    /// The policy said no.
    pub blocked: u64,
    /// Nobody answered in time.
    pub timed_out: u64,
    /// The person stopped the batch, or the host took it back.
    pub cancelled: u64,
    /// There was nobody to ask.
    pub nobody: u64,
    /// They were judged only.
    pub dry_run: u64,
    /// They ran, and failed.
    pub failed: u64,
    /// They were taken back.
    pub undone: u64,
}

/// A person saw it: a prompt was recorded, or it ended as only an answered prompt does.
const PROMPTED: &str = "(asked IS NOT NULL OR outcome IN ('approved', 'denied', 'timed_out'))";
const COUNTS: &str = "count(*), sum(outcome = 'approved'), sum(outcome = 'auto_approved'), sum(outcome = 'denied'), \
    sum(outcome = 'blocked'), sum(outcome = 'timed_out'), sum(outcome = 'cancelled'), sum(outcome = 'nobody'), \
    sum(outcome = 'dry_run'), sum(succeeded = 0), sum(undone IS NOT NULL)";
/// So many lines of each list.
const MOST: u64 = 10;

impl Counts {
    /// Everything that did not run because somebody or something said no, or nobody said yes.
    pub fn denials(&self) -> u64 {
        self.denied + self.blocked + self.timed_out + self.cancelled + self.nobody
    }

    /// How many of 100 prompts were answered with yes; none without prompts.
    pub fn approval_rate(&self) -> Option<f64> {
        (self.prompts > 0).then(|| self.approved as f64 * 100.0 / self.prompts as f64)
    }

    /// How many of 100 calls a person was asked about; none without calls.
    pub fn prompts_per_100(&self) -> Option<f64> {
        (self.calls > 0).then(|| self.prompts as f64 * 100.0 / self.calls as f64)
    }

    /// Reads the counts from this column on.
    fn read(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<Counts> {
        let get = |column: usize| row.get::<_, Option<u64>>(from + column).map(Option::unwrap_or_default);
        Ok(Counts {
            calls: get(0)?,
            approved: get(1)?,
            auto_approved: get(2)?,
            denied: get(3)?,
            blocked: get(4)?,
            timed_out: get(5)?,
            cancelled: get(6)?,
            nobody: get(7)?,
            dry_run: get(8)?,
            failed: get(9)?,
            undone: get(10)?,
            prompts: get(11)?,
        })
    }
}

impl Index {
    /// Counts over the calls that are wanted.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn stats(&self, filter: &Filter) -> Result<Stats, String> {
        let (condition, values) = Filter { kinds: Kinds::Calls, ..filter.clone() }.condition();
        let values: Vec<&dyn ToSql> = borrowed(&values);
        let counts = format!("SELECT {COUNTS}, sum({PROMPTED}), min(at), max(at) FROM entries WHERE {condition}");
        let total = self.all(&counts, &values, |row| Ok((Counts::read(row, 0)?, row.get(12)?, row.get(13)?)))?;
        let (total, first, last) = total.into_iter().next().unwrap_or_default();
        let rules = format!(
            "SELECT coalesce(rule, ''), count(*) AS many FROM entries WHERE {condition} AND {PROMPTED}
             GROUP BY 1 ORDER BY many DESC, 1 LIMIT {MOST}"
        );
        let most = format!(
            "SELECT coalesce(tool, ''), coalesce(what, ''), count(*) AS many, sum(outcome = 'approved') FROM entries
             WHERE {condition} AND {PROMPTED} GROUP BY 1, 2 ORDER BY many DESC, max(number) DESC LIMIT {MOST}"
        );
        let agents = format!(
            "SELECT coalesce(agent, ''), {COUNTS}, sum({PROMPTED}) FROM entries WHERE {condition} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST}"
        );
        Ok(Stats {
            total,
            first,
            last,
            asks_by_rule: self.all(&rules, &values, |row| Ok((row.get(0)?, row.get(1)?)))?,
            most_asked: self.all(&most, &values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?,
            by_agent: self.all(&agents, &values, |row| Ok((row.get(0)?, Counts::read(row, 1)?)))?,
            answers: self.answers(&condition, &values)?,
        })
    }

    fn answers(&self, condition: &str, values: &[&dyn ToSql]) -> Result<Answers, String> {
        let sql = format!(
            "SELECT at - asked AS took FROM entries
             WHERE {condition} AND asked IS NOT NULL AND outcome IN ('approved', 'denied') ORDER BY took"
        );
        let took: Vec<i64> = self.all(&sql, values, |row| row.get(0))?;
        // The smallest time within which so many of a hundred answers came.
        let within = |percent: usize| took.get((took.len() * percent).div_ceil(100).saturating_sub(1)).map(|took| (*took).max(0));
        Ok(Answers { count: took.len() as u64, p50: within(50), p95: within(95) })
    }
}
