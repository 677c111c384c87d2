//! Which programs look through everything below a folder, and what binds them: the world is asked what they would show.

use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::fact::Search;

use super::effect_builder;
use crate::expand::file_listers;
use crate::parse::placeholder;

/// Whether a bundle of short options has one of these letters.
fn short(word: &str, letters: &[char]) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letters)
}

/// Programs that show what is in all files below a folder; others that go deep only show names.
pub(crate) fn searches(
    draft: &mut Draft,
    part: usize,
    name: &str,
    arguments: &[&str],
    here: &[usize],
) {
    let has = |starts: &[&str], letters: &[char]| {
        arguments
            .iter()
            .any(|word| starts.iter().any(|start| word.starts_with(start)) || short(word, letters))
    };
    let (hidden, follow, ignored) = match name {
        "grep" | "egrep" | "fgrep" => (true, has(&["--deref"], &['R']), true),
        "diff" => (true, true, true),
        // Without options these leave hidden files alone; a pattern for names brings them back.
        "rg" | "ag" | "ack" => {
            // A pattern that only leaves names out brings nothing back.
            let brings_back = name != "rg" || brings_names_back(arguments);
            let hidden = has(&["--hid", "--no-i", "--unr", "--all"], &['.', 'u', 'a'])
                || brings_back && has(&["--glob", "--iglob"], &['g']);
            let ignored = match name {
                "rg" => {
                    has(&["--no-i", "--unr"], &['u'])
                        || brings_back && has(&["--glob", "--iglob"], &['g'])
                }
                "ag" => has(&["--all", "--unr", "--skip"], &['u', 'a', 'U', 't']),
                // It does not know what git ignores.
                _ => true,
            };
            (hidden, has(&["--fol"], &['L', 'f']), ignored)
        }
        // They pack, or send, all that lies below; `zip` follows links unless it is kept from it.
        "tar" | "gtar" | "bsdtar" => (true, has(&["--deref"], &['h', 'L', 'H']), false),
        "zip" | "jar" | "7z" | "7za" | "7zr" | "7zz" | "rar" => (true, true, false),
        "scp" => (true, true, false),
        "rsync" => (
            true,
            has(&["--copy-links", "--copy-d", "--copy-uns"], &['L', 'k']),
            false,
        ),
        // Names are listed through links, which may lead out.
        "ls" | "tree" | "du" | "find" | "fd" | "fdfind" if follows_links(name, arguments) => {
            let search = Search {
                hidden: true,
                follow: true,
                names: true,
                ..Search::default()
            };
            return below_read_folders(draft, part, search);
        }
        // By force it takes what is ignored as well.
        "git"
            if arguments
                .iter()
                .any(|word| matches!(*word, "add" | "stage"))
                && has(&["--f"], &['f']) =>
        {
            (true, false, true)
        }
        // What git tracks is the project's own; the rest is only searched when asked for.
        "git"
            if arguments.contains(&"grep") && has(&["--untr", "--no-index", "--no-excl"], &[]) =>
        {
            (true, true, has(&["--no-index", "--no-excl"], &[]))
        }
        _ => return,
    };
    // Names from another command have been asked about, with what binds them. `diff` goes into a folder of such a name.
    let asked = name != "diff"
        && arguments
            .iter()
            .any(|word| word.contains(placeholder::BELOW));
    // The folders of `diff --from-file` stand as values of options, where no effect goes deep by itself.
    let below = |effect: &Effect| {
        effect.part == Some(part)
            && effect.kind == EffectKind::Read
            && (effect.manner.recursive || name == "diff")
    };
    let effects = draft
        .effects
        .iter()
        .enumerate()
        .filter(|(at, _)| !asked || here.contains(at));
    let questions: Vec<usize> = effects
        .filter(|(_, effect)| below(effect))
        .filter_map(|(_, effect)| Some(effect.place()?.question))
        .collect();
    let only = names_of_search(name, arguments);
    for question in questions {
        effect_builder::search(
            draft,
            question,
            Search {
                hidden,
                follow,
                ignored,
                ..Search::default()
            },
            only.clone(),
        );
    }
}

/// Whether one of the patterns that `rg` gets is not certain to only leave names out.
fn brings_names_back(arguments: &[&str]) -> bool {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let pattern = match *word {
            "-g" | "--glob" | "--iglob" => rest.next().copied().unwrap_or_default(),
            word if word.starts_with("--glob=") || word.starts_with("--iglob=") => {
                word.split_once('=').map_or("", |(_, value)| value)
            }
            word if word.starts_with("--glob") || word.starts_with("--iglob") => return true,
            word if word.starts_with("-g") => word.get(2..).unwrap_or_default(),
            // A bundle of letters with a pattern somewhere in it.
            word if short(word, &['g']) => return true,
            _ => continue,
        };
        if !pattern.starts_with('!') {
            return true;
        }
    }
    false
}

/// Whether a program that lists names goes through links.
fn follows_links(name: &str, arguments: &[&str]) -> bool {
    let has = |letter: char, long: &str| {
        arguments
            .iter()
            .any(|word| short(word, &[letter]) || word.starts_with(long))
    };
    match name {
        "ls" => has('L', "--deref") && has('R', "--recurs"),
        "tree" => has('l', "--follow"),
        "find" => arguments
            .iter()
            .any(|word| matches!(*word, "-L" | "-follow")),
        "fd" | "fdfind" => has('L', "--follow"),
        _ => has('L', "--deref") || has('H', "--deref") || has('D', "--deref"),
    }
}

/// Asks what a search through every folder that a command reads with everything below would show.
fn below_read_folders(draft: &mut Draft, part: usize, search: Search) {
    let below = |effect: &&Effect| {
        effect.part == Some(part) && effect.kind == EffectKind::Read && effect.manner.recursive
    };
    let questions: Vec<usize> = draft
        .effects
        .iter()
        .filter(below)
        .filter_map(|effect| Some(effect.place()?.question))
        .collect();
    for question in questions {
        effect_builder::search(draft, question, search, Vec::new());
    }
}

/// The patterns of names that a search is bound to.
fn names_of_search(name: &str, arguments: &[&str]) -> Vec<String> {
    let spelled: &[&str] = match name {
        "grep" | "egrep" | "fgrep" => &["--include"],
        "rg" => &["--glob", "--iglob", "-g"],
        _ => return Vec::new(),
    };
    // Where `grep` leaves something out as well, the order of the two decides which names it looks at besides.
    if name != "rg"
        && arguments
            .iter()
            .any(|word| word.starts_with("--exclude") && !word.starts_with("--exclude-dir"))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut rest = arguments.iter().take_while(|word| **word != "--");
    while let Some(word) = rest.next() {
        let attached = spelled.iter().find_map(|option| {
            let value = word.strip_prefix(option)?;
            if option.starts_with("--") {
                value.strip_prefix('=')
            } else {
                Some(value).filter(|value| !value.is_empty())
            }
        });
        let pattern = match attached {
            Some(pattern) => pattern,
            None if spelled.contains(word) => rest.next().copied().unwrap_or_default(),
            None => continue,
        };
        // What is left out binds nothing.
        if pattern.starts_with('!') {
            continue;
        }
        let unquoted = || attached.filter(|_| name != "rg").and_then(by_its_end);
        let Some(pattern) = file_listers::name_pattern(pattern).or_else(unquoted) else {
            return Vec::new();
        };
        found.extend(effect_builder::names(&pattern));
    }
    found
}

/// What a pattern without quotes binds, as in `--include=*.rs`: it stands for itself, or for all files here of such a name, and each of them is
/// a pattern that ends as this one does.
fn by_its_end(pattern: &str) -> Option<String> {
    let end = pattern
        .rsplit([placeholder::STAR, placeholder::ANY])
        .next()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (placeholder::is_glob(pattern) && end.starts_with('.') && end.bytes().all(plain))
        .then(|| format!("{}{end}", placeholder::STAR))
}
