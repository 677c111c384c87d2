//! Builtins, and programs that only print something about the machine or their own words.

use super::{Program, says, takes_none};
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
    Program::new(&["ps"], "-e -A -a -f -F -l -H -j -w -u,--user= -p,--pid= -o,--format= -C= --sort= --no-headers --forest", processes),
    Program::new(&["which"], "-a", says),
    Program::new(&["basename"], "-a,--multiple -s,--suffix= -z,--zero", says),
    Program::new(&["dirname"], "-z,--zero", says),
    Program::raw(&["seq"], numbers),
    Program::new(&["tr"], "-c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1", says),
    Program::raw(&["env", "printenv"], environment),
    Program::raw(&["sayso"], sayso),
];

fn change_folder(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.as_slice() {
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
    if format.starts_with('-') || !(only_texts || numbers) {
        scene.unknown("this form of `printf` is not known");
    }
}

/// Only tests of one file or text; `-v` and comparisons of numbers may run code in their arguments.
fn test(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
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

/// `e` as an operand would show the environment of every process.
fn processes(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let shows_more = |word: &&str| !word.bytes().all(|byte| b"auxwfhljr0123456789,".contains(&byte));
    if parsed.operands.iter().any(shows_more) || parsed.value("--format").is_some_and(|format| format.contains("env")) {
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
