//! Programs that edit or pick from a text by a small language of their own.

use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::Program;
use crate::programs::effect_builder::{PLAIN, Scene};
use crate::programs::languages::awk_files::{self, Does};
use crate::programs::languages::{Kind, Refusal, awk, jq, sed};
use sayso_core::analysis::effect::EffectKind;

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(
        &["sed", "gsed"],
        "-n,--silent,--quiet -e,--expression= -f,--file=< -E,-r,--regexp-extended -i,--in-place~ -s,--separate -u,--unbuffered \
         -z,--null-data -l,--line-length= --posix --sandbox --follow-symlinks --version --help",
        edits,
    ),
    Program::new(
        &["awk", "gawk", "mawk", "nawk", "original-awk"],
        "+ -F,--field-separator= -v,--assign= -f,--file=< --version --help",
        scans,
    ),
    Program::raw(&["jq"], picks),
];

/// A script that is not known to be harmless: asks, and where it may hold a command, lets deny rules and dangers look inside.
pub(in crate::programs) fn doubt(scene: &mut Scene<'_>, refusal: &Refusal) {
    scene.interprets = true;
    match &refusal.kind {
        Kind::Runs => scene.opaque(refusal.reason.clone()),
        Kind::Reads(path) => scene.read(path, false),
        Kind::Writes(path) => scene.write(path),
        Kind::Broken | Kind::Unsure => {}
    }
    scene.unknown(refusal.reason.clone());
}

/// How many files of a script of `sed` are looked at.
const MOST_FILES: usize = 16;

/// Every file that a script of `sed` names: each stands at the end of a line, and what follows in the next one counts as well.
fn doubts(scene: &mut Scene<'_>, pieces: &[&str]) {
    let Err(mut refusal) = sed::read(pieces) else {
        return;
    };
    let script: Vec<char> = pieces.join("\n").chars().collect();
    let mut from = 0;
    // Each round reads the rest of the script again.
    for _ in 0..MOST_FILES {
        doubt(scene, &refusal);
        if !matches!(refusal.kind, Kind::Reads(_) | Kind::Writes(_)) {
            if refusal.kind == Kind::Unsure {
                may_touch_any(scene, "not everything that its script does could be read");
            }
            return;
        }
        let rest = script.get(from + refusal.at..).unwrap_or(&[]);
        let Some(end) = rest.iter().position(|letter| *letter == '\n') else {
            return;
        };
        from += refusal.at + end + 1;
        let rest: String = script.get(from..).unwrap_or(&[]).iter().collect();
        match sed::read(&[&rest]) {
            Err(next) => refusal = next,
            Ok(()) => return,
        }
    }
    may_touch_any(scene, "its script names more files than are looked at");
}

/// What cannot be read now, and may be anything.
pub(in crate::programs) fn closed(scene: &mut Scene<'_>, note: String) {
    scene.interprets = true;
    scene.unknown(note);
}

/// Reads the operands that are files.
pub(in crate::programs) fn reads_files(scene: &mut Scene<'_>, files: &[&str]) {
    scene.settle();
    for file in files.iter().filter(|file| **file != "-") {
        scene.read(file, false);
    }
}

/// Whether the program only tells about itself.
fn tells_about_itself(parsed: &Parsed<'_>) -> bool {
    parsed
        .options
        .iter()
        .any(|given| matches!(&*given.name, "--version" | "--help"))
        && parsed.options.len() == 1
        && parsed.operands.is_empty()
}

fn edits(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.interprets |= !parsed.unknown.is_empty();
    if tells_about_itself(parsed) {
        return;
    }
    let in_place = parsed
        .options
        .iter()
        .rev()
        .find(|given| given.name == "--in-place");
    let suffix = in_place
        .and_then(|given| given.value)
        .filter(|suffix| !suffix.is_empty());
    let mut pieces: Vec<&str> = parsed
        .options
        .iter()
        .filter(|given| given.name == "--expression")
        .filter_map(|given| given.value)
        .collect();
    let mut files = parsed.operands.as_slice();
    // Where `-i` must have a suffix (BSD), an empty one stands by itself; for GNU it is an empty script or no file at all.
    if in_place.is_some()
        && suffix.is_none()
        && let Some(("", rest)) = files.split_first().map(|(first, rest)| (*first, rest))
    {
        files = rest;
    }
    let from_options = !pieces.is_empty() || parsed.has("--file");
    if !from_options && let Some((script, rest)) = files.split_first() {
        pieces.push(script);
        files = rest;
    }
    if parsed.has("--file") {
        closed(scene, "the script of `sed` stands in a file".to_owned());
    }
    // What takes no number here reads it as a script.
    if parsed
        .value("--line-length")
        .is_some_and(|number| !number.bytes().all(|byte| byte.is_ascii_digit()))
    {
        closed(
            scene,
            "the length of lines for `sed` is no number".to_owned(),
        );
    }
    // Lines of digits may end a command: only where every command prints, deletes or ends is that any other one.
    let counted: Vec<String> = pieces
        .iter()
        .map(|piece| piece.replace([placeholder::DIGITS, placeholder::SIGNED], "1"))
        .collect();
    let plain = |piece: &&str| {
        piece.chars().all(|letter| {
            letter.is_ascii_digit()
                || ",+-~$p=dq!; ".contains(letter)
                || [
                    placeholder::DIGITS,
                    placeholder::NUMBER,
                    placeholder::SIGNED,
                ]
                .contains(&letter)
        })
    };
    if pieces
        .iter()
        .all(|piece| !piece.contains([placeholder::DIGITS, placeholder::SIGNED]) || plain(piece))
    {
        pieces = counted.iter().map(String::as_str).collect();
    }
    // A number that is not known yet is read as one.
    if pieces
        .iter()
        .any(|piece| !placeholder::is_literal(&piece.replace(placeholder::NUMBER, "")))
    {
        closed(
            scene,
            "the script of `sed` is only known when it runs".to_owned(),
        );
    } else {
        doubts(scene, &pieces);
    }
    if in_place.is_none() {
        if from_options && parsed.before_dashes.is_none() {
            before_options(scene, files);
        }
        return reads_files(scene, files);
    }
    if suffix.is_none() && !from_options {
        as_script(scene, files);
    }
    writes_in_place(scene, files, suffix);
}

/// Where options must stand first (BSD), a word before `-e` is the script.
fn before_options(scene: &mut Scene<'_>, files: &[&str]) {
    let Some(file) = files.first().filter(|file| placeholder::is_literal(file)) else {
        return;
    };
    match sed::read(&[file]).err().map(|refusal| refusal.kind) {
        Some(Kind::Writes(_)) => closed(
            scene,
            format!("`{file}` would be a script where options must stand first"),
        ),
        Some(Kind::Reads(path)) => {
            scene.read(&path, false);
            scene.doubt();
        }
        _ => {}
    }
}

/// Where `-i` must have a suffix (BSD), the script is taken for it, and the first file for the script.
fn as_script(scene: &mut Scene<'_>, files: &[&str]) {
    let Some(file) = files.first().filter(|file| placeholder::is_literal(file)) else {
        return;
    };
    let Err(refusal) = sed::read(&[file]) else {
        return;
    };
    match refusal.kind {
        Kind::Writes(path) if file.starts_with('w') => {
            scene.write(&path);
            scene.doubt();
        }
        Kind::Reads(path) if file.starts_with(['r', 'R']) => {
            scene.read(&path, false);
            scene.doubt();
        }
        Kind::Writes(_) | Kind::Reads(_) => closed(
            scene,
            format!("`{file}` would be a script where `-i` needs a suffix"),
        ),
        // Only GNU has what runs programs, and there it is a file.
        Kind::Runs | Kind::Broken | Kind::Unsure => {}
    }
}

/// Each file is written again, and with a suffix it is kept under another name.
fn writes_in_place(scene: &mut Scene<'_>, files: &[&str], suffix: Option<&str>) {
    scene.settle();
    if suffix.is_some_and(|suffix| suffix.contains(['*', '/']) || !placeholder::is_literal(suffix))
    {
        closed(
            scene,
            "where `sed` keeps the old files is not known".to_owned(),
        );
    }
    for file in files {
        if let Some(suffix) = suffix {
            scene.read(file, false);
            scene.write(&format!("{file}{suffix}"));
        }
        scene.write(file);
    }
}

fn scans(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.interprets |= !parsed.unknown.is_empty();
    if tells_about_itself(parsed) {
        return;
    }
    // The program is looked at below, and any word would do for a file or a value.
    scene.settle();
    let mut files = parsed.operands.as_slice();
    if parsed.has("--file") {
        closed(
            scene,
            format!("the program of `{}` stands in a file", scene.name),
        );
    } else if let Some((program, rest)) = files.split_first() {
        files = rest;
        if !placeholder::is_literal(program) {
            closed(
                scene,
                format!("the program of `{}` is only known when it runs", scene.name),
            );
        } else if let Err(refusal) = awk::read(program) {
            doubt(scene, &refusal);
            awk_files::all(program)
                .into_iter()
                .for_each(|does| does_more(scene, does));
        }
    }
    // Attached and empty, it would leave its place to the next word, and the first file would be the program.
    if parsed
        .value("--field-separator")
        .is_some_and(|value| !value.is_empty() && value.chars().all(|one| one == placeholder::TEXT))
    {
        closed(
            scene,
            format!(
                "what parts the fields of `{}` is only known when it runs",
                scene.name
            ),
        );
    }
    for value in parsed
        .options
        .iter()
        .filter(|given| given.name == "--assign")
        .map(|given| given.value.unwrap_or(""))
    {
        if assigned(value).is_none_or(awk::is_special) {
            closed(
                scene,
                format!("`{}` sets `{}`", scene.name, placeholder::shown(value)),
            );
        }
    }
    // Behind its program each awk but a few takes everything for a file.
    if files
        .iter()
        .any(|file| file.starts_with('-') && *file != "-")
    {
        closed(
            scene,
            format!("an option stands behind the program of `{}`", scene.name),
        );
    }
    for file in files {
        match assigned(file) {
            Some(name) if awk::is_special(name) => {
                closed(scene, format!("`{}` sets `{name}`", scene.name))
            }
            Some(_) => {}
            // gawk opens a connection for such a name, wherever a file may stand.
            None if file.starts_with("/inet") => {
                scene.connect(file);
                closed(
                    scene,
                    format!("`{}` may open a connection for `{file}`", scene.name),
                );
            }
            None => reads_files(scene, &[file]),
        }
    }
}

/// One thing that a program of awk does besides printing. A name that is put together may lead anywhere, whatever a rule says.
fn does_more(scene: &mut Scene<'_>, does: Does) {
    let some = placeholder::TEXT.to_string();
    match does {
        Does::Reads(name) | Does::Writes(name) if name.starts_with("/inet") => scene.connect(&name),
        Does::Reads(name) => scene.read(&name, false),
        Does::Writes(name) => scene.write(&name),
        Does::ReadsSome => scene.path(EffectKind::Read, &some, false, PLAIN),
        Does::WritesSome => scene.path(EffectKind::Write, &some, false, PLAIN),
        Does::Runs => scene.opaque("its program runs other programs"),
        Does::Anything => {
            may_touch_any(scene, "not everything that its program does could be read")
        }
    }
}

/// A rule with a `*` covers no files that nothing is known of.
fn may_touch_any(scene: &mut Scene<'_>, note: &str) {
    scene.unknown(note);
    let any = placeholder::TEXT.to_string();
    scene.path(EffectKind::Read, &any, false, PLAIN);
}

/// The variable that a word gives a value to.
fn assigned(word: &str) -> Option<&str> {
    let (name, _) = word.split_once('=')?;
    crate::parse::characters::is_name(name).then_some(name)
}

/// The long options of jq that take nothing.
const PICK_LONG: [&str; 22] = [
    "--raw-output",
    "--raw-output0",
    "--join-output",
    "--compact-output",
    "--slurp",
    "--null-input",
    "--exit-status",
    "--sort-keys",
    "--monochrome-output",
    "--color-output",
    "--ascii-output",
    "--raw-input",
    "--tab",
    "--seq",
    "--stream",
    "--stream-errors",
    "--unbuffered",
    "--binary",
    "--version",
    "--help",
    "--build-configuration",
    "--indent",
];

fn picks(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let mut words = parsed.operands.iter().copied();
    let mut filter = None;
    let mut files = Vec::new();
    let (mut only_words, mut are_values) = (false, false);
    while let Some(word) = words.next() {
        // A word that turns out to be an option after all can make jq read less, but nothing more than files.
        if !only_words && word.starts_with('-') && word != "-" {
            match word {
                "--" => only_words = true,
                "--args" | "--jsonargs" => are_values = true,
                "--arg" | "--argjson" | "--slurpfile" | "--rawfile" | "--argfile" => {
                    let (name, value) = (words.next().unwrap_or(""), words.next());
                    let Some(value) = value.filter(|value| {
                        !placeholder::may_be_several(name) && !placeholder::may_be_several(value)
                    }) else {
                        return closed(scene, format!("what `{word}` of `jq` takes is not known"));
                    };
                    if word.ends_with("file") {
                        files.push(value);
                    }
                }
                "--indent" => {
                    if !words
                        .next()
                        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
                    {
                        return closed(scene, "the indent of `jq` is no number".to_owned());
                    }
                }
                _ if PICK_LONG.contains(&word) => {}
                _ if is_bundle(word) => {}
                _ if placeholder::is_literal(word) => {
                    scene.interprets = true;
                    scene.unlisted(format!("the option `{word}` of `jq` is not known"));
                }
                _ => closed(
                    scene,
                    "an option of `jq` is only known when it runs".to_owned(),
                ),
            }
        } else if filter.is_none() {
            filter = Some(word);
        } else if !are_values {
            files.push(word);
        }
    }
    match filter {
        Some(filter) if !placeholder::is_literal(filter) => closed(
            scene,
            "the filter of `jq` is only known when it runs".to_owned(),
        ),
        Some(filter) => {
            if let Err(refusal) = jq::read(filter) {
                doubt(scene, &refusal);
            }
        }
        None => {}
    }
    reads_files(scene, &files);
}

/// Short options of jq that take nothing.
fn is_bundle(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        !letters.is_empty()
            && letters
                .bytes()
                .all(|letter| b"rcsneSMCajRhV".contains(&letter))
    })
}
