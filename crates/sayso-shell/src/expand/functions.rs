//! Functions that a line defines: a call is walked as the commands of the body, with its words as `$1`, `$2` and so on.
//!
//! Only what is certain is followed: a function of the line itself, defined once, outside of every construct, under a name that no known
//! program has. By any other way to call it (`command f`, `xargs f`) it is a program that is not known.

use std::rc::Rc;

use super::assigned::PARAMETERS;
use super::commands::{DEEPEST, Step, Walk};
use super::wrappers;
use crate::parse::bash::Refusal;
use crate::parse::bash::tree::Node;
use crate::parse::placeholder;

/// Names that a shell calls without being asked to.
const CALLED_BY_SHELL: [&str; 10] = [
    "chpwd",
    "precmd",
    "preexec",
    "periodic",
    "zshaddhistory",
    "zshexit",
    "zsh_directory_name",
    "command_not_found_handle",
    "command_not_found_handler",
    "cd",
];

/// Words of the shell that may take a function away, or put another in its place.
const MAY_REDEFINE: [&str; 13] = [
    "unset",
    "eval",
    "source",
    ".",
    "alias",
    "unalias",
    "enable",
    "hash",
    "declare",
    "typeset",
    "unfunction",
    "autoload",
    "functions",
];

/// A function of the line.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) body: Rc<Node>,
    called: bool,
}

impl Walk<'_> {
    /// Keeps a function for its calls.
    pub(crate) fn define(&mut self, name: &str, body: &Node) -> Result<(), Refusal> {
        let small = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        let own = (self.find_program)(name).is_none()
            && !wrappers::is_wrapper(name)
            && !CALLED_BY_SHELL.contains(&name);
        let plain = self.level == 1 && self.depth == 0 && self.inside.is_none();
        if !small || !own || !plain || self.functions.iter().any(|function| function.name == name) {
            return self.refuse_here("a function is defined");
        }
        self.functions.push(Function {
            name: name.to_owned(),
            body: Rc::new(body.clone()),
            called: false,
        });
        Ok(())
    }

    /// The function that a command calls.
    pub(crate) fn called(&mut self, step: &Step) -> Option<Rc<Node>> {
        let first = step.words.first()?.value.as_str();
        if MAY_REDEFINE.contains(&first)
            || wrappers::is_wrapper(first) && !self.functions.is_empty()
        {
            let words = || step.words.iter().map(|field| field.value.as_str());
            if words().any(|word| MAY_REDEFINE.contains(&word)) {
                self.functions.retain(|function| function.called);
                self.functions
                    .iter_mut()
                    .for_each(|function| function.name.clear());
            }
        }
        if step.started || !step.assignments.is_empty() {
            return None;
        }
        let function = self
            .functions
            .iter_mut()
            .find(|function| function.name == first && !first.is_empty())?;
        function.called = true;
        Some(Rc::clone(&function.body))
    }

    /// Walks the body of a function.
    pub(crate) fn call(&mut self, step: Step, body: &Node) -> Result<(), Refusal> {
        if self.depth >= DEEPEST {
            return self.refuse(
                step.start,
                step.end,
                "commands stand in each other too deep",
            );
        }
        let arguments: Vec<String> = step
            .words
            .iter()
            .skip(1)
            .map(|field| field.value.clone())
            .collect();
        if !step.reads.is_empty() || !step.writes.is_empty() {
            self.steps.push(Step {
                words: Vec::new(),
                ..step
            });
        }
        self.give_parameters(arguments);
        self.depth += 1;
        let feed = self.feed.take();
        let has_local = self.has_local.replace(false);
        let result = self.node(body);
        // What a function calls its own is gone behind it, and the name is what it was.
        if std::mem::replace(&mut self.has_local, has_local) == Some(true) {
            self.state.variables.lose();
        }
        self.feed = feed;
        self.depth -= 1;
        self.forget_parameters();
        result
    }

    /// Gives the parameters these values.
    pub(crate) fn give_parameters(&mut self, arguments: Vec<String>) {
        self.forget_parameters();
        // Names of files from a list are parted again where they stand without quotes.
        let known = |value: &&String| {
            !placeholder::may_be_several(value) && !placeholder::has_names_below(value)
        };
        let names = PARAMETERS.iter().skip(1);
        for (name, value) in names.zip(arguments.iter().take_while(known)) {
            self.state.variables.set(name, vec![value.clone()]);
        }
        self.state.variables.set_list("@", arguments);
    }

    /// Walks the functions that nothing has called, for denials and dangers.
    pub(crate) fn uncalled(&mut self) -> Result<(), Refusal> {
        let bodies: Vec<Rc<Node>> = self
            .functions
            .iter()
            .filter(|function| !function.called)
            .map(|function| Rc::clone(&function.body))
            .collect();
        self.forget_parameters_if(!bodies.is_empty());
        bodies
            .iter()
            .try_for_each(|body| self.apart(|walk| walk.node(body)))
    }

    fn forget_parameters_if(&mut self, needed: bool) {
        if needed {
            self.forget_parameters();
        }
    }

    fn forget_parameters(&mut self) {
        for name in PARAMETERS {
            self.state.variables.forget(name);
        }
    }
}
