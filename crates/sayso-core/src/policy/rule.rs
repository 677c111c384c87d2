//! A rule: allow, ask or deny, with what it matches, its conditions, and the place it stands.

use crate::packed::packed;
use crate::policy::command_pattern::CommandPattern;
use crate::policy::decision::Decision;
use crate::policy::expression::Expression;
use crate::policy::glob::PathGlob;
use crate::policy::mode::Mode;
use crate::policy::name_patterns::{McpPattern, ToolPattern, UrlPattern};

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, or `file:line` where it has none.
    pub id: String,
    /// What it decides.
    pub decision: Decision,
    /// What it matches.
    pub matcher: Matcher,
    /// What it does not match all the same.
    pub except: Option<Matcher>,
    /// Under which conditions.
    pub when: When,
    /// Why, in the words of its author.
    pub reason: Option<String>,
    /// `file:line`.
    pub source: String,
    /// It was learned from an answer; such a rule never covers a must-ask.
    pub learned: bool,
    /// The examples that must and must not match.
    pub examples: Vec<Example>,
}

/// An example of a rule.
#[derive(Clone, Debug)]
pub struct Example {
    /// The text.
    pub text: String,
    /// Whether it must match.
    pub must_match: bool,
    /// Where it stands.
    pub span: crate::text::node::Span,
}

/// What a rule is about.
#[derive(Clone, Debug)]
pub struct Matcher {
    /// The things it names.
    pub subject: Subject,
    /// Also everything below.
    pub recursive: bool,
    /// Also replacing a file.
    pub overwrite: bool,
    /// Also secrets.
    pub secret: bool,
}

/// The things a matcher names.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Commands by their words.
    Command(Vec<CommandPattern>),
    /// Commands by a regular expression.
    CommandRegex(Expression),
    /// Paths that are read.
    Read(Vec<PathGlob>),
    /// Paths that are written.
    Write(Vec<PathGlob>),
    /// Paths that are deleted.
    Delete(Vec<PathGlob>),
    /// Web addresses.
    Fetch(Vec<UrlPattern>),
    /// MCP tools.
    Mcp(Vec<McpPattern>),
    /// Tools.
    Tool(Vec<ToolPattern>),
    /// Agents.
    Delegate(Vec<String>),
    /// Whatever it is: only for a denial in place of a rule that was lost. No text says it.
    Anything,
}

/// Under which conditions a rule counts.
#[derive(Clone, Debug, Default)]
pub struct When {
    /// Agents.
    pub agents: Vec<String>,
    /// Modes.
    pub modes: Vec<Mode>,
    /// Workspaces.
    pub workspaces: Vec<PathGlob>,
    /// Lines added plus removed, at most.
    pub max_lines: Option<u64>,
    /// Files touched, at most.
    pub max_files: Option<u64>,
    /// Only before this time, in seconds since 1970.
    pub until: Option<i64>,
    /// Only this many times.
    pub uses: Option<u64>,
    /// Hints of an MCP server.
    pub annotations: Vec<(String, bool)>,
}

/// One of the ordered shell rules.
#[derive(Clone, Debug)]
pub struct ShellRule {
    /// The first words of the command.
    pub pattern: CommandPattern,
    /// Whether a person has to say yes.
    pub approval: bool,
    /// False: never.
    pub allowed: bool,
    /// What the prompt says.
    pub description: Option<String>,
    /// The named roots that every path has to lie in.
    pub sandbox_paths: Vec<String>,
    /// `file:line`.
    pub source: String,
}

packed! { struct Rule { id, decision, matcher, except, when, reason, source, learned, examples } }
packed! { struct Example { text, must_match, span } }
packed! { struct Matcher { subject, recursive, overwrite, secret } }
packed! { struct When { agents, modes, workspaces, max_lines, max_files, until, uses, annotations } }
packed! { struct ShellRule { pattern, approval, allowed, description, sandbox_paths, source } }
packed! {
    enum Subject {
        Command(patterns), CommandRegex(expression), Read(globs), Write(globs), Delete(globs), Fetch(patterns), Mcp(patterns),
        Tool(patterns), Delegate(names), Anything,
    }
}

impl When {
    /// No conditions.
    pub fn is_always(&self) -> bool {
        self.agents.is_empty()
            && self.modes.is_empty()
            && self.workspaces.is_empty()
            && self.max_lines.is_none()
            && self.max_files.is_none()
            && self.until.is_none()
            && self.uses.is_none()
            && self.annotations.is_empty()
    }
}

impl Matcher {
    /// The pattern in the words of a policy file, for messages.
    pub fn in_words(&self) -> String {
        let list = |key: &str, patterns: Vec<&str>| format!("{key}: {}", patterns.join(", "));
        match &self.subject {
            Subject::Command(patterns) => list(
                "command",
                patterns.iter().map(|p| p.written.as_str()).collect(),
            ),
            Subject::CommandRegex(expression) => format!("command_regex: {}", expression.written),
            Subject::Read(globs) => {
                list("read", globs.iter().map(|g| g.written.as_str()).collect())
            }
            Subject::Write(globs) => {
                list("write", globs.iter().map(|g| g.written.as_str()).collect())
            }
            Subject::Delete(globs) => {
                list("delete", globs.iter().map(|g| g.written.as_str()).collect())
            }
            Subject::Fetch(patterns) => list(
                "fetch",
                patterns.iter().map(|p| p.written.as_str()).collect(),
            ),
            Subject::Mcp(patterns) => {
                list("mcp", patterns.iter().map(|p| p.written.as_str()).collect())
            }
            Subject::Tool(patterns) => list(
                "tool",
                patterns.iter().map(|p| p.written.as_str()).collect(),
            ),
            Subject::Delegate(names) => {
                list("delegate", names.iter().map(String::as_str).collect())
            }
            Subject::Anything => "anything".to_owned(),
        }
    }

    /// Whether it matches so much that its author may not mean it.
    pub fn is_overly_broad(&self) -> bool {
        match &self.subject {
            Subject::Command(patterns) => patterns.iter().any(CommandPattern::is_overly_broad),
            Subject::CommandRegex(_) => false,
            Subject::Read(globs) => globs
                .iter()
                .any(|glob| glob.is_everything() && glob.is_absolute()),
            Subject::Write(globs) | Subject::Delete(globs) => {
                globs.iter().any(PathGlob::is_everything)
            }
            Subject::Fetch(patterns) => patterns.iter().any(UrlPattern::is_everything),
            Subject::Mcp(patterns) => patterns.iter().any(McpPattern::is_everything),
            Subject::Tool(patterns) => patterns.iter().any(|pattern| {
                pattern.written.starts_with('*') || !pattern.is_exact() && pattern.written.len() < 4
            }),
            Subject::Delegate(names) => names.iter().any(|name| name == "*"),
            Subject::Anything => true,
        }
    }
}
