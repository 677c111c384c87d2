//! Builtins, and programs that only print something about the machine or their own words.

use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::Scene;
use crate::programs::{Program, says, takes_none};

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(&["pwd"], "-L -P", takes_none).builtin(),
    Program::raw(&["cd"], change_folder).builtin(),
    Program::raw(&["echo", "true", "false"], says).builtin(),
    Program::raw(&["printf"], printf).builtin(),
    Program::raw(&["command"], says).builtin(),
    Program::raw(&["expr", "sleep"], says),
    Program::new(
        &["date"],
        "-u,--utc -R,--rfc-email -I,--iso-8601~ -d,--date= --rfc-3339= -r,--reference=< -j -v=+ --debug --help --version",
        date,
    ),
    Program::new(
        &["whoami", "arch", "logname", "hostid"],
        "--help --version",
        takes_none,
    ),
    Program::new(
        &["id"],
        "-u,--user -g,--group -G,--groups -n,--name -r,--real -z,--zero --help --version",
        says,
    ),
    Program::new(&["groups"], "--help --version", says),
    Program::new(
        &["uname"],
        "-a,--all -s,--kernel-name -n,--nodename -r,--kernel-release -v,--kernel-version -m,--machine -p,--processor -i,--hardware-platform -o,--operating-system --help --version",
        takes_none,
    ),
    Program::new(
        &["hostname"],
        "-f,--fqdn -s,--short -i,--ip-address -I,--all-ip-addresses -d,--domain",
        takes_none,
    ),
    Program::new(&["nproc"], "--all --ignore= --help --version", takes_none),
    Program::new(&["tty"], "-s,--silent,--quiet --help --version", takes_none),
    Program::new(
        &["uptime"],
        "-p,--pretty -s,--since -V,--version",
        takes_none,
    ),
    Program::new(
        &["free"],
        "-b,--bytes -k,--kibi -m,--mebi -g,--gibi -h,--human -t,--total -w,--wide -l,--lohi --si --kilo --mega --giga --tera -v,--committed -s,--seconds= -c,--count= -V,--version",
        takes_none,
    ),
    Program::new(&["sync"], "--help --version", takes_none),
    Program::raw(&["ps"], processes),
    Program::new(&["which"], "-a -s", says),
    // No option makes these do more than print.
    Program::raw(&["basename", "dirname"], says),
    Program::raw(&["seq"], numbers),
    Program::new(
        &["tr"],
        "-c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1 --help --version",
        says,
    ),
    Program::raw(&["env", "printenv"], environment),
    Program::raw(&["sayso"], sayso),
];

/// Going to a folder touches nothing; where later commands then are is followed, and their paths are judged from there.
fn change_folder(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.settle();
}

/// `printf -v` sets variables, and number formats are evaluated by some shells.
fn printf(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let after_dashes = parsed.operands.strip_prefix(&["--"]);
    let words = after_dashes.unwrap_or(&parsed.operands);
    let Some((format, arguments)) = words.split_first() else {
        return;
    };
    // What stands in the place of the format may be an option, or bring other conversions along.
    let certain = !format.contains([
        placeholder::TEXT,
        placeholder::LIST,
        placeholder::STAR,
        placeholder::ANY,
        placeholder::PIPE,
        placeholder::BELOW,
        placeholder::HOME,
        placeholder::HERE,
    ]);
    let Some(kinds) = conversions(format)
        .filter(|_| certain && (after_dashes.is_some() || !format.starts_with('-')))
    else {
        return scene.unknown("this form of `printf` is not known");
    };
    // Some shells evaluate what they print as a number; a text is only printed.
    let number = |word: &str| {
        let body = word.trim_start_matches(['-', '+']);
        let hex = body.strip_prefix("0x").is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        hex || !body.is_empty()
            && body.chars().all(|character| {
                character.is_ascii_digit() || matches!(character, '.' | placeholder::NUMBER)
            })
    };
    let only_texts = kinds.iter().all(|kind| !is_numeric(*kind));
    let fits = |(index, word): (usize, &&str)| {
        let kind = kinds
            .get(index % kinds.len().max(1))
            .copied()
            .unwrap_or('s');
        !is_numeric(kind) || number(word)
    };
    if only_texts
        || !arguments
            .iter()
            .any(|word| placeholder::may_be_several(word))
            && arguments.iter().enumerate().all(fits)
    {
        scene.settle();
    } else {
        scene.unknown("this form of `printf` is not known");
    }
}

/// The letters of a format's conversions; none if one of them is not plain. `%n` and `%(…)T` do more than print.
fn conversions(format: &str) -> Option<Vec<char>> {
    if may_spell_conversion(format) {
        return None;
    }
    let mut kinds = Vec::new();
    for rest in format.replace("%%", "").split('%').skip(1) {
        let plain = rest.trim_start_matches(|character: char| {
            character.is_ascii_digit() || "+-. #0*".contains(character)
        });
        // A star takes a number of its own.
        kinds.extend(std::iter::repeat_n(
            'd',
            rest.matches('*').count() - plain.matches('*').count(),
        ));
        let kind = plain.chars().next()?;
        if !matches!(kind, 's' | 'b' | 'c' | 'q') && !is_numeric(kind) {
            return None;
        }
        kinds.push(kind);
    }
    Some(kinds)
}

/// Whether an escape may stand for `%`: zsh resolves escapes before it looks for conversions.
fn may_spell_conversion(format: &str) -> bool {
    const MOST_DIGITS: usize = 8;
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('\\') {
        let mut letters = after.chars();
        let Some(letter) = letters.next() else {
            return false;
        };
        rest = letters.as_str();
        let (radix, digits) = match letter {
            'x' | 'u' | 'U' => (16, rest),
            '0'..='7' => (8, after),
            // `\C-x` and `\M-x` stand for other characters, too.
            'C' | 'M' => return true,
            _ => continue,
        };
        let mut value = 0;
        for digit in digits.chars().take(MOST_DIGITS) {
            let Some(digit) = digit.to_digit(radix) else {
                if !placeholder::is_literal(digit.encode_utf8(&mut [0; 4])) {
                    return true;
                }
                break;
            };
            value = value * radix + digit;
            // A value that is too large for one byte may be cut.
            if value == 0x25 || !matches!(letter, 'u' | 'U') && value % 256 == 0x25 {
                return true;
            }
        }
    }
    false
}

fn is_numeric(kind: char) -> bool {
    matches!(
        kind,
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'f' | 'g' | 'e' | 'F' | 'G' | 'E'
    )
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
    let letters = |word: &str, known: &[u8]| {
        !word.is_empty() && word.bytes().all(|byte| known.contains(&byte))
    };
    let (mut plain, mut dashed, mut by_user, mut known) = (0, 0, false, true);
    let mut all_letters = String::new();
    let mut words = parsed.operands.iter().copied();
    while let Some(word) = words.next() {
        let Some(body) = word.strip_prefix('-') else {
            plain += 1;
            known &= letters(word, b"auxwfljr") || letters(word, b"0123456789") || {
                // The last letter takes the columns.
                word.strip_suffix('o')
                    .is_some_and(|rest| letters(rest, b"auxwfljr"))
                    && words.next().is_some_and(|value| {
                        !value.starts_with('-')
                            && !value.contains("env")
                            && placeholder::is_literal(value)
                    })
            };
            continue;
        };
        if let Some(long) = body.strip_prefix('-') {
            let value = long.split_once('=').map_or("", |(_, value)| value);
            known &= matches!(long, "no-headers" | "forest")
                || (long.starts_with("sort=") || long.starts_with("pid="))
                    && letters(value, b"abcdefghijklmnopqrstuvwxyz%_,+-0123456789");
            continue;
        }
        dashed += 1;
        let (flags, value) = match body {
            "o" | "eo" | "Ao" | "p" | "C" | "u" => (
                body.strip_suffix(['o', 'p', 'C', 'u']).unwrap_or(""),
                words.next(),
            ),
            _ => (body, Some("")),
        };
        all_letters.push_str(body);
        by_user |= body == "u";
        known &= (flags.is_empty() || letters(flags, b"AaefFlHjwTLMc"))
            && value.is_some_and(|value| {
                !value.starts_with('-') && !value.contains("env") && placeholder::is_literal(value)
            })
            && (body != "p" || value.is_some_and(|value| letters(value, b"0123456789,")));
    }
    let has = |letters: &[char]| all_letters.contains(letters);
    let tree = has(&['H']) || parsed.operands.contains(&"--forest");
    // Words that do not go together make it read all of them again: columns of one's own and a way to show them, threads and a tree.
    let fails = by_user
        || has(&['M', 'c'])
        || has(&['o']) && has(&['f', 'F', 'l', 'j', 'H', 'T', 'L'])
        || has(&['T']) && (tree || has(&['L']));
    if !known || plain > 1 || (plain > 0 && dashed > 0) || has(&['e']) && fails {
        scene.unknown("this form of `ps` is not known");
    }
}

fn numbers(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if !parsed
        .operands
        .iter()
        .any(|word| placeholder::may_be_several(word) || word.starts_with(placeholder::TEXT))
    {
        scene.settle();
    }
    let plain = |word: &&str| {
        // No option of it makes it do more than print.
        let prints = [
            "-s",
            "-f",
            "-t",
            "-w",
            "--separator",
            "--format",
            "--equal-width",
        ]
        .iter()
        .any(|option| word.starts_with(option));
        prints || !word.starts_with('-') || word.bytes().skip(1).all(|byte| byte.is_ascii_digit())
    };
    if !parsed.operands.iter().all(plain) {
        scene.unknown("this form of `seq` is not known");
    }
    if parsed.operands.iter().any(|word| is_endless_number(word)) && !scene.is_cut {
        scene.unknown("`seq` prints without end, or nearly so");
    }
}

/// A number that takes very long to count to: `inf`, `1e12`, and more than eight digits.
fn is_endless_number(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let number = lower.trim_start_matches(['+', '-']);
    let whole = number.split('.').next().unwrap_or(number);
    number.starts_with("inf")
        || number.starts_with(|first: char| first.is_ascii_digit())
            && (number.contains('e') || number.starts_with("0x") || whole.len() > 8)
}

/// Only variables that everybody has, and that hold names and places.
fn environment(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let harmless = |word: &&str| {
        matches!(
            *word,
            "PATH"
                | "HOME"
                | "LANG"
                | "LANGUAGE"
                | "USER"
                | "LOGNAME"
                | "SHELL"
                | "PWD"
                | "OLDPWD"
                | "TERM"
                | "TZ"
                | "EDITOR"
                | "VISUAL"
                | "PAGER"
                | "HOSTNAME"
                | "TMPDIR"
                | "COLUMNS"
                | "LINES"
                | "DISPLAY"
                | "VIRTUAL_ENV"
                | "CONDA_PREFIX"
                | "NODE_ENV"
                | "CI"
                | "GOPATH"
                | "GOROOT"
                | "JAVA_HOME"
                | "CARGO_HOME"
                | "RUSTUP_HOME"
                | "NVM_DIR"
                | "PYTHONPATH"
        ) || word
            .strip_prefix("LC_")
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_uppercase()))
    };
    if scene.name == "printenv"
        && !parsed.operands.is_empty()
        && parsed.operands.iter().all(harmless)
    {
        return;
    }
    scene.unknown("shows the environment, which may hold secrets");
}

fn sayso(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let words: Vec<String> = parsed
        .operands
        .iter()
        .map(|word| (*word).to_owned())
        .collect();
    // `check` reads the files it is given, and which these are only its own options tell.
    if !is_harmless_sayso(&words) {
        scene.unknown("sayso is for the person, not for the agent");
    }
}

/// The three forms of `sayso` that only look. Any other option may name a file, whose lines would show in an error.
pub(crate) fn is_harmless_sayso(arguments: &[String]) -> bool {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check", rest @ ..] => {
            let options = rest
                .iter()
                .take_while(|word| matches!(**word, "--json" | "--explain"))
                .count();
            matches!(rest.get(options..), Some(["--", _, ..]))
        }
        ["policy", "show"] | ["policy", "show", "--json"] | ["audit", "list"] => true,
        _ => false,
    }
}
