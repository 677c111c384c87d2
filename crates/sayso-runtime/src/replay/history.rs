//! The calls of the past under another policy: what would change, both ways, and what cannot be told.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use sayso_core::analysis::fact::OwnPath;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::answer::verdict::{Reason, Verdict};
use sayso_core::decide::Uses;
use sayso_core::policy::Policy;
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;
use sayso_gate::pipeline::{Bench, judge};
use sayso_store::read::Stored;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

use super::recorded_call;
use super::recorded_call::Why;
use crate::assemble;
use crate::assemble::Choice;

/// So many examples are kept of each change.
const MOST_EXAMPLES: usize = 3;
/// So many different changes are told apart.
const MOST_CHANGES: usize = 1000;

/// What came of a replay.
#[derive(Debug, Default)]
pub struct Tally {
    /// Calls that were looked at.
    pub calls: u64,
    /// Those that were judged again.
    pub judged: u64,
    /// Prompts that the policy of then wanted, among those.
    pub asked_before: u64,
    /// Prompts that this policy wants.
    pub asked_after: u64,
    /// Calls whose verdict would be another, by what changes.
    pub changes: BTreeMap<Change, Changed>,
    /// Calls of changes that are too many to be told apart.
    pub more: u64,
    /// Calls that were allowed by an answer that had been kept.
    pub by_grant: u64,
    /// Calls that could not be judged again, by why.
    pub not_judged: BTreeMap<Why, u64>,
    /// Lines of the record that are not as they were written.
    pub damaged: u64,
    /// Workspaces whose policy cannot be read.
    pub broken: Vec<String>,
}

/// A change: from what to what, and by which rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What was decided.
    pub was: Decision,
    /// What would be.
    pub would: Decision,
    /// The rule that decided.
    pub rule_before: String,
    /// The rule that would decide.
    pub rule: String,
    /// Where that rule stands.
    pub source: String,
}

/// The calls of a change.
#[derive(Debug, Default)]
pub struct Changed {
    /// How many there are.
    pub count: u64,
    /// How many of them the person said no to.
    pub refused: u64,
    /// The first few.
    pub examples: Vec<Example>,
}

/// One call.
#[derive(Debug)]
pub struct Example {
    /// The number of its entry.
    pub number: u64,
    /// The call's id.
    pub call: String,
    /// What it is about.
    pub what: String,
}

/// How often each rule has allowed a call so far: rules with `uses` are counted anew from the first call on.
#[derive(Debug, Default)]
struct Counted(RefCell<HashMap<String, u64>>);

impl Uses for Counted {
    fn count(&self, rule: &str) -> u64 {
        self.0.borrow().get(rule).copied().unwrap_or(0)
    }
}

impl Counted {
    fn add(&self, verdict: &Verdict) {
        if verdict.decision != Decision::Allow {
            return;
        }
        let mut rules: Vec<&str> = verdict
            .reasons
            .iter()
            .filter_map(|reason| match &reason.rule {
                RuleId::Policy { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect();
        rules.sort_unstable();
        rules.dedup();
        for rule in rules {
            *self.0.borrow_mut().entry(rule.to_owned()).or_default() += 1;
        }
    }
}

/// Judges entries of the past, in the order in which they were written.
pub struct History<'a> {
    whereabouts: &'a Whereabouts,
    choice: &'a Choice,
    /// The policy for each workspace, and sayso's own files there.
    places: HashMap<String, (Policy, Vec<OwnPath>)>,
    uses: Counted,
    /// What was found so far.
    pub tally: Tally,
}

impl<'a> History<'a> {
    /// A history that is judged by the policy of this choice.
    pub fn new(whereabouts: &'a Whereabouts, choice: &'a Choice) -> Self {
        History {
            whereabouts,
            choice,
            places: HashMap::new(),
            uses: Counted::default(),
            tally: Tally::default(),
        }
    }

    /// Judges one entry; whatever is no decision is passed over.
    pub fn take(&mut self, stored: &Stored) {
        if stored.kind != "decided" {
            return;
        }
        self.tally.calls += 1;
        let Ok(entry) = stored.node() else {
            self.tally.damaged += 1;
            return;
        };
        if let Err(why) = self.judge(stored, &entry) {
            *self.tally.not_judged.entry(why).or_default() += 1;
        }
    }

    fn judge(&mut self, stored: &Stored, entry: &Node) -> Result<(), Why> {
        let text = |key: &str| entry.get(key).and_then(Node::as_text).unwrap_or_default();
        let workspace = text("workspace");
        if !workspace.is_empty() && !self.places.contains_key(workspace) {
            let place = self.place(workspace);
            self.places.insert(workspace.to_owned(), place);
        }
        let Some((policy, own)) = self.places.get(workspace) else {
            // An entry without one is told by what else it lacks.
            return recorded_call::past(entry, &mut |_| Vec::new())
                .map(drop)
                .and(Err(Why::Older));
        };
        let past = recorded_call::past(entry, &mut |_| own.clone())?;
        let bench = Bench {
            world: &past.world,
            policy,
            grants: &[],
            uses: Some(&self.uses),
            run: past.run,
            // Rules that end at a time are judged by the time of the call.
            now: stored.at.div_euclid(1000),
            runner: past.runner(),
            trace: false,
        };
        let verdict = judge(&bench, &past.operation).verdict;
        if past.world.failed.get() {
            return Err(Why::OtherQuestions);
        }
        self.uses.add(&verdict);
        let tally = &mut self.tally;
        tally.judged += 1;
        tally.asked_before += u64::from(past.was == Decision::Ask);
        tally.asked_after += u64::from(verdict.decision == Decision::Ask);
        tally.by_grant += u64::from(entry.get("grant").is_some());
        if past.was == verdict.decision {
            return Ok(());
        }
        let (rule, source) = deciding(&verdict);
        let rule_before = if entry.get("grant").is_some() {
            "a kept answer"
        } else {
            text("rule")
        }
        .to_owned();
        let change = Change {
            was: past.was,
            would: verdict.decision,
            rule_before,
            rule,
            source,
        };
        if tally.changes.len() >= MOST_CHANGES && !tally.changes.contains_key(&change) {
            tally.more += 1;
            return Ok(());
        }
        let changed = tally.changes.entry(change).or_default();
        changed.count += 1;
        changed.refused += u64::from(text("outcome") == "denied");
        if changed.examples.len() < MOST_EXAMPLES {
            changed.examples.push(Example {
                number: stored.number,
                call: text("call").to_owned(),
                what: text("what").to_owned(),
            });
        }
        Ok(())
    }

    /// The policy for a workspace, as its files are now.
    fn place(&mut self, workspace: &str) -> (Policy, Vec<OwnPath>) {
        let policy =
            assemble::load_instead(self.whereabouts, Path::new(workspace), self.choice).policy;
        if policy.why_broken().is_some() {
            self.tally.broken.push(workspace.to_owned());
        }
        let machine = Machine::new(self.whereabouts.clone()).guarding(policy.installed());
        let own = machine.answer("/", workspace, &[]).surroundings.own;
        (policy, own)
    }
}

/// The rule that decided, and where it stands.
fn deciding(verdict: &Verdict) -> (String, String) {
    verdict
        .decisive()
        .map_or_else(Default::default, |Reason { rule, .. }| {
            (rule.name().to_owned(), rule.source().into_owned())
        })
}
