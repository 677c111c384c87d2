//! One attempt: what is run, who can try it, and what is expected of Landlock.

use super::ground::Who;

/// A newer version of Landlock than there will be.
const NEVER: i32 = i32::MAX;

/// What a script is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Bash,
    Python,
}

/// What is around the sandbox.
#[derive(Clone, Copy)]
pub enum Around {
    Nothing,
    /// A line of bash before it.
    Bash(&'static str),
    /// A Python program that starts it: its arguments.
    Python(&'static str),
}

/// Whether it gets through without a sandbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// By everybody.
    Plain,
    /// By root only.
    Root,
    /// It is not tried, or cannot be: why.
    Untried(&'static str),
}

/// What is expected of Landlock.
#[derive(Clone, Copy)]
pub enum Landlock {
    /// It refuses, since this version.
    Refused { since: i32 },
    /// It does not, up to this version, for this reason.
    NotCovered { until: i32, why: &'static str },
}

/// One attempt.
pub struct Attempt {
    /// In words.
    pub name: &'static str,
    /// In which language.
    pub language: Language,
    /// The script. `{name}` stands for places of the world, see `Ground::fill`.
    pub script: &'static str,
    /// What is around the sandbox.
    pub around: Around,
    /// Whether it gets through without one.
    pub control: Control,
    only: Option<Who>,
    person: Landlock,
    root: Landlock,
    /// Why even bubblewrap does not cover it if it is root who tries.
    pub full_lets_root: Option<&'static str>,
}

fn attempt(language: Language, name: &'static str, script: &'static str) -> Attempt {
    let refused = Landlock::Refused { since: 1 };
    Attempt {
        name,
        language,
        script,
        around: Around::Nothing,
        control: Control::Plain,
        only: None,
        person: refused,
        root: refused,
        full_lets_root: None,
    }
}

/// A script of bash. The function `got` says that it got through, where no trace is left outside.
pub fn bash(name: &'static str, script: &'static str) -> Attempt {
    attempt(Language::Bash, name, script)
}

/// A script of Python, with `got` as well, `call` for system calls by name or number, and `libc`.
pub fn python(name: &'static str, script: &'static str) -> Attempt {
    attempt(Language::Python, name, script)
}

impl Attempt {
    /// Landlock does not cover it.
    pub fn lets(mut self, why: &'static str) -> Attempt {
        let open = Landlock::NotCovered { until: NEVER, why };
        (self.person, self.root) = (open, open);
        self
    }

    /// Landlock does not cover it up to this version.
    pub fn lets_until(mut self, until: i32, why: &'static str) -> Attempt {
        let open = Landlock::NotCovered { until, why };
        (self.person, self.root) = (open, open);
        self
    }

    /// Landlock does not cover it if it is root who tries.
    pub fn lets_root(mut self, why: &'static str) -> Attempt {
        self.root = Landlock::NotCovered { until: NEVER, why };
        self
    }

    /// No sandbox covers it if it is root who tries.
    pub fn all_let_root(mut self, why: &'static str) -> Attempt {
        self.full_lets_root = Some(why);
        self.lets_root(why)
    }

    /// Landlock does not cover it if it is a person who tries.
    pub fn lets_person(mut self, why: &'static str) -> Attempt {
        self.person = Landlock::NotCovered { until: NEVER, why };
        self
    }

    /// Landlock covers it since this version.
    pub fn since(mut self, since: i32) -> Attempt {
        (self.person, self.root) = (Landlock::Refused { since }, Landlock::Refused { since });
        self
    }

    pub fn around(mut self, around: Around) -> Attempt {
        self.around = around;
        self
    }

    /// Only root gets through without a sandbox.
    pub fn by_root(mut self) -> Attempt {
        self.control = Control::Root;
        self
    }

    pub fn untried(mut self, why: &'static str) -> Attempt {
        self.control = Control::Untried(why);
        self
    }

    /// It means something for them only.
    pub fn only(mut self, who: Who) -> Attempt {
        self.only = Some(who);
        self
    }

    pub fn is_for(&self, who: Who) -> bool {
        self.only.is_none_or(|only| only == who)
    }

    /// Whether it has to get through without a sandbox.
    pub fn control_as(&self, who: Who) -> bool {
        match self.control {
            Control::Plain => true,
            Control::Root => who == Who::Root,
            Control::Untried(_) => false,
        }
    }

    pub fn landlock(&self, who: Who) -> Landlock {
        if who == Who::Root {
            self.root
        } else {
            self.person
        }
    }
}
