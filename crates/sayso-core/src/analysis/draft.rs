//! The two halves of an analysis: a [`Draft`] with open questions, and the [`Reading`] it settles to.

use crate::analysis::effect::{Effect, EffectKind};
use crate::analysis::fact::{
    BelowFact, GitFact, ProgramFact, Question, Reach, Search, Surroundings,
};
use crate::analysis::risk::Tier;

/// What an operation would do, as far as can be told without looking at the machine.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The effects; their places have questions but no facts yet.
    pub effects: Vec<Effect>,
    /// What must be asked of the world.
    pub questions: Vec<Question>,
    /// The simple commands of a shell line, wrappers taken off.
    pub commands: Vec<Command>,
    /// Why the operation could not be analysed whole, if so.
    pub opaque: Option<Opaque>,
    /// Dangers seen in the text that no single effect shows.
    pub dangers: Vec<Danger>,
    /// Which questions ask what a search would show, with the folder as written.
    pub searches: Vec<usize>,
    /// The folder it runs in or the home stands in the command without quotes, so that a blank in its name would part it.
    pub parted: bool,
    /// Commands whose effects are all listed only where no setting says otherwise.
    pub bound: Vec<Bound>,
    /// Where a path of a question starts at the top of the repository: which question asks git's side of it.
    pub top: Option<usize>,
    /// Each command ends before the next one starts, and none runs twice.
    pub ordered: bool,
    /// Commands of git that may run in several folders, which must be in one repository.
    pub one_repository: Vec<OneRepository>,
}

/// A command of git that may run in several folders: it is known only where git finds the same in each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneRepository {
    /// Which command.
    pub part: usize,
    /// Which questions ask for git's side of the folders.
    pub questions: Vec<usize>,
}

/// A command that does what its words say unless a file of the project says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Which command.
    pub part: usize,
    /// Which question asks for the settings.
    pub question: usize,
    /// What the person is told if there are any.
    pub note: String,
}

/// One simple command of a line, as rules see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The words after quote removal, the program first, by identity (`/usr/bin/git` is `git` when it is the real one).
    pub words: Vec<String>,
    /// The same command in its normal form for known programs: options spelled one way and put first. Ask and deny rules match either form.
    pub normal: Vec<String>,
    /// The wrappers that were taken off, outermost first (`sudo`, `env`).
    pub wrappers: Vec<String>,
    /// The same command in other forms that only ask and deny rules match: with its wrappers, by its plain name, and what it may start.
    pub stages: Vec<Vec<String>>,
    /// Which question asks for its program, if one does.
    pub program: Option<usize>,
    /// Which questions ask for the programs of its wrappers, and for those it starts by name to do its task.
    pub wrapper_programs: Vec<usize>,
    /// Which question asks for the helpers git would run, if one does.
    pub git: Option<usize>,
    /// The folders it may run in, relative to the operation's, where a `cd` before it says so; its paths are written from there.
    pub folders: Vec<String>,
    /// Every word is literal, so that the words are what runs.
    pub literal: bool,
    /// Assignments before the command, as names.
    pub assignments: Vec<String>,
    /// The table of programs has a row for its program, so that an argument it does not list is a warning and not just news.
    pub modelled: bool,
    /// Interprets its arguments or its input as a program (`sh`, `python`, `xargs`): no wider answer is kept for it.
    pub interprets: bool,
    /// Words that an allow rule covers only by writing them out: options that name other code, another project or another configuration.
    pub leads: Vec<Lead>,
    /// What commands in its words do where the facts of this folder say nothing: in another folder, in a container, on another machine.
    pub carried: Vec<Carried>,
    /// The commands in its words that it runs, each with the words that say so: `git bisect run`.
    pub runs: Vec<(String, String)>,
}

/// A word that leads a command to other code, another project or another configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// Which of the command's words.
    pub word: usize,
    /// How many bytes of it name the option; a rule may leave the rest to a wildcard.
    pub name: usize,
    /// What it does, with a verb: "names another project".
    pub does: String,
}

/// One effect of a command that another one carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// What is done.
    pub kind: EffectKind,
    /// The path as the carried command writes it.
    pub path: String,
    /// The carried command.
    pub command: String,
    /// Which program and subcommand run it: `git submodule foreach`.
    pub by: String,
    /// That it is run is known; otherwise a word only looks like a command.
    pub certain: bool,
}

/// Why an operation could not be analysed whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// In plain words.
    pub reason: String,
    /// Which bytes of the command text.
    pub start: usize,
    /// One past the last of them.
    pub end: usize,
    /// Every word that can be seen in the text, split at all operators: deny rules and danger look here.
    pub seen: Vec<Vec<String>>,
}

/// A danger, with what was matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// How bad.
    pub tier: Tier,
    /// What was matched, in words: "`mkfs.ext4` makes a new file system".
    pub what: String,
    /// Which command.
    pub part: Option<usize>,
    /// An effect of the command shows the same, so that a rule for the effect settles it (a recursive delete).
    pub shown_by_effect: bool,
}

/// A finished analysis: every place has its facts, or the world did not answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The effects.
    pub effects: Vec<Effect>,
    /// The simple commands.
    pub commands: Vec<Command>,
    /// Why it could not be analysed whole.
    pub opaque: Option<Opaque>,
    /// Dangers of the text.
    pub dangers: Vec<Danger>,
    /// Questions the world did not answer.
    pub unanswered: Vec<Question>,
    /// What searches would show; none if the world did not answer.
    pub searches: Vec<Option<BelowFact>>,
    /// What each command's program turned out to be, by command index.
    pub programs: Vec<Option<ProgramFact>>,
    /// What the programs of each command's wrappers turned out to be, by command index.
    pub wrapper_programs: Vec<Vec<ProgramFact>>,
    /// What git would run, by command index.
    pub git: Vec<Option<GitFact>>,
    /// Where it happens.
    pub surroundings: Surroundings,
}

impl Command {
    /// Nothing before it on the line can have changed the folder it runs in.
    pub fn stays(&self) -> bool {
        self.folders.iter().all(String::is_empty)
    }
}

impl Draft {
    /// Asks for a path and gives the index of the question; the same question is asked once.
    pub fn ask(&mut self, question: Question) -> usize {
        if let Some(index) = self.questions.iter().position(|asked| *asked == question) {
            return index;
        }
        self.questions.push(question);
        self.questions.len() - 1
    }

    /// Asks what a search through a folder would show.
    pub fn ask_search(&mut self, path: &str, search: Search, only: Vec<String>) {
        let question = self.ask(Question::Below {
            path: path.to_owned(),
            search,
            only,
        });
        self.searches.push(question);
    }

    /// Asks which secrets git shows of what it tracks.
    pub fn ask_tracked(&mut self, folder: &str, reach: Reach) {
        let folder = folder.to_owned();
        let question = self.ask(Question::Tracked { folder, reach });
        self.searches.push(question);
    }
}
