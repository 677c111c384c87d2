//! Finds the rules that could match without looking at all of them.

use crate::packed::{Packed, Packer, Unpacker, packed};
use crate::policy::decision::Decision;
use crate::policy::lazy_rules::Shelf;
use crate::policy::name_index::Register;
use crate::policy::rule::{Rule, Subject};

/// Rules with an index over what they name.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Shelf,
    /// Rules for commands by program name.
    programs: Register,
    /// Rules for commands that can be about any program.
    any_command: Vec<u32>,
    reads: PathIndex,
    writes: PathIndex,
    deletes: PathIndex,
    fetches: Vec<u32>,
    mcp: Vec<u32>,
    tools: Vec<u32>,
    delegates: Vec<u32>,
    /// Rules that may only be used so often.
    limited: Vec<u32>,
}

/// Rules for paths, by the first component they name.
#[derive(Clone, Debug, Default)]
struct PathIndex {
    by_first: Register,
    anywhere: Vec<u32>,
    /// All of them, in the order of the policy.
    all: Vec<u32>,
    /// Those that can start anywhere, and those that deny.
    anywhere_or_deny: Vec<u32>,
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
            if rule.when.uses.is_some() {
                set.limited.push(number);
            }
            match &rule.matcher.subject {
                Subject::Command(patterns) => {
                    for pattern in patterns {
                        match pattern.programs() {
                            Some(names) => names
                                .into_iter()
                                .for_each(|name| set.programs.add(name, number)),
                            None => set.any_command.push(number),
                        }
                    }
                }
                Subject::CommandRegex(_) => set.any_command.push(number),
                Subject::Read(globs) => globs
                    .iter()
                    .for_each(|glob| set.reads.add(glob.first_literal(), rule.decision, number)),
                Subject::Write(globs) => globs
                    .iter()
                    .for_each(|glob| set.writes.add(glob.first_literal(), rule.decision, number)),
                Subject::Delete(globs) => globs
                    .iter()
                    .for_each(|glob| set.deletes.add(glob.first_literal(), rule.decision, number)),
                Subject::Fetch(_) => set.fetches.push(number),
                Subject::Mcp(_) => set.mcp.push(number),
                Subject::Tool(_) => set.tools.push(number),
                Subject::Delegate(_) => set.delegates.push(number),
                // No text says it.
                Subject::Anything => {}
            }
        }
        set.rules = Shelf::new(rules);
        set
    }

    /// All rules.
    pub fn all(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Rules for commands that could be about one of these program names.
    pub fn commands<'a>(
        &'a self,
        names: impl Iterator<Item = &'a str>,
    ) -> impl Iterator<Item = &'a Rule> {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let mut listed: Vec<&u32> = names
            .into_iter()
            .flat_map(|name| self.programs.get(name))
            .collect();
        listed.sort_unstable();
        listed.dedup();
        self.pick(listed.into_iter().chain(&self.any_command))
    }

    /// Rules for commands that could be about something seen in a text that could not be read, in the order of the policy.
    ///
    /// A rule that starts with a literal word can only match where that word stands, be it the beginning of a longer one.
    pub fn commands_seen<'a>(
        &self,
        words: impl Iterator<Item = &'a str>,
    ) -> impl Iterator<Item = &Rule> {
        let mut numbers = self.any_command.clone();
        for word in words.filter(|_| !self.programs.is_empty()) {
            numbers.extend(self.programs.get(word));
            if let Some((start, _)) = word.split_once([' ', '\t']) {
                numbers.extend(self.programs.get(start));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
            .into_iter()
            .filter_map(|number| self.rules.get(number))
    }

    /// Rules for a path. `first` is its first component in the workspace, and none asks for all rules.
    pub fn paths<'a>(
        &'a self,
        kind: PathRules,
        first: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Rule> {
        let index = match kind {
            PathRules::Read => &self.reads,
            PathRules::Write => &self.writes,
            PathRules::Delete => &self.deletes,
        };
        let (listed, rest) = match first {
            Some(name) => (index.by_first.get(name), index.anywhere.as_slice()),
            None => (index.all.as_slice(), &[][..]),
        };
        self.pick(listed.iter().chain(rest))
    }

    /// Rules for reading everything below the workspace: none that starts with a name covers it or asks for it, but each that denies does.
    pub fn reads_of_everything(&self) -> impl Iterator<Item = &Rule> {
        self.pick(self.reads.anywhere_or_deny.iter())
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

    /// Rules that may only be used so often.
    pub fn limited(&self) -> impl Iterator<Item = &Rule> {
        self.pick(self.limited.iter())
    }

    /// Every number of the index.
    fn numbers(&self) -> impl Iterator<Item = &u32> {
        let lists = [
            &self.any_command,
            &self.fetches,
            &self.mcp,
            &self.tools,
            &self.delegates,
            &self.limited,
        ];
        let paths = [&self.reads, &self.writes, &self.deletes];
        lists
            .into_iter()
            .flatten()
            .chain(self.programs.numbers())
            .chain(paths.into_iter().flat_map(PathIndex::numbers))
    }

    fn pick<'a>(
        &'a self,
        numbers: impl Iterator<Item = &'a u32>,
    ) -> impl Iterator<Item = &'a Rule> {
        numbers.filter_map(|number| self.rules.get(*number))
    }
}

packed! { struct PathIndex { by_first, anywhere, all, anywhere_or_deny } }

/// With the index, since making it anew would take every rule.
impl Packed for RuleSet {
    fn pack(&self, out: &mut Packer) {
        let RuleSet {
            rules,
            programs,
            any_command,
            reads,
            writes,
            deletes,
            fetches,
            mcp,
            tools,
            delegates,
            limited,
        } = self;
        rules.pack(out);
        programs.pack(out);
        [reads, writes, deletes]
            .into_iter()
            .for_each(|index| index.pack(out));
        [any_command, fetches, mcp, tools, delegates, limited]
            .into_iter()
            .for_each(|list| list.pack(out));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let set = RuleSet {
            rules: Packed::unpack(from)?,
            programs: Packed::unpack(from)?,
            reads: Packed::unpack(from)?,
            writes: Packed::unpack(from)?,
            deletes: Packed::unpack(from)?,
            any_command: Packed::unpack(from)?,
            fetches: Packed::unpack(from)?,
            mcp: Packed::unpack(from)?,
            tools: Packed::unpack(from)?,
            delegates: Packed::unpack(from)?,
            limited: Packed::unpack(from)?,
        };
        // A number of no rule would be passed over in silence.
        let known = set
            .numbers()
            .all(|number| (*number as usize) < set.rules.len());
        known.then_some(set)
    }
}

impl PathIndex {
    fn numbers(&self) -> impl Iterator<Item = &u32> {
        [&self.anywhere, &self.all, &self.anywhere_or_deny]
            .into_iter()
            .flatten()
            .chain(self.by_first.numbers())
    }

    fn add(&mut self, first: Option<&str>, decision: Decision, number: u32) {
        if (first.is_none() || decision == Decision::Deny)
            && self.anywhere_or_deny.last() != Some(&number)
        {
            self.anywhere_or_deny.push(number);
        }
        match first {
            Some(name) => self.by_first.add(name, number),
            None => self.anywhere.push(number),
        }
        if self.all.last() != Some(&number) {
            self.all.push(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::relative;
    use crate::policy::command_pattern::tests::Blanks;
    use crate::policy::glob::Subject as Path;
    use crate::policy::read::{Format, Origin, read};
    use crate::text::diagnostic::Source;
    use proptest::prelude::*;

    fn set(rule: &str) -> Option<RuleSet> {
        let text = format!("rules:\n  - deny: {{{rule}}}\n");
        let (layer, _) = read(
            Source {
                name: "test",
                text: &text,
            },
            Format::Yaml,
            Origin::User,
            &Blanks,
        );
        Some(RuleSet::new(layer?.rules))
    }

    fn word() -> impl Strategy<Value = String> {
        prop::sample::select(vec![
            "git", "push", "--force", "-f", "*", "g*", "rm", "git push", "x", "?",
        ])
        .prop_map(str::to_owned)
    }

    proptest! {
        /// What the index leaves out could not have matched.
        #[test]
        fn rules_that_match_seen_words_are_found(
            pattern in prop::collection::vec(word(), 1..4),
            form in prop::sample::select(vec!["words", "exact", "prefix", "glob"]),
            seen in prop::collection::vec(word(), 0..6),
        ) {
            let Some(set) = set(&format!("command: \"{}\", as: {form}", pattern.join(" "))) else { return Ok(()) };
            let Some(Subject::Command(patterns)) = set.all().next().map(|rule| &rule.matcher.subject) else { return Ok(()) };
            if patterns.iter().any(|pattern| pattern.matches_seen_as_is(&seen)) {
                prop_assert_eq!(set.commands_seen(seen.iter().map(String::as_str)).count(), 1);
            }
        }

        #[test]
        fn rules_that_reach_a_path_are_found_by_its_first_component(
            pattern in "(~/|/|/ws/)?[ab*](/(a|b|\\*|\\*\\*)){0,3}",
            path in "(/ws|/home/u|/a)(/[ab]){1,3}",
        ) {
            let Some(set) = set(&format!("read: \"{pattern}\"")) else { return Ok(()) };
            let Some(Subject::Read(globs)) = set.all().next().map(|rule| &rule.matcher.subject) else { return Ok(()) };
            let subject = Path { path: &path, workspace: "/ws", home: Some("/home/u") };
            let first = relative(&path, "/ws").map_or("", |rest| rest.split('/').next().unwrap_or(""));
            if globs.iter().any(|glob| glob.matches(subject) || glob.reaches_below(subject)) {
                prop_assert_eq!(set.paths(PathRules::Read, Some(first)).count(), 1, "{} {}", pattern, path);
            }
        }
    }

    /// The properties would hold for nothing if no rule could be read.
    #[test]
    fn rules_of_these_tests_are_read() {
        assert!(set("read: \"a/**\"").is_some());
        for form in ["words", "exact", "prefix", "glob"] {
            assert!(
                set(&format!("command: \"git push\", as: {form}")).is_some(),
                "{form}"
            );
        }
    }
}
