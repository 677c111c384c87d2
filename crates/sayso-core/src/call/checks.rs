//! Checks of a call before it is frozen: names, folders, and the arguments that the registry knows.

use crate::call::operation::{Malformed, is_possible_folder};
use crate::call::tool::{Role, Tool};
use crate::text::node::{Entry, Node, Value};

const MAX_NAME: usize = 256;
const MAX_ATTACHMENTS: usize = 1000;
const MAX_PATH: usize = 64 * 1024;

pub(super) fn name(what: &str, text: &str) -> Result<(), Malformed> {
    if text.chars().count() > MAX_NAME {
        return Err(Malformed(format!(
            "{what} is longer than {MAX_NAME} characters"
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(Malformed(format!("{what} holds a control character")));
    }
    Ok(())
}

pub(super) fn folder(what: &str, text: &str) -> Result<(), Malformed> {
    if !text.starts_with('/') {
        return Err(Malformed(format!(
            "`{what}` is not an absolute path: `{text}`"
        )));
    }
    if text.contains('\0') {
        return Err(Malformed(format!("`{what}` holds a NUL")));
    }
    if !is_possible_folder(text) {
        return Err(Malformed(format!(
            "`{what}` is longer than any system allows"
        )));
    }
    Ok(())
}

/// Types, doubles under two names, NUL where a system call would cut, and blank commands.
pub(super) fn check_arguments(row: &Tool, args: &Node) -> Result<(), Malformed> {
    for argument in row.arguments {
        let given: Vec<&Entry> = args
            .entries()
            .iter()
            .filter(|entry| argument.names.contains(&entry.key.as_str()))
            .collect();
        let first = argument.names.first().copied().unwrap_or_default();
        match given.as_slice() {
            [] if argument.required => {
                return Err(Malformed(format!(
                    "`{}` needs the argument `{first}`",
                    row.name
                )));
            }
            [] => {}
            [one] => check_argument(argument.role, one)?,
            [one, other, ..] => {
                return Err(Malformed(format!(
                    "`{}` and `{}` mean the same argument of `{}`",
                    one.key, other.key, row.name
                )));
            }
        }
    }
    Ok(())
}

fn check_argument(role: Role, entry: &Entry) -> Result<(), Malformed> {
    let key = &entry.key;
    match role {
        Role::Data | Role::Input | Role::TimeLimit => Ok(()),
        Role::Content | Role::Find | Role::Replace => match entry.node.value {
            Value::Text(_) | Value::Number(_) => Ok(()),
            _ => Err(Malformed(format!(
                "`{key}` is {}, not text",
                entry.node.kind_word()
            ))),
        },
        Role::Arguments => match entry.node.value {
            Value::Map(_) | Value::Null => Ok(()),
            _ => Err(Malformed(format!(
                "`{key}` is {}, not a map",
                entry.node.kind_word()
            ))),
        },
        Role::Environment => match &entry.node.value {
            Value::Map(entries) => entries
                .iter()
                .try_for_each(|entry| match &entry.node.value {
                    Value::Text(_) | Value::Number(_) | Value::Bool(_) => Ok(()),
                    _ => Err(Malformed(format!(
                        "the environment variable `{}` is not text",
                        entry.key
                    ))),
                }),
            Value::Null => Ok(()),
            _ => Err(Malformed(format!(
                "`{key}` is {}, not a map",
                entry.node.kind_word()
            ))),
        },
        Role::Attachments => match &entry.node.value {
            Value::List(items) if items.len() > MAX_ATTACHMENTS => Err(Malformed(format!(
                "`{key}` names more than {MAX_ATTACHMENTS} files"
            ))),
            Value::List(items) => items
                .iter()
                .try_for_each(|item| plain_text(key, item).map(drop)),
            Value::Null => Ok(()),
            _ => Err(Malformed(format!(
                "`{key}` is {}, not a list of paths",
                entry.node.kind_word()
            ))),
        },
        Role::Command => {
            let text = plain_text(key, &entry.node)?;
            if text.trim().is_empty() {
                return Err(Malformed("the command is blank".into()));
            }
            Ok(())
        }
        Role::Path | Role::From | Role::To | Role::Cwd => {
            let text = plain_text(key, &entry.node)?;
            if text.len() > MAX_PATH {
                return Err(Malformed(format!(
                    "`{key}` is longer than {MAX_PATH} bytes"
                )));
            }
            Ok(())
        }
        Role::NamePattern | Role::Url | Role::Server | Role::ServerTool | Role::Agent => {
            plain_text(key, &entry.node).map(drop)
        }
    }
}

fn plain_text<'a>(key: &str, node: &'a Node) -> Result<&'a str, Malformed> {
    let Some(text) = node.as_text() else {
        return Err(Malformed(format!(
            "`{key}` is {}, not text",
            node.kind_word()
        )));
    };
    if text.contains('\0') {
        return Err(Malformed(format!("`{key}` holds a NUL character")));
    }
    Ok(text)
}

pub(super) fn text_bytes(node: &Node) -> usize {
    match &node.value {
        Value::Text(text) | Value::Number(text) => text.len(),
        Value::List(items) => items.iter().map(text_bytes).sum(),
        Value::Map(entries) => entries
            .iter()
            .map(|entry| entry.key.len() + text_bytes(&entry.node))
            .sum(),
        Value::Null | Value::Bool(_) => 1,
    }
}
