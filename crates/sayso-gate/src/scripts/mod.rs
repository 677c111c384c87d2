//! Texts that a command runs without having them in its own words: scripts, and the recipes of task runners. They are found here, so that
//! they can be judged and shown; what an answer is bound to is in [`seal`](crate::seal).

mod cargo_alias;
mod json_tasks;
mod justfile;
mod makefile;
mod shell_file;

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use sayso_core::analysis::draft::Reading;
use sayso_core::call::operation::Operation;
use sayso_core::paths::{join, relative};

use crate::ports::World;

/// So many texts are looked at for one call: a script may run scripts.
const MOST: usize = 16;
/// So many commands are looked at for that.
const MOST_LOOKS: usize = 64;
/// Programs that run texts; others are looked at where they are named by a path.
const RUNNERS: [&str; 19] = [
    "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "source", ".", "make", "gmake", "just",
    "npm", "pnpm", "yarn", "bun", "composer", "deno", "cargo",
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

/// All that a command runs besides its own words.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The texts, in the order in which they are found.
    pub scripts: Vec<Script>,
    /// Every file that decided what they are, whether or not it is there: an answer is bound to these.
    pub files: BTreeSet<String>,
    /// Why these may not be all, in words.
    pub lacks: BTreeSet<&'static str>,
}

/// What was looked at on the way.
#[derive(Default)]
struct Looked {
    files: RefCell<BTreeSet<String>>,
    lacks: RefCell<BTreeSet<&'static str>>,
}

/// Where scripts are looked for.
struct Place<'a> {
    world: &'a dyn World,
    looked: &'a Looked,
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
    /// Whether it can be executed, where that is known.
    executable: Option<bool>,
}

/// The texts that a command runs. A file that cannot be read brings none, and that is told.
pub(crate) fn find(world: &dyn World, operation: &Operation, reading: &Reading) -> Found {
    let cwd = operation.cwd();
    let looked = Looked::default();
    let mut open = Open::default();
    for (index, command) in reading.commands.iter().enumerate() {
        // Its program may be a script by itself; the world knows which file it is.
        let file = reading
            .programs
            .get(index)
            .and_then(Option::as_ref)
            .and_then(|fact| fact.file.as_ref().filter(|_| fact.inside_workspace));
        open.add(file, &command.words, &command.folders, &cwd, 0);
    }
    for words in reading.opaque.iter().flat_map(|opaque| &opaque.seen) {
        open.add_seen(words, &cwd, 0);
    }
    let mut scripts: Vec<Script> = Vec::new();
    let mut known = BTreeSet::new();
    while let Some(Candidate {
        words,
        folder,
        depth,
        only_seen,
    }) = open.left.pop_front()
    {
        let place = Place {
            world,
            looked: &looked,
            folder,
            workspace: operation.workspace(),
        };
        for script in of_command(&place, &words, only_seen) {
            if !known.insert((script.name.clone(), script.shown.clone())) {
                continue;
            }
            if scripts.len() >= MOST {
                place.lacks(MORE);
                break;
            }
            if let Some(text) = &script.shell {
                let draft = sayso_shell::analyse(text);
                for command in &draft.commands {
                    open.add(
                        None,
                        &command.words,
                        &command.folders,
                        &script.folder,
                        depth + 1,
                    );
                }
                for words in draft.opaque.iter().flat_map(|opaque| &opaque.seen) {
                    open.add_seen(words, &script.folder, depth + 1);
                }
            }
            scripts.push(script);
        }
    }
    if open.is_cut {
        looked.lacks.borrow_mut().insert(MORE);
    }
    Found {
        scripts,
        files: looked.files.into_inner(),
        lacks: looked.lacks.into_inner(),
    }
}

const MORE: &str = "it runs more scripts than were looked at";

/// A command that may run a script.
struct Candidate {
    words: Vec<String>,
    folder: String,
    depth: usize,
    /// Its words stand in a text that could not be read, where they may be data.
    only_seen: bool,
}

/// Commands that may run a script, and are still to be looked at. Each is looked at once, and a line may have very many.
#[derive(Default)]
struct Open {
    left: VecDeque<Candidate>,
    known: BTreeSet<(Vec<String>, String, bool)>,
    is_cut: bool,
}

impl Open {
    fn add(
        &mut self,
        file: Option<&String>,
        words: &[String],
        folders: &[String],
        cwd: &str,
        depth: usize,
    ) {
        let Some(first) = file.or(words.first()).filter(|first| may_run(first)) else {
            return;
        };
        let words: Vec<String> = std::iter::once(first)
            .chain(words.iter().skip(1))
            .cloned()
            .collect();
        // Where it may run in several folders, it may run the script of each.
        let here = [String::new()];
        for folder in if folders.is_empty() { &here } else { folders } {
            self.push(Candidate {
                words: words.clone(),
                folder: join(cwd, folder),
                depth,
                only_seen: false,
            });
        }
    }

    /// The same for words that were only seen.
    fn add_seen(&mut self, words: &[String], cwd: &str, depth: usize) {
        if words.first().is_some_and(|first| may_run(first)) {
            self.push(Candidate {
                words: words.to_vec(),
                folder: join(cwd, ""),
                depth,
                only_seen: true,
            });
        }
    }

    fn push(&mut self, candidate: Candidate) {
        if self.known.len() >= MOST_LOOKS || candidate.depth > DEEPEST {
            self.is_cut = true;
        } else if self.known.insert((
            candidate.words.clone(),
            candidate.folder.clone(),
            candidate.only_seen,
        )) {
            self.left.push_back(candidate);
        }
    }
}

/// Whether a program may run a text from elsewhere.
fn may_run(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    program.contains('/') || RUNNERS.contains(&name)
}

/// What one command runs.
fn of_command(place: &Place<'_>, words: &[String], only_seen: bool) -> Vec<Script> {
    let Some((first, rest)) = words.split_first() else {
        return Vec::new();
    };
    match first.rsplit('/').next().unwrap_or(first) {
        "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" => shell_file::started(place, rest),
        "source" | "." => shell_file::sourced(place, rest),
        "make" | "gmake" => makefile::recipes(place, rest),
        "just" => justfile::recipes(place, rest),
        "npm" | "pnpm" | "yarn" | "bun" | "composer" | "deno" => {
            json_tasks::tasks(place, first, rest)
        }
        "cargo" => cargo_alias::alias(place, rest),
        _ if first.contains('/') => shell_file::program(place, first, only_seen),
        _ => Vec::new(),
    }
}

impl<'a> Place<'a> {
    /// Says that what is found may not be all.
    fn lacks(&self, why: &'static str) {
        self.looked.lacks.borrow_mut().insert(why);
    }

    /// The same in another folder.
    fn at(&self, folder: String) -> Place<'a> {
        Place {
            world: self.world,
            looked: self.looked,
            folder,
            workspace: self.workspace,
        }
    }

    /// Reads a file below this folder.
    fn read(&self, path: &str) -> Option<Source> {
        let path = join(&self.folder, path);
        self.looked.files.borrow_mut().insert(path.clone());
        let content = match self.world.content(&path, LONGEST) {
            Ok(content) => content?,
            Err(_) => {
                self.lacks("a file that decides what it runs cannot be read");
                return None;
            }
        };
        let whole = content.bytes.len() as u64 == content.size;
        let text = String::from_utf8_lossy(&content.bytes).into_owned();
        // A last line that is cut in two may read as something else.
        let text = if whole {
            text
        } else {
            text.rsplit_once('\n')
                .map_or(text.clone(), |(lines, _)| lines.to_owned())
        };
        let text = text
            .strip_prefix('\u{feff}')
            .map(str::to_owned)
            .unwrap_or(text);
        let name = relative(&path, self.workspace).map_or_else(|| path.clone(), str::to_owned);
        Some(Source {
            name,
            text,
            executable: content.executable,
            lacks: (!whole).then_some("the rest of the file is not read"),
        })
    }

    /// Reads the first of these files that is there, here or above, up to the workspace.
    fn read_upwards(&self, names: &[&str]) -> Option<(Source, String)> {
        let mut folder = self.folder.clone();
        loop {
            let here = self.at(folder.clone());
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
