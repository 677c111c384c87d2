//! Settles a [`Draft`] to a [`Reading`]: every question gets its fact, and what the facts rule out or add is worked in.

use crate::analysis::draft::{Bound, Command, Draft, OneRepository, Reading};
use crate::analysis::effect::{Effect, EffectKind, Place, Target};
use crate::analysis::expand_patterns::spread;
use crate::analysis::fact::{
    Facts, GitFact, PathFact, PathKind, Question, SettingsFact, Surroundings, below_top, from_home,
    shown,
};
use crate::analysis::invalidated_facts::{Line, forget};
use crate::paths::{below, join, protected, secret};

impl Draft {
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
