//! The single values of a policy: what one layer sets, and what holds after all layers.

use crate::analysis::risk::Risk;
use crate::packed::{Packed, Packer, Unpacker, packed};
use crate::paths::{ExtraProtected, join};
use crate::policy::decision::Decision;
use crate::policy::expression::Expression;
use crate::policy::glob::PathGlob;
use crate::policy::mode::Mode;
use crate::policy::safe_command::SafeCommand;
use crate::policy::setting_words::{
    AuditSync, HooksAsk, HooksExec, KeymapName, McpGate, PromptStyle, TerminalNotice,
};
pub use crate::policy::setting_words::{AutoAllow, SandboxFallback};
use crate::policy::terms::{Bounds, Endings, Network, Terms};

/// A value with the `file:line` it came from.
#[derive(Clone, Debug)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it was set.
    pub source: String,
}

/// A named folder with its own terms.
#[derive(Clone, Debug)]
pub struct Root {
    /// Its name.
    pub name: String,
    /// The folder, as written (relative to the workspace).
    pub root: String,
    /// Whether it may be written.
    pub writable: bool,
    /// Only files with these endings; empty means all.
    pub suffixes: Vec<String>,
    /// Whether a write needs a yes.
    pub write_approval: bool,
    /// Whether a read needs a yes.
    pub read_approval: bool,
    /// Where it was set.
    pub source: String,
}

/// What happens to commands that no shell rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellDefault {
    /// False: blocked.
    pub allowed: bool,
    /// Whether a person has to say yes.
    pub approval: bool,
}

packed! { struct Root { name, root, writable, suffixes, write_approval, read_approval, source } }
packed! { struct ShellDefault { allowed, approval } }

impl<T: Packed> Packed for Sourced<T> {
    fn pack(&self, out: &mut Packer) {
        self.value.pack(out);
        self.source.pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Sourced {
            value: Packed::unpack(from)?,
            source: Packed::unpack(from)?,
        })
    }
}

macro_rules! settings {
    (
        values { $($(#[$value_doc:meta])* $value:ident : $value_type:ty = $fallback:expr,)* }
        lists { $($(#[$list_doc:meta])* $list:ident : $list_type:ty,)* }
    ) => {
        /// What one layer sets.
        #[derive(Clone, Debug, Default)]
        pub struct Settings {
            $($(#[$value_doc])* pub $value: Option<Sourced<$value_type>>,)*
            $($(#[$list_doc])* pub $list: Vec<Sourced<$list_type>>,)*
        }

        /// What holds after all layers.
        #[derive(Clone, Debug)]
        pub struct Resolved {
            $($(#[$value_doc])* pub $value: $value_type,)*
            $($(#[$list_doc])* pub $list: Vec<$list_type>,)*
        }

        impl Settings {
            /// Puts a later layer on top: its values replace these, its lists add to them. Locked keys stay.
            pub fn layer(&mut self, over: &Settings, locked: &[String]) {
                $(
                    if over.$value.is_some() && !locked.iter().any(|key| key == stringify!($value)) {
                        self.$value = over.$value.clone();
                    }
                )*
                $( self.$list.extend(over.$list.iter().cloned()); )*
            }

            /// The value of every key, with the strictest where nothing is set.
            pub fn resolve(&self) -> Resolved {
                Resolved {
                    $( $value: self.$value.as_ref().map_or_else(|| $fallback, |sourced| sourced.value.clone()), )*
                    $( $list: self.$list.iter().map(|sourced| sourced.value.clone()).collect(), )*
                }
            }

            /// Every single value that is set, as key, text and source.
            pub fn list_values(&self) -> Vec<(&'static str, String, String)> {
                let mut out = Vec::new();
                $(
                    if let Some(sourced) = &self.$value {
                        out.push((stringify!($value), sourced.value.in_words(), sourced.source.clone()));
                    }
                )*
                out
            }
        }

        impl Settings {
            /// Every list that is not empty, by the key of a policy file, each value once, with where it was set.
            pub fn list_lists(&self) -> Vec<(&'static str, Vec<Listed>)> {
                let mut out = Vec::new();
                $(
                    let values: Vec<Listed> = listed(self.$list.iter().map(|one| (one.value.in_words(), one.source.as_str())));
                    if !values.is_empty() {
                        out.push((written_key(stringify!($list)), values));
                    }
                )*
                out
            }
        }

        packed! { struct Settings { $($value,)* $($list,)* } }
        packed! { struct Resolved { $($value,)* $($list,)* } }

        /// The keys that can be locked.
        pub const LOCKABLE: &[&str] = &[$(stringify!($value)),*];
    };
}

settings! {
    values {
        /// The profile's name.
        profile: String = "sayso".to_owned(),
        /// How eager to ask.
        mode: Mode = Mode::ConfirmAll,
        /// False stops prompts for low and medium risk.
        enabled: bool = true,
        /// Seconds until an open prompt is denied.
        approval_timeout: u64 = 300,
        /// Seconds a command may run where the call does not say.
        command_timeout: u64 = 90,
        /// Seconds a tool of an MCP server may run where the call does not say.
        mcp_timeout: u64 = 180,
        /// What happens outside of the workspace.
        outside_workspace: Decision = Decision::Deny,
        /// For reads that no rule covers.
        default_read: Option<Decision> = None,
        /// For writes that no rule covers.
        default_write: Option<Decision> = None,
        /// For commands that no rule covers.
        default_command: Option<Decision> = None,
        /// For web addresses that no rule covers.
        default_fetch: Option<Decision> = None,
        /// For MCP tools that no rule covers.
        default_mcp: Option<Decision> = None,
        /// For other agents that no rule covers.
        default_delegate: Option<Decision> = None,
        /// For commands that no shell rule names.
        shell_default: Option<ShellDefault> = None,
        /// Whether safe commands run silently.
        auto_approve_safe_commands: bool = false,
        /// What is not safe is denied.
        safe_commands_only: bool = false,
        /// Whether writes of safe paths run silently.
        auto_approve_safe_paths: bool = false,
        /// Whether copies to new names in the workspace run silently.
        auto_approve_copies: bool = false,
        /// Whether a delete needs two confirmations.
        double_confirm_deletes: bool = true,
        /// Tools of all MCP servers count as trusted.
        trust_mcp_servers: bool = false,
        /// What happens to addresses of this machine and private networks.
        private_addresses: Decision = Decision::Deny,
        /// What happens to dangers.
        dangerous_action: Decision = Decision::Ask,
        /// Whether `approve all` in a batch covers dangerous operations.
        approve_all_covers_dangerous: bool = false,
        /// Whether --yolo covers catastrophes.
        yolo_covers_catastrophic: bool = false,
        /// The risk of a fully read command whose program is not known.
        command_risk: Risk = Risk::Unknown,
        /// The risk of an MCP tool.
        mcp_risk: Risk = Risk::Unknown,
        /// Which keys answer a prompt.
        keymap: KeymapName = KeymapName::Sayso,
        /// How a prompt looks.
        prompt_style: PromptStyle = PromptStyle::Auto,
        /// After how many seconds without a key somebody is called.
        notify_after: u64 = 20,
        /// Whether the terminal rings then.
        notify_bell: bool = false,
        /// In which way the terminal is asked to show a message.
        notify_terminal: TerminalNotice = TerminalNotice::None,
        /// The program that calls somebody, with its arguments.
        notify_command: Vec<String> = Vec::new(),
        /// Whether Enter may approve a routine prompt.
        enter_approves: bool = false,
        /// Whether a prompt shows the risk.
        show_risk_level: bool = true,
        /// Whether a prompt shows what made it ask.
        show_matched_pattern: bool = true,
        /// Whether counts are shown in the log.
        show_approval_stats: bool = true,
        /// How many lines of content a prompt shows.
        truncate_lines: u64 = 50,
        /// Whether secrets in arguments are hidden in the record.
        redact: bool = true,
        /// Which part of the network sandboxed commands reach.
        sandbox_network: Network = Network::Nothing,
        /// Refuse to start without an OS sandbox.
        sandbox_require: bool = false,
        /// What happens when the sandbox is required and missing.
        sandbox_fallback: SandboxFallback = SandboxFallback::FailFast,
        /// What runs unasked because a sandbox bounds it.
        sandbox_auto_allow: AutoAllow = AutoAllow::Never,
        /// How much memory each process of a sandboxed command may take, in MiB; 0 for no limit.
        sandbox_memory: u64 = 0,
        /// How many processes a sandboxed command may be at once; 0 for no limit.
        sandbox_processes: u64 = 2048,
        /// The most files and folders of a workspace that are kept before a contained command.
        sandbox_keep_names: u64 = 250_000,
        /// The most bytes of a workspace that are kept before a contained command.
        sandbox_keep_bytes: u64 = 536_870_912,
        /// After how many minutes without a command and a process the sandbox of a session ends.
        sandbox_session_idle_minutes: u64 = 60,
        /// How many MiB the temporary files of a session may take.
        sandbox_session_tmp: u64 = 4096,
        /// How much memory all processes of a session may take together, in MiB; 0 for no limit.
        sandbox_session_memory: u64 = 0,
        /// How many processes a session may be at once; 0 for no limit.
        sandbox_session_processes: u64 = 0,
        /// Whether decisions are recorded.
        audit_enabled: bool = true,
        /// Where the journal is kept.
        audit_path: Option<String> = None,
        /// The file that decisions are also written to.
        audit_log: Option<String> = None,
        /// How long entries are kept.
        audit_retention_days: u64 = 90,
        /// After how many entries the head of the record is handed on; 0 for never.
        audit_head_every: u64 = 0,
        /// The program that the head is handed to, with its arguments.
        audit_head_command: Vec<String> = Vec::new(),
        /// When the journal is forced to the disk.
        audit_sync: AuditSync = AuditSync::Auto,
        /// Who asks when a hook has to.
        hooks_ask: HooksAsk = HooksAsk::Auto,
        /// Which commands of an agent are run by `sayso exec`.
        hooks_exec: HooksExec = HooksExec::Auto,
        /// Whether a hook with a question for the inbox opens it.
        hooks_start: bool = false,
        /// Whether a run that nobody watches is ended at a question, to be gone on with later.
        hooks_defer: bool = false,
    }
    lists {
        /// Commands that run silently.
        safe_commands: SafeCommand,
        /// Patterns of files that file tools may write silently.
        safe_paths: PathGlob,
        /// The same as regular expressions.
        safe_path_regexes: Expression,
        /// Paths that are never written silently.
        protected_paths: ExtraProtected,
        /// Tools that are always denied.
        blocked_tools: String,
        /// Tools that count as low risk.
        trusted_tools: String,
        /// MCP servers whose tools count as trusted.
        trusted_mcp_servers: String,
        /// Commands that count as high risk.
        high_risk: Expression,
        /// Commands that count as medium risk at least.
        medium_risk: Expression,
        /// Arguments that are never kept in the record.
        audit_exclude_keys: String,
        /// Named folders.
        roots: Root,
        /// Bounds of sandboxed commands.
        sandbox_bounds: Bounds,
        /// MCP clients whose own dialog may ask the person.
        mcp_elicitation: String,
        /// What goes through an MCP gateway and is judged besides the calls of tools.
        mcp_gate: McpGate,
    }
}

impl Resolved {
    /// The terms of a command in a workspace, by the settings alone.
    pub fn terms(&self, workspace: &str) -> Terms {
        let roots = |writable: bool| -> Vec<String> {
            let plain = self
                .roots
                .iter()
                .filter(|root| root.writable == writable && root.suffixes.is_empty());
            plain.map(|root| join(workspace, &root.root)).collect()
        };
        let with_endings = self.roots.iter().filter(|root| !root.suffixes.is_empty());
        let endings = with_endings.map(|root| Endings {
            folder: join(workspace, &root.root),
            write: root.writable,
            endings: root.suffixes.clone(),
        });
        let limit = |number: u64| (number > 0).then_some(number);
        Terms {
            sandbox_required: self.sandbox_require,
            network: self.sandbox_network.clone(),
            write: if self.roots.is_empty() {
                vec![workspace.to_owned()]
            } else {
                roots(true)
            },
            read_only: roots(false),
            endings: endings.collect(),
            bounds: self.sandbox_bounds.clone(),
            memory_limit: limit(self.sandbox_memory),
            process_limit: limit(self.sandbox_processes),
            ..Terms::default()
        }
    }
}

/// One value of a list, with every place that sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The value in the words of a policy file.
    pub value: String,
    /// Where it was set; more than one where several files say the same.
    pub sources: Vec<String>,
}

/// Each value once, in the order of the first time.
fn listed<'a>(values: impl Iterator<Item = (String, &'a str)>) -> Vec<Listed> {
    let mut out: Vec<Listed> = Vec::new();
    for (value, source) in values {
        match out.iter_mut().find(|known| known.value == value) {
            Some(known) if known.sources.iter().any(|known| known == source) => {}
            Some(known) => known.sources.push(source.to_owned()),
            None => out.push(Listed {
                value,
                sources: vec![source.to_owned()],
            }),
        }
    }
    out
}

/// The key of a list as a policy file has it.
fn written_key(list: &'static str) -> &'static str {
    match list {
        "high_risk" => "risk.high_patterns",
        "medium_risk" => "risk.medium_patterns",
        "audit_exclude_keys" => "audit.exclude_keys",
        "roots" => "sandbox.paths",
        "sandbox_bounds" => "sandbox.bounds",
        "mcp_elicitation" => "mcp.elicitation",
        "mcp_gate" => "mcp.gate",
        other => other,
    }
}

/// A setting as people read it.
pub trait InWords {
    /// The value in the words of a policy file.
    fn in_words(&self) -> String;
}

impl InWords for bool {
    fn in_words(&self) -> String {
        self.to_string()
    }
}

impl InWords for u64 {
    fn in_words(&self) -> String {
        self.to_string()
    }
}

impl InWords for String {
    fn in_words(&self) -> String {
        self.clone()
    }
}

impl InWords for Vec<String> {
    fn in_words(&self) -> String {
        format!("[{}]", self.join(", "))
    }
}

macro_rules! in_its_word {
    ($($name:ident),* $(,)?) => {
        $(impl InWords for $name {
            fn in_words(&self) -> String {
                self.word().to_owned()
            }
        })*
    };
}

in_its_word! {
    Mode, Decision, Risk, AutoAllow, SandboxFallback, KeymapName, PromptStyle, TerminalNotice, AuditSync, HooksAsk, HooksExec, McpGate,
}

impl InWords for Network {
    fn in_words(&self) -> String {
        match self {
            Network::Nothing => "false".to_owned(),
            Network::Hosts(hosts) => hosts.in_words(),
            Network::Everything => "true".to_owned(),
        }
    }
}

impl InWords for ShellDefault {
    fn in_words(&self) -> String {
        format!("allowed: {}, approval: {}", self.allowed, self.approval)
    }
}

impl<T: InWords> InWords for Option<T> {
    fn in_words(&self) -> String {
        self.as_ref()
            .map_or_else(|| "by mode".to_owned(), InWords::in_words)
    }
}

impl InWords for SafeCommand {
    fn in_words(&self) -> String {
        self.pattern.written.clone()
    }
}

impl InWords for PathGlob {
    fn in_words(&self) -> String {
        self.written.clone()
    }
}

impl InWords for Expression {
    fn in_words(&self) -> String {
        self.written.clone()
    }
}

impl InWords for ExtraProtected {
    fn in_words(&self) -> String {
        self.written().collect::<Vec<_>>().join(", ")
    }
}

impl InWords for Root {
    fn in_words(&self) -> String {
        let mut terms = vec![
            format!("root: {}", self.root),
            format!("mode: {}", if self.writable { "rw" } else { "ro" }),
        ];
        terms.extend(
            (!self.suffixes.is_empty()).then(|| format!("suffixes: {}", self.suffixes.in_words())),
        );
        terms.push(format!("write_approval: {}", self.write_approval));
        terms.push(format!("read_approval: {}", self.read_approval));
        format!("{}: {{{}}}", self.name, terms.join(", "))
    }
}

impl InWords for Bounds {
    fn in_words(&self) -> String {
        let mut terms = Vec::new();
        terms.extend(
            self.write
                .as_ref()
                .map(|paths| format!("write: {}", paths.in_words())),
        );
        terms.extend(
            self.read
                .as_ref()
                .map(|paths| format!("read: {}", paths.in_words())),
        );
        terms.extend((!self.hide.is_empty()).then(|| format!("hide: {}", self.hide.in_words())));
        terms.extend(
            self.network
                .as_ref()
                .map(|network| format!("network: {}", network.in_words())),
        );
        format!("{{{}}}", terms.join(", "))
    }
}
