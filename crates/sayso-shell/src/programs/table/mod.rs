//! Programs that are told in a text: one line for a program, and one below it for each of its subcommands.
//!
//! A line has fields parted by `;`: names, what they do with their operands, options (see [`crate::parse::options`]) and a note for the person.
//! A subcommand stands two blanks in, and a line that starts with four goes on with the one before. The second field has one of these:
//!
//! | word | meaning |
//! |---|---|
//! | `look` | touches only the paths that its operands and options name; said by leaving it out |
//! | `net` | the same, and asks the place of the program (`@cluster`) |
//! | `as` | changes something at that place in the person's name |
//! | `act` | changes something of the machine or the project that is no path among its words |
//! | `secret` | shows a secret |
//! | `code` | runs what its words, its input or files of the project say |
//! | `!` | (of the program) some form may run its words |
//!
//! and then what each operand is for, in order: `r` read, `R` read with everything below, `S` the same and shows what is in the files, `w`
//! written, `W` written with everything below, `x` deleted, `h` a host it talks to, `d` data, `p` a plain word that is no path. `*` behind one
//! lets it stand for any number, `.` behind that for the current folder if there is none. `?--check` says that it only looks with that option
//! (one of those that are named), `2+` that it only looks with so many operands, `^` that it only looks where none of its settings (see
//! [`super::project_settings`]) stands in the folder it runs in or above, and `^^` the same from the folder of each operand. `&` says that its
//! operands are databases, which it only looks at where opening them repairs nothing. Names of subcommands are written `image/ls`, a `*`
//! stands for any one word, and the first line that fits counts. What no line fits is asked about.

mod meaning;
mod row;

use sayso_core::const_table::ConstTable;

use super::row_index;

pub(super) use meaning::meaning;

/// All lines. One text has no pointers in it that would have to be put right when the process starts.
static TEXT: &str = concat!(
    include_str!("files.txt"),
    include_str!("system.txt"),
    include_str!("network.txt"),
    include_str!("projects.txt"),
    include_str!("packages.txt"),
    include_str!("containers.txt"),
    include_str!("clouds.txt"),
    include_str!("runtimes.txt"),
    include_str!("desktop.txt"),
);

/// Set beside the start of a name whose program may run its words, or of which only the purpose is told: what stands in its words is looked at.
const OPEN: u32 = 1 << 31;

/// More than there are names.
const ROOM: usize = 4096;

/// Where names start in the text.
static INDEX: ConstTable<u32, ROOM, 8193> = index(TEXT.as_bytes());

#[expect(
    clippy::indexing_slicing,
    reason = "this runs while the program is compiled, and a wrong index stops that"
)]
const fn index(text: &[u8]) -> ConstTable<u32, ROOM, 8193> {
    let mut names = row_index::names::<ROOM>(text);
    let (mut row, mut open) = (0, 0);
    while row < names.count {
        let start = names.rows[row] as usize;
        if start == 0 || text[start - 1] == b'\n' {
            open = if leaves_words_alone(text, start) {
                0
            } else {
                OPEN
            };
        }
        names.rows[row] |= open;
        row += 1;
    }
    names.lay_out()
}

/// Whether no form of the program whose line starts here runs its words, and its options or subcommands are told.
#[expect(
    clippy::indexing_slicing,
    reason = "this runs while the program is compiled, and a wrong index stops that"
)]
const fn leaves_words_alone(text: &[u8], mut at: usize) -> bool {
    while text[at] != b';' {
        at += 1;
    }
    at += 1;
    let (mut looks, mut runs) = (true, false);
    // The second field, word by word.
    while at < text.len() && text[at] != b';' && text[at] != b'\n' {
        let word = at;
        while at < text.len() && !matches!(text[at], b' ' | b';' | b'\n') {
            at += 1;
        }
        match at - word {
            1 if text[word] == b'!' => runs = true,
            2 | 3 if text[word] == b'a' => looks = false,
            4 if text[word] == b'c' => runs = true,
            6 if text[word] == b's' => looks = false,
            _ => {}
        }
        while at < text.len() && text[at] == b' ' {
            at += 1;
        }
    }
    // The third field, and whether more stands below.
    let mut options = false;
    if at < text.len() && text[at] == b';' {
        at += 1;
        while at < text.len() && text[at] != b';' && text[at] != b'\n' {
            options |= text[at] != b' ';
            at += 1;
        }
    }
    while at < text.len() && text[at] != b'\n' {
        at += 1;
    }
    let goes_on = at + 1 < text.len() && text[at + 1] == b' ';
    !runs && (looks || options || goes_on)
}

/// The lines of a program: its own, and those of its subcommands.
pub(super) fn find(name: &str) -> Option<row::Row> {
    let start = (start(name)? & !OPEN) as usize;
    let line = TEXT.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
    row::Row::read(TEXT.get(line..)?)
}

/// Whether every form of a program only looks at what its words name, wherever it runs.
pub(super) fn only_looks(name: &str) -> bool {
    let row = find(name).filter(|row| !row.has_forms() && row.place().is_none());
    let harmless = |role: &row::Role| {
        !matches!(
            role,
            row::Role::Host | row::Role::Write | row::Role::WriteBelow | row::Role::Delete
        )
    };
    let looks = |told: row::Told| {
        told.does == row::Does::Looks && told.roles.iter().all(|(role, _)| harmless(role))
    };
    row.is_some_and(|row| row.own().told().is_ok_and(looks))
}

/// Whether a program is told, and if so, whether it may run its words or only its purpose is told.
pub(super) fn is_open(name: &str) -> Option<bool> {
    start(name).map(|start| start & OPEN != 0)
}

/// Where a name starts in the text.
fn start(name: &str) -> Option<u32> {
    let starts = INDEX.named(name).iter().copied();
    { starts }.find(|start| row_index::is_name(TEXT, start & !OPEN, name))
}

/// The names at the start of lines.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let heads = TEXT
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with([' ', '#']));
    heads
        .filter_map(|line| line.split(';').next())
        .flat_map(str::split_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::row::{Does, Role};
    use super::{INDEX, find, names};

    #[test]
    fn every_name_stands_once_and_finds_its_line() {
        let mut all: Vec<&str> = names().collect();
        for name in &all {
            let row = find(name).unwrap_or_else(|| panic!("{name}"));
            assert!(row.names().any(|other| other == *name), "{name}");
        }
        assert_eq!(all.len(), INDEX.count());
        all.sort_unstable();
        let doubled: Vec<_> = all
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| pair[0])
            .collect();
        assert!(doubled.is_empty(), "{doubled:?}");
    }

    #[test]
    fn what_is_not_told_in_full_is_open() {
        for name in names() {
            let row = find(name).unwrap();
            assert_eq!(
                super::is_open(name),
                Some(row.runs_words() || row.is_only_named()),
                "{name}"
            );
        }
        assert!(
            super::is_open("docker") == Some(true)
                && super::is_open("sox") == Some(true)
                && super::is_open("dust") == Some(false)
        );
    }

    #[test]
    fn other_names_find_none() {
        for name in ["", "l", "no-such-program", "look", ";", &"x".repeat(1000)] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn every_line_is_read() {
        for name in names() {
            let row = find(name).unwrap();
            let forms: Vec<_> = row.forms().collect();
            for form in std::iter::once(row.own()).chain(forms.iter().copied()) {
                let told = form
                    .told()
                    .unwrap_or_else(|word| panic!("{name}: {word:?} in `{}`", form.names));
                // A place without one of these would never be told, and one of these without a place has none to tell.
                if matches!(told.does, Does::Asks | Does::AsYou) {
                    assert!(row.place().is_some(), "{name}: {} has no place", form.names);
                }
                let stars = told.roles.iter().filter(|(_, many)| *many).count();
                assert!(
                    stars <= 1
                        && !told.roles.iter().any(|(role, many)| *role == Role::Word
                            && *many
                            && told.roles.len() > 2),
                    "{name}: {}",
                    form.names
                );
                for entry in form
                    .options
                    .split_ascii_whitespace()
                    .filter(|entry| *entry != "+")
                {
                    assert!(
                        entry.starts_with('-') || entry.starts_with('+'),
                        "{name} {}: the option `{entry}`",
                        form.names
                    );
                }
            }
            // What stands behind a form that fits everything would never count.
            let all = forms
                .iter()
                .position(|form| form.names.split_ascii_whitespace().any(|name| name == "*"));
            assert!(all.is_none_or(|at| at + 1 == forms.len()), "{name}");
        }
    }

    #[test]
    fn no_option_stands_twice_in_a_line() {
        let mut wrong = Vec::new();
        for name in names() {
            let row = find(name).unwrap();
            for form in std::iter::once(row.own()).chain(row.forms()) {
                let mut spellings: Vec<&str> = form
                    .options
                    .split_ascii_whitespace()
                    .flat_map(|entry| {
                        entry
                            .split(['=', '?', '~', '!'])
                            .next()
                            .unwrap_or("")
                            .split(',')
                    })
                    .collect();
                spellings.sort_unstable();
                wrong.extend(
                    spellings
                        .windows(2)
                        .filter(|pair| pair[0] == pair[1])
                        .map(|pair| format!("{name} {}: {}", form.names, pair[0])),
                );
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
