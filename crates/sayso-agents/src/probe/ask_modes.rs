//! Whether an agent asks the person when a hook tells it to, in each of its modes and for each kind of tool.
//!
//! The agent is started with nobody in front of it and a hook that answers `ask`: a call that runs then was answered in place of the person.

use std::path::{Path, PathBuf};

use sayso_core::text::node::{Node, Value};

use super::agent_process::{self, Folders, random};
use super::error::ProbeError;
use super::{Cage, result_of, spoke};
use crate::scripted_model::{Model, Script, Step};

/// A kind of tool that is tried.
pub struct Trial {
    /// In a word.
    pub tool: &'static str,
    /// What the model calls.
    pub step: Step,
    /// The file that is there once it ran, and what stands in it then; none for a call that is only needed by the next.
    pub leaves: Option<(PathBuf, &'static str)>,
}

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call did not run.
    Held,
    /// It ran, though no person was asked.
    Swallowed,
    /// The agent did not come so far.
    Untried,
}

impl Answer {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Held => "held",
            Answer::Swallowed => "swallowed",
            Answer::Untried => "untried",
        }
    }

    /// The answer of this word.
    pub fn from_word(word: &str) -> Option<Answer> {
        [Answer::Held, Answer::Swallowed, Answer::Untried]
            .into_iter()
            .find(|answer| answer.word() == word)
    }
}

/// One cell of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The agent's name of the mode.
    pub mode: String,
    /// The kind of tool.
    pub tool: String,
    /// What came of it.
    pub answer: Answer,
}

/// Tries every mode of an agent that is let ask by its hook; none of the others.
///
/// # Errors
/// When the agent cannot be started.
pub fn tried(cage: &dyn Cage, program: &Path) -> Result<Vec<Asked>, ProbeError> {
    let mut all = Vec::new();
    for mode in cage.modes() {
        all.extend(in_mode(cage, program, mode)?);
    }
    Ok(all)
}

fn in_mode(cage: &dyn Cage, program: &Path, mode: &str) -> Result<Vec<Asked>, ProbeError> {
    let (nonce, key) = (random()?, random()?);
    let folders = Folders::make(&nonce)?;
    let trials = cage.trials(&folders.workspace)?;
    let model = Model::start(
        Script::of(
            &nonce,
            trials.iter().map(|trial| trial.step.clone()).collect(),
        ),
        &key,
    )?;
    let mut command = cage.copy(program, &model, &key, &folders, Some(&asking()))?;
    cage.set_mode(&mut command, mode);
    let ended = agent_process::run(&mut command, &folders)?;
    // An agent that refuses to start in a mode proves nothing of it.
    let spoke = spoke(&model, &ended).is_ok();
    let answer = |number: usize, (path, content): &(PathBuf, &str)| match () {
        () if std::fs::read_to_string(path).is_ok_and(|found| found.contains(content)) => {
            Answer::Swallowed
        }
        () if spoke && result_of(&model, number).is_some() => Answer::Held,
        () => Answer::Untried,
    };
    let asked = |(number, trial): (usize, &Trial)| {
        let answer = answer(number, trial.leaves.as_ref()?);
        Some(Asked {
            mode: mode.to_owned(),
            tool: trial.tool.to_owned(),
            answer,
        })
    };
    Ok(trials.iter().enumerate().filter_map(asked).collect())
}

/// A group with a hook that tells the agent to ask, but for reading.
fn asking() -> Node {
    let answer = "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\",\
                  \"permissionDecisionReason\":\"a check by sayso doctor\"}}";
    let command = format!(
        "case \"$(cat)\" in *'\"tool_name\":\"Read\"'*) ;; *) printf '%s' '{answer}';; esac"
    );
    let handler = Node::map([
        ("type", Node::text("command")),
        ("command", Node::text(command)),
        ("timeout", Value::Number("30".to_owned()).into()),
    ]);
    Node::map([
        ("matcher", Node::text("*")),
        ("hooks", Value::List(vec![handler]).into()),
    ])
}
