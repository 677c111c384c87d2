//! Every form of every program in the table, for tests that try them all.

use super::git::readers::READERS;
use super::git::writers::WRITERS;
use super::{FAMILIES, subcommands, table};

/// A program, or one of its subcommands, with the options that the table knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownForm {
    /// The name of the program and the words of the subcommand.
    pub words: Vec<&'static str>,
    /// Each spelling of each option; `=` at the end says that it takes a value.
    pub options: Vec<String>,
}

/// All forms, in the order of the table.
pub(crate) fn all() -> Vec<KnownForm> {
    let families = FAMILIES.iter().copied().flatten();
    let mut out: Vec<KnownForm> = families
        .flat_map(|program| {
            program
                .names
                .iter()
                .map(|name| form(name, "", program.options.unwrap_or("")))
        })
        .collect();
    out.extend(READERS.iter().map(|row| form("git", row.0, row.1)));
    out.extend(WRITERS.iter().map(|row| form("git", row.0, row.1)));
    for name in table::names() {
        let Some(row) = table::find(name) else {
            continue;
        };
        let own = row.own().options;
        out.push(form(name, "", own));
        for told in row.forms() {
            let options = format!("{own} {}", told.options);
            out.extend(
                told.names
                    .split_ascii_whitespace()
                    .map(|words| form(name, words, &options)),
            );
        }
    }
    out.extend(subcommands::names().map(|(name, _)| form(name, "", "")));
    out
}

fn form(name: &'static str, subcommand: &'static str, table: &str) -> KnownForm {
    let words = std::iter::once(name)
        .chain(subcommand.split(['/', ' ']).filter(|word| !word.is_empty()))
        .collect();
    KnownForm {
        words,
        options: table.split_ascii_whitespace().flat_map(spellings).collect(),
    }
}

/// The spellings of one entry of a table of options (see [`crate::parse::options`]).
fn spellings(entry: &str) -> Vec<String> {
    let end = entry.find(['=', '?', '~', '!']).unwrap_or(entry.len());
    let (names, takes) = entry.split_at(end);
    let value = if takes.starts_with('=') { "=" } else { "" };
    names
        .split(',')
        .filter(|name| name.len() > 1)
        .map(|name| format!("{}{value}", name.replace('#', "3")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{all, spellings};

    #[test]
    fn every_program_is_listed_with_its_options() {
        let forms = all();
        assert!(forms.len() > 4000, "{}", forms.len());
        let has = |words: &[&str], option: &str| {
            forms
                .iter()
                .any(|form| form.words == words && form.options.iter().any(|known| known == option))
        };
        assert!(
            has(&["ls"], "--all")
                && has(&["git", "log"], "--oneline")
                && has(&["blkid"], "--label=")
        );
        assert_eq!(spellings("-r,-R,--recursive"), ["-r", "-R", "--recursive"]);
        assert_eq!(spellings("-o,--output=>"), ["-o=", "--output="]);
        assert_eq!(spellings("-#"), ["-3"]);
    }
}
