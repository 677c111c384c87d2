//! Random policy files, made of rules and values that pull in different directions.

use proptest::prelude::*;
use proptest::sample::select;
use sayso_core::policy::read::Origin;

use super::random::one;
use crate::bench::PROFILES;

const MATCHERS: &[&str] = &[
    "{command: \"git *\"}",
    "{command: \"*\"}",
    "{command: ls}",
    "{command: [\"npm *\", \"cargo *\"]}",
    "{command: \"rm *\"}",
    "{command: \"rm -rf *\", as: glob}",
    "{command: ls, as: prefix}",
    "{command: \"git status\", as: exact}",
    "{command: \"cat * x\"}",
    "{command: \"*\", as: glob}",
    "{read: \"**\"}",
    "{read: \"src/**\"}",
    "{read: .env, secret: true}",
    "{read: \"/etc/**\"}",
    "{read: \"/**\", secret: true}",
    "{write: \"**\"}",
    "{write: \"docs/**\"}",
    "{write: \"**/*.md\", overwrite: true}",
    "{write: \"/home/u/**\"}",
    "{write: \"src/main.rs\"}",
    "{delete: \"**\"}",
    "{delete: node_modules, recursive: true}",
    "{delete: \"**\", recursive: true}",
    "{delete: \"/**\"}",
    "{fetch: \"*.example.com\"}",
    "{fetch: \"*\"}",
    "{mcp: \"github/*\"}",
    "{mcp: \"*/*\"}",
    "{tool: my_tool}",
    "{tool: file_edit}",
    "{tool: \"zzz_*\"}",
    "{tool: \"*\"}",
    "{tool: terminal}",
    "{delegate: \"*\"}",
];
const ONLY_STRICT: &[&str] = &["{command_regex: \"push|rm\"}", "{command_regex: \".\"}"];
const CONDITIONS: &[&str] = &[
    "{agent: rev}",
    "{agent: [build, boss]}",
    "{until: 2020-01-01}",
    "{until: 2090-01-01}",
    "{uses: 3}",
    "{workspace: \"/ws\"}",
];
const ALLOW_CONDITIONS: &[&str] = &[
    "{max_lines: 5}",
    "{max_files: 1}",
    "{annotations: {readOnlyHint: true}}",
];

/// A rule of one decision.
pub fn rule(decision: &'static str) -> BoxedStrategy<String> {
    let matcher = move || -> BoxedStrategy<String> {
        if decision == "allow" {
            one(MATCHERS).boxed()
        } else {
            prop_oneof![8 => one(MATCHERS), 1 => one(ONLY_STRICT)].boxed()
        }
    };
    let when = if decision == "allow" {
        prop_oneof![one(CONDITIONS), one(ALLOW_CONDITIONS)].boxed()
    } else {
        one(CONDITIONS).boxed()
    };
    (
        matcher(),
        prop::option::weighted(0.2, matcher()),
        prop::option::weighted(0.2, when),
    )
        .prop_map(move |(matcher, except, when)| {
            let except = except
                .map(|except| format!(", except: {except}"))
                .unwrap_or_default();
            let when = when
                .map(|when| format!(", when: {when}"))
                .unwrap_or_default();
            format!("{{{decision}: {matcher}{except}{when}}}")
        })
        .boxed()
}

fn any_rule() -> impl Strategy<Value = String> {
    prop_oneof![3 => rule("allow"), 1 => rule("ask"), 1 => rule("deny")]
}

const SETTINGS: &[&str] = &[
    "enabled: false",
    "outside_workspace: deny",
    "outside_workspace: ask",
    "defaults: {read: allow, write: allow, command: allow}",
    "defaults: {mcp: allow, fetch: allow, delegate: allow}",
    "defaults: {read: deny, write: ask}",
    "defaults: {command: deny}",
    "auto_approve_safe_commands: true\nsafe_commands: [npm, make, rm, git]",
    "auto_approve_safe_paths: true\nsafe_paths: [\"**\"]",
    "double_confirm_deletes: false",
    "dangerous_action: deny",
    "risk: {command: medium, mcp: medium}",
    "trusted_tools: [my_tool, read_file, bash]",
    "blocked_tools: [my_tool]",
    "trust_mcp_servers: true",
    "protected_paths: [src]",
    "private_addresses: ask",
    "safe_commands_only: true",
    "shell: {default: {allowed: true, approval: false}}",
    "shell: {default: {allowed: false}, rules: [{pattern: ls, approval: false}]}",
    "shell: {rules: [{pattern: git, approval: false}, {pattern: rm, allowed: false}]}",
    "sandbox.paths: {src: {root: src, mode: rw, write_approval: false}}",
    "sandbox.paths: {src: {root: src, mode: ro, read_approval: true}}",
    "sandbox.paths: {all: {root: /, mode: rw, write_approval: false}}",
    "agents: {rev: {defaults: {write: deny}}}",
    "agents: {build: {mode: high-risk-only, trusted_tools: [bash]}}",
    "agents: {boss: {rules: [{deny: {write: \"**\"}}]}}",
];

/// What one file says: single values, and rules in a list that can be shuffled.
#[derive(Clone, Debug)]
pub struct Text {
    pub origin: Origin,
    pub values: String,
    pub rules: Vec<String>,
}

impl Text {
    pub fn yaml(&self) -> String {
        format!("{}\nrules: [{}]\n", self.values, self.rules.join(", "))
    }
}

/// A file of one origin.
pub fn text(origins: Vec<Origin>) -> impl Strategy<Value = Text> {
    let values =
        prop::collection::btree_map(0..SETTINGS.len(), Just(()), 0..4).prop_map(|picked| {
            let mut keys: Vec<&str> = Vec::new();
            let mut lines = Vec::new();
            for line in picked.keys().map(|index| SETTINGS[*index]) {
                let key = line.split([':', '.']).next().unwrap_or_default();
                if !keys.contains(&key) {
                    keys.push(key);
                    lines.push(line);
                }
            }
            lines.join("\n")
        });
    let mode = prop::option::of(select(vec![
        "confirm-all",
        "balanced",
        "high-risk-only",
        "auto-approve-edits",
        "safe-only",
    ]));
    let profile = prop::option::weighted(0.4, select(PROFILES.to_vec()));
    (
        select(origins),
        values,
        mode,
        profile,
        prop::collection::vec(any_rule(), 0..5),
    )
        .prop_map(|(origin, values, mode, profile, rules)| {
            let mode = mode
                .map(|mode| format!("\nmode: {mode}"))
                .unwrap_or_default();
            let profile = profile
                .map(|profile| format!("\nprofile: {profile}"))
                .unwrap_or_default();
            Text {
                origin,
                values: format!("{values}{mode}{profile}"),
                rules,
            }
        })
}

/// Files that the person, the administrator or a trusted project wrote.
pub fn trusted_texts() -> impl Strategy<Value = Vec<Text>> {
    prop::collection::vec(
        text(vec![
            Origin::Managed,
            Origin::User,
            Origin::Learned,
            Origin::Project,
            Origin::CommandLine,
        ]),
        0..4,
    )
}
