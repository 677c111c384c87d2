//! What is kept of a command that was approved and waits to be run: the approval, and which policy counted for it.

use std::path::PathBuf;

use sayso_core::policy::mode::Mode;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_gate::resume::Held;
use thiserror::Error;

use crate::assemble::{Choice, FindInstalled};

/// Why a command is not kept, or what was kept is not read.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message says it")]
pub enum HeldTextError {
    #[error("the name of the policy file is not UTF-8")]
    PolicyNotUtf8,
    #[error("what was held is not written as this version of sayso writes it")]
    OtherFormat,
}

/// The text that is kept: flags that chose the policy, and a line below them the approval.
///
/// # Errors
/// When a flag cannot be written down.
pub fn write(choice: &Choice, held: &str) -> Result<String, HeldTextError> {
    let maybe = |text: Option<&str>| text.map_or_else(|| Value::Null.into(), Node::text);
    let file = choice
        .file
        .as_ref()
        .map(|path| path.to_str().ok_or(HeldTextError::PolicyNotUtf8))
        .transpose()?;
    let flags = Node::map([
        ("policy", maybe(file)),
        ("profile", maybe(choice.profile.as_deref())),
        ("mode", maybe(choice.mode.map(Mode::word))),
        (
            "ignores_environment",
            Value::Bool(choice.ignores_environment).into(),
        ),
    ]);
    Ok(format!("{}\n{held}", json::write(&flags)))
}

/// What was kept.
///
/// # Errors
/// When it is not what [`write()`] writes.
pub fn read(text: &str, installed: FindInstalled) -> Result<(Choice, Held), HeldTextError> {
    let other = HeldTextError::OtherFormat;
    let (flags, held) = text.split_once('\n').ok_or(other)?;
    let flags = json::read(flags, &Limits::default()).map_err(|_| other)?;
    let word = |key: &str| match flags.get(key).map(|node| &node.value) {
        Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text.clone())),
        _ => Err(other),
    };
    let mode = word("mode")?
        .map(|word| Mode::from_word(&word).ok_or(other))
        .transpose()?;
    let ignores_environment = flags
        .get("ignores_environment")
        .and_then(Node::as_bool)
        .ok_or(other)?;
    let choice = Choice {
        file: word("policy")?.map(PathBuf::from),
        profile: word("profile")?,
        mode,
        only_tightens: false,
        ignores_environment,
        session: None,
        installed,
    };
    Ok((choice, Held::read(held).map_err(|_| other)?))
}
