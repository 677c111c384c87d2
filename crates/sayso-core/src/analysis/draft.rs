//! The two halves of an analysis: a [`Draft`] with open questions, and the [`Reading`] it settles to.

use crate::analysis::effect::{Effect, EffectKind, Place, Target};
use crate::analysis::expand_patterns::spread;
use crate::analysis::fact::{
    BelowFact, Facts, GitFact, PathFact, PathKind, ProgramFact, Question, Reach, Search,
    SettingsFact, Surroundings, below_top, from_home, shown,
};
use crate::analysis::invalidated_facts::{Line, forget};
use crate::analysis::risk::Tier;
use crate::paths::{below, join, protected, secret};

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

    /// Puts the facts into the effects.
    pub fn settle(self, facts: &Facts) -> Reading {
        self.settle_keeping(facts).0
    }

    /// The same, and hands the questions back.
    pub fn settle_keeping(self, facts: &Facts) -> (Reading, Vec<Question>) {
        let home = facts.surroundings.home.as_deref();
        // From here on a path is written as the shell would write it: rules and messages know no other spelling of the home.
        let top = self
            .top
            .and_then(|question| facts.git(question)?.top(&facts.surroundings.cwd));
        let below_top = |path: &str| {
            Some(format!(
                "{}{}",
                top?.trim_end_matches('/'),
                below_top(path)?
            ))
            .filter(|path| !path.is_empty())
        };
        let plain = |path: &str| {
            below_top(path)
                .or_else(|| from_home(path, home))
                .unwrap_or_else(|| shown(path))
        };
        let mut commands = self.commands;
        for folder in commands.iter_mut().flat_map(|command| &mut command.folders) {
            *folder = plain(folder);
        }
        let mut effects = spread(self.effects, &self.questions, &commands, facts);
        for effect in &mut effects {
            if let Target::Path(place) = &mut effect.target {
                place.written = plain(&place.written);
                if place.fact.is_none() {
                    place.fact = facts.path(place.question).cloned();
                }
            }
        }
        let workspace = facts.surroundings.workspace.as_str();
        let nothing_there = |place: &Place| {
            place.fact.as_ref().is_some_and(|fact| {
                fact.kind == PathKind::Missing && below(&fact.canonical, workspace)
            })
        };
        // The shell finds no names in a folder that is not there: `curl https://host/?a=1` reads no `https:/host`.
        effects
            .retain(|effect| !(effect.manner.listing && effect.place().is_some_and(nothing_there)));
        let is_missing = |place: &Place| {
            place
                .fact
                .as_ref()
                .is_some_and(|fact| fact.kind == PathKind::Missing)
        };
        effects.retain(|effect| {
            !(effect.manner.maybe_option && effect.place().is_some_and(is_missing))
        });
        effects.retain(|effect| {
            !effect.manner.named
                || effect
                    .place()
                    .is_some_and(|place| is_sensitive(place, &facts.surroundings))
        });
        let odd = |path: &str| {
            path.contains(|letter: char| letter.is_whitespace() || "*?[\\".contains(letter))
        };
        if self.parted && (odd(&facts.surroundings.cwd) || home.is_some_and(odd)) {
            effects.push(Effect::unknown(
                "a folder with an odd name stands there without quotes, where it may be parted",
            ));
        }
        if self.top.is_some() && top.is_none() {
            effects.push(Effect::unknown(
                "which folder the top of the repository is shows only when it runs",
            ));
        }
        unbind(&mut effects, &self.bound, facts);
        unsettle_repositories(&mut effects, &self.one_repository, facts);
        let mut dangers = self.dangers;
        if self.opaque.is_none() {
            crate::analysis::absent_targets::mark(
                &mut effects,
                &mut dangers,
                &self.questions,
                facts,
                self.ordered,
            );
        }
        let line = Line {
            commands: &commands,
            bound: &self.bound,
            questions: &self.questions,
            ordered: self.ordered,
        };
        let changed = forget(&mut effects, &line);
        let mut unanswered = Vec::new();
        for (index, question) in self.questions.iter().enumerate() {
            let answered = match question {
                Question::Path { .. } => facts.path(index).is_some(),
                Question::Below { .. } | Question::Tracked { .. } => facts.below(index).is_some(),
                Question::Names { .. } => facts.names(index).is_some(),
                Question::Program { .. } => facts.program(index).is_some(),
                Question::GitHelpers { .. } => facts.git(index).is_some(),
                Question::Settings { .. } => facts.settings(index).is_some(),
            };
            if !answered {
                unanswered.push(question.clone());
            }
        }
        let searches = self
            .searches
            .iter()
            .map(|question| facts.below(*question).cloned())
            .collect();
        let programs = commands
            .iter()
            .map(|command| facts.program(command.program?).cloned())
            .collect();
        let wrappers = |command: &Command| {
            command
                .wrapper_programs
                .iter()
                .filter_map(|question| facts.program(*question).cloned())
                .collect()
        };
        add_repository_reads(&mut effects, &commands, facts);
        let wrapper_programs = commands.iter().map(wrappers).collect();
        let git_of = |(part, command): (usize, &Command)| {
            let fact = facts.git(command.git?)?;
            Some(GitFact {
                incomplete: fact.incomplete || changed.contains(&part),
                ..fact.clone()
            })
        };
        let git = commands.iter().enumerate().map(git_of).collect();
        let reading = Reading {
            effects,
            commands,
            opaque: self.opaque,
            dangers,
            unanswered,
            searches,
            programs,
            wrapper_programs,
            git,
            surroundings: facts.surroundings.clone(),
        };
        (reading, self.questions)
    }
}

/// Whether a path that a word only names is there, and is outside of the workspace, secret or protected.
fn is_sensitive(place: &Place, around: &Surroundings) -> bool {
    place.fact.as_ref().is_some_and(|fact| {
        let home = around.home.as_deref();
        let is_there = fact.kind != PathKind::Missing;
        let shown =
            secret(&fact.canonical, home).is_some() || !below(&fact.canonical, &around.workspace);
        // A program may make a protected file that is not there: `go build -o .git/hooks/pre-commit`.
        is_there && shown || protected(&fact.canonical, home).is_some()
    })
}

/// Where a setting says otherwise, or nobody could tell, a command is one whose effects are not all listed.
fn unbind(effects: &mut [Effect], bound: &[Bound], facts: &Facts) {
    for Bound {
        part,
        question,
        note,
    } in bound
    {
        let found = match facts.settings(*question) {
            Some(SettingsFact { found: None }) => continue,
            Some(SettingsFact { found: Some(file) }) => format!("{note} (`{file}` says how)"),
            None => note.clone(),
        };
        for run in effects
            .iter_mut()
            .filter(|effect| effect.part == Some(*part) && effect.kind == EffectKind::Run)
        {
            run.manner.known_program = false;
            run.note = Some(found.clone());
        }
    }
}

/// Where git does not find the same in every folder that a command may run in, it is not known what it works on.
fn unsettle_repositories(effects: &mut Vec<Effect>, commands: &[OneRepository], facts: &Facts) {
    for OneRepository { part, questions } in commands {
        let found: Vec<Option<&GitFact>> = questions
            .iter()
            .map(|question| facts.git(*question))
            .collect();
        let same = found.windows(2).all(
            |pair| matches!(pair, [Some(one), Some(other)] if one == other && one.root.is_some()),
        );
        if same {
            continue;
        }
        let note = "which repository it works on depends on what ran before";
        for run in effects
            .iter_mut()
            .filter(|effect| effect.part == Some(*part) && effect.kind == EffectKind::Run)
        {
            run.manner.known_program = false;
            run.note.get_or_insert_with(|| note.to_owned());
        }
        effects.push(Effect {
            part: Some(*part),
            ..Effect::unknown(note)
        });
    }
}

/// git looks at its repository from the top, wherever it is started: `git log -p` shows all of it, and `HEAD:a` is a file there.
///
/// The draft could only name paths from the folder the command runs in; now that the top is known, the same reads are listed from there.
fn add_repository_reads(effects: &mut Vec<Effect>, commands: &[Command], facts: &Facts) {
    let mut more = Vec::new();
    for (part, command) in commands.iter().enumerate() {
        let Some(root) = command
            .git
            .and_then(|question| facts.git(question))
            .and_then(|fact| fact.root.as_deref())
        else {
            continue;
        };
        for effect in effects
            .iter()
            .filter(|effect| effect.part == Some(part) && effect.kind == EffectKind::Read)
        {
            let Some((place, fact)) = effect
                .place()
                .and_then(|place| Some((place, place.fact.as_ref()?)))
            else {
                continue;
            };
            let folder = command.folders.first().map_or("", String::as_str);
            let inner = place
                .written
                .strip_prefix(folder)
                .map(|rest| rest.trim_start_matches('/'));
            let written = inner
                .filter(|_| !folder.is_empty())
                .unwrap_or(&place.written);
            let from_here =
                written.starts_with("./") || written.starts_with("../") || written.starts_with('/');
            let seen_from_top = match written {
                "." => root.to_owned(),
                _ if from_here => continue,
                written => join(root, written),
            };
            if seen_from_top == fact.canonical || written == "." && !below(&fact.canonical, root) {
                continue;
            }
            let kind = if effect.manner.recursive {
                PathKind::Folder
            } else {
                PathKind::Missing
            };
            let fact = PathFact {
                canonical: seen_from_top,
                links: Vec::new(),
                kind,
                hard_links: 1,
                ..fact.clone()
            };
            more.push(Effect {
                certain: false,
                target: Target::Path(Place {
                    fact: Some(fact),
                    ..place.clone()
                }),
                ..effect.clone()
            });
        }
    }
    effects.extend(more);
}
