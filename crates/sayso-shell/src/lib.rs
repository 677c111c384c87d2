//! Command text to effects and questions: pure, linear, and closed for everything it does not fully account for.
//!
//! A text is read whole by the module `bash` and listed as steps by `lines`, with what each word is known to hold; each step is looked up
//! in the table of programs. What cannot be read makes the text opaque: it is never allowed by itself, while deny rules and the search for
//! danger still look at every word that can be seen in it.

mod analysis;
mod assigned;
mod bash;
mod carried;
mod carriers;
mod carrying;
mod cautions;
mod characters;
mod code_names;
mod code_tokens;
mod comments;
mod constructs;
mod cut;
mod danger;
mod danger_bodies;
mod danger_bombs;
mod danger_call;
mod danger_calls;
mod danger_carried;
mod danger_cloud;
mod danger_code;
mod danger_code_network;
mod danger_databases;
mod danger_disks;
mod danger_echoes;
mod danger_files;
mod danger_fresh;
mod danger_git;
mod danger_globals;
mod danger_losses;
mod danger_metadata;
mod danger_names;
mod danger_network;
mod danger_packages;
mod danger_processes;
mod danger_requests;
mod danger_secrets;
mod danger_security;
mod danger_sinks;
mod danger_takeover;
mod danger_terminals;
mod danger_tunnels;
mod danger_windows;
mod endless;
mod environment_names;
mod expand;
mod feeds;
mod field;
mod folders;
mod forms;
mod found_names;
mod functions;
mod helpers;
mod hole;
mod inner;
mod languages;
mod lines;
mod listers;
mod name_set;
mod names;
mod normal;
mod options;
mod other_shells;
mod outputs;
mod piped;
mod places;
mod programs;
mod proposals;
mod quote;
mod redirects;
mod runners;
mod scene;
mod searches;
mod seen;
mod split;
mod stale;
mod variables;
mod wrappers;

use sayso_core::analysis::draft::{Command, Draft};
use sayso_core::policy::command_pattern::CommandReader;
use sayso_core::policy::safe_command::Caution;

pub use programs::listing::KnownForm;

/// The reader that policies are given: it reads commands as bash would.
#[derive(Clone, Copy, Debug)]
pub struct Bash;

impl CommandReader for Bash {
    fn commands(&self, text: &str) -> Option<Vec<Command>> {
        commands(text)
    }

    fn seen(&self, text: &str) -> Vec<Vec<String>> {
        seen(text)
    }

    fn normal(&self, words: &[String]) -> Vec<String> {
        normal(words)
    }

    fn caution(&self, words: &[String]) -> Option<Caution> {
        cautions::caution(words)
    }
}

/// Text longer than this is not read: 64 KiB.
pub const LONGEST: usize = 64 * 1024;

/// What a command line would do: its effects, the questions to the world, the commands, what is opaque, and the dangers.
///
/// The caller has made sure that the text is no larger than an operation may be and not blank.
pub fn analyse(text: &str) -> Draft {
    analysis::analyse(text)
}

/// The commands of a line, or none if it is opaque. For checking the examples of a rule.
pub fn commands(text: &str) -> Option<Vec<Command>> {
    let draft = analysis::analyse(text);
    draft.opaque.is_none().then_some(draft.commands)
}

/// Why the grammar of a text is not read, for the count of what is; none for a text that was read to its end. Of a command that was read it
/// may still not be known what it does: `curl x | sh` is read, and opaque.
pub fn refusal(text: &str) -> Option<String> {
    bash::read(text).err().map(|refusal| refusal.reason)
}

/// The words that can be seen in any text, split at every operator, quotes removed as well as possible.
///
/// Over-approximate, for deny rules on opaque text: a command behind a wrapper, in a script of `sh -c` or in a substitution is
/// a row of its own, and a row may well be something that would never run. Commands of known programs come by their plain name
/// and in normal form, too.
pub fn seen(text: &str) -> Vec<Vec<String>> {
    seen::rows(text, seen::look(text))
}

/// One command line that reads back to exactly these words.
pub fn quote(words: &[String]) -> String {
    quote::quote(words)
}

/// The patterns that an answer "always" may store for a command, narrowest first; none where nothing wider than this once may be kept.
pub fn proposals(command: &Command) -> Vec<String> {
    proposals::proposals(command)
}

/// The words of a command or of a rule's pattern in their normal form.
///
/// For a known program: its plain name, every option in one spelling, options first and sorted, then the operands. Words with
/// a wildcard (`*`, `?`) stay as operands. The words of other programs stay as they are. Wrappers are not taken off.
pub fn normal(words: &[String]) -> Vec<String> {
    normal::normal(words)
}

/// Why a script of `sed`, `awk` or `jq` is not known to be harmless, for checks against those programs. None for a harmless one.
pub fn doubt_about_script(program: &str, script: &str) -> Option<String> {
    let read = match program {
        "sed" => languages::sed::read(&[script]),
        "awk" => languages::awk::read(script),
        "jq" => languages::jq::read(script),
        _ => return Some(format!("`{program}` has no language that is known")),
    };
    read.err()
        .map(|refusal| format!("{} (at {})", refusal.reason, refusal.at))
}

/// Every program of the table and every subcommand that it knows, with their options. For tests that try them all.
pub fn known_forms() -> Vec<KnownForm> {
    programs::listing::all()
}
