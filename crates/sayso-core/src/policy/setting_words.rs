//! Settings that are one of some words. The schema takes the words from here, so that it knows the same ones as the reader.

use crate::packed::{Packed, Packer, Unpacker, packed};
use crate::text::words::words;

words! {
    /// What runs unasked because a sandbox bounds it.
    #[derive(Default)]
    pub enum AutoAllow {
        /// Nothing.
        #[default]
        Never = "never",
        /// Commands that were read whole and whose effects are not known: in the workspace, without network and secrets.
        RunInWorkspace = "run-in-workspace",
    }
}

words! {
    /// What happens when a sandbox is required and missing.
    #[derive(Default)]
    pub enum SandboxFallback {
        /// sayso does not start, and where it runs already, it refuses every tool.
        #[default]
        FailFast = "fail_fast",
        /// File and shell tools are refused.
        RefuseTools = "refuse_tools",
    }
}

words! {
    /// Which keys answer a prompt, by the system they are those of.
    #[allow(missing_docs)]
    pub enum KeymapName {
        Sayso = "sayso",
        KollaborSpec = "kollabor-spec",
        LlmDo = "llm-do",
        Forge = "forge",
        Opencode = "opencode",
        Kollabor = "kollabor",
    }
}

words! {
    /// How a prompt looks.
    pub enum PromptStyle {
        /// As the risk says.
        Auto = "auto",
        /// In front of everything.
        Modal = "modal",
        /// At the bottom.
        Status = "status",
        /// In the flow.
        Inline = "inline",
        /// In plain lines.
        Line = "line",
        /// An old name of `modal`.
        Box = "box",
    }
}

words! {
    /// In which way the terminal is asked to show a message.
    #[allow(missing_docs)]
    pub enum TerminalNotice {
        None = "none",
        Osc9 = "osc9",
        Osc777 = "osc777",
    }
}

words! {
    /// When the journal is forced to the disk.
    pub enum AuditSync {
        /// For what was asked or denied.
        Auto = "auto",
        /// Always.
        Disk = "disk",
        /// Never.
        None = "none",
    }
}

words! {
    /// Who asks when a hook has to.
    pub enum HooksAsk {
        /// The inbox where somebody looks at it, and the agent elsewhere.
        Auto = "auto",
        /// The agent.
        Host = "host",
        /// The inbox.
        Inbox = "inbox",
    }
}

words! {
    /// Which commands of an agent are run by `sayso exec`.
    pub enum HooksExec {
        /// Those that were answered to, or that need a sandbox.
        Auto = "auto",
        /// All.
        Always = "always",
        /// Those that need a sandbox are refused.
        Never = "never",
    }
}

words! {
    /// What goes through an MCP gateway and is judged besides the calls of tools.
    #[allow(missing_docs)]
    pub enum McpGate {
        Resources = "resources",
        Prompts = "prompts",
        Sampling = "sampling",
        Elicitation = "elicitation",
    }
}

packed! { enum AutoAllow { Never, RunInWorkspace } }
packed! { enum SandboxFallback { FailFast, RefuseTools } }

/// These are packed as their words, as they were before they were types.
macro_rules! packed_as_word {
    ($($name:ident),* $(,)?) => {
        $(impl Packed for $name {
            fn pack(&self, out: &mut Packer) {
                out.text(self.word());
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                $name::from_word(&String::unpack(from)?)
            }
        })*
    };
}

packed_as_word! { KeymapName, PromptStyle, TerminalNotice, AuditSync, HooksAsk, HooksExec, McpGate }
