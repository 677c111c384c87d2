//! A whole text as plain steps: every simple command in it with its words, its redirects and the folders it may run in.
//!
//! The walk follows what a shell keeps from command to command: the folder and the variables. Where a line can take several ways, all of
//! them count. What stands inside of a word (`$(…)`, `<(…)`) or behind a wrapper (`sh -c`, `xargs`, `find -exec`) is a step like any other.

use super::directories::Folders;
use super::file_listers::Listed;
use super::functions::Function;
use super::known_programs::FindProgram;
use super::variables::{Variables, is_open_name, is_own_name};
use super::{substitution_output, words};
use crate::parse::bash::Refusal;
use crate::parse::bash::tree::{
    Assigned, Document, Form, Piece, Redirect, RedirectKind, Script, Simple, Word,
};
use crate::parse::field::Field;
use crate::parse::placeholder::{self, TEXT};

/// Commands of one line that are read.
const MOST_STEPS: usize = 600;
/// Words of one line that are read: each may be a question to the world.
const MOST_WORDS: usize = 2500;
/// How deep commands may stand in the words of commands.
pub(crate) const DEEPEST: usize = 16;

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
    pub(crate) folders: Folders,
    /// It goes on while the next one runs.
    pub(crate) background: bool,
    /// The command or script in its words is listed as steps of its own.
    pub(crate) read_inside: bool,
    /// The words of commands that it has run elsewhere.
    pub(crate) carries: Vec<Vec<String>>,
    /// What it reads as its input comes from the line: a pipe, a file or a text.
    pub(crate) fed: bool,
    /// Another program starts it, and no shell: a builtin of that name does not count.
    pub(crate) started: bool,
    /// It is no command, but names of files that are parted at blanks.
    pub(crate) hands_on: Option<String>,
    /// Those names are handed on each as one whole word.
    pub(crate) whole: bool,
    /// It is no command, but a variable of the environment that a word shows.
    pub(crate) shows: Option<String>,
    /// It starts a loop without an end.
    pub(crate) endless: bool,
    /// What reads its output stops after some of it.
    pub(crate) cut: bool,
    /// Which bytes of the text it is.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Lists the steps of a document.
pub(crate) fn steps(
    document: &Document,
    text: &str,
    find_program: FindProgram,
) -> Result<Vec<Step>, Refusal> {
    let mut walk = Walk::new(document, text, find_program);
    // A command has some letters, and growing step by step is slow.
    walk.steps.reserve((text.len() / 16).min(MOST_STEPS));
    walk.script(&document.script)?;
    walk.uncalled()?;
    Ok(walk.steps)
}

/// What a shell keeps from one command to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) folders: Folders,
    pub(crate) variables: Variables,
    /// Where the only `pushd` so far came from, as long as nothing else has gone anywhere.
    pub(crate) pushed: Option<Folders>,
}

impl State {
    /// Either this or the other may hold.
    pub(crate) fn join(&mut self, other: &State) {
        self.folders.join(&other.folders);
        self.variables.join(&other.variables);
        if self.pushed != other.pushed {
            self.pushed = None;
        }
    }
}

/// A walk through a document.
pub(crate) struct Walk<'a> {
    pub(crate) document: &'a Document,
    text: &'a str,
    pub(crate) find_program: FindProgram,
    pub(crate) steps: Vec<Step>,
    pub(crate) state: State,
    pub(crate) background: bool,
    words: usize,
    /// What commands read as their input comes from the line.
    pub(crate) fed: bool,
    /// The names that the command before it in a pipe prints.
    pub(crate) feed: Option<Listed>,
    /// How many scripts this one stands in, and the bytes of the outermost text it comes from.
    pub(crate) depth: usize,
    pub(crate) inside: Option<(usize, usize)>,
    /// How many constructs of this script the walk is in.
    pub(crate) level: usize,
    pub(crate) functions: Vec<Function>,
    /// Inside of a function: whether it has set a variable of its own.
    pub(crate) has_local: Option<bool>,
    /// Behind it in a pipe stands what takes only some lines or bytes.
    pub(crate) cut: bool,
}

impl<'a> Walk<'a> {
    fn new(document: &'a Document, text: &'a str, find_program: FindProgram) -> Self {
        Walk {
            document,
            text,
            find_program,
            steps: Vec::new(),
            state: State::default(),
            background: false,
            words: 0,
            fed: false,
            feed: None,
            depth: 0,
            inside: None,
            level: 0,
            functions: Vec::new(),
            has_local: None,
            cut: false,
        }
    }

    /// Walks a script that stands in a word: what it lists is added here. A shell of its own has the folder and its arguments, but none of the
    /// variables.
    pub(crate) fn walk_inside(
        &mut self,
        text: &str,
        place: (usize, usize),
        own_shell: Option<&[Field]>,
    ) -> Result<(), Refusal> {
        let at_word = |refusal: Refusal| Refusal {
            start: place.0,
            end: place.1,
            ..refusal
        };
        if self.depth >= DEEPEST {
            return self.refuse(place.0, place.1, "commands stand in each other too deep");
        }
        let document = crate::parse::bash::read(text).map_err(at_word)?;
        let mut walk = Walk {
            steps: std::mem::take(&mut self.steps),
            state: self.state.clone(),
            background: self.background,
            words: self.words,
            cut: self.cut,
            fed: self.fed,
            depth: self.depth + 1,
            inside: Some(self.inside.unwrap_or(place)),
            ..Walk::new(&document, text, self.find_program)
        };
        if let Some(arguments) = own_shell {
            walk.state.variables = Variables::default();
            walk.state.pushed = None;
            for (number, field) in arguments.iter().enumerate().take_while(|(number, field)| {
                *number < 10 && !placeholder::may_be_several(&field.value)
            }) {
                walk.state
                    .variables
                    .set(&number.to_string(), vec![field.value.clone()]);
                // Without quotes the shell parts the name of a file that it was handed whole.
                if field.value.contains(placeholder::BELOW) && !quotes_every_value(text) {
                    let (start, end) = walk.place(place.0, place.1);
                    let hands_on = Some(field.value.clone());
                    walk.steps.push(Step {
                        hands_on,
                        start,
                        end,
                        folders: walk.state.folders.clone(),
                        ..Step::default()
                    });
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

    pub(crate) fn simple(&mut self, simple: &Simple) -> Result<(), Refusal> {
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
                    step.assignments.extend(
                        values
                            .iter()
                            .map(|value| (assignment.name.clone(), value.clone())),
                    );
                }
                self.state.variables.set(&assignment.name, values);
                if let (Assigned::List(words), false) = (&assignment.value, assignment.appends) {
                    let values = words
                        .iter()
                        .flat_map(|word| words::values(word, &self.state.variables, self.document));
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
            sets.iter()
                .for_each(|(name, values)| kept.set(name, values.clone()));
            kept
        });
        for (name, values) in sets {
            step.assignments
                .extend(values.into_iter().map(|value| (name.to_owned(), value)));
        }
        self.redirects(&simple.redirects, &mut step)?;
        if simple.words.is_empty() {
            self.steps.push(step);
            return Ok(());
        }
        let plain = words::plain(&simple.words).or_else(|| goes_to_top(simple));
        let mut ways = if plain.is_some() {
            Vec::new()
        } else {
            words::commands(&simple.words, &self.state.variables, self.document)
        };
        if let Some(kept) = kept {
            self.state.variables.join(&kept);
        }
        if let Some(words) = plain {
            return self.command(Step { words, ..step });
        }
        if ways.len() == 1 {
            return self.command(Step {
                words: ways.pop().unwrap_or_default(),
                ..step
            });
        }
        let before = self.state.clone();
        let mut after: Option<State> = None;
        for fields in ways {
            self.count(fields.len())?;
            self.state.clone_from(&before);
            self.command(Step {
                words: fields,
                ..step.clone()
            })?;
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
            step.words
                .iter_mut()
                .for_each(|field| (field.start, field.end) = place);
        }
        step.folders.clone_from(&self.state.folders);
        step.fed = self.fed;
        let Some(first) = step.words.first() else {
            return self.refuse(
                step.start,
                step.end,
                "which command this is shows only when it runs",
            );
        };
        if !placeholder::is_literal(&first.value) && !first.value.starts_with(placeholder::HOME) {
            let reason = format!("`{}` is only known when it runs", first.shown());
            return self.refuse(first.start, first.end, &reason);
        }
        step.cut = self.cut;
        if let Some(body) = self.called(&step) {
            return self.call(step, &body);
        }
        self.follow(&step);
        let number = self.steps.len();
        if !super::nested::may_start(&step) {
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
                Ok(self
                    .texts(word)
                    .into_iter()
                    .map(|field| field.value)
                    .collect())
            }
            Assigned::List(words) => {
                words.iter().try_for_each(|word| self.look_into(word))?;
                Ok(vec![TEXT.to_string()])
            }
        }
    }

    pub(crate) fn texts(&self, word: &Word) -> Vec<Field> {
        words::texts(word, &self.state.variables, self.document)
    }

    /// Walks the commands that stand inside of a word.
    pub(crate) fn look_into(&mut self, word: &Word) -> Result<(), Refusal> {
        self.look_into_pieces(&word.pieces, (word.start, word.end))
    }

    fn look_into_pieces(&mut self, pieces: &[Piece], place: (usize, usize)) -> Result<(), Refusal> {
        for piece in pieces {
            match piece {
                Piece::Command { script, .. } => self.substituted(script, false)?,
                Piece::Process { script, fed } => self.substituted(script, *fed)?,
                Piece::Parameter { name, form, .. } => {
                    // How long a value is tells nothing.
                    if *form != Form::Count
                        && self.state.variables.is_inherited(name)
                        && !is_open_name(name)
                    {
                        let (start, end) = self.place(place.0, place.1);
                        let shows = Some(name.clone());
                        self.steps.push(Step {
                            shows,
                            start,
                            end,
                            folders: self.state.folders.clone(),
                            ..Step::default()
                        });
                    }
                    if let Form::Changed(inner) | Form::Or(inner) = form {
                        self.look_into_pieces(inner, place)?;
                    }
                }
                Piece::Number { names, .. } => {
                    if let Some(name) = names
                        .iter()
                        .find(|name| !self.state.variables.is_counted(name))
                    {
                        return self.refuse(
                            place.0,
                            place.1,
                            &format!("arithmetic evaluates what `{name}` holds"),
                        );
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A script that stands in a word; `fed` says that something is written to it.
    fn substituted(&mut self, script: &Script, fed: bool) -> Result<(), Refusal> {
        let (cut, before) = (std::mem::take(&mut self.cut), self.fed);
        self.fed |= fed;
        let result = self.apart(|walk| walk.script(script));
        (self.cut, self.fed) = (cut, before);
        result
    }

    /// Counts words, so that no line asks the world too much.
    pub(crate) fn count(&mut self, words: usize) -> Result<(), Refusal> {
        self.words += words;
        if self.steps.len() >= MOST_STEPS || self.words > MOST_WORDS {
            return self.refuse_here("there are more commands than are read");
        }
        Ok(())
    }

    pub(crate) fn empty_step(&self) -> Step {
        let (start, end) = self.place(0, self.text.len());
        Step {
            folders: self.state.folders.clone(),
            background: self.background,
            start,
            end,
            ..Step::default()
        }
    }

    /// Whether redirects put something into the input; none if they leave it as it is.
    pub(crate) fn feeds(redirects: &[Redirect]) -> Option<bool> {
        let feeds = |redirect: &Redirect| match (&redirect.kind, redirect.descriptor) {
            (RedirectKind::Read(word), None | Some(0))
                if word.literal().is_some_and(|path| path == "/dev/null") =>
            {
                Some(false)
            }
            (RedirectKind::Duplicate, Some(1 | 2)) => None,
            // `0<>` opens a file for both.
            (RedirectKind::Write(_), descriptor) => (descriptor == Some(0)).then_some(true),
            _ => Some(true),
        };
        redirects
            .iter()
            .filter_map(feeds)
            .reduce(|one, other| one || other)
    }

    /// Bytes of this script as bytes of the outermost text.
    pub(crate) fn place(&self, start: usize, end: usize) -> (usize, usize) {
        self.inside.unwrap_or((start, end))
    }

    pub(crate) fn redirects(
        &mut self,
        redirects: &[Redirect],
        step: &mut Step,
    ) -> Result<(), Refusal> {
        for redirect in redirects {
            match &redirect.kind {
                RedirectKind::Read(word) | RedirectKind::Write(word) => {
                    self.look_into(word)?;
                    let mut fields = self.texts(word);
                    if let Some(place) = self.inside {
                        fields
                            .iter_mut()
                            .for_each(|field| (field.start, field.end) = place);
                    }
                    let list = if matches!(redirect.kind, RedirectKind::Read(_)) {
                        &mut step.reads
                    } else {
                        &mut step.writes
                    };
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

    pub(crate) fn refuse_here<T>(&self, reason: &str) -> Result<T, Refusal> {
        let (start, end) = self.place(0, self.text.len());
        self.refuse(start, end, reason)
    }

    pub(crate) fn refuse<T>(&self, start: usize, end: usize, reason: &str) -> Result<T, Refusal> {
        let (start, end) = self.inside.unwrap_or((start, end));
        Err(Refusal {
            reason: reason.to_owned(),
            start,
            end,
        })
    }
}

/// The words of `cd "$(git rev-parse --show-toplevel)"`. In any other place, it would matter that git may print nothing.
fn goes_to_top(simple: &Simple) -> Option<Vec<Field>> {
    let [program, folder] = simple.words.as_slice() else {
        return None;
    };
    let goes = program.bare() == Some("cd")
        && simple.assignments.is_empty()
        && substitution_output::is_top(folder);
    goes.then(|| {
        let top = Field::hole(placeholder::TOP, "$(…)", folder.start, folder.end);
        vec![Field::plain("cd", program.start, program.end), top]
    })
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
