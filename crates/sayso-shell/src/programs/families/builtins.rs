//! What the shell does itself: what only looks or steers the script is silent, what changes names and later commands asks.

use crate::expand::nested::is_pushed;
use crate::expand::variables::{is_harmless_variable, is_own_name};
use crate::parse::characters::is_name;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::Scene;
use crate::programs::{Program, says, takes_none};

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::raw(&[":"], says).builtin(),
    Program::raw(&["exit", "return", "break", "continue", "shift"], steer).builtin(),
    Program::raw(&["wait"], wait).builtin(),
    Program::raw(&["set"], set).builtin(),
    Program::new(&["read"], "-r -s -p= -t= -n= -N= -d=", read).builtin(),
    Program::new(&["type"], "-a -t -p -P -f", says).builtin(),
    // A word of bash alone: elsewhere it is a program, which is looked for.
    Program::new(&["help"], "-d -m -s", says),
    // So are these two. Nothing is known of variables behind them.
    Program::new(&["mapfile", "readarray"], "-t -n= -s=", read_all).interpreter(),
    Program::new(&["hash"], "-r -l -t", remembered).builtin(),
    Program::new(&["jobs"], "-l -p -r -s -n", says)
        .builtin()
        .interpreter(),
    Program::new(&["dirs"], "-v -l -p", takes_none).builtin(),
    Program::new(&["times"], "", takes_none).builtin(),
    Program::new(&["umask"], "-S -p", takes_none).builtin(),
    Program::new(&["alias"], "-p", takes_none).builtin(),
    Program::raw(&["ulimit"], limits).builtin(),
    // Not a word of every shell: elsewhere it is a program, which is looked for.
    Program::raw(&["pushd", "popd"], go_and_return),
    Program::raw(&["chdir"], |scene, _| {
        scene.unknown("goes to a folder that only the shell knows")
    })
    .builtin(),
    Program::raw(&["export"], export).builtin().interpreter(),
    Program::raw(
        &[
            "unset", "declare", "local", "readonly", "typeset", "let", "getopts",
        ],
        |scene, _| {
            scene.unknown("sets or shows variables of the shell, and may run code in their names")
        },
    )
    .builtin()
    .interpreter(),
    Program::raw(
        &[
            "shopt", "setopt", "unsetopt", "enable", "unalias", "bind", "complete", "compgen",
            "compopt",
        ],
        |scene, _| {
            scene.unknown("changes how the shell reads later commands");
        },
    )
    .builtin()
    .interpreter(),
    Program::raw(&["history", "fc"], |scene, _| {
        scene.unknown("shows, changes or runs again what was typed before")
    })
    .builtin()
    .interpreter(),
    Program::raw(&["fg", "bg", "disown", "suspend"], |scene, _| {
        scene.unknown("moves programs that are running")
    })
    .builtin(),
];

/// Digits, or what is known to be digits when it runs: some shells evaluate anything else as an expression, which can run code.
pub(in crate::programs) fn is_number(word: &str) -> bool {
    let body = word.strip_prefix('-').unwrap_or(word);
    !body.is_empty()
        && body
            .chars()
            .all(|character| character.is_ascii_digit() || character == placeholder::NUMBER)
}

/// Sets variables for the programs that follow: those that change nothing but how they print may be set.
fn export(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let harmless = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, value)| is_harmless_variable(name, value))
    };
    if parsed.operands.is_empty() || !parsed.operands.iter().all(harmless) {
        scene.unknown("sets or shows variables of the shell, and may run code in their names");
    }
}

/// Going to a folder and back is no more than `cd`; any other word turns the shell's list of folders around.
fn go_and_return(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match (scene.name.as_str(), parsed.operands.as_slice()) {
        ("popd", []) => {}
        ("pushd", [folder]) if is_pushed(folder) => {}
        _ => scene.unknown("goes to a folder that only the shell knows"),
    }
}

fn steer(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.settle();
    match parsed.operands.as_slice() {
        [] => {}
        [word] if is_number(word) => {}
        _ => scene.unknown(format!("this form of `{}` is not known", scene.name)),
    }
}

fn wait(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.settle();
    let known = |word: &&str| {
        matches!(*word, "-n" | "-f") || is_number(word.strip_prefix('%').unwrap_or(word))
    };
    if !parsed.operands.iter().all(known) {
        scene.unknown("this form of `wait` is not known");
    }
}

/// Only what makes a script stop at errors or show its commands; alone, `set` shows every variable.
fn set(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let mut words = parsed.operands.iter().copied();
    let mut known = !parsed.operands.is_empty();
    while let Some(word) = words.next() {
        let Some(letters) = word
            .strip_prefix(['-', '+'])
            .filter(|letters| !letters.is_empty())
        else {
            known = false;
            break;
        };
        known &= letters.bytes().all(|letter| b"euxvCo".contains(&letter))
            && letters.matches('o').count() <= 1;
        if letters.contains('o') {
            let option = words.next().unwrap_or("");
            known &= matches!(
                option,
                "pipefail" | "errexit" | "nounset" | "xtrace" | "verbose" | "noclobber"
            );
        }
    }
    if !known {
        scene.unknown("this form of `set` is not known");
    }
}

/// Reads a line of its input into variables. A name with more in it than letters is evaluated, and many names mean something to the
/// shell or to programs.
fn read(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    // What is read into `_` is not wanted.
    let plain = |name: &&str| *name == "_" || is_name(name) && is_own_name(name);
    let counts = parsed
        .options
        .iter()
        .filter(|option| matches!(&*option.name, "-t" | "-n" | "-N"));
    let counted = counts
        .filter_map(|option| option.value)
        .all(|value| is_number(&value.replace('.', "")));
    if parsed.operands.is_empty() || !parsed.operands.iter().all(plain) || !counted {
        scene.unknown("reads into a variable that may mean something to the shell");
    }
}

/// Reads all lines of its input into one variable.
fn read_all(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let counted = parsed
        .options
        .iter()
        .filter_map(|option| option.value)
        .all(is_number);
    if !counted
        || !matches!(parsed.operands.as_slice(), [name] if is_name(name) && is_own_name(name))
    {
        scene.unknown(
            "reads into a variable that may mean something to the shell, and may run code",
        );
    }
}

/// Names are only shown with `-t`; without it they are looked for and kept.
fn remembered(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if parsed.has("-t") {
        says(scene, parsed)
    } else {
        takes_none(scene, parsed)
    }
}

/// A limit that is only shown.
fn limits(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let shows = |word: &&str| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
        })
    };
    if !parsed.operands.iter().all(shows) {
        scene.unknown("changes what the shell's programs may use");
    }
}
