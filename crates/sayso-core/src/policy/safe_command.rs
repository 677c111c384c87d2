//! An entry of `safe_commands`: first words of commands that run silently, and what speaks against taking them at their word.

use crate::packed::packed;
use crate::policy::command_pattern::CommandPattern;
use crate::policy::mode::Mode;
use crate::policy::settings::Resolved;

/// One entry of `safe_commands`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeCommand {
    /// The first words.
    pub pattern: CommandPattern,
    /// `file:line`.
    pub source: String,
    /// Somebody wrote it into a file of theirs; it did not come with a profile.
    pub own: bool,
    /// What is special about such commands.
    pub caution: Option<Caution>,
}

/// What is special about a command that somebody lists as safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caution {
    /// It is there to look (`cat`, `git log`), and is listed for that: an option that makes it change something still asks.
    OnlyLooks,
    /// It starts another command, which is judged in its place (`sudo`, `env`).
    StartsOthers,
    /// It deletes, and what deletes always asks.
    Deletes,
    /// It names no program.
    NamesNothing,
    /// It runs code that its arguments or files name (`make`, `python`).
    RunsCode,
    /// It installs packages, and runs their scripts.
    InstallsCode,
    /// It has subcommands of every kind (`git`, `docker`).
    ManyPurposes,
    /// It talks to any host, and can send files there.
    ReachesAnyone,
}

packed! { struct SafeCommand { pattern, source, own, caution } }
packed! {
    enum Caution { OnlyLooks, StartsOthers, Deletes, NamesNothing, RunsCode, InstallsCode, ManyPurposes, ReachesAnyone }
}

impl Caution {
    /// Why such an entry never counts, where it does not.
    pub fn never_counts(self) -> Option<&'static str> {
        match self {
            Caution::StartsOthers => Some("it starts another command, which is judged by itself"),
            Caution::Deletes => Some("what deletes always asks"),
            Caution::NamesNothing => Some("it names no program"),
            _ => None,
        }
    }

    /// What an entry of these words lets through, where its author should know.
    pub fn lets_through(self) -> Option<&'static str> {
        match self {
            Caution::RunsCode => Some("it runs any code that its arguments or files name"),
            Caution::InstallsCode => Some("it runs scripts of the packages that it installs"),
            Caution::ManyPurposes => Some("it covers every subcommand"),
            Caution::ReachesAnyone => Some("it reaches any host, and can send files there"),
            _ => None,
        }
    }

    /// What to write instead.
    pub fn hint(self) -> &'static str {
        match self {
            Caution::StartsOthers => "list the command that it starts",
            Caution::Deletes => {
                "write a rule, such as `allow: {delete: \"build/**\", recursive: true}`"
            }
            Caution::NamesNothing => "name the program",
            Caution::RunsCode => {
                "name the script, the task or the package as well, such as `make test`"
            }
            Caution::InstallsCode => {
                "leave it out, or name the option that runs no scripts, such as `npm ci --ignore-scripts`"
            }
            Caution::ManyPurposes => "name the subcommand as well, such as `git add`",
            Caution::ReachesAnyone => {
                "write a rule, such as `allow: {fetch: \"https://example.org/**\"}`"
            }
            Caution::OnlyLooks => "list what it changes with a rule",
        }
    }
}

impl SafeCommand {
    /// Why the entry does not count under these settings, whatever the command; none where it may.
    pub fn why_it_never_counts(&self, settings: &Resolved) -> Option<&'static str> {
        if let Some(why) = self.caution.and_then(Caution::never_counts) {
            return Some(why);
        }
        if !settings.auto_approve_safe_commands {
            return Some("`auto_approve_safe_commands` is false");
        }
        if settings.mode == Mode::ConfirmAll && settings.enabled {
            return Some("the mode confirm-all asks for everything that no rule allows");
        }
        match settings.shell_default {
            Some(default) if !default.allowed => {
                Some("`shell.default` blocks commands that no shell rule names")
            }
            Some(default) if default.approval => {
                Some("`shell.default` asks for commands that no shell rule names")
            }
            _ => None,
        }
    }
}
