//! The schema of a policy file: every key with its shape and one sentence of what it is for.

mod sections;

use crate::policy::setting_words::{HooksAsk, HooksExec, KeymapName, McpGate, PromptStyle};
use crate::policy::shape::Shape::{Bool, List, Names, OneOrMany, Text, Whole, Word};
use crate::policy::shape::{Field, Record, Shape};
use sections::{AUDIT, DEFAULTS, NOTIFY, RISK, SANDBOX, SHELL};

/// What a rule or a default decides.
pub(super) const ACTION: Shape = Word(&["allow", "ask", "deny"]);
const TEXTS: Shape = List(&Text);
const MODE_WORDS: Shape = Word(&[
    "confirm-all",
    "balanced",
    "high-risk-only",
    "auto-approve-edits",
    "safe-only",
    "trust-all",
    "confirm_all",
    "high_risk_only",
    "auto_approve_edits",
    "safe_only",
    "trust_all",
    "default",
]);

const fn field(key: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { key, shape, doc }
}

/// What a rule matches.
pub static MATCHER: Record = Record {
    name: "a matcher",
    fields: &[
        field(
            "command",
            OneOrMany(&Text),
            "Words of a command; a trailing ` *` is any further words.",
        ),
        field(
            "command_regex",
            Text,
            "A regular expression on the command's words joined by blanks; for ask and deny only.",
        ),
        field(
            "as",
            Word(&["words", "exact", "prefix", "glob"]),
            "How `command` is meant; `words` if it is left out.",
        ),
        field(
            "read",
            OneOrMany(&Text),
            "A pattern of paths that are read.",
        ),
        field(
            "write",
            OneOrMany(&Text),
            "A pattern of paths that are written, moved or made.",
        ),
        field(
            "delete",
            OneOrMany(&Text),
            "A pattern of paths that are deleted or moved away.",
        ),
        field("fetch", OneOrMany(&Text), "A pattern of web addresses."),
        field(
            "mcp",
            OneOrMany(&Text),
            "A pattern `server/tool` of MCP tools.",
        ),
        field("tool", OneOrMany(&Text), "A tool's name."),
        field(
            "delegate",
            OneOrMany(&Text),
            "A pattern of agents that work is handed to.",
        ),
        field(
            "recursive",
            Bool,
            "With `delete` or `read`: also everything below.",
        ),
        field(
            "overwrite",
            Bool,
            "With `write`: also replacing a file by `file_create_overwrite`.",
        ),
        field("secret", Bool, "With `read`: also files that hold secrets."),
    ],
};

static WHEN: Record = Record {
    name: "`when`",
    fields: &[
        field("agent", OneOrMany(&Text), "Only for these agents."),
        field("mode", OneOrMany(&MODE_WORDS), "Only in these modes."),
        field(
            "workspace",
            OneOrMany(&Text),
            "Only in workspaces that match these absolute patterns.",
        ),
        field(
            "max_lines",
            Whole {
                least: 0,
                most: 1_000_000_000,
            },
            "Only if no more lines are added and removed.",
        ),
        field(
            "max_files",
            Whole {
                least: 0,
                most: 1_000_000_000,
            },
            "Only if no more files are touched.",
        ),
        field(
            "until",
            Text,
            "Only before this time, as `2026-12-31` or `2026-12-31T18:00:00Z`.",
        ),
        field(
            "uses",
            Whole {
                least: 1,
                most: 1_000_000_000,
            },
            "Only this many times.",
        ),
        field(
            "annotations",
            Names(&Bool),
            "Only if the MCP server gives its tool these hints; hints can lie.",
        ),
    ],
};

/// One rule.
pub static RULE: Record = Record {
    name: "a rule",
    fields: &[
        field("id", Text, "A name for messages and the record."),
        field(
            "allow",
            Shape::Record(&MATCHER),
            "Run what matches without asking.",
        ),
        field(
            "ask",
            Shape::Record(&MATCHER),
            "Always ask for what matches.",
        ),
        field("deny", Shape::Record(&MATCHER), "Never run what matches."),
        field(
            "except",
            Shape::Record(&MATCHER),
            "But not what matches this.",
        ),
        field("when", Shape::Record(&WHEN), "Only under these conditions."),
        field("reason", Text, "Why, shown to the person and to the agent."),
        field(
            "match",
            OneOrMany(&Text),
            "Examples that must match; checked when the file is read.",
        ),
        field(
            "not_match",
            OneOrMany(&Text),
            "Examples that must not match.",
        ),
        field(
            "enabled",
            Bool,
            "Whether the rule counts; true if it is left out.",
        ),
    ],
};

macro_rules! shared_fields {
    () => {
        [
            field("mode", MODE_WORDS, "How eager to ask."),
            field(
                "defaults",
                Shape::Record(&DEFAULTS),
                "What holds where no rule and no grant does.",
            ),
            field(
                "rules",
                List(&Shape::Record(&RULE)),
                "Allow, ask and deny; the strictest that matches wins, in any order.",
            ),
            field(
                "shell",
                Shape::Record(&SHELL),
                "Ordered rules for commands.",
            ),
            field(
                "approval_timeout",
                Whole {
                    least: 0,
                    most: 604_800,
                },
                "Seconds until an open prompt is denied; 0 waits.",
            ),
            field("blocked_tools", TEXTS, "Tools that are always denied."),
            field("trusted_tools", TEXTS, "Tools that count as low risk."),
            field(
                "protected_paths",
                TEXTS,
                "Paths that are never written silently, besides the built-in ones.",
            ),
        ]
    };
}

static AGENT_FIELDS: [Field; 8] = shared_fields!();
static AGENT: Record = Record {
    name: "an agent's section",
    fields: &AGENT_FIELDS,
};

/// The whole file.
pub static POLICY: Record = Record {
    name: "the policy",
    fields: &[
        field(
            "version",
            Whole { least: 1, most: 1 },
            "The version of this schema.",
        ),
        field(
            "profile",
            Word(&[
                "sayso",
                "kollabor-spec",
                "llm-do",
                "forge",
                "opencode",
                "kollabor",
            ]),
            "The bundle of defaults to start from.",
        ),
        field("mode", MODE_WORDS, "How eager to ask."),
        field(
            "enabled",
            Bool,
            "False stops prompts for low and medium risk; high risk still asks.",
        ),
        field(
            "approval_timeout",
            Whole {
                least: 0,
                most: 604_800,
            },
            "Seconds until an open prompt is denied; 0 waits.",
        ),
        field(
            "command_timeout",
            Whole {
                least: 1,
                most: 3600,
            },
            "Seconds a command may run where the call does not say.",
        ),
        field(
            "mcp_timeout",
            Whole {
                least: 1,
                most: 3600,
            },
            "Seconds a tool of an MCP server may run where the call does not say.",
        ),
        field(
            "timeout_response",
            Word(&["deny"]),
            "What happens then; only `deny` is possible.",
        ),
        field(
            "workspace",
            Shape::Record(&Record {
                name: "`workspace`",
                fields: &[field(
                    "outside",
                    Word(&["ask", "deny"]),
                    "What happens outside of it.",
                )],
            }),
            "The folder the agent works in.",
        ),
        field(
            "outside_workspace",
            Word(&["ask", "deny"]),
            "The same as `workspace.outside`.",
        ),
        field(
            "defaults",
            Shape::Record(&DEFAULTS),
            "What holds where no rule and no grant does.",
        ),
        field(
            "rules",
            List(&Shape::Record(&RULE)),
            "Allow, ask and deny; the strictest that matches wins, in any order.",
        ),
        field(
            "shell",
            Shape::Record(&SHELL),
            "Ordered rules for commands.",
        ),
        field(
            "protected_paths",
            TEXTS,
            "Paths that are never written silently, besides the built-in ones.",
        ),
        field(
            "safe_commands",
            TEXTS,
            "First words of commands that run silently, besides the built-in ones.",
        ),
        field(
            "auto_approve_safe_commands",
            Bool,
            "Whether safe commands run silently.",
        ),
        field(
            "safe_commands_only",
            Bool,
            "True: what is not safe is denied.",
        ),
        field(
            "safe_paths",
            TEXTS,
            "Patterns of files that file tools may write silently.",
        ),
        field(
            "safe_path_regexes",
            TEXTS,
            "The same as regular expressions on the path in the workspace.",
        ),
        field(
            "auto_approve_safe_paths",
            Bool,
            "Whether writes of safe paths run silently.",
        ),
        field(
            "auto_approve_copies",
            Bool,
            "Whether file tools copy to new names in the workspace silently; only in profile kollabor-spec.",
        ),
        field(
            "double_confirm_deletes",
            Bool,
            "Whether a delete needs two confirmations.",
        ),
        field("blocked_tools", TEXTS, "Tools that are always denied."),
        field("trusted_tools", TEXTS, "Tools that count as low risk."),
        field(
            "trust_mcp_servers",
            Bool,
            "True: tools of all MCP servers count as trusted.",
        ),
        field(
            "trusted_mcp_servers",
            TEXTS,
            "MCP servers whose tools count as trusted.",
        ),
        field(
            "private_addresses",
            Word(&["deny", "ask"]),
            "What happens to addresses of this machine and private networks.",
        ),
        field(
            "catastrophic_action",
            Word(&["deny"]),
            "What happens to catastrophes; only `deny` is possible.",
        ),
        field(
            "dangerous_action",
            Word(&["ask", "deny"]),
            "What happens to dangers.",
        ),
        field(
            "approve_all_covers_dangerous",
            Bool,
            "Whether `approve all` in a batch covers dangerous operations; only in profile kollabor-spec.",
        ),
        field(
            "yolo_covers_catastrophic",
            Bool,
            "Whether --yolo covers catastrophes; only in profile kollabor-spec.",
        ),
        field("risk", Shape::Record(&RISK), "How risk is weighed."),
        field(
            "keymap",
            Word(KeymapName::WORDS),
            "Which keys answer a prompt.",
        ),
        field(
            "prompt_style",
            Word(PromptStyle::WORDS),
            "How a prompt looks.",
        ),
        field(
            "notify",
            Shape::Record(&NOTIFY),
            "How somebody is called when a prompt waits and nobody is at it; off unless it is set.",
        ),
        field(
            "enter_approves",
            Bool,
            "Whether Enter may approve a routine prompt; only in profile kollabor-spec.",
        ),
        field("show_risk_level", Bool, "Whether a prompt shows the risk."),
        field(
            "show_matched_pattern",
            Bool,
            "Whether a prompt shows what made it ask.",
        ),
        field(
            "show_approval_stats",
            Bool,
            "Whether counts are shown in the log.",
        ),
        field(
            "truncate_lines",
            Whole {
                least: 1,
                most: 100_000,
            },
            "How many lines of content a prompt shows before it folds the rest.",
        ),
        field(
            "redact",
            Bool,
            "Whether secrets in arguments are hidden in the record.",
        ),
        field(
            "agents",
            Names(&Shape::Record(&AGENT)),
            "Sections for single agents.",
        ),
        field(
            "sandbox",
            Shape::Record(&SANDBOX),
            "The OS sandbox and named folders.",
        ),
        field("audit", Shape::Record(&AUDIT), "The record."),
        field(
            "hooks",
            Shape::Record(&Record {
                name: "`hooks`",
                fields: &[
                    field("ask", Word(HooksAsk::WORDS), "Who asks when a hook has to."),
                    field(
                        "exec",
                        Word(HooksExec::WORDS),
                        "Which commands of an agent are run by `sayso exec`.",
                    ),
                    field(
                        "start",
                        Bool,
                        "Whether a hook with a question for the inbox opens it, if it is not open.",
                    ),
                    field(
                        "defer",
                        Bool,
                        "Whether a run of Claude Code that nobody watches is ended at a question, to be gone on with later.",
                    ),
                ],
            }),
            "How agents' hooks ask, and who runs their commands.",
        ),
        field(
            "mcp",
            Shape::Record(&Record {
                name: "`mcp`",
                fields: &[
                    field(
                        "elicitation",
                        TEXTS,
                        "Clients whose own dialog may ask the person about a call; whoever runs the client can answer it.",
                    ),
                    field(
                        "gate",
                        Shape::List(&Word(McpGate::WORDS)),
                        "What else is judged: reading resources and prompts, and what a server asks of the client.",
                    ),
                ],
            }),
            "What an MCP gateway does beyond judging the calls of tools.",
        ),
        field(
            "lock",
            TEXTS,
            "Keys that later layers cannot change; in managed files only.",
        ),
    ],
};
