//! Command text to effects and questions: pure, linear, and closed for everything it does not fully account for.
//!
//! A text is read whole as bash, listed as plain steps with what each word is known to hold, and each step is looked up in the table of
//! programs. What cannot be read makes the text opaque: it is never allowed by itself, while deny rules and the search for danger still
//! look at every word that can be seen in it.
//!
//! The folders in order. Each may use those above it, except that `danger` and `unparsed` are for `analysis` and this file only:
//!
//! | folder | what it does |
//! |---|---|
//! | `parse` | text to a tree (`bash`), words with placeholders, the options of a command |
//! | `expand` | a tree to steps (`commands`): variables, directories, pipes, and commands inside of commands |
//! | `programs` | the table of programs: a step to effects (`effect_builder`), normal forms, the languages of sed, awk and jq |
//! | `unparsed` | the words and segments of a text that could not be read (`danger` looks through them) |
//! | `danger` | what destroys or takes over a machine, found in words |
//! | `analysis` | puts all of it together into a draft; `carried` reads the commands in the words of a program that is not fully known |
//!
//! `quote` and `proposals` write words and patterns back.
//!
//! To add a program: a line in `programs/table/*.txt` (the head of `programs/table/mod.rs` says how to write it). If its words need code, a
//! row in `programs/families/`. Subcommands that only print go to `programs/queries/rows.txt`, options that lead to other code to
//! `analysis/carried/leads.txt`, and a new danger to the file of its kind in `danger/`.

mod analysis;
mod danger;
mod expand;
mod parse;
mod programs;
mod proposals;
mod quote;
mod unparsed;

use sayso_core::analysis::draft::{Command, Draft};
use sayso_core::policy::command_pattern::CommandReader;
use sayso_core::policy::safe_command::Caution;

use self::parse::bash;
use self::programs::{cautions, languages, normal_form};
use self::unparsed::words;

pub use self::programs::known_forms::KnownForm;

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
    words::rows(text, words::look(text))
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
    normal_form::normal(words)
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
    programs::known_forms::all()
}
