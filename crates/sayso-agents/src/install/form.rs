//! The forms in which agents write their hooks down.

use std::path::Path;

use crate::install::grouped_hooks::{Event, LONG};

/// How the hooks of an agent are written down.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// In settings, by event, in groups with a matcher.
    Groups {
        /// The events that start the hook.
        events: &'static [Event],
    },
    /// In settings, by event, one behind the other.
    Flat {
        /// The events that start the hook.
        events: &'static [&'static str],
        /// What stands in each beside the command.
        beside: &'static [(&'static str, Beside)],
        /// The settings name their version.
        version: bool,
    },
    /// In a file of its own.
    Whole {
        /// Its text, for a command line as an agent gives it to a shell, and for the path of the program.
        text: fn(&str, &str) -> String,
        /// What stands in it and in no other file.
        mark: &'static str,
    },
}

/// A value beside a command.
#[derive(Clone, Copy, Debug)]
pub enum Beside {
    /// A number.
    Number(u32),
    /// Yes.
    Yes,
}

/// An event whose hook may take as long as people take.
pub const fn before(name: &'static str) -> Event {
    Event {
        name,
        seconds: LONG,
        blocks: false,
        status: None,
    }
}

/// What is to be said of an agent that goes on where its hook fails.
pub const OPEN: &str = "where sayso is killed or cannot be started, the tool runs: this agent has no word for a hook that must not fail";
/// What is to be said of an agent that was never run with sayso.
pub const UNRUN: &str = "this agent was never run with sayso: it is written after its documentation, so try a call that your policy denies";

/// A plugin with the path of the program in it, and the part that all plugins have: each is one file.
pub fn plugin(text: &str, program: &str) -> String {
    let whole = text.replace("//{ask}\n", include_str!("ask.js"));
    whole.replace(
        "\"/usr/bin/sayso\"",
        &sayso_core::text::json::quote(program),
    )
}

/// The program that a plugin starts.
pub fn plugin_starts(text: &str) -> Option<String> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("const SAYSO = "))?;
    let node = sayso_core::text::json::read(
        line.trim_end_matches(';'),
        &sayso_core::text::Limits::default(),
    )
    .ok()?;
    node.as_text()
        .filter(|program| {
            Path::new(program)
                .file_name()
                .is_some_and(|name| name == "sayso")
        })
        .map(str::to_owned)
}
