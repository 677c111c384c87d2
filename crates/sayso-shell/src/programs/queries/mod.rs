//! Commands that only print something about a program or a machine, written out word by word.
//!
//! A line has the names of programs, a colon, and the forms parted by `|`. `WORD` stands for one plain word, `FORMULA` for a name of
//! Homebrew, `WORDS` for any number of plain words at the end. A new query is a few words here.
//!
//! Where files of the project decide what a program runs, the form counts only without them (see [`super::project_settings`]). Not here, since that
//! cannot be told by a file: `bazel` (`tools/bazel`, and it may be fetched), `pytest`, `tox`, `flake8` and `pylint` (plugins and start-up
//! code), `jest` and its like (the version in `node_modules` answers), `az` (some start Python with the folder's modules first), `ctags`
//! (`.ctags.d`), and what fetches the program first: `scala --version`. Options of the tables elsewhere (`ls --version`) need no line here.

mod runs;

use std::sync::LazyLock;

use sayso_core::analysis::fact::Setting;

use self::runs::Tried;
use super::effect_builder::Scene;
use super::{project_settings, table};
use crate::parse::name_map::QuickMap;

const QUERIES: &str = include_str!("rows.txt");

/// Forms without any word; these cannot stand in a line above.
const ALONE: [&str; 7] = [
    "hostnamectl",
    "timedatectl",
    "localectl",
    "loginctl",
    "sw_vers",
    "stty",
    "prlimit",
];

/// The forms of every program.
fn forms() -> &'static QuickMap<&'static str, Vec<&'static str>> {
    static FORMS: LazyLock<QuickMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let mut forms: QuickMap<&str, Vec<&str>> =
            QuickMap::with_capacity_and_hasher(256, Default::default());
        for (names, list) in QUERIES.lines().filter_map(|line| line.split_once(':')) {
            for name in names.split_ascii_whitespace() {
                forms
                    .entry(name)
                    .or_default()
                    .extend(list.split('|').map(str::trim));
            }
        }
        forms
    });
    &FORMS
}

/// The programs that there are queries of.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let listed = QUERIES
        .lines()
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(names, _)| names.split_ascii_whitespace());
    listed.chain(ALONE)
}

/// Whether these words make the program print something and nothing else, where no setting of the project says otherwise.
pub(super) fn only_prints(scene: &mut Scene<'_>, words: &[&str]) -> bool {
    let Some(form) = form_of(&scene.name, words) else {
        return false;
    };
    let prints = is_certain(scene, form, words);
    if prints {
        let chooses = if looks_at_no_setting(&scene.name, words) {
            launchers(&scene.name)
        } else {
            project_settings::of(&scene.name)
        };
        scene.bind(
            ".",
            chooses,
            "runs what a file in its folder, above it or in the home names",
        );
    }
    prints
}

/// Whether every program of this name was seen to do nothing but tell. One that was never run may not know the form, and read its input or a
/// file that is named instead.
fn is_certain(scene: &mut Scene<'_>, form: &str, words: &[&str]) -> bool {
    if scene.applet {
        // The program that holds the others answers this itself.
        return words == ["--help"];
    }
    match runs::tried(known_name(&scene.name), form) {
        Tried::OnlyTells(loads) => {
            scene.bind(
                ".",
                loads.into_iter().map(project_settings::in_folder).collect(),
                "loads code from its folder",
            );
            true
        }
        Tried::Never if !scene.fed && !names_file(form, words) => true,
        Tried::Never | Tried::DoesMore => {
            let note = format!(
                "`{}` may read its input or run something instead of answering",
                scene.name
            );
            scene.unlisted(note);
            false
        }
    }
}

/// Whether a word may be a file, by a dot or a slash in it; a name of Homebrew has one in its version.
fn names_file(form: &str, words: &[&str]) -> bool {
    !form.contains("FORMULA")
        && words
            .iter()
            .any(|word| !word.starts_with('-') && word.contains(['.', '/', '~']))
}

/// A name with a version is the same program.
fn known_name(name: &str) -> &str {
    if name.starts_with("python3.") {
        "python3"
    } else {
        name
    }
}

/// What chooses the program before it reads a setting; `dotnet --list-sdks` is answered by the launcher itself.
fn launchers(name: &str) -> Vec<Setting> {
    if name == "dotnet" {
        Vec::new()
    } else {
        project_settings::launchers(name).collect()
    }
}

/// What is answered before any setting is read.
fn looks_at_no_setting(name: &str, words: &[&str]) -> bool {
    matches!(
        (name, words),
        ("npm" | "bun" | "docker", ["--version" | "-v"])
            | ("dotnet", ["--list-sdks" | "--list-runtimes"])
    )
}

/// Programs that change something by other words, and read no setting before they tell of themselves.
const STANDARD: &str = include_str!("standard.txt");

/// Whether a program that only looks, whatever it is told, is asked for nothing but its help or its version, or a standard one is.
///
/// Of all others many read settings of the folder first, or start the copy that the project has, so that each of them needs a line above.
pub(crate) fn tells_about_itself(scene: &mut Scene<'_>, words: &[&str]) -> bool {
    let standard = || {
        STANDARD
            .split_ascii_whitespace()
            .any(|name| name == scene.name)
    };
    let (["--help" | "--version"], Some(form)) = (words, words.first()) else {
        return false;
    };
    let tells = standard() && is_certain(scene, form, words) || table::only_looks(&scene.name);
    if tells {
        scene.settle();
        scene.bind(
            ".",
            project_settings::of(&scene.name),
            "runs what the project names",
        );
    }
    tells
}

/// The form that these words are.
fn form_of(name: &str, words: &[&str]) -> Option<&'static str> {
    if words.is_empty() {
        return ALONE.contains(&name).then_some("");
    }
    // Most take a word with a slash for a file; these look it up in their own lists.
    let by_path = matches!(name, "dpkg" | "dpkg-query" | "pacman");
    if !by_path && words.iter().any(|word| word.contains('/')) {
        return None;
    }
    forms()
        .get(known_name(name))?
        .iter()
        .copied()
        .find(|form| fits(form, words))
}

fn fits(form: &str, words: &[&str]) -> bool {
    let mut given = words.iter();
    for part in form.split_ascii_whitespace() {
        let fits = match part {
            "WORDS" => return given.all(|word| is_plain(word)),
            "WORD" => given.next().is_some_and(|word| is_plain(word)),
            "FORMULA" => given.next().is_some_and(|word| is_formula(word)),
            part => given.next() == Some(&part),
        };
        if !fits {
            return false;
        }
    }
    given.next().is_none()
}

/// A name of a package or the like: nothing that may be an option, or that is only known when it runs.
fn is_plain(word: &str) -> bool {
    // `@x` would be a file with more words.
    !word.starts_with(['-', '@'])
        && !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.+:@~/*,-".contains(&byte))
}

/// A name of Homebrew, perhaps with a version: a dot elsewhere may end in the name of a file, which is run.
fn is_formula(word: &str) -> bool {
    let (name, version) = word.split_once('@').unwrap_or((word, "0"));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
    let numbers = version
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    !name.is_empty()
        && !name.starts_with('-')
        && name.bytes().all(plain)
        && !version.is_empty()
        && numbers
}

#[cfg(test)]
mod tests {
    use super::{QUERIES, form_of};

    fn is_query(name: &str, words: &[&str]) -> bool {
        form_of(name, words).is_some()
    }

    #[test]
    fn every_line_has_names_and_forms() {
        for line in QUERIES.lines().filter(|line| !line.is_empty()) {
            let (names, forms) = line.split_once(':').unwrap();
            assert!(
                !names.trim().is_empty() && forms.split('|').all(|form| !form.trim().is_empty()),
                "{line}"
            );
            assert!(line.matches(':').count() == 1, "{line}");
        }
    }

    #[test]
    fn a_form_is_exactly_its_words() {
        assert!(is_query("node", &["--version"]) && is_query("python3.12", &["-V"]));
        assert!(is_query("dpkg", &["-l"]) && is_query("dpkg", &["-l", "bash", "z*"]));
        assert!(
            !is_query("node", &["--version", "x.js"])
                && !is_query("node", &[])
                && !is_query("node", &["--versio"])
        );
        assert!(!is_query("dpkg", &["-l", "--root=x"]) && !is_query("apt", &["show", "-oDir=x"]));
        assert!(!is_query("go", &["env", "-w"]) && !is_query("cargo", &["+x", "--version"]));
    }
}
