//! A whole text as plain steps: every simple command in it with its words, its redirects and the folders it may run in.
//!
//! The walk follows what a shell keeps from command to command: the folder and the variables. Where a line can take several ways, all of
//! them count. What stands inside of a word (`$(…)`, `<(…)`) or behind a wrapper (`sh -c`, `xargs`, `find -exec`) is a step like any other.

use crate::bash::Refusal;
use crate::bash::tree::{Assigned, Document, Form, Joint, Node, Piece, Redirect, RedirectKind, Script, Simple, Word};
use crate::expand::{self, Field};
use crate::folders::Folders;
use crate::hole::{self, NUMBER, TEXT};
use crate::listers::{self, Listed};
use crate::outputs;
use crate::variables::{Variables, is_number, is_open_name, is_own_name};

/// Commands of one line that are read.
const MOST_STEPS: usize = 600;
/// Words of one line that are read: each may be a question to the world.
const MOST_WORDS: usize = 2500;
/// How deep commands may stand in the words of commands.
const DEEPEST: usize = 16;

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// `NAME=value` before the command.
    pub(crate) assignments: Vec<(String, String)>,
    /// Its words; none if it only redirects or sets variables.
    pub(crate) words: Vec<Field>,
    /// Files that redirects read and write.
    pub(crate) reads: Vec<Field>,
    pub(crate) writes: Vec<Field>,
    /// The folders it may run in.
    pub(crate) folders: Vec<String>,
    /// It goes on while the next one runs.
    pub(crate) background: bool,
    /// The command or script in its words is listed as steps of its own.
    pub(crate) read_inside: bool,
    /// The words of commands that it has run elsewhere.
    pub(crate) carries: Vec<Vec<String>>,
    /// Another program starts it, and no shell: a builtin of that name does not count.
    pub(crate) started: bool,
    /// It is no command, but names of files that are parted at blanks.
    pub(crate) hands_on: Option<String>,
    /// It is no command, but a variable of the environment that a word shows.
    pub(crate) shows: Option<String>,
    /// Which bytes of the text it is.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Lists the steps of a document.
pub(crate) fn steps(document: &Document, text: &str) -> Result<Vec<Step>, Refusal> {
    let mut walk = Walk::new(document, text);
    walk.script(&document.script)?;
    Ok(walk.steps)
}

/// What a shell keeps from one command to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) folders: Folders,
    pub(crate) variables: Variables,
}

impl State {
    /// Either this or the other may hold.
    fn join(&mut self, other: &State) {
        self.folders.join(&other.folders);
        self.variables.join(&other.variables);
    }
}

/// A walk through a document.
pub(crate) struct Walk<'a> {
    document: &'a Document,
    text: &'a str,
    pub(crate) steps: Vec<Step>,
    pub(crate) state: State,
    background: bool,
    words: usize,
    /// The names that the command before it in a pipe prints.
    pub(crate) feed: Option<Listed>,
    /// How many scripts this one stands in, and the bytes of the outermost text it comes from.
    pub(crate) depth: usize,
    pub(crate) inside: Option<(usize, usize)>,
}

impl<'a> Walk<'a> {
    fn new(document: &'a Document, text: &'a str) -> Self {
        Walk { document, text, steps: Vec::new(), state: State::default(), background: false, words: 0, feed: None, depth: 0, inside: None }
    }

    /// Walks a script that stands in a word: what it lists is added here. A shell of its own has the folder and its arguments, but none of the
    /// variables.
    pub(crate) fn walk_inside(&mut self, text: &str, place: (usize, usize), own_shell: Option<&[Field]>) -> Result<(), Refusal> {
        let at_word = |refusal: Refusal| Refusal { start: place.0, end: place.1, ..refusal };
        if self.depth >= DEEPEST {
            return self.refuse(place.0, place.1, "commands stand in each other too deep");
        }
        let document = crate::bash::read(text).map_err(at_word)?;
        let mut walk = Walk {
            steps: std::mem::take(&mut self.steps),
            state: self.state.clone(),
            background: self.background,
            words: self.words,
            depth: self.depth + 1,
            inside: Some(self.inside.unwrap_or(place)),
            ..Walk::new(&document, text)
        };
        if let Some(arguments) = own_shell {
            walk.state.variables = Variables::default();
            for (number, field) in
                arguments.iter().enumerate().take_while(|(number, field)| *number < 10 && !hole::may_be_several(&field.value))
            {
                walk.state.variables.set(&number.to_string(), vec![field.value.clone()]);
                // Without quotes the shell parts the name of a file that it was handed whole.
                if field.value.contains(hole::BELOW) && !quotes_every_value(text) {
                    let (start, end) = walk.place(place.0, place.1);
                    let hands_on = Some(field.value.clone());
                    walk.steps.push(Step { hands_on, start, end, folders: walk.state.folders.list(), ..Step::default() });
                }
            }
        }
        let result = walk.script(&document.script);
        self.steps = std::mem::take(&mut walk.steps);
        self.words = walk.words;
        if own_shell.is_none() {
            self.state = walk.state;
        }
        result.map_err(at_word)
    }

    /// Commands one after the other: each runs whether or not the one before it worked.
    fn script(&mut self, script: &Script) -> Result<(), Refusal> {
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
    fn apart(&mut self, walk: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let before = self.state.clone();
        walk(self)?;
        self.state = before;
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), Refusal> {
        // A redirect takes the place of the pipe.
        let outside = redirects_of(node).iter().any(takes_input).then(|| self.feed.take());
        let result = self.node_with_input(node);
        if let Some(feed) = outside {
            self.feed = feed;
        }
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
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Pipeline(parts) => {
                let before = self.state.clone();
                let outside = self.feed.take();
                for part in parts {
                    self.state.clone_from(&before);
                    self.node(part)?;
                    let words = outputs::literal_words(part);
                    self.feed = match words {
                        // What is parted by a NUL has no lines to choose from.
                        Some(words) if listers::passes_on(&words) => self.feed.take().filter(|feed| !feed.by_nul),
                        Some(words) => listers::listed(&words),
                        None => None,
                    };
                }
                self.feed = outside;
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
            Node::If { branches, otherwise, redirects } => {
                self.redirected(redirects)?;
                self.branches(branches, otherwise.as_ref())
            }
            Node::Loop { condition, body, redirects } => {
                self.redirected(redirects)?;
                self.forget_assigned(&[condition, body], None);
                self.round(|walk| {
                    walk.script(condition)?;
                    walk.script(body)
                })
            }
            Node::For { name, words, body, redirects } => {
                self.redirected(redirects)?;
                self.for_each(name, words.as_deref(), body)
            }
            Node::Case { word, arms, redirects } => {
                self.redirected(redirects)?;
                self.look_into(word)?;
                let before = self.state.clone();
                for (patterns, body) in arms {
                    patterns.iter().try_for_each(|pattern| self.look_into(pattern))?;
                    self.script(body)?;
                    // The next arm runs instead of this one, or after it.
                    self.state.join(&before);
                }
                Ok(())
            }
            Node::Test { words, numbers, redirects } => {
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
                return self.refuse(word.start, word.end, "a comparison of numbers evaluates what it compares");
            }
        }
        // Whether a file is there shows nothing of what is in it.
        let step = self.empty_step();
        self.steps.push(step);
        Ok(())
    }

    fn branches(&mut self, branches: &[(Script, Script)], otherwise: Option<&Script>) -> Result<(), Refusal> {
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

    fn for_each(&mut self, name: &str, words: Option<&[Word]>, body: &Script) -> Result<(), Refusal> {
        if !is_own_name(name) && name != "_" {
            return self.refuse_here("the variable of a loop may be one that other programs look at");
        }
        self.count(words.map_or(0, <[Word]>::len))?;
        let mut values = Vec::new();
        let mut lists = self.empty_step();
        for word in words.unwrap_or_default() {
            self.look_into(word)?;
            let fields = expand::values(word, &self.state.variables, self.document);
            for field in fields {
                let value = field.value.trim_end_matches(hole::PARTED).replace(hole::LIST, &TEXT.to_string());
                lists.reads.extend(expand::listed_folder(&field));
                // The shell parts a list of names here, once; what is in the variable is one name.
                if value.contains(hole::BELOW) && field.value.ends_with(hole::PARTED) {
                    let (start, end) = self.place(word.start, word.end);
                    let hands_on = Some(value.clone());
                    self.steps.push(Step { hands_on, start, end, folders: self.state.folders.list(), ..Step::default() });
                }
                let one = hole::is_glob(&value) && !value.contains(hole::SINGLE);
                values.push(if one { format!("{value}{}", hole::SINGLE) } else { value });
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
    fn round(&mut self, walk: impl Fn(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let before = self.state.clone();
        walk(self)?;
        if self.state.folders != before.folders {
            return self.refuse_here("a loop changes the folder it runs in");
        }
        self.state.join(&before);
        Ok(())
    }

    /// Before a loop, every variable that it sets may already hold what an earlier round gave it.
    fn forget_assigned(&mut self, scripts: &[&Script], but: Option<&str>) {
        let mut assigned = crate::assigned::Assigned::default();
        scripts.iter().for_each(|script| assigned.script(script));
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

    fn simple(&mut self, simple: &Simple) -> Result<(), Refusal> {
        self.count(simple.words.len() + simple.redirects.len())?;
        for word in &simple.words {
            self.look_into(word)?;
        }
        let mut step = self.empty_step();
        (step.start, step.end) = self.place(simple.start, simple.end);
        // Without a command, some shells open files before they set variables, and some after.
        if simple.words.is_empty() {
            self.redirects(&simple.redirects, &mut step)?;
        }
        let mut sets: Vec<(&str, Vec<String>)> = Vec::new();
        for assignment in &simple.assignments {
            let values = self.assigned(&assignment.value, assignment.appends)?;
            if simple.words.is_empty() {
                if !is_own_name(&assignment.name) {
                    step.assignments.extend(values.iter().map(|value| (assignment.name.clone(), value.clone())));
                }
                self.state.variables.set(&assignment.name, values);
                if let (Assigned::List(words), false) = (&assignment.value, assignment.appends) {
                    let values = words.iter().flat_map(|word| expand::values(word, &self.state.variables, self.document));
                    let values = values.map(|field| field.value).collect();
                    self.state.variables.set_list(&assignment.name, values);
                }
            } else {
                sets.push((&assignment.name, values));
            }
        }
        // Before some builtins, what is set for a command stays set in some shells.
        let kept = (!sets.is_empty()).then(|| {
            let mut kept = self.state.variables.clone();
            sets.iter().for_each(|(name, values)| kept.set(name, values.clone()));
            kept
        });
        for (name, values) in sets {
            step.assignments.extend(values.into_iter().map(|value| (name.to_owned(), value)));
        }
        self.redirects(&simple.redirects, &mut step)?;
        if simple.words.is_empty() {
            self.steps.push(step);
            return Ok(());
        }
        let mut ways = expand::commands(&simple.words, &self.state.variables, self.document);
        if let Some(kept) = kept {
            self.state.variables.join(&kept);
        }
        if ways.len() == 1 {
            return self.command(Step { words: ways.pop().unwrap_or_default(), ..step });
        }
        let before = self.state.clone();
        let mut after: Option<State> = None;
        for fields in ways {
            self.count(fields.len())?;
            self.state.clone_from(&before);
            self.command(Step { words: fields, ..step.clone() })?;
            match &mut after {
                Some(state) => state.join(&self.state),
                None => after = Some(self.state.clone()),
            }
        }
        self.state = after.unwrap_or(before);
        Ok(())
    }

    /// One command with its words; what it starts is listed, too.
    pub(crate) fn command(&mut self, mut step: Step) -> Result<(), Refusal> {
        if let Some(place) = self.inside {
            step.words.iter_mut().for_each(|field| (field.start, field.end) = place);
        }
        step.folders.clone_from(&self.state.folders.list());
        let Some(first) = step.words.first() else {
            return self.refuse(step.start, step.end, "which command this is shows only when it runs");
        };
        if !hole::is_literal(&first.value) && !first.value.starts_with(hole::HOME) {
            let reason = format!("`{}` is only known when it runs", first.shown());
            return self.refuse(first.start, first.end, &reason);
        }
        self.follow(&step);
        let number = self.steps.len();
        if !crate::inner::may_start(&step) {
            self.steps.push(step);
            return Ok(());
        }
        self.steps.push(step.clone());
        let read_inside = self.inner(&step)?;
        if let Some(step) = self.steps.get_mut(number) {
            step.read_inside = read_inside;
        }
        Ok(())
    }

    /// The values of an assignment. The values of a list are not told apart.
    fn assigned(&mut self, value: &Assigned, appends: bool) -> Result<Vec<String>, Refusal> {
        match value {
            Assigned::One(word) => {
                self.look_into(word)?;
                if appends {
                    return Ok(vec![TEXT.to_string()]);
                }
                Ok(self.texts(word).into_iter().map(|field| field.value).collect())
            }
            Assigned::List(words) => {
                words.iter().try_for_each(|word| self.look_into(word))?;
                Ok(vec![TEXT.to_string()])
            }
        }
    }

    fn texts(&self, word: &Word) -> Vec<Field> {
        expand::texts(word, &self.state.variables, self.document)
    }

    /// Walks the commands that stand inside of a word.
    fn look_into(&mut self, word: &Word) -> Result<(), Refusal> {
        self.look_into_pieces(&word.pieces, (word.start, word.end))
    }

    fn look_into_pieces(&mut self, pieces: &[Piece], place: (usize, usize)) -> Result<(), Refusal> {
        for piece in pieces {
            match piece {
                Piece::Command { script, .. } | Piece::Process { script } => self.apart(|walk| walk.script(script))?,
                Piece::Parameter { name, form, .. } => {
                    // How long a value is tells nothing.
                    if *form != Form::Count && self.state.variables.is_inherited(name) && !is_open_name(name) {
                        let (start, end) = self.place(place.0, place.1);
                        let shows = Some(name.clone());
                        self.steps.push(Step { shows, start, end, folders: self.state.folders.list(), ..Step::default() });
                    }
                    if let Form::Changed(inner) | Form::Or(inner) = form {
                        self.look_into_pieces(inner, place)?;
                    }
                }
                Piece::Number { names, .. } => {
                    if let Some(name) = names.iter().find(|name| !self.state.variables.is_number(name)) {
                        return self.refuse(place.0, place.1, &format!("arithmetic evaluates what `{name}` holds"));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Counts words, so that no line asks the world too much.
    fn count(&mut self, words: usize) -> Result<(), Refusal> {
        self.words += words;
        if self.steps.len() >= MOST_STEPS || self.words > MOST_WORDS {
            return self.refuse_here("there are more commands than are read");
        }
        Ok(())
    }

    fn empty_step(&self) -> Step {
        let (start, end) = self.place(0, self.text.len());
        Step { folders: self.state.folders.list(), background: self.background, start, end, ..Step::default() }
    }

    /// Bytes of this script as bytes of the outermost text.
    fn place(&self, start: usize, end: usize) -> (usize, usize) {
        self.inside.unwrap_or((start, end))
    }

    fn redirects(&mut self, redirects: &[Redirect], step: &mut Step) -> Result<(), Refusal> {
        for redirect in redirects {
            match &redirect.kind {
                RedirectKind::Read(word) | RedirectKind::Write(word) => {
                    self.look_into(word)?;
                    let mut fields = self.texts(word);
                    if let Some(place) = self.inside {
                        fields.iter_mut().for_each(|field| (field.start, field.end) = place);
                    }
                    let list = if matches!(redirect.kind, RedirectKind::Read(_)) { &mut step.reads } else { &mut step.writes };
                    list.extend(fields);
                }
                RedirectKind::Duplicate => {}
                RedirectKind::HereString(word) => self.look_into(word)?,
                RedirectKind::HereDocument(number) => {
                    if let Some(body) = self.document.bodies.get(*number) {
                        self.look_into(body)?;
                    }
                }
            }
        }
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

    fn refuse_here<T>(&self, reason: &str) -> Result<T, Refusal> {
        let (start, end) = self.place(0, self.text.len());
        self.refuse(start, end, reason)
    }

    pub(crate) fn refuse<T>(&self, start: usize, end: usize, reason: &str) -> Result<T, Refusal> {
        let (start, end) = self.inside.unwrap_or((start, end));
        Err(Refusal { reason: reason.to_owned(), start, end })
    }
}

/// Whether every value of a script stands in double quotes, as far as a glance tells.
fn quotes_every_value(text: &str) -> bool {
    let mut quoted = false;
    let every = text.bytes().all(|byte| {
        quoted ^= byte == b'"';
        quoted || byte != b'$'
    });
    every && !text.contains(['\'', '\\', '`']) && !text.contains("$(")
}

/// Whether a command has a `&>`.
fn goes_apart(node: &Node) -> bool {
    redirects_of(node).iter().any(|redirect| redirect.both)
}

/// Whether a redirect says where a command reads from.
fn takes_input(redirect: &Redirect) -> bool {
    // A number before it may be that of the input, and so may the one behind `<&`.
    !matches!(redirect.kind, RedirectKind::Write(_))
        && !matches!((&redirect.kind, redirect.descriptor), (RedirectKind::Duplicate, Some(1 | 2)))
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
        Node::Pipeline(_) | Node::Chain(_) | Node::Not(_) | Node::Background(_) => &[],
    }
}
