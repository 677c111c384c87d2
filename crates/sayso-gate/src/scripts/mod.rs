//! Texts that a command runs without having them in its own words: scripts, and the recipes of task runners. They are found here, so that
//! they can be judged and shown; what an answer is bound to is in [`seal`](crate::seal).

mod cargo_alias;
mod json_tasks;
mod judged;
mod justfile;
mod makefile;
mod shell_file;

use std::collections::{BTreeSet, VecDeque};

use sayso_core::draft::Reading;
use sayso_core::operation::Operation;
use sayso_core::paths::{join, relative};

use crate::ports::World;

pub(crate) use judged::judge;

/// So many texts are looked at for one call: a script may run scripts.
const MOST: usize = 16;
/// So many commands are looked at for that.
const MOST_LOOKS: usize = 64;
/// Programs that run texts; others are looked at where they are named by a path.
const RUNNERS: [&str; 19] = [
    "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "source", ".", "make", "gmake", "just", "npm", "pnpm", "yarn", "bun", "composer",
    "deno", "cargo",
];
/// So deep scripts may run scripts.
const DEEPEST: usize = 4;
/// So much of a file is read; a longer one is told to be longer.
const LONGEST: u64 = 64 << 10;
/// What stands for a value that is only known when it runs, to a shell.
const UNKNOWN: &str = "${known_when_it_runs}";

/// A text that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// What it is called: a file, or a recipe of one.
    pub name: String,
    /// As a person reads it.
    pub shown: String,
    /// As a shell would run it, with what is known of its variables; none if no shell runs it.
    pub shell: Option<String>,
    /// The folder that it runs in.
    pub folder: String,
    /// Why this is not all of it, if so.
    pub lacks: Option<&'static str>,
}

/// Where scripts are looked for.
pub(crate) struct Place<'a> {
    world: &'a dyn World,
    /// The folder of the command.
    folder: String,
    workspace: &'a str,
}

/// A file that was read.
struct Source {
    /// What a person calls it.
    name: String,
    text: String,
    lacks: Option<&'static str>,
}

/// The texts that a command runs, in the order in which they are found. A file that cannot be read brings none; the command is asked about
/// anyway.
pub(crate) fn find(world: &dyn World, operation: &Operation, reading: &Reading) -> Vec<Script> {
    let cwd = operation.cwd();
    let mut open = Open::default();
    for (index, command) in reading.commands.iter().enumerate() {
        // Its program may be a script by itself; the world knows which file it is.
        let file =
            reading.programs.get(index).and_then(Option::as_ref).and_then(|fact| fact.file.as_ref().filter(|_| fact.inside_workspace));
        let folder = || command.folders.first().map_or_else(|| cwd.clone(), |folder| join(&cwd, folder));
        open.add(file, &command.words, folder, 0);
    }
    for words in reading.opaque.iter().flat_map(|opaque| &opaque.seen) {
        open.add(None, words, || cwd.clone(), 0);
    }
    let mut found: Vec<Script> = Vec::new();
    let mut known = BTreeSet::new();
    while let Some((words, folder, depth)) = open.left.pop_front() {
        let place = Place { world, folder, workspace: operation.workspace() };
        for script in of_command(&place, &words) {
            if found.len() >= MOST || !known.insert((script.name.clone(), script.shown.clone())) {
                continue;
            }
            if let Some(text) = script.shell.as_ref().filter(|_| depth < DEEPEST) {
                inner(text).iter().for_each(|words| open.add(None, words, || script.folder.clone(), depth + 1));
            }
            found.push(script);
        }
    }
    found
}

/// Commands that may run a script, and are still to be looked at. Each is looked at once, and a line may have very many.
#[derive(Default)]
struct Open {
    left: VecDeque<(Vec<String>, String, usize)>,
    known: BTreeSet<(Vec<String>, String)>,
}

impl Open {
    fn add(&mut self, file: Option<&String>, words: &[String], folder: impl Fn() -> String, depth: usize) {
        let Some(first) = file.or(words.first()).filter(|first| self.known.len() < MOST_LOOKS && may_run(first)) else { return };
        let words: Vec<String> = std::iter::once(first).chain(words.iter().skip(1)).cloned().collect();
        let folder = folder();
        if self.known.insert((words.clone(), folder.clone())) {
            self.left.push_back((words, folder, depth));
        }
    }
}

/// Whether a program may run a text from elsewhere.
fn may_run(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    program.contains('/') || RUNNERS.contains(&name)
}

/// The commands of a text, as far as they can be told.
fn inner(text: &str) -> Vec<Vec<String>> {
    let draft = sayso_shell::analyse(text);
    let seen = draft.opaque.into_iter().flat_map(|opaque| opaque.seen);
    draft.commands.into_iter().map(|command| command.words).chain(seen).collect()
}

/// What one command runs.
fn of_command(place: &Place<'_>, words: &[String]) -> Vec<Script> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    match first.rsplit('/').next().unwrap_or(first) {
        "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" => shell_file::started(place, rest),
        "source" | "." => shell_file::sourced(place, rest),
        "make" | "gmake" => makefile::recipes(place, rest),
        "just" => justfile::recipes(place, rest),
        "npm" | "pnpm" | "yarn" | "bun" | "composer" | "deno" => json_tasks::tasks(place, first, rest),
        "cargo" => cargo_alias::alias(place, rest),
        _ if first.contains('/') => shell_file::program(place, first),
        _ => Vec::new(),
    }
}

impl Place<'_> {
    /// Reads a file below this folder.
    fn read(&self, path: &str) -> Option<Source> {
        let path = join(&self.folder, path);
        let content = self.world.content(&path, LONGEST).ok()??;
        let whole = content.bytes.len() as u64 == content.size;
        let text = String::from_utf8_lossy(&content.bytes).into_owned();
        // A last line that is cut in two may read as something else.
        let text = if whole { text } else { text.rsplit_once('\n').map_or(text.clone(), |(lines, _)| lines.to_owned()) };
        let name = relative(&path, self.workspace).map_or_else(|| path.clone(), str::to_owned);
        Some(Source { name, text, lacks: (!whole).then_some("the rest of the file is not read") })
    }

    /// Reads the first of these files that is there, here or above, up to the workspace.
    fn read_upwards(&self, names: &[&str]) -> Option<(Source, String)> {
        let mut folder = self.folder.clone();
        loop {
            let here = Place { world: self.world, folder: folder.clone(), workspace: self.workspace };
            if let Some(source) = names.iter().find_map(|name| here.read(name)) {
                return Some((source, folder));
            }
            if folder == self.workspace || relative(&folder, self.workspace).is_none() {
                return None;
            }
            folder.truncate(folder.rfind('/')?);
        }
    }
}
