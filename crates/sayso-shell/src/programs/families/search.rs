//! Programs that look for files and in files.

use crate::expand::find_tests::{WITH_PATH, WITH_WORD};
use crate::expand::launchers::FD;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::{PLAIN, Scene};
use crate::programs::{Program, reads_below};
use sayso_core::analysis::effect::{EffectKind, Manner};

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(
        &["grep", "egrep", "fgrep"],
        "-E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -e,--regexp=- -f,--file=< -i,-y,--ignore-case \
         --no-ignore-case -v,--invert-match -w,--word-regexp -x,--line-regexp -c,--count --colour,--color? -L,--files-without-match \
         -l,--files-with-matches -m,--max-count= -o,--only-matching -q,--silent,--quiet -s,--no-messages -b,--byte-offset \
         -H,--with-filename -h,--no-filename --label= -n,--line-number -T,--initial-tab -Z,--null -A,--after-context= \
         -B,--before-context= -#,-C= --context=+ -a,--text --binary-files={binary,text,without-match} \
         -D,--devices={read,skip} -d,--directories={read,skip,recurse} --exclude= --exclude-from=< \
         --exclude-dir= -I --include= -r,--recursive -R,--dereference-recursive --line-buffered -U,--binary -z,--null-data --help -V,--version",
        grep,
    ),
    Program::new(
        &["rg"],
        "-e,--regexp=- -f,--file=< -i,--ignore-case -S,--smart-case -s,--case-sensitive -n,--line-number -N,--no-line-number \
         -l,--files-with-matches --files-without-match -c,--count --count-matches -w,--word-regexp -x,--line-regexp -v,--invert-match \
         -o,--only-matching -F,--fixed-strings -P,--pcre2 -U,--multiline --multiline-dotall -A,--after-context= -B,--before-context= \
         -C,--context= -g,--glob= --iglob= -t,--type= -T,--type-not= --type-list -.,--hidden -u,--unrestricted --no-ignore --no-ignore-vcs \
         -m,--max-count= -d,--max-depth= --files -L,--follow --color= --colors= --heading --no-heading --stats --json --sort= --sortr= \
         -p,--pretty -q,--quiet -0,--null --trim -M,--max-columns= --max-columns-preview -r,--replace= -H,--with-filename -I,--no-filename \
         --column --no-messages --max-filesize= --one-file-system --vimgrep -a,--text --crlf --no-config -j,--threads= --passthru --help -V,--version",
        ripgrep,
    ),
    Program::raw(&["find"], find),
    Program::new(&["fd", "fdfind"], FD, by_name).interpreter(),
    Program::new(
        &["ag"],
        "-i,--ignore-case -s,--case-sensitive -S,--smart-case -l,--files-with-matches -L,--files-without-matches -c,--count -w,--word-regexp -Q,--literal -v,--invert-match \
         -H,--heading --nogroup --group --nocolor --color --hidden --nobreak --noheading --column --numbers --nonumbers -o,--only-matching -u,--unrestricted -U,--skip-vcs-ignores \
         -a,--all-types -t,--all-text -f,--follow --version \
         --rust --python --js --ts --go --java --cc --cpp --ruby --html --css --json --yaml --markdown --shell --php",
        by_name,
    ),
    Program::new(
        &["locate", "plocate", "mlocate"],
        "-i,--ignore-case -c,--count -b,--basename -w,--wholename -e,--existing -l,-n,--limit= -r,--regexp= -q,--quiet",
        everywhere,
    ),
];

fn grep(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let recursive = parsed.has("--recursive")
        || parsed.has("--dereference-recursive")
        || parsed.value("--directories") == Some("recurse");
    let paths = without_pattern(parsed, false);
    scene.settle();
    if recursive {
        looks_through(scene, parsed, paths);
    } else {
        for path in paths {
            scene.read(path, false);
        }
    }
}

fn ripgrep(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if parsed.has("--type-list") {
        // Which of several modes counts has changed between versions.
        if parsed.has("--files") {
            scene.unlisted("`rg` with two modes");
            return reads_below(scene, &parsed.operands, true);
        }
        return;
    }
    looks_through(
        scene,
        parsed,
        without_pattern(parsed, parsed.has("--files")),
    );
}

/// A search below these paths. Names of which there may be only one, or none, leave nothing but the text to look for, and then it is the
/// folder that is looked through.
fn looks_through(scene: &mut Scene<'_>, parsed: &Parsed<'_>, paths: &[&str]) {
    reads_below(scene, paths, true);
    let text =
        usize::from(!(parsed.has("--files") || parsed.has("--regexp") || parsed.has("--file")));
    // A pattern of names is one word at least: where nothing fits, it stays as it is or is an error.
    let is_sure =
        |operand: &str| !placeholder::may_be_several(operand) || placeholder::is_glob(operand);
    // What `find -exec … {} +` hands over stands twice, and may still be one name.
    let again = |(at, operand): (usize, &&str)| {
        !placeholder::is_literal(operand)
            && parsed
                .operands
                .iter()
                .take(at)
                .any(|other| other == operand)
    };
    let sure = parsed
        .operands
        .iter()
        .enumerate()
        .filter(|(at, operand)| is_sure(operand) && !again((*at, operand)))
        .count();
    if !paths.is_empty() && sure.max(1) <= text {
        scene.read_here();
    }
}

/// A pattern, and then the folders that are looked through.
fn by_name(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if parsed.has("--version") || parsed.has("--help") {
        return;
    }
    looks_through(scene, parsed, without_pattern(parsed, false));
}

/// A list of all files of the machine.
fn everywhere(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.read("/", true);
}

/// The operands that are paths: the first one is the pattern, unless an option gives it.
fn without_pattern<'p, 'a>(parsed: &'p Parsed<'a>, no_pattern: bool) -> &'p [&'a str] {
    // A pattern of names in the place of the text to look for is that text and files.
    let several = parsed
        .operands
        .first()
        .is_some_and(|first| placeholder::may_be_several(first));
    let given = no_pattern || several || parsed.has("--regexp") || parsed.has("--file");
    let skipped = usize::from(!given);
    parsed.operands.get(skipped..).unwrap_or(&[])
}

/// Tests and actions of `find` that only look, without an argument.
const ALONE: [&str; 41] = [
    "-version",
    "--version",
    "-help",
    "--help",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-depth",
    "-d",
    "-daystart",
    "-follow",
    "-mount",
    "-xdev",
    "-noleaf",
    "-empty",
    "-true",
    "-false",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "!",
    "(",
    ")",
    ",",
    "-quit",
    "-nowarn",
    "-warn",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
    "-H",
    "-L",
    "-P",
    "-x",
];

fn find(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let mut words = parsed.operands.iter().copied().peekable();
    while words
        .next_if(|word| matches!(*word, "-H" | "-L" | "-P"))
        .is_some()
    {}
    let mut places = Vec::new();
    while let Some(place) =
        words.next_if(|word| !word.starts_with('-') && !matches!(*word, "(" | ")" | "!" | ","))
    {
        places.push(place);
    }
    reads_below(scene, &places, true);
    // What is only known when it runs may be an action, unless something stands before it.
    let doubtful = |place: &&&str| {
        placeholder::may_be_option(place) && !placeholder::is_glob(place)
            || (placeholder::may_be_several(place) && !placeholder::is_glob(place))
    };
    if let Some(place) = places.iter().find(doubtful) {
        scene.unlisted_word(place, "a word of `find` may be an action");
    }
    let mut tested = false;
    while let Some(word) = words.next() {
        let binds = [
            "-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-empty", "-newer",
            "-mtime", "-size",
        ]
        .contains(&word);
        tested |= binds && words.peek().is_none_or(|value| *value != "*");
        if ALONE.contains(&word) {
            continue;
        }
        if word == "-delete" {
            let everything = Manner {
                recursive: true,
                ..PLAIN
            };
            let targets = if places.is_empty() {
                &["."][..]
            } else {
                &places[..]
            };
            for place in targets {
                scene.path(EffectKind::Delete, place, true, everything);
                // With a test before it, what is deleted is only some of what lies below.
                if tested {
                    scene.doubt();
                }
            }
            continue;
        }
        if matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir") && scene.read_inside {
            let mut before = "";
            for inner in words.by_ref() {
                if inner == ";" || inner == "+" && before == "{}" {
                    break;
                }
                before = inner;
            }
            continue;
        }
        match words
            .next()
            .filter(|value| !placeholder::may_be_several(value))
        {
            // An option in the place of a value is only known where numbers and modes have a sign.
            Some(value)
                if WITH_WORD.contains(&word)
                    && (!value.starts_with('-') || is_signed(word, value)) => {}
            Some(path) if WITH_PATH.contains(&word) && !path.starts_with('-') => {
                scene.read(path, false)
            }
            _ => {
                scene.unlisted(format!("`{word}` of `find` is not known"));
                scene.interprets |= matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir");
                return;
            }
        }
    }
}

/// Whether a value such as `-7` belongs to a test like `-mtime`.
fn is_signed(test: &str, value: &str) -> bool {
    let number = value.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    test == "-perm"
        || number
            && !matches!(
                test,
                "-name" | "-iname" | "-path" | "-ipath" | "-printf" | "-newermt"
            )
}
