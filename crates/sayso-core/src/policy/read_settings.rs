//! The keys of a policy text, one by one.

use crate::analysis::risk::Risk;
use crate::paths::ExtraProtected;
use crate::policy::command_pattern::{CommandPattern, Form};
use crate::policy::decision::Decision;
use crate::policy::glob::PathGlob;
use crate::policy::mode::Mode;
use crate::policy::read::{Context, Origin, Section};
use crate::policy::read_rule::{self, expression};
use crate::policy::read_sandbox;
use crate::policy::rule::ShellRule;
use crate::policy::safe_command::SafeCommand;
use crate::policy::setting_words::{
    AuditSync, HooksAsk, HooksExec, KeymapName, McpGate, PromptStyle, TerminalNotice,
};
use crate::policy::settings::{Settings, ShellDefault, Sourced};
use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Entry, Node};

impl Context<'_> {
    /// One key of a file or of an agent's section; its shape was checked before.
    pub(super) fn key(&mut self, entry: &Entry, section: &mut Section) {
        let node = &entry.node;
        let settings = &mut section.settings;
        let text = || node.as_text().unwrap_or_default();
        let decision = |node: &Node| node.as_text().and_then(Decision::from_word);
        match entry.key.as_str() {
            "version" | "timeout_response" | "catastrophic_action" => {}
            "profile" => settings.profile = self.sourced(node, text().to_owned()),
            "mode" => {
                settings.mode = Mode::from_word(text())
                    .filter(|mode| self.may_set(*mode, node))
                    .and_then(|mode| self.sourced(node, mode));
            }
            "enabled" => settings.enabled = self.bool(node),
            "approval_timeout" => settings.approval_timeout = self.whole(node),
            "command_timeout" => settings.command_timeout = self.whole(node),
            "mcp_timeout" => settings.mcp_timeout = self.whole(node),
            "workspace" => {
                if let Some(outside) = node.get("outside") {
                    settings.outside_workspace =
                        decision(outside).and_then(|value| self.sourced(outside, value));
                }
            }
            "outside_workspace" => {
                settings.outside_workspace =
                    decision(node).and_then(|value| self.sourced(node, value))
            }
            "defaults" => {
                for entry in node.entries() {
                    let value = self.sourced(&entry.node, decision(&entry.node));
                    match entry.key.as_str() {
                        "read" => settings.default_read = value,
                        "write" => settings.default_write = value,
                        "command" => settings.default_command = value,
                        "fetch" => settings.default_fetch = value,
                        "mcp" => settings.default_mcp = value,
                        _ => settings.default_delegate = value,
                    }
                }
            }
            "rules" => section.rules.extend(
                node.items()
                    .iter()
                    .filter_map(|item| read_rule::rule(self, item)),
            ),
            "shell" => self.shell(node, section),
            "protected_paths" => {
                for item in node.items() {
                    let mut path = ExtraProtected::default();
                    match path.add(item.as_text().unwrap_or_default()) {
                        Ok(()) => settings.protected_paths.extend(self.sourced(item, path)),
                        Err(why) => self.error(item.span, why.to_string()),
                    }
                }
            }
            "safe_commands" => {
                for item in node.items() {
                    match CommandPattern::parse(
                        item.as_text().unwrap_or_default(),
                        Form::Prefix,
                        self.reader,
                    ) {
                        Ok(pattern) => {
                            let entry = self.safe_command(item, pattern);
                            settings.safe_commands.extend(self.sourced(item, entry));
                        }
                        Err(why) => self.error(item.span, why.to_string()),
                    }
                }
            }
            "auto_approve_safe_commands" => settings.auto_approve_safe_commands = self.bool(node),
            "safe_commands_only" => settings.safe_commands_only = self.bool(node),
            "safe_paths" => {
                for item in node.items() {
                    match PathGlob::parse(item.as_text().unwrap_or_default()) {
                        Ok(glob) if glob.is_absolute() => {
                            self.error(item.span, "a safe path is relative to the workspace")
                        }
                        Ok(glob) => settings.safe_paths.extend(self.sourced(item, glob)),
                        Err(why) => self.error(item.span, why.to_string()),
                    }
                }
            }
            "safe_path_regexes" => {
                for item in node.items() {
                    let expression = expression(self, item, anchored);
                    settings
                        .safe_path_regexes
                        .extend(expression.and_then(|expression| self.sourced(item, expression)));
                }
            }
            "auto_approve_safe_paths" => settings.auto_approve_safe_paths = self.bool(node),
            "auto_approve_copies" => settings.auto_approve_copies = self.only_in_profile(entry),
            "double_confirm_deletes" => settings.double_confirm_deletes = self.bool(node),
            "blocked_tools" => {
                settings
                    .blocked_tools
                    .extend(read_rule::tool_names(self, node, "blocked_tools"))
            }
            "trusted_tools" => {
                settings
                    .trusted_tools
                    .extend(read_rule::tool_names(self, node, "trusted_tools"))
            }
            "trust_mcp_servers" => settings.trust_mcp_servers = self.bool(node),
            "trusted_mcp_servers" => {
                settings.trusted_mcp_servers.extend(self.texts(node));
            }
            "private_addresses" => {
                settings.private_addresses =
                    decision(node).and_then(|value| self.sourced(node, value))
            }
            "dangerous_action" => {
                settings.dangerous_action =
                    decision(node).and_then(|value| self.sourced(node, value))
            }
            "approve_all_covers_dangerous" => {
                settings.approve_all_covers_dangerous = self.only_in_profile(entry)
            }
            "yolo_covers_catastrophic" => {
                settings.yolo_covers_catastrophic = self.only_in_profile(entry)
            }
            "risk" => self.risk(node, settings),
            "keymap" => settings.keymap = self.word(node, KeymapName::from_word),
            "prompt_style" => settings.prompt_style = self.word(node, PromptStyle::from_word),
            // A program that is started on the person's machine is not for a project to name, trusted or not.
            "notify" if self.origin.is_project() => self.not_for_projects(entry),
            "notify" => {
                for entry in node.entries() {
                    let node = &entry.node;
                    match entry.key.as_str() {
                        "after" => settings.notify_after = self.whole(node),
                        "bell" => settings.notify_bell = self.bool(node),
                        "command" => settings.notify_command = self.program(node),
                        _ => settings.notify_terminal = self.word(node, TerminalNotice::from_word),
                    }
                }
            }
            // Which key says yes is the person's to choose, not the project's.
            "enter_approves" if self.origin.is_project() && node.as_bool() == Some(true) => {
                self.not_for_projects(entry)
            }
            "enter_approves" => {
                settings.enter_approves = self.bool(node);
                if node.as_bool() == Some(true)
                    && self.origin != Origin::Profile
                    && !self.profile_takes_enter
                {
                    let finding = Diagnostic::warning(
                        entry.key_span,
                        "`enter_approves` counts only in the profile kollabor-spec",
                    );
                    self.findings
                        .push(finding.hint("in every other profile Enter never approves"));
                }
            }
            "show_risk_level" => settings.show_risk_level = self.bool(node),
            "show_matched_pattern" => settings.show_matched_pattern = self.bool(node),
            "show_approval_stats" => settings.show_approval_stats = self.bool(node),
            "truncate_lines" => settings.truncate_lines = self.whole(node),
            "redact" if self.origin.is_project() && node.as_bool() == Some(false) => {
                self.not_for_projects(entry)
            }
            "redact" => settings.redact = self.bool(node),
            "sandbox" => read_sandbox::sandbox(self, node, settings),
            // What is kept of a person's calls is not for a project to say, trusted or not (Z-47).
            "audit" if self.origin.is_project() => self.not_for_projects(entry),
            "audit" => {
                for entry in node.entries() {
                    let node = &entry.node;
                    match entry.key.as_str() {
                        "enabled" => settings.audit_enabled = self.bool(node),
                        "path" => settings.audit_path = self.place_on_disk(node),
                        "log" => settings.audit_log = self.place_on_disk(node),
                        "exclude_keys" => {
                            settings.audit_exclude_keys.extend(self.texts(node));
                        }
                        "retention_days" => settings.audit_retention_days = self.whole(node),
                        "head_every" => settings.audit_head_every = self.whole(node),
                        "head_command" => settings.audit_head_command = self.program(node),
                        _ => settings.audit_sync = self.word(node, AuditSync::from_word),
                    }
                }
            }
            "hooks" => {
                if let Some(ask) = node.get("ask") {
                    settings.hooks_ask = self.word(ask, HooksAsk::from_word);
                }
                if let Some(exec) = node.get("exec") {
                    settings.hooks_exec = self.word(exec, HooksExec::from_word);
                }
                if let Some(entry) = node.entries().iter().find(|entry| entry.key == "start") {
                    match self.origin.is_project() {
                        true => self.not_for_projects(entry),
                        false => {
                            settings.hooks_start =
                                self.sourced(&entry.node, entry.node.as_bool().unwrap_or(false))
                        }
                    }
                }
                if let Some(defer) = node.get("defer") {
                    settings.hooks_defer = self.sourced(defer, defer.as_bool().unwrap_or(false));
                }
            }
            "mcp" => {
                if let Some(entry) = node
                    .entries()
                    .iter()
                    .find(|entry| entry.key == "elicitation")
                {
                    match self.origin.is_project() {
                        true => self.not_for_projects(entry),
                        false => settings.mcp_elicitation.extend(self.texts(&entry.node)),
                    }
                }
                let gate = node.get("gate").map_or(&[][..], Node::items);
                let gated = gate
                    .iter()
                    .filter_map(|item| self.word(item, McpGate::from_word));
                settings.mcp_gate.extend(gated);
            }
            // The shape check lets no other key through; a new one without an arm here must not pass silently.
            other => self.error(entry.key_span, format!("the key `{other}` is not read")),
        }
    }

    /// A program with its arguments, which is started without a shell and whatever the search path says.
    fn program(&mut self, node: &Node) -> Option<Sourced<Vec<String>>> {
        let words: Vec<String> = node
            .items()
            .iter()
            .filter_map(|item| item.as_text().map(str::to_owned))
            .collect();
        if !words
            .first()
            .is_some_and(|program| program.starts_with('/'))
            || words.iter().any(|word| word.contains('\0'))
        {
            self.error(
                node.span,
                "a program is a list of words, and the first is the absolute path of its file",
            );
        }
        self.sourced(node, words)
    }

    /// Whether this file may set a mode: one that asks nothing is for the person's own file alone, and counts for all agents there.
    fn may_set(&mut self, mode: Mode, node: &Node) -> bool {
        if mode != Mode::TrustAll || self.origin == Origin::Profile {
            return true;
        }
        if self.origin == Origin::User && !self.in_section {
            let finding = Diagnostic::warning(
                node.span,
                "`trust-all` asks nothing: everything that no rule denies runs",
            );
            self.findings
                .push(finding.hint("for one run, leave it out here and say `--mode trust-all`"));
            return true;
        }
        let finding = Diagnostic::warning(
            node.span,
            "`trust-all` does not count here, and the mode stays as it was",
        );
        self.findings.push(finding.hint(
            "it counts at the top of your own policy file, or for one run as `--mode trust-all`",
        ));
        false
    }

    /// An entry of `safe_commands`, with a warning where it never counts or lets very much through.
    fn safe_command(&mut self, item: &Node, pattern: CommandPattern) -> SafeCommand {
        let own = self.origin != Origin::Profile;
        let caution = pattern.caution(self.reader);
        if let Some(caution) = caution.filter(|_| own) {
            let written = &pattern.written;
            let never = caution
                .never_counts()
                .map(|why| format!("`{written}` never counts as a safe command: {why}"));
            let much = || {
                caution
                    .lets_through()
                    .map(|what| format!("`{written}` as a safe command runs unasked, and {what}"))
            };
            if let Some(message) = never.or_else(much) {
                self.findings
                    .push(Diagnostic::warning(item.span, message).hint(caution.hint()));
            }
        }
        SafeCommand {
            pattern,
            source: self.place(item.span),
            own,
            caution,
        }
    }

    /// One of some words, as the schema holds.
    pub(super) fn word<T>(
        &self,
        node: &Node,
        from_word: impl Fn(&str) -> Option<T>,
    ) -> Option<Sourced<T>> {
        self.sourced(node, from_word(node.as_text()?)?)
    }

    /// The texts of a list, each with its place.
    fn texts(&self, node: &Node) -> Vec<Sourced<String>> {
        node.items()
            .iter()
            .filter_map(|item| self.sourced(item, item.as_text()?.to_owned()))
            .collect()
    }

    /// A file or folder that means the same wherever sayso is started.
    fn place_on_disk(&mut self, node: &Node) -> Option<Sourced<Option<String>>> {
        let text = node.as_text().unwrap_or_default();
        let whole = text.starts_with('/') || text.starts_with("~/");
        if !whole || text.contains('\0') || text.split('/').any(|part| part == "..") {
            let finding = Diagnostic::error(
                node.span,
                format!("`{text}` is no place that means the same everywhere"),
            );
            self.findings.push(
                finding
                    .hint("write it from the root (`/…`) or from your home (`~/…`), without `..`"),
            );
            return None;
        }
        self.sourced(node, Some(text.to_owned()))
    }

    /// A key that counts in the person's own file and the administrator's only.
    fn not_for_projects(&mut self, entry: &Entry) {
        let message = format!("`{}` of a project's file does not count", entry.key);
        let what = if entry.key == "notify" {
            "who is called"
        } else {
            "what is recorded"
        };
        let hint = format!("{what} is said in your own policy file, or in a managed one");
        self.findings
            .push(Diagnostic::warning(entry.key_span, message).hint(hint));
    }

    /// Loosenings that a seed's acceptance tests need; they come with its profile and with nothing else.
    fn only_in_profile(&mut self, entry: &Entry) -> Option<Sourced<bool>> {
        if self.origin != Origin::Profile && entry.node.as_bool() == Some(true) {
            self.error(
                entry.key_span,
                format!(
                    "`{}` comes with the profile kollabor-spec and cannot be set in a file",
                    entry.key
                ),
            );
        }
        self.bool(&entry.node)
    }

    fn shell(&mut self, node: &Node, section: &mut Section) {
        for entry in node.entries() {
            match entry.key.as_str() {
                "default" => {
                    let flag = |key: &str, otherwise: bool| {
                        entry
                            .node
                            .get(key)
                            .and_then(Node::as_bool)
                            .unwrap_or(otherwise)
                    };
                    let value = ShellDefault {
                        allowed: flag("allowed", true),
                        approval: flag("approval", true),
                    };
                    section.settings.shell_default = self.sourced(&entry.node, Some(value));
                }
                "network" => {
                    section.settings.sandbox_network = read_sandbox::network(self, &entry.node)
                }
                _ => {
                    let rules: Vec<ShellRule> = entry
                        .node
                        .items()
                        .iter()
                        .filter_map(|item| read_rule::shell_rule(self, item))
                        .collect();
                    section.shell.extend(rules);
                }
            }
        }
    }

    fn risk(&mut self, node: &Node, settings: &mut Settings) {
        for entry in node.entries() {
            let node = &entry.node;
            let risk = || node.as_text().and_then(Risk::from_word);
            match entry.key.as_str() {
                "command" => {
                    settings.command_risk = risk().and_then(|value| self.sourced(node, value))
                }
                "mcp" => settings.mcp_risk = risk().and_then(|value| self.sourced(node, value)),
                key => {
                    for item in node.items() {
                        let pattern = expression(self, item, str::to_owned)
                            .and_then(|pattern| self.sourced(item, pattern));
                        if key == "high_patterns" {
                            settings.high_risk.extend(pattern)
                        } else {
                            settings.medium_risk.extend(pattern)
                        }
                    }
                }
            }
        }
    }
}

/// A path expression of the first seed, anchored at the workspace: `docs/.*` does not match `mydocs/x`.
fn anchored(written: &str) -> String {
    let suffix_form = written.starts_with("\\.") || written.starts_with(".*");
    let start = if suffix_form { "^(?:.*)" } else { "^" };
    format!("{start}(?:{})", written.trim_start_matches('^'))
}
