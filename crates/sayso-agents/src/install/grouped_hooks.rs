//! The hooks in an agent's settings: which of them are sayso's, and how they are put in and taken out beside those of others.

use std::path::Path;

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::InstallError;
use super::json_edits::Document;
use crate::which::Which;

/// An event that starts the hook.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The agent's name for it.
    pub name: &'static str,
    /// So many seconds the agent waits.
    pub seconds: u32,
    /// The agent is told that a hook which fails is a denial; only some know that word.
    pub blocks: bool,
    /// What the agent shows while the hook has not answered, if it knows that.
    pub status: Option<&'static str>,
}

/// Longer than sayso ever takes to answer: a hook that is given up is one that failed. A question in the inbox may stay open almost as long.
pub const LONG: u32 = 600;
/// What an agent grants at most when a session ends.
pub const SHORT: u32 = 3;

/// What is put into settings.
pub struct Hooks<'a> {
    /// Whose settings.
    pub who: Which,
    /// The sayso that is started.
    pub program: &'a Path,
    /// When.
    pub events: &'a [Event],
}

/// Where a handler of sayso's stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The event.
    pub event: String,
    /// Which group of it.
    pub group: usize,
    /// Which handler of that.
    pub handler: usize,
}

impl Hooks<'_> {
    /// The command line that an agent gives its shell.
    ///
    /// # Errors
    /// When the path of the program is no text.
    pub fn command(&self) -> Result<String, InstallError> {
        let program = self.program.to_str().ok_or(InstallError::ProgramNotUtf8)?;
        let words = [program, "hook", self.who.name(), WAIT, &LONG.to_string()];
        Ok(sayso_shell::quote(&words.map(str::to_owned)))
    }

    /// The group for an event.
    ///
    /// # Errors
    /// When the path of the program is no text.
    pub fn group(&self, event: &Event) -> Result<Node, InstallError> {
        let mut handler = vec![
            ("type", Node::text("command")),
            ("command", Node::text(self.command()?)),
            (
                "timeout",
                Value::Number(
                    event
                        .seconds
                        .saturating_mul(self.who.facts().units)
                        .to_string(),
                )
                .into(),
            ),
        ];
        if event.blocks {
            handler.push(("onFailure", Node::text("block")));
        }
        if let Some(status) = event.status {
            handler.push(("statusMessage", Node::text(status)));
        }
        Ok(Node::map([
            ("matcher", Node::text("*")),
            ("hooks", Value::List(vec![Node::map(handler)]).into()),
        ]))
    }

    /// Puts them in. What is there already stays where it is, what an older sayso put there is replaced.
    ///
    /// # Errors
    /// When the settings are not what the agent takes.
    pub fn put_in(&self, document: &mut Document) -> Result<(), InstallError> {
        let before = without(self.who, &document.read()?);
        for event in self.events {
            self.put_in_one(document, event)?;
        }
        let root = document.read()?;
        let old = places(self.who, &root)
            .into_iter()
            .filter(|place| !self.events.iter().any(|event| event.name == place.event));
        if old.count() > 0 {
            self.take_out_of(document, |event| {
                !self.events.iter().any(|own| own.name == event)
            })?;
        }
        insist(document, &before, self.who)
    }

    fn put_in_one(&self, document: &mut Document, event: &Event) -> Result<(), InstallError> {
        let root = document.read()?;
        let wanted = self.group(event)?;
        let own: Vec<Place> = places(self.who, &root)
            .into_iter()
            .filter(|place| place.event == event.name)
            .collect();
        let groups = root
            .get("hooks")
            .and_then(|hooks| hooks.get(event.name))
            .map(Node::items)
            .unwrap_or_default();
        let alone = |place: &Place| {
            groups.get(place.group).filter(|group| {
                group
                    .get("hooks")
                    .is_some_and(|list| list.items().len() == 1)
            })
        };
        match own.as_slice() {
            [place] if alone(place).is_some() => {
                if let Some(group) =
                    alone(place).filter(|group| json::write(group) != json::write(&wanted))
                {
                    document.replace(group, &wanted);
                }
                Ok(())
            }
            _ => {
                if !own.is_empty() {
                    self.take_out_of(document, |name| name == event.name)?;
                }
                document.append(&["hooks", event.name], wanted)
            }
        }
    }

    /// Takes out all that start sayso for this agent, and what is empty then.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn take_out(&self, document: &mut Document) -> Result<(), InstallError> {
        let before = without(self.who, &document.read()?);
        self.take_out_of(document, |_| true)?;
        insist(document, &before, self.who)
    }

    fn take_out_of(
        &self,
        document: &mut Document,
        from: impl Fn(&str) -> bool,
    ) -> Result<(), InstallError> {
        // Backwards, so that the numbers of those that are left stay right.
        loop {
            let root = document.read()?;
            let Some(place) = places(self.who, &root)
                .into_iter()
                .rfind(|place| from(&place.event))
            else {
                return Ok(());
            };
            take_out_one(document, &root, &place);
        }
    }
}

/// Takes one handler out; its group, its event and the whole of the hooks go with it where they hold nothing else.
fn take_out_one(document: &mut Document, root: &Node, place: &Place) {
    let Some(hooks) = root.get("hooks") else {
        return;
    };
    let Some(groups) = hooks.get(&place.event) else {
        return;
    };
    let Some(handlers) = groups
        .items()
        .get(place.group)
        .and_then(|group| group.get("hooks"))
    else {
        return;
    };
    let key = |map: &Node, key: &str| map.entries().iter().position(|entry| entry.key == key);
    let (parent, index) = match () {
        () if handlers.items().len() > 1 => (handlers, Some(place.handler)),
        () if groups.items().len() > 1 => (groups, Some(place.group)),
        () if hooks.entries().len() > 1 => (hooks, key(hooks, &place.event)),
        () => (root, key(root, "hooks")),
    };
    if let Some(index) = index {
        document.remove(parent, index);
    }
}

/// All handlers that start sayso for this agent.
pub fn places(who: Which, root: &Node) -> Vec<Place> {
    let mut all = Vec::new();
    for event in root.get("hooks").map(Node::entries).unwrap_or_default() {
        for (group, node) in event.node.items().iter().enumerate() {
            for (handler, node) in node
                .get("hooks")
                .map(Node::items)
                .unwrap_or_default()
                .iter()
                .enumerate()
            {
                if started(who, node).is_some() {
                    all.push(Place {
                        event: event.key.clone(),
                        group,
                        handler,
                    });
                }
            }
        }
    }
    all
}

/// The handler at a place.
pub fn handler<'a>(root: &'a Node, place: &Place) -> Option<&'a Node> {
    root.get("hooks")?
        .get(&place.event)?
        .items()
        .get(place.group)?
        .get("hooks")?
        .items()
        .get(place.handler)
}

/// The program that a handler starts, if that is sayso for this agent and nothing else.
pub fn started(who: Which, handler: &Node) -> Option<String> {
    let command = handler.get("command")?.as_text()?;
    let program = match handler.get("args") {
        Some(args) => {
            let words: Vec<&str> = args.items().iter().filter_map(Node::as_text).collect();
            let rest = words.strip_prefix(&["hook", who.name()])?;
            (rest.is_empty()
                || matches!(rest, [flag, seconds] if *flag == WAIT && is_number(seconds)))
            .then(|| command.to_owned())?
        }
        None => {
            let command = command.trim();
            let waiting = command
                .rsplit_once(WAIT)
                .filter(|(_, seconds)| is_number(seconds.trim_start()) && seconds.starts_with(' '));
            let command = waiting.map_or(command, |(command, _)| command.trim_end());
            unquoted(
                command
                    .strip_suffix(who.name())?
                    .trim_end()
                    .strip_suffix("hook")?
                    .trim_end(),
            )?
        }
    };
    (Path::new(&program).file_name()? == "sayso").then_some(program)
}

/// What tells the hook how long the agent waits.
const WAIT: &str = "--wait";

fn is_number(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The one word that a shell reads there, if it is plain or stands in quotes as a whole.
fn unquoted(word: &str) -> Option<String> {
    let plain = |text: &str| !text.is_empty() && sayso_shell::quote(&[text.to_owned()]) == text;
    if plain(word) {
        return Some(word.to_owned());
    }
    let inner = word
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .map(|inner| inner.replace("'\\''", "'"));
    let quoted = inner.filter(|inner| sayso_shell::quote(std::slice::from_ref(inner)) == word);
    let simple = |inner: &&str| !inner.is_empty() && !inner.contains(['"', '\\', '$', '`', '!']);
    quoted.or_else(|| {
        word.strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .filter(simple)
            .map(str::to_owned)
    })
}

/// The settings as they would be without sayso, in a form that can be compared.
fn without(who: Which, root: &Node) -> String {
    let own = places(who, root);
    let group = |event: &str, index: usize, node: &Node| {
        let mine: Vec<usize> = own
            .iter()
            .filter(|place| place.event == event && place.group == index)
            .map(|place| place.handler)
            .collect();
        if mine.is_empty() {
            return Some(node.clone());
        }
        let list = node.get("hooks").map(Node::items).unwrap_or_default();
        let rest: Vec<Node> = list
            .iter()
            .enumerate()
            .filter(|(index, _)| !mine.contains(index))
            .map(|(_, node)| node.clone())
            .collect();
        (!rest.is_empty())
            .then(|| crate::hook::agent::with(node, "hooks", Value::List(rest).into()))
    };
    let event = |name: &str, node: &Node| {
        let Value::List(items) = &node.value else {
            return Some(node.clone());
        };
        let rest: Vec<Node> = items
            .iter()
            .enumerate()
            .filter_map(|(index, node)| group(name, index, node))
            .collect();
        (!rest.is_empty()).then(|| Value::List(rest).into())
    };
    let hooks = |node: &Node| {
        let Value::Map(entries) = &node.value else {
            return Some(node.clone());
        };
        let rest: Vec<(String, Node)> = entries
            .iter()
            .filter_map(|entry| Some((entry.key.clone(), event(&entry.key, &entry.node)?)))
            .collect();
        (!rest.is_empty()).then(|| Node::map(rest))
    };
    let Value::Map(entries) = &root.value else {
        return json::write(root);
    };
    let rest = entries.iter().filter_map(|entry| {
        let node = if entry.key == "hooks" {
            hooks(&entry.node)?
        } else {
            entry.node.clone()
        };
        Some((entry.key.clone(), node))
    });
    json::write(&Node::map(rest.collect::<Vec<_>>()))
}

/// Insists that a change left everything of others as it was.
fn insist(document: &Document, before: &str, who: Which) -> Result<(), InstallError> {
    if without(who, &document.read()?) == before {
        return Ok(());
    }
    Err(InstallError::Entangled(document.name.clone()))
}
