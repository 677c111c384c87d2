//! The sections of a policy file that are records of their own: `shell`, `sandbox`, `audit` and others.

use super::{ACTION, TEXTS, field};
use crate::policy::setting_words::{AuditSync, TerminalNotice};
use crate::policy::settings::{AutoAllow, SandboxFallback};
use crate::policy::shape::Shape::{Bool, List, Names, Text, Whole, Word};
use crate::policy::shape::{Record, Shape};

pub(super) static SHELL_RULE: Record = Record {
    name: "a shell rule",
    fields: &[
        field("pattern", Text, "The first words of the command."),
        field("approval", Bool, "Whether a person has to say yes."),
        field("allowed", Bool, "False: never run it."),
        field("description", Text, "What the prompt says."),
        field(
            "sandbox_paths",
            TEXTS,
            "Only if every path lies in these named roots.",
        ),
    ],
};

pub(super) static ROOT: Record = Record {
    name: "a path root",
    fields: &[
        field("root", Text, "The folder, relative to the workspace."),
        field("mode", Word(&["ro", "rw"]), "Whether it may be written."),
        field("suffixes", TEXTS, "Only files with these endings."),
        field(
            "write_approval",
            Bool,
            "Whether a write needs a yes; true if it is left out.",
        ),
        field(
            "read_approval",
            Bool,
            "Whether a read needs a yes; false if it is left out.",
        ),
    ],
};

pub(super) static DEFAULTS: Record = Record {
    name: "`defaults`",
    fields: &[
        field("read", ACTION, "For reads that no rule covers."),
        field("write", ACTION, "For writes that no rule covers."),
        field("command", ACTION, "For commands that no rule covers."),
        field("fetch", ACTION, "For web addresses that no rule covers."),
        field("mcp", ACTION, "For MCP tools that no rule covers."),
        field(
            "delegate",
            ACTION,
            "For work handed to other agents that no rule covers.",
        ),
    ],
};

pub(super) static SHELL: Record = Record {
    name: "`shell`",
    fields: &[
        field(
            "default",
            Shape::Record(&Record {
                name: "`shell.default`",
                fields: &[
                    field(
                        "allowed",
                        Bool,
                        "False: commands that no shell rule names are blocked.",
                    ),
                    field(
                        "approval",
                        Bool,
                        "Whether commands that no shell rule names need a yes.",
                    ),
                ],
            }),
            "For commands that no shell rule names.",
        ),
        field(
            "rules",
            List(&Shape::Record(&SHELL_RULE)),
            "Ordered: the first that matches counts.",
        ),
        field(
            "network",
            Bool,
            "Whether sandboxed commands reach the network.",
        ),
    ],
};

pub(super) static BOUNDS: Record = Record {
    name: "`bounds`",
    fields: &[
        field(
            "write",
            TEXTS,
            "Nothing outside of these folders is written.",
        ),
        field(
            "read",
            TEXTS,
            "Nothing outside of these folders is read, but for what may be written.",
        ),
        field("hide", TEXTS, "These files and folders are not read."),
        field("network", Bool, "False: no network."),
        field("hosts", TEXTS, "No other hosts."),
    ],
};

pub(super) static KEEP: Record = Record {
    name: "`keep`",
    fields: &[
        field(
            "names",
            Whole {
                least: 0,
                most: 10_000_000,
            },
            "The most files and folders of a workspace that are kept for undo before a contained command.",
        ),
        field(
            "bytes",
            Whole {
                least: 0,
                most: 1 << 40,
            },
            "The most bytes of a workspace that are kept for undo; what git ignores beyond that is read-only.",
        ),
    ],
};

pub(super) static SANDBOX: Record = Record {
    name: "`sandbox`",
    fields: &[
        field(
            "paths",
            Names(&Shape::Record(&ROOT)),
            "Named folders with their own terms.",
        ),
        field(
            "network",
            Bool,
            "Whether sandboxed commands reach the network.",
        ),
        field("require", Bool, "Refuse to start without an OS sandbox."),
        field("require_os_sandbox", Bool, "The same as `require`."),
        field(
            "fallback",
            Word(SandboxFallback::WORDS),
            "What happens when the sandbox is required and missing.",
        ),
        field(
            "hosts",
            TEXTS,
            "The only hosts that sandboxed commands reach, such as `crates.io` or `*.npmjs.org`.",
        ),
        field(
            "auto_allow",
            Word(AutoAllow::WORDS),
            "What runs unasked because a sandbox bounds it: commands that were read whole and whose effects are not known.",
        ),
        field(
            "memory",
            Whole {
                least: 0,
                most: 16_777_216,
            },
            "MiB that each process of a sandboxed command may take; 0 for no limit.",
        ),
        field(
            "processes",
            Whole {
                least: 0,
                most: 4_194_304,
            },
            "How many processes a sandboxed command may be at once; 0 for no limit.",
        ),
        field(
            "keep",
            Shape::Record(&KEEP),
            "How much of a workspace is kept before a contained command, so that it can be taken back.",
        ),
        field(
            "session",
            Shape::Record(&SESSION),
            "How much the sandbox of a session may take, all of its commands together.",
        ),
        field(
            "bounds",
            Shape::Record(&BOUNDS),
            "Bounds of your own for sandboxed commands; they only ever take away.",
        ),
        field(
            "os_sandbox_fallback",
            Word(SandboxFallback::WORDS),
            "The same as `fallback`.",
        ),
    ],
};

static SESSION: Record = Record {
    name: "`session`",
    fields: &[
        field(
            "idle_minutes",
            Whole {
                least: 1,
                most: 10_080,
            },
            "Minutes without a command and a process after which it ends; 60 if it is left out.",
        ),
        field(
            "tmp",
            Whole {
                least: 1,
                most: 16_777_216,
            },
            "MiB of its temporary files; 4096 if it is left out.",
        ),
        field(
            "memory",
            Whole {
                least: 0,
                most: 16_777_216,
            },
            "MiB of memory of all its processes; 0 for no limit.",
        ),
        field(
            "processes",
            Whole {
                least: 0,
                most: 4_194_304,
            },
            "How many processes it may be at once; 0 for no limit.",
        ),
    ],
};

pub(super) static AUDIT: Record = Record {
    name: "`audit`",
    fields: &[
        field(
            "enabled",
            Bool,
            "Whether decisions are recorded; high risk is recorded in any case.",
        ),
        field(
            "path",
            Text,
            "The folder of the record, from the root or from `~/`; everything that sayso keeps is there.",
        ),
        field(
            "log",
            Text,
            "A file that each decision is also written to, a line each, from the root or from `~/`; where it cannot be written, nothing runs.",
        ),
        field(
            "exclude_keys",
            TEXTS,
            "Arguments with these names are never kept, whatever is in them.",
        ),
        field(
            "retention_days",
            Whole {
                least: 1,
                most: 36_500,
            },
            "How long entries are kept.",
        ),
        field(
            "head_every",
            Whole {
                least: 1,
                most: 1_000_000,
            },
            "After how many entries the head of the record is handed to `head_command`.",
        ),
        field(
            "head_command",
            TEXTS,
            "A program with its arguments that keeps heads elsewhere; it is started without a shell.",
        ),
        field(
            "sync",
            Word(AuditSync::WORDS),
            "When the journal is forced to the disk.",
        ),
    ],
};

pub(super) static NOTIFY: Record = Record {
    name: "`notify`",
    fields: &[
        field(
            "after",
            Whole {
                least: 0,
                most: 86_400,
            },
            "After how many seconds without a key somebody is called.",
        ),
        field("bell", Bool, "Whether the terminal rings."),
        field(
            "terminal",
            Word(TerminalNotice::WORDS),
            "In which way the terminal is asked to show a message.",
        ),
        field(
            "command",
            TEXTS,
            "A program with its arguments that calls somebody; it is started without a shell.",
        ),
    ],
};

pub(super) static RISK: Record = Record {
    name: "`risk`",
    fields: &[
        field(
            "high_patterns",
            TEXTS,
            "Regular expressions on commands that count as high risk and always ask.",
        ),
        field(
            "medium_patterns",
            TEXTS,
            "Regular expressions on commands that count as medium risk at least.",
        ),
        field(
            "command",
            Word(&["medium", "unknown"]),
            "The risk of a fully read command whose program is not known.",
        ),
        field(
            "mcp",
            Word(&["medium", "unknown"]),
            "The risk of an MCP tool.",
        ),
    ],
};
