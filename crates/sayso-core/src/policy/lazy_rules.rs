//! The rules of a set: read, or packed until somebody looks at one of them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::packed::{Packed, Packer, Unpacker};
use crate::policy::decision::Decision;
use crate::policy::rule::{Matcher, Rule, Subject, When};

/// Room that is made for rules before any of them was seen.
const MOST_ROOM: usize = 1024;

/// Rules by their number.
#[derive(Clone)]
pub struct Shelf(Rules);

#[derive(Clone)]
enum Rules {
    Read(Vec<Rule>),
    Packed {
        bytes: Arc<Vec<u8>>,
        rules: Vec<Slot>,
    },
}

/// A rule at a place in the bytes. Of a thousand rules a call needs few, so each is unpacked when it is first needed.
#[derive(Clone)]
struct Slot {
    place: u32,
    rule: OnceLock<Box<Rule>>,
}

impl Shelf {
    /// Rules that were read.
    pub fn new(rules: Vec<Rule>) -> Shelf {
        Shelf(Rules::Read(rules))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Rules::Read(rules) => rules.len(),
            Rules::Packed { rules, .. } => rules.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rule of a number.
    pub fn get(&self, number: u32) -> Option<&Rule> {
        match &self.0 {
            Rules::Read(rules) => rules.get(number as usize),
            Rules::Packed { bytes, rules } => {
                rules.get(number as usize).map(|slot| slot.rule(bytes))
            }
        }
    }

    /// All of them, in the order of the policy.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        (0..self.len()).filter_map(|number| self.get(u32::try_from(number).ok()?))
    }
}

impl Slot {
    fn rule(&self, bytes: &Arc<Vec<u8>>) -> &Rule {
        self.rule.get_or_init(|| {
            Box::new(
                Rule::unpack(&mut Unpacker::from_place(bytes, self.place))
                    .unwrap_or_else(unreadable),
            )
        })
    }
}

/// What stands for a rule that cannot be unpacked. The digest over the bytes makes that impossible but for a mistake of ours; if it was a
/// denial, nothing may pass by it.
fn unreadable() -> Rule {
    Rule {
        id: "unreadable-rule".to_owned(),
        decision: Decision::Deny,
        matcher: Matcher {
            subject: Subject::Anything,
            recursive: false,
            overwrite: false,
            secret: false,
        },
        except: None,
        when: When::default(),
        reason: Some("a rule could not be read back from the snapshot".to_owned()),
        source: "snapshot".to_owned(),
        learned: false,
        examples: Vec::new(),
    }
}

impl Default for Shelf {
    fn default() -> Self {
        Shelf::new(Vec::new())
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl Packed for Shelf {
    fn pack(&self, out: &mut Packer) {
        out.number(self.len() as u64);
        self.iter().for_each(|rule| out.apart(|out| rule.pack(out)));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let count = from.count()?;
        let mut rules = Vec::with_capacity(count.min(MOST_ROOM));
        for _ in 0..count {
            rules.push(Slot {
                place: from.apart()?,
                rule: OnceLock::new(),
            });
        }
        Some(Shelf(Rules::Packed {
            bytes: from.whole().clone(),
            rules,
        }))
    }
}
