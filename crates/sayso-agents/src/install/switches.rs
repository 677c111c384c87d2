//! Settings of an agent in which a key can switch hooks off, or keep them from being loaded: an agent in which sayso is installed may not
//! write any of them.

use std::path::Path;

use sayso_core::text::node::{Node, Value};

/// Where an agent keeps such settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Switches {
    /// Names of such files, in a project or in the home folder; a `*` stands for any start of the last name.
    pub names: &'static [&'static str],
    /// Names of such files beside the one that the hook stands in, wherever that is.
    pub beside: &'static [&'static str],
    /// Folders of an administrator's settings, below `/etc`.
    pub managed: &'static [&'static str],
}

impl Switches {
    /// None.
    pub const NONE: Switches = Switches {
        names: &[],
        beside: &[],
        managed: &[],
    };

    /// The project that a file of these names stands in.
    pub fn project_of<'a>(&self, file: &'a Path) -> Option<&'a Path> {
        let first = self.names.first()?;
        // All names of an agent lie equally deep, or the hook stands in the first of them.
        file.ancestors().nth(first.split('/').count())
    }
}

/// Whether a key of settings is set to something else than `false`.
pub fn is_on(settings: &Node, key: &str) -> bool {
    match settings.get(key).map(|node| &node.value) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Text(text)) => text != "false",
        Some(_) => true,
    }
}
