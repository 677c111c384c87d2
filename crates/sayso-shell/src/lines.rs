//! A whole text as plain steps: every simple command in it with its literal words, its redirects and the folder it may run in.
//!
//! What is only known when it runs (variables, substitutions, file names by pattern) is refused here: this list holds what was written
//! and nothing else.

use crate::bash::Refusal;
use crate::bash::tree::{Assigned, Document, Node, Redirect, RedirectKind, Script, Simple, Word};

/// Folders that a line may be in at one place; more are not followed.
const MOST_FOLDERS: usize = 4;
/// Bytes of a folder that is gone to.
const LONGEST_FOLDER: usize = 512;
/// Commands of one line that are read.
const MOST_STEPS: usize = 200;
/// Words of one line that are read: each may be a question to the world.
const MOST_WORDS: usize = 1000;

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// `NAME=value` before the command.
    pub(crate) assignments: Vec<(String, String)>,
    /// Its words; none if it only redirects.
    pub(crate) words: Vec<String>,
    /// Files that redirects read and write.
    pub(crate) reads: Vec<String>,
    pub(crate) writes: Vec<String>,
    /// The folders it may run in, relative to where the line starts; the empty text is that place itself.
    pub(crate) folders: Vec<String>,
    /// It goes on while the next one runs.
    pub(crate) background: bool,
}

/// Lists the steps of a document.
pub(crate) fn steps(document: &Document, text: &str) -> Result<Vec<Step>, Refusal> {
    let mut walk =
        Walk { document, text, steps: Vec::new(), folders: vec![String::new()], background: false, words: 0, on_the_way: Vec::new() };
    walk.script(&document.script)?;
    Ok(walk.steps)
}

struct Walk<'a> {
    document: &'a Document,
    text: &'a str,
    steps: Vec<Step>,
    folders: Vec<String>,
    background: bool,
    words: usize,
    /// Folders in which a chain may have ended before its last part.
    on_the_way: Vec<String>,
}

impl Walk<'_> {
    /// Commands one after the other: each runs whether or not the one before it worked.
    fn script(&mut self, script: &Script) -> Result<(), Refusal> {
        for node in &script.0 {
            let before = self.folders.clone();
            self.node(node)?;
            // A `cd` may have failed, at any place of a chain, and the next command runs all the same.
            self.join(&before)?;
            let on_the_way = std::mem::take(&mut self.on_the_way);
            self.join(&on_the_way)?;
        }
        Ok(())
    }

    /// Commands in a place of their own: what they do to the folder ends with them.
    fn apart(&mut self, walk: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let before = self.folders.clone();
        walk(self)?;
        self.folders = before;
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), Refusal> {
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Pipeline(parts) => {
                let before = self.folders.clone();
                parts.iter().try_for_each(|part| {
                    self.folders.clone_from(&before);
                    self.node(part)
                })?;
                // In some shells the last part runs in the shell itself.
                self.join(&before)
            }
            // What is negated may have worked or not, and the next one runs in either case.
            Node::Not(inner) => {
                let before = self.folders.clone();
                self.node(inner)?;
                self.join(&before)
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
                for (condition, branch) in branches {
                    self.script(condition)?;
                    self.script(branch)?;
                }
                otherwise.iter().try_for_each(|script| self.script(script))
            }
            Node::Loop { condition, body, redirects } => {
                self.redirected(redirects)?;
                self.twice(|walk| {
                    walk.script(condition)?;
                    walk.script(body)
                })
            }
            Node::For { name, words, body, redirects } => {
                self.redirected(redirects)?;
                if !is_loop_name(name) {
                    return self.refuse_here("the variable of a loop may be one that other programs look at");
                }
                self.count(words.as_ref().map_or(0, Vec::len))?;
                // The words of the loop are values of a variable; where it is used, the text is refused, so here they only have to be plain.
                for word in words.iter().flatten() {
                    self.plain(word)?;
                }
                self.twice(|walk| walk.script(body))
            }
            Node::Case { word, arms, redirects } => {
                self.redirected(redirects)?;
                self.plain(word)?;
                for (patterns, body) in arms {
                    patterns.iter().try_for_each(|pattern| self.pattern(pattern))?;
                    self.script(body)?;
                }
                Ok(())
            }
            Node::Test { words, redirects } => {
                self.redirected(redirects)?;
                self.count(words.len())?;
                words.iter().try_for_each(|word| self.pattern(word))?;
                // A test of a file tells whether it is there.
                let mut step = self.empty_step();
                step.reads = words.iter().filter_map(Word::literal).filter(|text| !text.is_empty()).collect();
                self.steps.push(step);
                Ok(())
            }
        }
    }

    /// What runs again starts where it ended: the second round sees the folders of the first.
    fn twice(&mut self, walk: impl Fn(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let before = self.folders.clone();
        walk(self)?;
        if self.folders != before {
            self.join(&before)?;
            return self.refuse_here("a loop changes the folder it runs in");
        }
        Ok(())
    }

    /// `a && b || c`. Behind `&&` the one before has worked; where `||` stands, any of them may have been passed over.
    fn chain(&mut self, parts: &[Node]) -> Result<(), Refusal> {
        // The tree keeps no operators, so one `||` anywhere in the text counts for all.
        let may_skip = self.text.contains("||");
        let mut on_the_way = Vec::new();
        for part in parts {
            let before = self.folders.clone();
            self.node(part)?;
            if may_skip {
                self.join(&before)?;
            }
            on_the_way.extend(self.folders.iter().cloned());
        }
        // The chain may have ended after any of its parts.
        self.on_the_way.extend(on_the_way);
        Ok(())
    }

    fn join(&mut self, others: &[String]) -> Result<(), Refusal> {
        for other in others {
            if !self.folders.contains(other) {
                self.folders.push(other.clone());
            }
        }
        if self.folders.len() > MOST_FOLDERS {
            return self.refuse_here("it changes the folder too often to follow");
        }
        Ok(())
    }

    fn simple(&mut self, simple: &Simple) -> Result<(), Refusal> {
        self.count(simple.words.len() + simple.redirects.len())?;
        let mut step = self.empty_step();
        for assignment in &simple.assignments {
            let Assigned::One(value) = &assignment.value else {
                return self.refuse(simple.start, simple.end, "it sets a list of values");
            };
            step.assignments.push((assignment.name.clone(), self.plain(value)?));
        }
        if simple.words.is_empty() && !simple.assignments.is_empty() {
            return self.refuse(simple.start, simple.end, "it sets variables of the shell");
        }
        for word in &simple.words {
            step.words.push(self.plain(word)?);
        }
        self.redirects(&simple.redirects, &mut step)?;
        self.follow(&step, simple)?;
        self.steps.push(step);
        Ok(())
    }

    /// Follows `cd`. Everything else that changes the folder is no known program.
    fn follow(&mut self, step: &Step, simple: &Simple) -> Result<(), Refusal> {
        let words: Vec<&str> = step.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["cd", "--", folder] | ["cd", folder] if !folder.is_empty() && !folder.starts_with(['-', '+']) => {
                let mut folders = Vec::new();
                for from in &self.folders {
                    let written =
                        if folder.starts_with('/') || from.is_empty() { (*folder).to_owned() } else { format!("{from}/{folder}") };
                    // `link/..` is the folder of the link to the shell, and the folder above its target to everybody else: both are possible.
                    let tidy = without_steps_back(&written);
                    folders.extend([written, tidy]);
                }
                folders.sort();
                folders.dedup();
                // Every path of the line is looked at from every folder, name by name.
                if folders.iter().any(|folder| folder.len() > LONGEST_FOLDER) {
                    return self.refuse(simple.start, simple.end, "the folder has a very long name");
                }
                self.folders = folders;
                self.join(&[])
            }
            // Behind a word of the shell (`time cd x`), in any form that is not plain, or through a wrapper.
            _ if words.iter().any(|word| matches!(*word, "cd" | "pushd" | "popd" | "chdir")) && runs_a_folder_change(&step.words) => {
                self.refuse(simple.start, simple.end, "it changes to a folder that is not known")
            }
            _ => Ok(()),
        }
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
        Step {
            assignments: Vec::new(),
            words: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            folders: self.folders.clone(),
            background: self.background,
        }
    }

    fn redirects(&self, redirects: &[Redirect], step: &mut Step) -> Result<(), Refusal> {
        for redirect in redirects {
            match &redirect.kind {
                RedirectKind::Read(word) => step.reads.push(self.plain(word)?),
                RedirectKind::Write(word) => step.writes.push(self.plain(word)?),
                RedirectKind::Duplicate => {}
                RedirectKind::HereString(word) => drop(self.plain(word)?),
                RedirectKind::HereDocument(number) => {
                    if let Some(body) = self.document.bodies.get(*number) {
                        self.plain(body)?;
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

    /// The text of a word that is nothing but text.
    fn plain(&self, word: &Word) -> Result<String, Refusal> {
        match word.literal() {
            Some(text) => Ok(text),
            None => {
                let written = self.text.get(word.start..word.end).unwrap_or_default();
                self.refuse(word.start, word.end, &format!("`{written}` is only known when it runs"))
            }
        }
    }

    /// A pattern of `case` or `[[`: it may hold wildcards, which match text and no files.
    fn pattern(&self, word: &Word) -> Result<(), Refusal> {
        use crate::bash::tree::Piece::{Text, Wild};
        if word.pieces.iter().all(|piece| matches!(piece, Text { .. } | Wild(_))) {
            return Ok(());
        }
        self.plain(word).map(drop)
    }

    fn refuse_here(&self, reason: &str) -> Result<(), Refusal> {
        self.refuse(0, self.text.len(), reason)
    }

    fn refuse<T>(&self, start: usize, end: usize, reason: &str) -> Result<T, Refusal> {
        Err(Refusal { reason: reason.to_owned(), start, end })
    }
}

/// Names that no program or shell looks at; any other, such as `PATH`, would change what runs from then on.
fn is_loop_name(name: &str) -> bool {
    let letter = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    letter || matches!(name, "file" | "item" | "line" | "name" | "word" | "dir" | "num" | "idx" | "pkg")
}

/// Whether the program behind all wrappers is one that changes the folder.
fn runs_a_folder_change(words: &[String]) -> bool {
    let inner = crate::wrappers::unwrap(words).map_or(0, |unwrapped| unwrapped.start);
    let names = |word: &String| matches!(word.as_str(), "cd" | "pushd" | "popd" | "chdir");
    let shell_word = matches!(words.first().map(String::as_str), Some("time" | "command" | "builtin" | "exec" | "eval" | "env"));
    words.get(inner).is_some_and(names) || shell_word && words.iter().any(names)
}

/// A path with `name/..` taken out, as a shell keeps its own folder.
fn without_steps_back(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}
