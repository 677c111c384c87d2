//! Settings that are one of some words. The schema takes the words from here, so that it knows the same ones as the reader.

use crate::packed::{Packed, Packer, Unpacker, packed};
use crate::text::words::words;

words! {
    /// What runs unasked because a sandbox bounds it: nothing, or commands that were read whole and whose effects are not known, in the
    /// workspace, without network and secrets.
    #[derive(Default)]
    pub enum AutoAllow { #[default] Never = "never", RunInWorkspace = "run-in-workspace" }
}

words! {
    /// What happens when a sandbox is required and missing: sayso does not start, and where it runs already, it refuses every tool; or file
    /// and shell tools are refused.
    #[derive(Default)]
    pub enum SandboxFallback { #[default] FailFast = "fail_fast", RefuseTools = "refuse_tools" }
}

words! {
    /// Which keys answer a prompt, by the system they are those of.
    pub enum KeymapName {
        Sayso = "sayso", KollaborSpec = "kollabor-spec", LlmDo = "llm-do", Forge = "forge", Opencode = "opencode", Kollabor = "kollabor",
    }
}

words! {
    /// How a prompt looks: as the risk says, in front of everything, at the bottom, in the flow, in plain lines; `box` is an old name.
    pub enum PromptStyle {
        Auto = "auto", Modal = "modal", Status = "status", Inline = "inline", Line = "line", Box = "box",
    }
}

words! {
    /// In which way the terminal is asked to show a message.
    pub enum TerminalNotice { None = "none", Osc9 = "osc9", Osc777 = "osc777" }
}

words! {
    /// When the journal is forced to the disk: for what was asked or denied, always, never.
    pub enum AuditSync { Auto = "auto", Disk = "disk", None = "none" }
}

words! {
    /// Who asks when a hook has to: the inbox where somebody looks at it, the agent, the inbox.
    pub enum HooksAsk { Auto = "auto", Host = "host", Inbox = "inbox" }
}

words! {
    /// Which commands of an agent are run by `sayso exec`: those that were answered to or need a sandbox, all, none.
    pub enum HooksExec { Auto = "auto", Always = "always", Never = "never" }
}

words! {
    /// What goes through an MCP gateway and is judged besides the calls of tools.
    pub enum McpGate {
        Resources = "resources", Prompts = "prompts", Sampling = "sampling", Elicitation = "elicitation",
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
