//! Builtins, and programs that only print something about the machine or their own words.

use super::{Program, says, takes_none};
use crate::hole;
use crate::options::Parsed;
use crate::scene::Scene;

pub(super) const PROGRAMS: &[Program] = &[
    Program::new(&["pwd"], "-L -P", takes_none).builtin(),
    Program::raw(&["cd"], change_folder).builtin(),
    Program::raw(&["echo", "true", "false"], says).builtin(),
    Program::raw(&["printf"], printf).builtin(),
    Program::raw(&["test"], test).builtin(),
    Program::raw(&["command"], says).builtin(),
    Program::raw(&["expr", "sleep"], says),
    Program::new(&["date"], "-u,--utc -R,--rfc-email -I,--iso-8601~ -d,--date= --rfc-3339= -r,--reference=<", date),
    Program::new(&["whoami", "arch", "logname"], "", takes_none),
    Program::new(&["id"], "-u,--user -g,--group -G,--groups -n,--name -r,--real -z,--zero", says),
    Program::new(&["groups"], "", says),
    Program::new(
        &["uname"],
        "-a,--all -s,--kernel-name -n,--nodename -r,--kernel-release -v,--kernel-version -m,--machine -p,--processor -i,--hardware-platform -o,--operating-system",
        takes_none,
    ),
    Program::new(&["hostname"], "-f,--fqdn -s,--short -i,--ip-address -I,--all-ip-addresses -d,--domain", takes_none),
    Program::new(&["nproc"], "--all --ignore=", takes_none),
    Program::new(&["tty"], "-s,--silent,--quiet", takes_none),
    Program::new(&["uptime"], "-p,--pretty -s,--since", takes_none),
    Program::new(&["free"], "-b,--bytes -k,--kibi -m,--mebi -g,--gibi -h,--human -t,--total -w,--wide -l,--lohi", takes_none),
    Program::raw(&["ps"], processes),
    Program::new(&["which"], "-a", says),
    Program::new(&["basename"], "-a,--multiple -s,--suffix= -z,--zero", says),
    Program::new(&["dirname"], "-z,--zero", says),
    Program::raw(&["seq"], numbers),
    Program::new(&["tr"], "-c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1", says),
    Program::raw(&["env", "printenv"], environment),
    Program::raw(&["sayso"], sayso),
];

fn change_folder(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.settle();
    match parsed.operands.as_slice() {
        [] => scene.read(&crate::hole::HOME.to_string(), false),
        [folder] | ["--", folder] if !folder.starts_with('-') => scene.read(folder, false),
        _ => scene.unknown("goes to a folder that only the shell knows"),
    }
}

/// `printf -v` sets variables, and number formats are evaluated by some shells.
fn printf(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let words = parsed.operands.strip_prefix(&["--"]).unwrap_or(&parsed.operands);
    let Some((format, arguments)) = words.split_first() else { return };
    let mut conversions = format.replace("%%", "");
    conversions.retain(|character| character != '\\');
    let only_texts = conversions.split('%').skip(1).all(|rest| {
        let kind = rest.trim_start_matches(|character: char| character.is_ascii_digit() || ".-".contains(character));
        kind.starts_with(['s', 'b'])
    });
    let inert = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit() || b".-+".contains(&byte));
    let numbers = !conversions.contains(['n', '(']) && arguments.iter().all(inert);
    if format.starts_with('-') || !(only_texts || numbers) || !hole::is_literal(format) {
        scene.unknown("this form of `printf` is not known");
    } else if only_texts {
        scene.settle();
    }
}

/// Only tests of one file or text; `-v` and comparisons of numbers may run code in their arguments.
fn test(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    // A quoted word is one word, whatever it holds; an unquoted one may be several, and then it is another test.
    if !parsed.operands.iter().any(|word| hole::may_be_several(word)) {
        scene.settle();
    }
    match parsed.operands.as_slice() {
        ["-e" | "-f" | "-d" | "-r" | "-w" | "-x" | "-s" | "-L" | "-h", path] => scene.read(path, false),
        ["-n" | "-z", _] | [_, "=" | "==" | "!=", _] => {}
        _ => scene.unknown("this form of `test` is not known"),
    }
}

/// Any operand but a format would set the clock.
fn date(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if parsed.operands.iter().any(|word| !word.starts_with('+')) {
        scene.unknown("`date` with such an operand may set the clock");
    }
}

/// Only forms that no `ps` reads as BSD options with an `e`, which shows the environment of every process.
///
/// procps reads all words again as BSD options if one of them fails, so that `-auxeww` is `auxeww` unless there is a user `x`.
fn processes(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let letters = |word: &str, known: &[u8]| !word.is_empty() && word.bytes().all(|byte| known.contains(&byte));
    let (mut plain, mut dashed, mut everything, mut by_user, mut known) = (0, 0, false, false, true);
    let mut words = parsed.operands.iter().copied();
    while let Some(word) = words.next() {
        let Some(body) = word.strip_prefix('-') else {
            plain += 1;
            known &= letters(word, b"auxwfljr") || letters(word, b"0123456789");
            continue;
        };
        if let Some(long) = body.strip_prefix('-') {
            let value = long.split_once('=').map_or("", |(_, value)| value);
            known &= matches!(long, "no-headers" | "forest")
                || (long.starts_with("sort=") || long.starts_with("pid=")) && letters(value, b"abcdefghijklmnopqrstuvwxyz%_,+-0123456789");
            continue;
        }
        dashed += 1;
        let (flags, value) = match body {
            "o" | "eo" | "Ao" | "p" | "C" | "u" => (body.strip_suffix(['o', 'p', 'C', 'u']).unwrap_or(""), words.next()),
            _ => (body, Some("")),
        };
        everything |= flags.contains('e');
        by_user |= body == "u";
        known &= (flags.is_empty() || letters(flags, b"AaefFlHjw"))
            && value.is_some_and(|value| !value.starts_with('-') && !value.contains("env"))
            && (body != "p" || value.is_some_and(|value| letters(value, b"0123456789,")));
    }
    if !known || plain > 1 || (plain > 0 && dashed > 0) || (everything && by_user) {
        scene.unknown("this form of `ps` is not known");
    }
}

fn numbers(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let plain = |word: &&str| {
        matches!(*word, "-w" | "-s" | "-f") || !word.starts_with('-') || word.bytes().skip(1).all(|byte| byte.is_ascii_digit())
    };
    if !parsed.operands.iter().all(plain) {
        scene.unknown("this form of `seq` is not known");
    }
}

fn environment(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.unknown("shows the environment, which may hold secrets");
}

fn sayso(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let words: Vec<String> = parsed.operands.iter().map(|word| (*word).to_owned()).collect();
    // `check` reads the files it is given, and which these are only its own options tell.
    if !crate::danger::is_harmless_sayso(&words) {
        scene.unknown("sayso is for the person, not for the agent");
    }
}
