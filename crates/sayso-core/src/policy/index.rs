//! Finds the rules that could match without looking at all of them.

use std::collections::HashMap;

use crate::policy::rule::{Rule, Subject};

/// Rules with an index over what they name.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// Rules for commands by program name.
    programs: HashMap<String, Vec<u32>>,
    /// Rules for commands that can be about any program.
    any_command: Vec<u32>,
    reads: PathIndex,
    writes: PathIndex,
    deletes: PathIndex,
    fetches: Vec<u32>,
    mcp: Vec<u32>,
    tools: Vec<u32>,
    delegates: Vec<u32>,
}

/// Rules for paths, by the first component they name.
#[derive(Clone, Debug, Default)]
struct PathIndex {
    by_first: HashMap<String, Vec<u32>>,
    anywhere: Vec<u32>,
    /// All of them, in the order of the policy.
    all: Vec<u32>,
}

/// Which rules for paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathRules {
    /// `read`.
    Read,
    /// `write`.
    Write,
    /// `delete`.
    Delete,
}

impl RuleSet {
    /// Indexes rules.
    pub fn new(rules: Vec<Rule>) -> Self {
        let mut set = RuleSet::default();
        for (number, rule) in rules.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            match &rule.matcher.subject {
                Subject::Command(patterns) => {
                    for pattern in patterns {
                        match pattern.programs() {
                            Some(names) => names.into_iter().for_each(|name| push(&mut set.programs, name, number)),
                            None => set.any_command.push(number),
                        }
                    }
                }
                Subject::CommandRegex(_) => set.any_command.push(number),
                Subject::Read(globs) => globs.iter().for_each(|glob| set.reads.add(glob.first_literal(), number)),
                Subject::Write(globs) => globs.iter().for_each(|glob| set.writes.add(glob.first_literal(), number)),
                Subject::Delete(globs) => globs.iter().for_each(|glob| set.deletes.add(glob.first_literal(), number)),
                Subject::Fetch(_) => set.fetches.push(number),
                Subject::Mcp(_) => set.mcp.push(number),
                Subject::Tool(_) => set.tools.push(number),
                Subject::Delegate(_) => set.delegates.push(number),
            }
        }
        set.rules = rules;
        set
    }

    /// All rules.
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// Rules for commands that could be about one of these program names.
    pub fn commands<'a>(&'a self, names: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a Rule> {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let mut listed: Vec<&u32> = names.into_iter().filter_map(|name| self.programs.get(name)).flatten().collect();
        listed.sort_unstable();
        listed.dedup();
        self.pick(listed.into_iter().chain(&self.any_command))
    }

    /// Rules for commands that could be about something seen in a text that could not be read, in the order of the policy.
    ///
    /// A rule that starts with a literal word can only match where that word stands, be it the beginning of a longer one.
    pub fn commands_seen<'a>(&self, words: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &Rule> {
        let mut numbers = self.any_command.clone();
        for word in words.filter(|_| !self.programs.is_empty()) {
            numbers.extend(self.programs.get(word).into_iter().flatten());
            if let Some((start, _)) = word.split_once([' ', '\t']) {
                numbers.extend(self.programs.get(start).into_iter().flatten());
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().filter_map(|number| self.rules.get(number as usize))
    }

    /// Rules for a path. `first` is its first component in the workspace, and none asks for all rules.
    pub fn paths<'a>(&'a self, kind: PathRules, first: Option<&'a str>) -> impl Iterator<Item = &'a Rule> {
        let index = match kind {
            PathRules::Read => &self.reads,
            PathRules::Write => &self.writes,
            PathRules::Delete => &self.deletes,
        };
        let (listed, rest) = match first {
            Some(name) => (index.by_first.get(name).map_or(&[][..], Vec::as_slice), index.anywhere.as_slice()),
            None => (index.all.as_slice(), &[][..]),
        };
        self.pick(listed.iter().chain(rest))
    }

    /// Rules for web addresses.
    pub fn fetches(&self) -> impl Iterator<Item = &Rule> {
        self.pick(self.fetches.iter())
    }

    /// Rules for MCP tools.
    pub fn mcp(&self) -> impl Iterator<Item = &Rule> {
        self.pick(self.mcp.iter())
    }

    /// Rules for tools.
    pub fn tools(&self) -> impl Iterator<Item = &Rule> {
        self.pick(self.tools.iter())
    }

    /// Rules for agents.
    pub fn delegates(&self) -> impl Iterator<Item = &Rule> {
        self.pick(self.delegates.iter())
    }

    fn pick<'a>(&'a self, numbers: impl Iterator<Item = &'a u32>) -> impl Iterator<Item = &'a Rule> {
        numbers.filter_map(|number| self.rules.get(*number as usize))
    }
}

impl PathIndex {
    fn add(&mut self, first: Option<&str>, number: u32) {
        if self.all.last() != Some(&number) {
            self.all.push(number);
        }
        match first {
            Some(name) => push(&mut self.by_first, name, number),
            None => self.anywhere.push(number),
        }
        if self.all.last() != Some(&number) {
            self.all.push(number);
        }
    }
}

fn push(map: &mut HashMap<String, Vec<u32>>, name: &str, number: u32) {
    let list = map.entry(name.to_owned()).or_default();
    if list.last() != Some(&number) {
        list.push(number);
    }
}
