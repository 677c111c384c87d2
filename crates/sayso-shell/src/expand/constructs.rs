//! Constructs of a line: pipes, chains, branches and loops, and what the shell keeps behind each of them.
//!
//! Where a line can take several ways, what holds at the end of any of them may hold behind the construct.

use super::commands::{State, Step, Walk};
use super::file_listers::{self, Listed};
use super::pipe_names::takes_names;
use super::variables::{is_number, is_own_name};
use super::{endless, substitution_output, words};
use crate::parse::bash::Refusal;
use crate::parse::bash::tree::{Count, Joint, Node, Redirect, RedirectKind, Script, Word};
use crate::parse::field;
use crate::parse::placeholder::{self, NUMBER, TEXT};

impl Walk<'_> {
    /// Commands one after the other: each runs whether or not the one before it worked.
    pub(crate) fn script(&mut self, script: &Script) -> Result<(), Refusal> {
        for node in &script.0 {
            let before = self.state.folders.clone();
            self.node(node)?;
            // A `cd` may have failed, and the next command runs all the same.
            self.state.folders.join(&before);
            if self.state.folders != before {
                self.state.variables.forget_places();
            }
        }
        Ok(())
    }

    /// Commands in a place of their own: what they do to the folder and the variables ends with them.
    pub(crate) fn apart(
        &mut self,
        walk: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let before = self.state.clone();
        walk(self)?;
        self.state = before;
        Ok(())
    }

    pub(crate) fn node(&mut self, node: &Node) -> Result<(), Refusal> {
        // A redirect takes the place of the pipe.
        let outside = redirects_of(node)
            .iter()
            .any(takes_input)
            .then(|| self.feed.take());
        let fed = self.fed;
        self.fed = Walk::feeds(redirects_of(node)).unwrap_or(fed);
        let result = self.node_with_input(node);
        if let Some(feed) = outside {
            self.feed = feed;
        }
        // What `exec` redirects stays so for everything after it.
        self.fed = fed || self.fed && redirects_shell(node);
        result
    }

    fn node_with_input(&mut self, node: &Node) -> Result<(), Refusal> {
        // In some shells `&>` sends the command to the background, where it changes no folder and no variable.
        let before = goes_apart(node).then(|| self.state.clone());
        self.each_node(node)?;
        if let Some(before) = before {
            self.state.join(&before);
        }
        Ok(())
    }

    fn each_node(&mut self, node: &Node) -> Result<(), Refusal> {
        self.level += 1;
        let result = self.node_of_kind(node);
        self.level -= 1;
        result
    }

    fn node_of_kind(&mut self, node: &Node) -> Result<(), Refusal> {
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Pipeline(parts) => {
                let before = self.state.clone();
                let outside = self.feed.take();
                let outside_cut = self.cut;
                let mut printed: Option<Listed> = None;
                let fed = self.fed;
                for (at, part) in parts.iter().enumerate() {
                    self.fed = fed || at > 0;
                    self.state.clone_from(&before);
                    self.cut = outside_cut || parts.iter().skip(at + 1).any(endless::stops_early);
                    self.feed = printed
                        .clone()
                        .filter(|_| takes_names(part, self.find_program));
                    self.node(part)?;
                    printed = match substitution_output::literal_words(part) {
                        // What is parted by a NUL has no lines to choose from.
                        Some(words) if file_listers::passes_on(&words) => {
                            printed.filter(|names| !names.by_nul)
                        }
                        Some(words) => file_listers::listed(&words),
                        None => None,
                    };
                }
                self.feed = outside;
                self.cut = outside_cut;
                self.fed = fed;
                // In some shells the last part runs in the shell itself.
                self.state.join(&before);
                Ok(())
            }
            // What is negated may have worked or not, and the next one runs in either case.
            Node::Not(inner) => {
                let before = self.state.folders.clone();
                self.node(inner)?;
                self.state.folders.join(&before);
                Ok(())
            }
            Node::Chain(parts) => self.chain(parts),
            Node::Background(inner) => {
                let before = std::mem::replace(&mut self.background, true);
                let result = self.apart(|walk| walk.node(inner));
                self.background = before;
                result
            }
            Node::Subshell(script, redirects) => {
                self.redirected(redirects)?;
                self.apart(|walk| walk.script(script))
            }
            Node::Group(script, redirects) => {
                self.redirected(redirects)?;
                self.script(script)
            }
            Node::If {
                branches,
                otherwise,
                redirects,
            } => {
                self.redirected(redirects)?;
                self.branches(branches, otherwise.as_ref())
            }
            Node::Loop {
                condition,
                body,
                redirects,
            } => {
                self.redirected(redirects)?;
                let endless = endless::is_constant(condition) && !endless::ends_itself(body);
                let first = self.steps.len();
                self.forget_assigned(&[condition, body], None);
                let fed = self.feed.is_some();
                self.round(|walk| {
                    walk.script(condition)?;
                    walk.feed = None;
                    walk.script(body)
                })?;
                if endless {
                    self.runs_without_end(first);
                }
                // At the end of the input the variable is empty.
                if fed {
                    self.forget_assigned(&[condition], None);
                }
                Ok(())
            }
            Node::For {
                name,
                words,
                body,
                redirects,
            } => {
                self.redirected(redirects)?;
                self.for_each(name, words.as_deref(), body)
            }
            Node::Count(count) => {
                self.redirected(&count.redirects)?;
                self.count_up(count)
            }
            Node::Function { name, body } => self.define(name, body),
            Node::Case {
                word,
                arms,
                redirects,
            } => {
                self.redirected(redirects)?;
                self.look_into(word)?;
                let before = self.state.clone();
                for (patterns, body) in arms {
                    patterns
                        .iter()
                        .try_for_each(|pattern| self.look_into(pattern))?;
                    self.script(body)?;
                    // The next arm runs instead of this one, or after it.
                    self.state.join(&before);
                }
                Ok(())
            }
            Node::Test {
                words,
                numbers,
                redirects,
            } => {
                self.redirected(redirects)?;
                self.test(words, numbers)
            }
        }
    }

    /// `[[ … ]]`: a comparison of numbers evaluates what it compares.
    fn test(&mut self, words: &[Word], numbers: &[Word]) -> Result<(), Refusal> {
        self.count(words.len() + numbers.len())?;
        for word in words.iter().chain(numbers) {
            self.look_into(word)?;
        }
        for word in numbers {
            if !self.texts(word).iter().all(|field| is_number(&field.value)) {
                return self.refuse(
                    word.start,
                    word.end,
                    "a comparison of numbers evaluates what it compares",
                );
            }
        }
        // Whether a file is there shows nothing of what is in it.
        let step = self.empty_step();
        self.steps.push(step);
        Ok(())
    }

    fn branches(
        &mut self,
        branches: &[(Script, Script)],
        otherwise: Option<&Script>,
    ) -> Result<(), Refusal> {
        let mut ends: Vec<State> = Vec::new();
        for (condition, branch) in branches {
            self.script(condition)?;
            let decided = self.state.clone();
            self.script(branch)?;
            ends.push(std::mem::replace(&mut self.state, decided));
        }
        if let Some(script) = otherwise {
            self.script(script)?;
        }
        ends.iter().for_each(|end| self.state.join(end));
        Ok(())
    }

    /// `for ((…))`: its arithmetic evaluates what the names hold, in every round.
    fn count_up(&mut self, count: &Count) -> Result<(), Refusal> {
        if !is_own_name(&count.name) {
            return self
                .refuse_here("the variable of a loop may be one that other programs look at");
        }
        let mut assigned = super::assigned::Assigned::default();
        assigned.script(&count.body);
        self.functions
            .iter()
            .for_each(|function| assigned.node(&function.body));
        let evaluated = |name: &String| *name == count.name || count.names.contains(name);
        let unsure = assigned
            .names
            .iter()
            .find(|(name, number)| evaluated(name) && !number)
            .map(|(name, _)| name);
        let unsure = unsure.or(count
            .names
            .iter()
            .find(|name| !self.state.variables.is_counted(name)));
        if let Some(name) = unsure {
            return self.refuse_here(&format!("arithmetic evaluates what `{name}` holds"));
        }
        if assigned.everything {
            return self.refuse_here("a loop over numbers may change what it counts with");
        }
        let before = self.state.clone();
        self.forget_assigned(&[&count.body], None);
        let value = if count.signed { TEXT } else { NUMBER };
        self.state
            .variables
            .set(&count.name, vec![value.to_string()]);
        self.round(|walk| walk.script(&count.body))?;
        self.state.join(&before);
        Ok(())
    }

    fn for_each(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &Script,
    ) -> Result<(), Refusal> {
        if !is_own_name(name) && name != "_" {
            return self
                .refuse_here("the variable of a loop may be one that other programs look at");
        }
        self.count(words.map_or(0, <[Word]>::len))?;
        let mut values = Vec::new();
        let mut lists = self.empty_step();
        for word in words.unwrap_or_default() {
            self.look_into(word)?;
            let fields = words::values(word, &self.state.variables, self.document);
            for field in fields {
                let value = field
                    .value
                    .trim_end_matches(placeholder::PARTED)
                    .replace(placeholder::LIST, &TEXT.to_string());
                lists.reads.extend(field::listed_folder(&field));
                // The shell parts a list of names here, once; what is in the variable is one name.
                if value.contains(placeholder::BELOW) && field.value.ends_with(placeholder::PARTED)
                {
                    let (start, end) = self.place(word.start, word.end);
                    let hands_on = Some(value.clone());
                    self.steps.push(Step {
                        hands_on,
                        start,
                        end,
                        folders: self.state.folders.clone(),
                        ..Step::default()
                    });
                }
                let one = placeholder::is_glob(&value) && !value.contains(placeholder::SINGLE);
                values.push(if one {
                    format!("{value}{}", placeholder::SINGLE)
                } else {
                    value
                });
            }
        }
        if words.is_none() {
            values.push(TEXT.to_string());
        }
        if !lists.reads.is_empty() {
            self.steps.push(lists);
        }
        let before = self.state.clone();
        self.forget_assigned(&[body], Some(name));
        self.state.variables.set(name, values);
        self.round(|walk| walk.script(body))?;
        self.state.join(&before);
        Ok(())
    }

    /// What runs again starts where it ended: a folder that it changes is not known in the next round.
    pub(crate) fn round(
        &mut self,
        walk: impl Fn(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let before = self.state.clone();
        walk(self)?;
        if self.state.folders != before.folders {
            return self.refuse_here("a loop changes the folder it runs in");
        }
        self.state.join(&before);
        Ok(())
    }

    /// Before a loop, every variable that it sets may already hold what an earlier round gave it.
    pub(crate) fn forget_assigned(&mut self, scripts: &[&Script], but: Option<&str>) {
        let mut assigned = super::assigned::Assigned::default();
        scripts.iter().for_each(|script| assigned.script(script));
        self.functions
            .iter()
            .for_each(|function| assigned.node(&function.body));
        if assigned.everything {
            return self.state.variables.lose();
        }
        for (name, numbers) in assigned.names {
            if Some(name.as_str()) == but {
                continue;
            }
            if numbers && self.state.variables.is_number(&name) {
                self.state.variables.set(&name, vec![NUMBER.to_string()]);
            } else {
                self.state.variables.forget(&name);
            }
        }
    }

    /// `a && b || c`. Behind `&&` the one before has worked; where `||` stands, any of them may have been passed over.
    fn chain(&mut self, parts: &[(Joint, Node)]) -> Result<(), Refusal> {
        let may_skip = parts.iter().any(|(joint, _)| *joint == Joint::Or);
        let mut ends: Vec<State> = Vec::new();
        for (_, part) in parts {
            let before = self.state.clone();
            self.node(part)?;
            if may_skip {
                self.state.join(&before);
            }
            ends.push(self.state.clone());
        }
        // The chain may have ended after any of its parts.
        ends.iter().for_each(|end| self.state.join(end));
        Ok(())
    }

    /// Redirects of a whole construct, as a step of their own.
    fn redirected(&mut self, redirects: &[Redirect]) -> Result<(), Refusal> {
        if redirects.is_empty() {
            return Ok(());
        }
        self.count(redirects.len())?;
        let mut step = self.empty_step();
        self.redirects(redirects, &mut step)?;
        self.steps.push(step);
        Ok(())
    }
}

/// Whether a command has a `&>`.
fn goes_apart(node: &Node) -> bool {
    redirects_of(node).iter().any(|redirect| redirect.both)
}

/// Whether a command is `exec`, perhaps behind another word.
fn redirects_shell(node: &Node) -> bool {
    let Node::Simple(simple) = node else {
        return false;
    };
    simple
        .words
        .iter()
        .take(3)
        .any(|word| word.literal().is_none_or(|word| word == "exec"))
}

/// Whether a redirect says where a command reads from.
fn takes_input(redirect: &Redirect) -> bool {
    // A number before it may be that of the input, and so may the one behind `<&`.
    !matches!(redirect.kind, RedirectKind::Write(_))
        && !matches!(
            (&redirect.kind, redirect.descriptor),
            (RedirectKind::Duplicate, Some(1 | 2))
        )
}

/// The redirects of a command itself.
fn redirects_of(node: &Node) -> &[Redirect] {
    match node {
        Node::Simple(simple) => &simple.redirects,
        Node::Subshell(_, redirects) | Node::Group(_, redirects) => redirects,
        Node::If { redirects, .. }
        | Node::Loop { redirects, .. }
        | Node::For { redirects, .. }
        | Node::Case { redirects, .. }
        | Node::Test { redirects, .. } => redirects,
        Node::Count(count) => &count.redirects,
        Node::Function { .. }
        | Node::Pipeline(_)
        | Node::Chain(_)
        | Node::Not(_)
        | Node::Background(_) => &[],
    }
}
