//! Hooks that stand one behind the other under their event, without groups: which are sayso's, and how they are put in and taken out.

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::InstallError;
use super::form::Beside;
use super::grouped_hooks::{Hooks, started};
use super::json_edits::Document;
use crate::which::Which;

/// The hooks of sayso in such settings: the event, and which of its handlers.
pub fn places(who: Which, root: &Node) -> Vec<(String, usize)> {
    let events = root.get("hooks").map(Node::entries).unwrap_or_default();
    let of_event = |event: &sayso_core::text::node::Entry| {
        let handlers = event.node.items().iter().enumerate();
        handlers
            .filter(|(_, handler)| started(who, handler).is_some())
            .map(|(index, _)| (event.key.clone(), index))
            .collect::<Vec<_>>()
    };
    events.iter().flat_map(of_event).collect()
}

/// A handler.
///
/// # Errors
/// When the path of the program is no text.
pub fn handler(hooks: &Hooks<'_>, beside: &[(&str, Beside)]) -> Result<Node, InstallError> {
    let value = |beside: &Beside| -> Node {
        match beside {
            Beside::Number(number) => Value::Number(number.to_string()).into(),
            Beside::Yes => Value::Bool(true).into(),
        }
    };
    let command = [("command".to_owned(), Node::text(hooks.command()?))];
    Ok(Node::map(command.into_iter().chain(beside.iter().map(
        |(name, beside)| ((*name).to_owned(), value(beside)),
    ))))
}

/// Puts them in; what is there already stays where it is, and what an older sayso put there is replaced.
///
/// # Errors
/// When the settings are not what the agent takes.
pub fn put_in(
    hooks: &Hooks<'_>,
    document: &mut Document,
    events: &[&str],
    beside: &[(&str, Beside)],
    version: bool,
) -> Result<(), InstallError> {
    let wanted = handler(hooks, beside)?;
    if version && document.read()?.get("version").is_none() {
        document.set(&["version"], Value::Number("1".to_owned()).into())?;
    }
    take_out_of(hooks.who, document, |event| !events.contains(&event))?;
    for event in events {
        let root = document.read()?;
        let own: Vec<usize> = places(hooks.who, &root)
            .into_iter()
            .filter(|(name, _)| name == event)
            .map(|(_, index)| index)
            .collect();
        let list = root.get("hooks").and_then(|all| all.get(event));
        match (own.as_slice(), list) {
            ([index], Some(list)) => {
                if let Some(old) = list
                    .items()
                    .get(*index)
                    .filter(|old| json::write(old) != json::write(&wanted))
                {
                    document.replace(old, &wanted);
                }
            }
            _ => {
                take_out_of(hooks.who, document, |name| name == *event)?;
                document.append(&["hooks", event], wanted.clone())?;
            }
        }
    }
    Ok(())
}

/// Takes out all that start sayso for this agent, and what is empty then.
///
/// # Errors
/// When the settings cannot be read.
pub fn take_out(who: Which, document: &mut Document) -> Result<(), InstallError> {
    take_out_of(who, document, |_| true)
}

fn take_out_of(
    who: Which,
    document: &mut Document,
    from: impl Fn(&str) -> bool,
) -> Result<(), InstallError> {
    loop {
        let root = document.read()?;
        let Some((event, index)) = places(who, &root)
            .into_iter()
            .rfind(|(event, _)| from(event))
        else {
            return Ok(());
        };
        let key = |map: &Node, key: &str| map.entries().iter().position(|entry| entry.key == key);
        let Some((hooks, list)) = root
            .get("hooks")
            .and_then(|hooks| Some((hooks, hooks.get(&event)?)))
        else {
            return Ok(());
        };
        let (parent, at) = match () {
            () if list.items().len() > 1 => (list, Some(index)),
            () if hooks.entries().len() > 1 => (hooks, key(hooks, &event)),
            () => (&root, key(&root, "hooks")),
        };
        let Some(at) = at else { return Ok(()) };
        document.remove(parent, at);
    }
}
