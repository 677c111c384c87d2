//! `test` and `[`: which forms only compare words or look at a file.

use super::builtins::is_number;
use crate::parse::characters::is_name;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::Program;
use crate::programs::effect_builder::Scene;

pub(in crate::programs) const PROGRAMS: &[Program] =
    &[Program::raw(&["test", "["], test).builtin()];

fn test(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let words = match (scene.name.as_str(), parsed.operands.as_slice()) {
        ("[", [words @ .., "]"]) => words,
        ("[", _) => return scene.unknown("`[` has no `]`"),
        (_, words) => words,
    };
    scene.settle();
    // A word that may turn out to be several could bring operators along.
    if words.iter().any(|word| placeholder::may_be_several(word))
        || !(holds(words) || compares_in_any_order(words))
    {
        scene.unknown("this form of `test` is not known");
    }
}

/// Whether a condition is known to only compare words, or to look whether a file is there, which shows nothing of what is in it. How many words there are decides what they mean, so none of them can
/// change the meaning of another one.
fn holds(words: &[&str]) -> bool {
    match words {
        [] | [_] => true,
        ["-n" | "-z", _] => true,
        [
            "-e" | "-f" | "-d" | "-r" | "-w" | "-x" | "-s" | "-L" | "-h" | "-b" | "-c" | "-g"
            | "-k" | "-p" | "-u" | "-G" | "-N" | "-O" | "-S",
            _,
        ] => true,
        ["-t", number] => is_number(number),
        // A name with a subscript is evaluated.
        ["-v", name] => placeholder::is_literal(name) && is_name(name),
        [_, "=" | "==" | "!=" | "<" | ">", _] => true,
        [left, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge", right] => {
            is_number(left) && is_number(right)
        }
        [_, "-nt" | "-ot" | "-ef", _] => true,
        // What stands in the middle of three words may be an operator, which would make `!` a text.
        ["!", rest @ ..]
            if rest.len() != 2
                || rest
                    .first()
                    .is_some_and(|word| placeholder::is_literal(word)) =>
        {
            holds(rest)
        }
        _ => false,
    }
}

/// Whether nothing in a longer condition is evaluated, however its words are put together: `-a`, `-o`, `!` and parentheses only join.
fn compares_in_any_order(words: &[&str]) -> bool {
    let number = |at: Option<usize>| {
        at.and_then(|at| words.get(at))
            .is_some_and(|word| is_number(word))
    };
    words.len() > 3
        && words.iter().enumerate().all(|(at, word)| {
            placeholder::is_literal(word)
                && match *word {
                    // These take a name with a subscript, which is evaluated.
                    "-v" | "-R" => false,
                    "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                        number(at.checked_sub(1)) && number(Some(at + 1))
                    }
                    _ => true,
                }
        })
}
