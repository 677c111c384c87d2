//! Counts over calls: how many ran, were asked and denied, by what, and how long people took to answer.

use std::collections::HashMap;

use rusqlite::ToSql;

use super::calls::{Filter, Kinds, borrowed};
use super::{Index, IndexError};

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
const MOST: usize = 10;

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

    fn add(&mut self, other: &Counts) {
        self.calls += other.calls;
        self.prompts += other.prompts;
        self.approved += other.approved;
        self.auto_approved += other.auto_approved;
        self.denied += other.denied;
        self.blocked += other.blocked;
        self.timed_out += other.timed_out;
        self.cancelled += other.cancelled;
        self.nobody += other.nobody;
        self.dry_run += other.dry_run;
        self.failed += other.failed;
        self.undone += other.undone;
    }

    /// Reads the counts from this column on.
    fn read(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<Counts> {
        let get = |column: usize| {
            row.get::<_, Option<u64>>(from + column)
                .map(Option::unwrap_or_default)
        };
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
    pub fn stats(&self, filter: &Filter) -> Result<Stats, IndexError> {
        let (condition, values) = Filter {
            kinds: Kinds::Calls,
            ..filter.clone()
        }
        .condition();
        let values: Vec<&dyn ToSql> = borrowed(&values);
        let agents = format!(
            "SELECT coalesce(agent, ''), {COUNTS}, sum({PROMPTED}), min(at), max(at) FROM entries WHERE {condition} GROUP BY 1 ORDER BY 2 DESC, 1"
        );
        let mut stats = Stats::default();
        let by_agent: Vec<(String, Counts, i64, i64)> = self.all(&agents, &values, |row| {
            Ok((
                row.get(0)?,
                Counts::read(row, 1)?,
                row.get(13)?,
                row.get(14)?,
            ))
        })?;
        for (agent, counts, first, last) in by_agent {
            stats.total.add(&counts);
            stats.first = Some(stats.first.map_or(first, |other| other.min(first)));
            stats.last = Some(stats.last.map_or(last, |other| other.max(last)));
            if stats.by_agent.len() < MOST {
                stats.by_agent.push((agent, counts));
            }
        }
        if stats.total.prompts > 0 {
            self.prompts(&condition, &values, &mut stats)?;
        }
        Ok(stats)
    }

    /// Counts over what a person was asked about.
    fn prompts(
        &self,
        condition: &str,
        values: &[&dyn ToSql],
        stats: &mut Stats,
    ) -> Result<(), IndexError> {
        let sql = format!(
            "SELECT coalesce(rule, ''), coalesce(tool, ''), coalesce(what, ''), outcome, at - asked FROM entries
             WHERE {condition} AND {PROMPTED}"
        );
        let mut rules: HashMap<String, u64> = HashMap::new();
        let mut things: HashMap<(String, String), (u64, u64)> = HashMap::new();
        let mut took: Vec<i64> = Vec::new();
        self.all(&sql, values, |row| {
            let outcome: Option<String> = row.get(3)?;
            let outcome = outcome.as_deref().unwrap_or_default();
            *rules.entry(row.get(0)?).or_default() += 1;
            let thing = things.entry((row.get(1)?, row.get(2)?)).or_default();
            thing.0 += 1;
            thing.1 += u64::from(outcome == "approved");
            if let (Some(time), "approved" | "denied") = (row.get(4)?, outcome) {
                took.push(time);
            }
            Ok(())
        })?;
        stats.asks_by_rule = rules.into_iter().collect();
        stats
            .asks_by_rule
            .sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        stats.asks_by_rule.truncate(MOST);
        stats.most_asked = things
            .into_iter()
            .map(|((tool, what), (asked, yes))| (tool, what, asked, yes))
            .collect();
        stats.most_asked.sort_by(|one, other| {
            other
                .2
                .cmp(&one.2)
                .then_with(|| (&one.0, &one.1).cmp(&(&other.0, &other.1)))
        });
        stats.most_asked.truncate(MOST);
        took.sort_unstable();
        // The smallest time within which so many of a hundred answers came.
        let within = |percent: usize| {
            took.get((took.len() * percent).div_ceil(100).saturating_sub(1))
                .map(|took| (*took).max(0))
        };
        stats.answers = Answers {
            count: took.len() as u64,
            p50: within(50),
            p95: within(95),
        };
        Ok(())
    }
}
