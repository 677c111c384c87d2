//! A rule that an answer makes: a matcher of the policy, narrowed to what such a rule may ever cover.
//!
//! It is the policy's own pattern with three limits. It is about one kind of tool, so a rule for reads never covers a command that reads.
//! It stays in the workspace. And a pattern with wildcards covers no file that something later runs or obeys by its name, no secret, no
//! protected file, and nothing that is reached through a link: whoever said yes to `docs/**` did not look at those.

use crate::analysis::draft::Reading;
use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::{Ignored, PathFact, PathKind};
use crate::answer::grant::is_edit_inside;
use crate::answer::scope::Scope;
use crate::call::operation::Operation;
use crate::call::tool::Kind;
use crate::packed::packed;
use crate::paths::{active_in, below, protected, secret};
use crate::policy::command_pattern::{CommandPattern, CommandReader, Form, Reach};
use crate::policy::glob::{PathGlob, Subject};
use crate::policy::name_patterns::{ToolPattern, UrlPattern};
use crate::policy::pattern_error::PatternError;
use crate::text::visible::visible;

/// What a learned rule is about: the key of its matcher in a policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleKey {
    /// Commands.
    Command,
    /// Files that file tools read.
    Read,
    /// Files that file tools write and edit.
    Write,
    /// Web addresses.
    Fetch,
    /// A tool that the registry does not know, by its name.
    Tool,
}

impl RuleKey {
    const ALL: [RuleKey; 5] = [
        RuleKey::Command,
        RuleKey::Read,
        RuleKey::Write,
        RuleKey::Fetch,
        RuleKey::Tool,
    ];

    /// The key in a policy file.
    pub fn word(self) -> &'static str {
        match self {
            RuleKey::Command => "command",
            RuleKey::Read => "read",
            RuleKey::Write => "write",
            RuleKey::Fetch => "fetch",
            RuleKey::Tool => "tool",
        }
    }

    /// The key of a word.
    pub fn from_word(word: &str) -> Option<RuleKey> {
        RuleKey::ALL.into_iter().find(|key| key.word() == word)
    }

    /// What a rule that could cover an operation is about; none where only single calls can be kept.
    pub fn of(operation: &Operation) -> Option<RuleKey> {
        RuleKey::of_kind(operation.kind())
    }

    /// The same for a kind of tool.
    pub fn of_kind(kind: Kind) -> Option<RuleKey> {
        match kind {
            Kind::Terminal => Some(RuleKey::Command),
            Kind::FileRead | Kind::FileGrep | Kind::Glob | Kind::List => Some(RuleKey::Read),
            Kind::FileWrite
            | Kind::FileEdit
            | Kind::FileCreate
            | Kind::FileAppend
            | Kind::FileInsertAfter
            | Kind::FileInsertBefore => Some(RuleKey::Write),
            Kind::WebFetch => Some(RuleKey::Fetch),
            Kind::Custom => Some(RuleKey::Tool),
            _ => None,
        }
    }
}

/// A rule that an answer makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LearnedRule {
    /// Commands by their words.
    Command(CommandPattern),
    /// Files that file tools read.
    Read(PathGlob),
    /// Files that file tools write and edit.
    Write(PathGlob),
    /// Web addresses that are fetched.
    Fetch(UrlPattern),
    /// One tool, by its exact name.
    Tool(ToolPattern),
}

packed! { enum LearnedRule { Command(pattern), Read(glob), Write(glob), Fetch(pattern), Tool(pattern) } }

impl LearnedRule {
    /// Reads a pattern as a policy file would, and refuses what no answer may keep.
    ///
    /// # Errors
    /// What is wrong with the pattern.
    pub fn parse(
        key: RuleKey,
        text: &str,
        reader: &dyn CommandReader,
    ) -> Result<LearnedRule, PatternError> {
        let glob = || match PathGlob::parse(text) {
            Ok(glob) if glob.is_absolute() => {
                let path = text.to_owned();
                Err(PatternError::OutsideWorkspace { path })
            }
            other => other,
        };
        Ok(match key {
            RuleKey::Command => {
                LearnedRule::Command(CommandPattern::parse(text, Form::Words, reader)?)
            }
            RuleKey::Read => LearnedRule::Read(glob()?),
            RuleKey::Write => LearnedRule::Write(glob()?),
            RuleKey::Fetch => LearnedRule::Fetch(UrlPattern::parse(text)?),
            RuleKey::Tool => match ToolPattern::parse(text)? {
                pattern if pattern.is_exact() => LearnedRule::Tool(pattern),
                _ => return Err(PatternError::SeveralTools),
            },
        })
    }

    /// What it is about.
    pub fn key(&self) -> RuleKey {
        match self {
            LearnedRule::Command(_) => RuleKey::Command,
            LearnedRule::Read(_) => RuleKey::Read,
            LearnedRule::Write(_) => RuleKey::Write,
            LearnedRule::Fetch(_) => RuleKey::Fetch,
            LearnedRule::Tool(_) => RuleKey::Tool,
        }
    }

    /// The pattern as it was written.
    pub fn pattern(&self) -> &str {
        match self {
            LearnedRule::Command(pattern) => &pattern.written,
            LearnedRule::Read(glob) | LearnedRule::Write(glob) => &glob.written,
            LearnedRule::Fetch(pattern) => &pattern.written,
            LearnedRule::Tool(pattern) => &pattern.written,
        }
    }

    /// Whether it matches so much that no answer to one call may keep it.
    pub fn is_overly_broad(&self) -> bool {
        match self {
            LearnedRule::Command(pattern) => pattern.is_overly_broad(),
            LearnedRule::Read(glob) | LearnedRule::Write(glob) => glob.is_everything(),
            LearnedRule::Fetch(pattern) => {
                pattern.is_everything() || pattern.is_of_a_whole_domain()
            }
            LearnedRule::Tool(_) => false,
        }
    }

    /// What it would allow, in words: "allow `cargo test *` in this project".
    pub fn words(&self, scope: Scope) -> String {
        let place = scope.place();
        let pattern = visible(self.pattern());
        // A path is one of the workspace that the call is in.
        let each = if scope == Scope::Always {
            ", in every project"
        } else {
            ""
        };
        match self {
            LearnedRule::Command(_) => format!("allow `{pattern}` {place}"),
            LearnedRule::Read(glob) if glob.is_literal() => {
                format!("allow file tools to read `{pattern}` {place}{each}")
            }
            LearnedRule::Read(_) => {
                let but = "secrets and files that git ignores still ask";
                format!(
                    "allow file tools to read, list and search `{pattern}` {place}{each} ({but})"
                )
            }
            LearnedRule::Write(glob) if glob.is_literal() => {
                format!(
                    "allow file tools to write and edit `{pattern}` with any content {place}{each}"
                )
            }
            LearnedRule::Write(_) => {
                let but = "deletes, protected files and files such as AGENTS.md, which something runs or obeys, still ask";
                format!("allow file tools to write and edit `{pattern}` {place}{each} ({but})")
            }
            LearnedRule::Fetch(_) => format!("allow fetches of `{pattern}` {place}"),
            LearnedRule::Tool(_) => {
                format!("allow every call of `{pattern}`, whatever its arguments, {place}")
            }
        }
    }

    /// Whether it is about all that an operation does. What must be asked and what an ask rule names is judged before.
    pub fn covers(&self, operation: &Operation, reading: &Reading) -> bool {
        if RuleKey::of(operation) != Some(self.key())
            || reading.opaque.is_some()
            || reading.effects.is_empty()
        {
            return false;
        }
        let every = |covers: &dyn Fn(&Effect) -> bool| reading.effects.iter().all(covers);
        match self {
            LearnedRule::Command(pattern) => is_of_pattern(pattern, reading),
            LearnedRule::Read(glob) => every(&|effect| is_read_of(glob, effect, reading)),
            LearnedRule::Write(glob) => {
                is_edit_inside(operation, reading)
                    && every(&|effect| is_write_of(glob, effect, reading))
            }
            LearnedRule::Fetch(pattern) => every(&|effect| {
                effect.kind == EffectKind::Connect
                    && matches!(&effect.target, Target::Url(url) if !url.open && pattern.matches(url, Reach::Narrow))
            }),
            LearnedRule::Tool(pattern) => {
                pattern.written == operation.tool()
                    && every(
                        &|effect| matches!(&effect.target, Target::Tool(name) if *name == pattern.written),
                    )
            }
        }
    }
}

/// Every command of the line is one of the pattern, plain and by itself.
fn is_of_pattern(pattern: &CommandPattern, reading: &Reading) -> bool {
    !reading.commands.is_empty()
        && reading.commands.iter().all(|command| {
            command.literal
                && !command.interprets
                && command.wrappers.is_empty()
                && command.assignments.is_empty()
                && pattern.covers(command)
        })
        && reading.effects.iter().all(|effect| {
            effect.part.is_some()
                && !effect.manner.redirect
                && !effect.manner.unlisted
                && effect.kind != EffectKind::Environment
        })
}

/// The file of an effect, if it lies in the workspace and the pattern names it, and everything below it where the effect goes down.
fn named<'a>(glob: &PathGlob, effect: &'a Effect, reading: &Reading) -> Option<&'a PathFact> {
    let around = &reading.surroundings;
    let fact = effect.place()?.fact.as_ref()?;
    let subject = Subject {
        path: &fact.canonical,
        workspace: &around.workspace,
        home: around.home.as_deref(),
    };
    let goes_down = effect.manner.recursive && fact.kind != PathKind::File;
    let fits = if goes_down {
        glob.covers_below(subject)
    } else {
        glob.matches(subject)
    };
    (fits && below(&fact.canonical, &around.workspace)).then_some(fact)
}

fn is_read_of(glob: &PathGlob, effect: &Effect, reading: &Reading) -> bool {
    let around = &reading.surroundings;
    let is_private = |fact: &PathFact| matches!(fact.ignored, Ignored::Yes | Ignored::Unknown);
    effect.kind == EffectKind::Read
        && named(glob, effect, reading).is_some_and(|fact| {
            secret(&fact.canonical, around.home.as_deref()).is_none()
                && (glob.is_literal() || !is_private(fact))
        })
}

fn is_write_of(glob: &PathGlob, effect: &Effect, reading: &Reading) -> bool {
    let around = &reading.surroundings;
    effect.kind == EffectKind::Write
        && !effect.manner.overwrite
        && !effect.manner.moved_away
        && named(glob, effect, reading).is_some_and(|fact| {
            let path = fact.canonical.as_str();
            let is_plain = matches!(fact.kind, PathKind::Missing | PathKind::File)
                && fact.hard_links <= 1
                && fact.links.is_empty();
            is_plain
                && protected(path, around.home.as_deref()).is_none()
                && secret(path, around.home.as_deref()).is_none()
                && (glob.is_literal() || !active_in(path, &around.workspace))
        })
}
