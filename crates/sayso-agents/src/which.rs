//! Which agent: its name and what else is to be known of it. What sayso can do for it is in its row of the registry.

use std::fmt;

/// What is to be known of an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its name: on the command line and in the record.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What the help of the command line says of it.
    pub help: &'static str,
    /// Its program; none where there is none to look for.
    pub program: Option<&'static str>,
    /// Whether it was run with sayso, and not only written for.
    pub was_run: bool,
    /// What its hooks never see.
    pub not_seen: &'static str,
    /// From this version on a hook that fails can be a denial, as its settings say; none where no version knows that.
    pub blocks_since: Option<[u32; 3]>,
    /// So many of the units in which its settings give times are a second.
    pub units: u32,
    /// Whether its calls have ids that are in the record.
    pub has_call_ids: bool,
    /// What to do where the hook does not fire, by a word of what was seen; without a word, always.
    pub when_silent: &'static [(Option<&'static str>, &'static str)],
    /// What to do where calls run when the hook breaks; none where it has no switch for that.
    pub when_open: Option<&'static str>,
}

impl Facts {
    /// For what most agents have in common.
    pub const NONE: Facts = Facts {
        name: "",
        title: "",
        help: "",
        program: None,
        was_run: false,
        not_seen: "",
        blocks_since: None,
        units: 1,
        has_call_ids: true,
        when_silent: &[],
        when_open: None,
    };
}

/// An agent that sayso has a hook for. The registry names all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Which(&'static Facts);

impl fmt::Debug for Which {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.name)
    }
}

impl Which {
    /// The agent with these facts.
    pub const fn new(facts: &'static Facts) -> Which {
        Which(facts)
    }

    /// What is to be known of it.
    pub fn facts(self) -> &'static Facts {
        self.0
    }

    /// Its name: on the command line and in the record.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// Whether it was run with sayso, and not only written for.
    pub fn was_run(self) -> bool {
        self.0.was_run
    }

    /// What its hooks never see.
    pub fn not_seen(self) -> &'static str {
        self.0.not_seen
    }

    /// Whether this version knows a hook that blocks when it fails.
    pub fn blocks_since(self, version: &str) -> bool {
        let numbers: Vec<u32> = version
            .split('.')
            .map_while(|part| part.parse().ok())
            .collect();
        self.0
            .blocks_since
            .is_some_and(|since| numbers.as_slice() >= since.as_slice())
    }
}

/// Whose settings of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's, for every project.
    User,
    /// The person's, for one project, or the project's own.
    Project,
    /// An administrator's, for everybody on the machine.
    Managed,
}

impl Scope {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
            Scope::Managed => "managed",
        }
    }

    /// Whose they are, said to the person.
    pub fn whose(self) -> &'static str {
        match self {
            Scope::User => "yours",
            Scope::Project => "the project's",
            Scope::Managed => "the administrator's",
        }
    }
}
