//! One rule of a policy text, with the checks that need no other rule.

use crate::call::tool;
use crate::policy::command_pattern::{CommandPattern, Form};
use crate::policy::decision::Decision;
use crate::policy::expression::Expression;
use crate::policy::glob::PathGlob;
use crate::policy::mode::Mode;
use crate::policy::name_patterns::{McpPattern, ToolPattern, UrlPattern};
use crate::policy::pattern_error::PatternError;
use crate::policy::read::{Context, Origin};
use crate::policy::rule::{Example, Matcher, Rule, ShellRule, Subject, When};
use crate::policy::settings::Sourced;
use crate::policy::time;
use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Node, Span};

/// Keys of a matcher that say what it is about; a rule has exactly one of them.
const SUBJECTS: [&str; 9] = [
    "command",
    "command_regex",
    "read",
    "write",
    "delete",
    "fetch",
    "mcp",
    "tool",
    "delegate",
];

pub(crate) fn rule(context: &mut Context<'_>, node: &Node) -> Option<Rule> {
    let actions: Vec<(Decision, &Node)> = [Decision::Allow, Decision::Ask, Decision::Deny]
        .into_iter()
        .filter_map(|decision| Some((decision, node.get(decision.word())?)))
        .collect();
    let (decision, matched) = match actions.as_slice() {
        [one] => *one,
        [] => {
            let finding =
                Diagnostic::error(node.span, "the rule says none of `allow`, `ask` and `deny`");
            context
                .findings
                .push(finding.hint("write, for example, `allow: {command: \"cargo test *\"}`"));
            return None;
        }
        _ => {
            context.error(
                node.span,
                "the rule says more than one of `allow`, `ask` and `deny`",
            );
            return None;
        }
    };
    if node.get("enabled").and_then(Node::as_bool) == Some(false) {
        return None;
    }
    let matcher = matcher(context, matched, decision)?;
    let except = match node.get("except") {
        Some(except) => Some(self::matcher(context, except, decision)?),
        None => None,
    };
    let when = match node.get("when") {
        Some(when) => conditions(context, when)?,
        None => When::default(),
    };
    let source = context.place(node.span);
    let text = |key: &str| node.get(key).and_then(Node::as_text).map(str::to_owned);
    let rule = Rule {
        id: text("id").unwrap_or_else(|| source.clone()),
        decision,
        matcher,
        except,
        when,
        reason: text("reason"),
        source,
        learned: context.origin == Origin::Learned,
        examples: examples(node),
    };
    warn(context, &rule, node.span);
    check_examples(context, &rule);
    Some(rule)
}

fn examples(node: &Node) -> Vec<Example> {
    let list = |key: &str, must_match: bool| -> Vec<Example> {
        let Some(node) = node.get(key) else {
            return Vec::new();
        };
        let items = if node.as_text().is_some() {
            std::slice::from_ref(node)
        } else {
            node.items()
        };
        items
            .iter()
            .filter_map(|item| {
                Some(Example {
                    text: item.as_text()?.to_owned(),
                    must_match,
                    span: item.span,
                })
            })
            .collect()
    };
    let mut all = list("match", true);
    all.extend(list("not_match", false));
    all
}

fn matcher(context: &mut Context<'_>, node: &Node, decision: Decision) -> Option<Matcher> {
    let subjects: Vec<&str> = SUBJECTS
        .into_iter()
        .filter(|key| node.get(key).is_some())
        .collect();
    let key = match subjects.as_slice() {
        [one] => *one,
        [] => {
            context.findings.push(
                Diagnostic::error(node.span, "the matcher names nothing")
                    .hint(format!("it needs one of {}", SUBJECTS.join(", "))),
            );
            return None;
        }
        [one, other, ..] => {
            let finding = Diagnostic::error(
                node.span,
                format!("the matcher names `{one}` and `{other}`; a rule is about one thing"),
            );
            context.findings.push(finding.hint("write two rules"));
            return None;
        }
    };
    let value = node.get(key)?;
    let subject = match key {
        "command" => Subject::Command(patterns(context, value, |context, text| {
            let form = match node.get("as").and_then(Node::as_text) {
                Some("exact") => Form::Exact,
                Some("prefix") => Form::Prefix,
                Some("glob") => Form::Glob,
                _ => Form::Words,
            };
            CommandPattern::parse(text, form, context.reader)
        })?),
        "command_regex" => {
            if decision == Decision::Allow {
                let finding =
                    Diagnostic::error(value.span, "`command_regex` is for ask and deny only");
                context.findings.push(
                    finding
                        .hint("allow with `command`, which is matched word by word after parsing"),
                );
                return None;
            }
            Subject::CommandRegex(expression(context, value, str::to_owned)?)
        }
        "read" => Subject::Read(patterns(context, value, |_, text| PathGlob::parse(text))?),
        "write" => Subject::Write(patterns(context, value, |_, text| PathGlob::parse(text))?),
        "delete" => Subject::Delete(patterns(context, value, |_, text| PathGlob::parse(text))?),
        "fetch" => Subject::Fetch(patterns(context, value, |_, text| UrlPattern::parse(text))?),
        "mcp" => Subject::Mcp(patterns(context, value, |_, text| McpPattern::parse(text))?),
        "tool" => Subject::Tool(patterns(context, value, |_, text| {
            ToolPattern::parse(text)
        })?),
        _ => Subject::Delegate(patterns(context, value, |_, text| Ok(text.to_owned()))?),
    };
    let flag = |name: &str| node.get(name).and_then(Node::as_bool).unwrap_or(false);
    let fits = |name: &str| match name {
        "as" => key == "command",
        "recursive" => key == "delete" || key == "read",
        "overwrite" => key == "write",
        "secret" => key == "read",
        _ => true,
    };
    for name in ["as", "recursive", "overwrite", "secret"] {
        if let Some(given) = node.get(name).filter(|_| !fits(name)) {
            context.error(
                given.span,
                format!("`{name}` has no meaning beside `{key}`"),
            );
            return None;
        }
    }
    Some(Matcher {
        subject,
        recursive: flag("recursive"),
        overwrite: flag("overwrite"),
        secret: flag("secret"),
    })
}

/// One pattern or a list of them.
fn patterns<T>(
    context: &mut Context<'_>,
    node: &Node,
    parse: impl Fn(&Context<'_>, &str) -> Result<T, PatternError>,
) -> Option<Vec<T>> {
    let items = if node.as_text().is_some() {
        std::slice::from_ref(node)
    } else {
        node.items()
    };
    let mut list = Vec::new();
    let mut good = true;
    for item in items {
        match parse(context, item.as_text().unwrap_or_default()) {
            Ok(pattern) => list.push(pattern),
            Err(why) => {
                context.error(item.span, why.to_string());
                good = false;
            }
        }
    }
    good.then_some(list)
}

/// A regular expression, compiled in the form that it is meant in.
pub(crate) fn expression(
    context: &mut Context<'_>,
    node: &Node,
    form: impl Fn(&str) -> String,
) -> Option<Expression> {
    let written = node.as_text().unwrap_or_default();
    match Expression::compile(written, form(written)) {
        Ok(expression) => Some(expression),
        Err(why) => {
            context.error(
                node.span,
                format!("the regular expression `{written}` is refused: {why}"),
            );
            None
        }
    }
}

fn conditions(context: &mut Context<'_>, node: &Node) -> Option<When> {
    let mut when = When::default();
    for entry in node.entries() {
        let value = &entry.node;
        let items = if value.as_text().is_some() {
            std::slice::from_ref(value)
        } else {
            value.items()
        };
        match entry.key.as_str() {
            "agent" => {
                when.agents = items
                    .iter()
                    .filter_map(|item| item.as_text().map(str::to_owned))
                    .collect()
            }
            "mode" => {
                when.modes = items
                    .iter()
                    .filter_map(|item| Mode::from_word(item.as_text()?))
                    .collect()
            }
            "workspace" => {
                when.workspaces = patterns(context, value, |_, text| {
                    let glob = PathGlob::parse(text)?;
                    if glob.is_absolute() {
                        Ok(glob)
                    } else {
                        Err(PatternError::RelativeWorkspace)
                    }
                })?;
            }
            "max_lines" => when.max_lines = value.as_whole(),
            "max_files" => when.max_files = value.as_whole(),
            "until" => {
                let text = value.as_text().unwrap_or_default();
                when.until = time::parse(text);
                if when.until.is_none() {
                    let finding = Diagnostic::error(value.span, format!("`{text}` is no time"));
                    context
                        .findings
                        .push(finding.hint("write `2026-12-31` or `2026-12-31T18:00:00Z`"));
                    return None;
                }
            }
            "uses" => when.uses = value.as_whole(),
            _ => {
                when.annotations = value
                    .entries()
                    .iter()
                    .filter_map(|entry| Some((entry.key.clone(), entry.node.as_bool()?)))
                    .collect()
            }
        }
    }
    Some(when)
}

fn warn(context: &mut Context<'_>, rule: &Rule, span: Span) {
    if context.origin == Origin::Profile {
        return;
    }
    if rule.decision == Decision::Allow && rule.matcher.is_overly_broad() {
        let finding = Diagnostic::warning(
            span,
            format!("`{}` allows very much", rule.matcher.in_words()),
        );
        context
            .findings
            .push(finding.hint("name the subcommand, the folder or the host"));
    }
    if let Some(except) = &rule.except {
        if std::mem::discriminant(&except.subject) != std::mem::discriminant(&rule.matcher.subject)
        {
            context
                .findings
                .push(Diagnostic::warning(span, "`except` is about another kind of thing than the rule, so it never takes anything out"));
        } else if except.in_words() == rule.matcher.in_words() {
            context.findings.push(Diagnostic::warning(
                span,
                "the rule can never match: `except` takes out all of it",
            ));
        }
    }
    let brackets = match &rule.matcher.subject {
        Subject::Read(globs) | Subject::Write(globs) | Subject::Delete(globs) => {
            globs.iter().any(|glob| glob.written.contains('['))
        }
        _ => false,
    };
    if brackets {
        let finding = Diagnostic::warning(span, "`[` stands for itself in a path pattern");
        context
            .findings
            .push(finding.hint("for one of several characters, write `{a,b}`"));
    }
    let switched_off = rule.when.max_lines.is_some()
        || rule.when.max_files.is_some()
        || !rule.when.modes.is_empty();
    if rule.decision != Decision::Allow && switched_off {
        let finding = Diagnostic::warning(
            span,
            "the condition can switch this rule off: a larger change or another mode escapes it",
        );
        context
            .findings
            .push(finding.hint("conditions on size and mode belong on allow rules"));
    }
    if rule.when.max_files == Some(0) {
        context.findings.push(Diagnostic::warning(
            span,
            "the rule can never match: every operation touches at least one file",
        ));
    }
}

/// Examples of command rules are read like commands, those of other rules like what they match.
fn check_examples(context: &mut Context<'_>, rule: &Rule) {
    for example in &rule.examples {
        let matched = super::example::matches(rule, &example.text, context.reader);
        match matched {
            Err(why) => context.error(
                example.span,
                format!("the example `{}` {why}", example.text),
            ),
            Ok(matched) if matched == example.must_match => {}
            Ok(_) if example.must_match => {
                let finding = Diagnostic::error(
                    example.span,
                    format!("the rule does not match its example `{}`", example.text),
                );
                context
                    .findings
                    .push(finding.hint(format!("it matches {}", rule.matcher.in_words())));
            }
            Ok(_) => context.error(
                example.span,
                format!("the rule matches `{}`, which it must not", example.text),
            ),
        }
    }
}

pub(crate) fn shell_rule(context: &mut Context<'_>, node: &Node) -> Option<ShellRule> {
    let Some(pattern) = node.get("pattern") else {
        context.error(node.span, "the shell rule has no `pattern`");
        return None;
    };
    let parsed = match CommandPattern::parse(
        pattern.as_text().unwrap_or_default(),
        Form::Prefix,
        context.reader,
    ) {
        Ok(parsed) => parsed,
        Err(why) => {
            context.error(pattern.span, why.to_string());
            return None;
        }
    };
    let flag =
        |key: &str, otherwise: bool| node.get(key).and_then(Node::as_bool).unwrap_or(otherwise);
    let names = |key: &str| {
        node.get(key)
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(|item| item.as_text().map(str::to_owned))
            .collect()
    };
    Some(ShellRule {
        pattern: parsed,
        approval: flag("approval", true),
        allowed: flag("allowed", true),
        description: node
            .get("description")
            .and_then(Node::as_text)
            .map(str::to_owned),
        sandbox_paths: names("sandbox_paths"),
        source: context.place(node.span),
    })
}

/// Names of tools. The name of a program is no tool (H-51): such an entry would silently do nothing.
pub(crate) fn tool_names(
    context: &mut Context<'_>,
    node: &Node,
    key: &str,
) -> Vec<Sourced<String>> {
    const PROGRAMS: [&str; 30] = [
        "rm",
        "git",
        "curl",
        "wget",
        "sudo",
        "dd",
        "mkfs",
        "chmod",
        "chown",
        "python",
        "python3",
        "node",
        "npm",
        "npx",
        "pip",
        "cargo",
        "make",
        "docker",
        "kubectl",
        "ssh",
        "scp",
        "rsync",
        "mv",
        "cp",
        "kill",
        "sh",
        "zsh",
        "perl",
        "ruby",
        "terraform",
    ];
    let mut names = Vec::new();
    for item in node.items() {
        let name = item.as_text().unwrap_or_default();
        let first = name.split_whitespace().next().unwrap_or_default();
        if tool::find(name).is_none() && (PROGRAMS.contains(&first) || name.contains(' ')) {
            let finding = Diagnostic::error(
                item.span,
                format!("`{name}` in `{key}` is a command, not a tool"),
            );
            context
                .findings
                .push(finding.hint(format!("write a rule: `deny: {{command: \"{first} *\"}}`")));
            continue;
        }
        names.extend(context.sourced(item, name.to_owned()));
    }
    names
}
