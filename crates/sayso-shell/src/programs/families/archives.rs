//! Archives and compressed files: listing them is reading, everything else writes what the archive says.

use super::builtins::is_number;
use super::text::may_be_list;
use crate::expand::directories::in_folder;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::{PLAIN, Scene};
use crate::programs::{Program, reads};
use sayso_core::analysis::effect::{EffectKind, Manner};

const PACKED: &str = "-c,--to-stdout,--stdout -d,--uncompress,--decompress -f,--force -k,--keep -l,--list -n,--no-name -N,--name -q,--quiet -t,--test -v,--verbose \
     -z,--compress --fast --best -# --help -V,--version";
const MATCHES: &str =
    "-E -F -G -i -v -w -x -c -l -L -n -o -q -s -h -H -e,--regexp=- -A= -B= -C= -m=";

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::raw(&["tar", "gtar", "bsdtar"], tar),
    Program::raw(&["unzip", "zipinfo"], unzip),
    Program::raw(
        &["zip", "zipnote", "zipsplit", "rar", "unrar", "unar", "lsar"],
        packs,
    ),
    Program::raw(&["7z", "7za", "7zr", "7zz"], seven_zip),
    Program::raw(&["ar"], library),
    Program::raw(&["jar"], java_archive),
    Program::new(
        &["cpio"],
        "-t,--list -v,--verbose -n,--numeric-uid-gid --quiet -i,--extract -o,--create -p,--pass-through -F,--file= -I= -d,--make-directories",
        copy_in_out,
    ),
    Program::new(
        &[
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "zstd", "unzstd",
        ],
        PACKED,
        pack,
    ),
    Program::new(
        &["zcat", "gzcat", "bzcat", "xzcat", "lzcat", "zstdcat"],
        "-f,--force -q,--quiet -v,--verbose -k,--keep",
        reads_packed,
    ),
    Program::new(
        &["zgrep", "zegrep", "zfgrep", "bzgrep", "xzgrep"],
        MATCHES,
        matches_in_packed,
    ),
];

const EXTRACTS: &str = "extracts an archive, which may write anywhere";
const MAKES: &str = "makes or changes an archive";

/// Only `-t`, or `-x` with `-O`, in the old form (`tvf`), in bundles (`-tzf`) and in long words. The file of the archive is a name without a colon, which
/// would be a host.
fn tar(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let mut words = parsed.operands.iter().copied();
    let mut letters = String::new();
    let mut known = true;
    let mut archives = Vec::new();
    let mut others = Vec::new();
    let mut elsewhere = Vec::new();
    // Where the members lie that follow.
    let mut folder = String::from(".");
    let mut moved: Vec<String> = Vec::new();
    let mut listed = false;
    let mut first = true;
    let mut shown_before = false;
    while let Some(word) = words.next() {
        let bundle = match word.strip_prefix('-') {
            Some(bundle) if !bundle.starts_with('-') && !bundle.is_empty() => Some(bundle),
            None if first => Some(word),
            _ => None,
        };
        first = false;
        // Some take everything behind the first member for another one.
        let shows = bundle.is_some_and(|bundle| bundle.contains('O')) || word == "--to-stdout";
        shown_before |= shows && others.is_empty();
        if let Some(bundle) = bundle {
            // Behind a dash, what follows a letter that takes a value is that value.
            let value = word
                .starts_with('-')
                .then(|| bundle.find(VALUED))
                .flatten()
                .map(|at| bundle.split_at(at + 1));
            let (flags, value) = value.unwrap_or((bundle, ""));
            letters.push_str(flags);
            listed |= flags.contains('T');
            if word.starts_with('-') && flags.ends_with('C') {
                known = false;
                let next = match value {
                    "" => words.next().unwrap_or(""),
                    value => value,
                };
                elsewhere.push(next);
                folder = in_folder(&folder, next).into_owned();
                continue;
            }
            if !value.is_empty() {
                known = false;
                if flags.ends_with('f') {
                    archives.push(value)
                } else {
                    others.push(value)
                }
                continue;
            }
            // In the old form each letter takes the next word: which is the folder, and which the archive, is not told apart here.
            if !word.starts_with('-') && bundle.contains('C') {
                known = false;
                elsewhere.extend(words.clone());
            }
            known &= bundle.bytes().all(|letter| b"tvzjJfpxOa".contains(&letter))
                && bundle.matches('f').count() <= 1;
            // In the old form the letters stand in any order; behind a dash, what follows `f` is its value.
            known &= !word.starts_with('-') || bundle.ends_with('f') || !bundle.contains('f');
            if bundle.contains('f') {
                archives.extend(words.next());
            }
            continue;
        }
        match word {
            "--list" => letters.push('t'),
            "--extract" | "--get" => letters.push('x'),
            "--to-stdout" => letters.push('O'),
            "--wildcards" | "--no-wildcards" | "--full-time" | "--numeric-owner" | "--utc"
            | "--auto-compress" => {}
            _ if word.starts_with("--exclude=") && placeholder::is_literal(word) => {}
            "--verbose" | "--gzip" | "--bzip2" | "--xz" | "--zstd" => {}
            "--file" => {
                letters.push('f');
                archives.extend(words.next());
            }
            "--directory" | "--cd" => {
                known = false;
                let next = words.next().unwrap_or("");
                elsewhere.push(next);
                folder = in_folder(&folder, next).into_owned();
            }
            _ if word.starts_with("--files") || word.starts_with("--add-f") => {
                known = false;
                listed |= word.starts_with("--files");
                moved.extend(word.split_once('=').map(|(_, path)| path.to_owned()));
            }
            _ => match word.strip_prefix("--file=") {
                Some(archive) => archives.push(archive),
                None if word.starts_with('-') => {
                    known = false;
                    if let Some(next) = word.strip_prefix("--directory=") {
                        elsewhere.push(next);
                        folder = in_folder(&folder, next).into_owned();
                    }
                    others.push(word);
                }
                None if folder == "." => others.push(word),
                None => moved.push(in_folder(&folder, word).into_owned()),
            },
        }
    }
    let plain =
        |word: &&str| !placeholder::may_be_option(word) && !placeholder::may_be_several(word);
    known &= archives
        .iter()
        .all(|archive| !archive.contains(':') && (*archive == "-" || plain(archive)));
    // What goes to the output is written nowhere.
    let looks = if letters.contains('x') {
        shown_before
    } else {
        letters.contains('t')
    };
    if listed {
        scene.unlisted("the names of the files that it takes stand in a list");
    }
    if known && looks && others.iter().all(plain) {
        // What is taken out and shown is judged by its name.
        others
            .iter()
            .filter(|_| letters.contains('x'))
            .for_each(|member| scene.read(member, false));
        return archives
            .iter()
            .filter(|archive| **archive != "-")
            .for_each(|archive| scene.read(archive, false));
    }
    let makes = letters.contains(['c', 'r', 'u', 'A']) || parsed.operands.contains(&"--create");
    for archive in archives {
        if makes {
            scene.write(archive)
        } else {
            scene.read(archive, false)
        }
    }
    if makes {
        let members = || others.iter().copied().filter(|word| !word.starts_with('-'));
        members().for_each(|path| scene.read(path, true));
        moved.iter().for_each(|path| scene.read(path, true));
        // Any abbreviation of `--remove-files`.
        if others
            .iter()
            .any(|word| word.len() > 4 && "--remove-files".starts_with(*word))
        {
            members().for_each(|path| deletes(scene, path));
            moved.iter().for_each(|path| deletes(scene, path));
        }
    } else {
        writes_here(scene);
        elsewhere.extend(others);
        writes_there(scene, &elsewhere);
    }
    scene.unknown(if makes { MAKES } else { EXTRACTS });
}

/// The letters of `tar` that take a value.
const VALUED: &[char] = &[
    'f', 'C', 'T', 'X', 'b', 'g', 'H', 'I', 'K', 'L', 'N', 'V', 'F',
];

/// An archive is also written wherever a word may say: a folder behind an option or in one, or a member.
fn writes_there(scene: &mut Scene<'_>, words: &[&str]) {
    for word in words {
        let place = match word.strip_prefix('-') {
            None => Some(*word),
            Some(_) if word.contains('=') => word.split_once('=').map(|(_, place)| place),
            // `-o/etc`, `-d/etc`, `-qd/etc`: a path begins behind the letter for it.
            Some(option) if !option.starts_with('-') => option
                .find(['o', 'd', 'C', 'D'])
                .and_then(|at| option.get(at + 1..)),
            Some(_) => None,
        };
        if let Some(place) = place.filter(|place| !place.is_empty()) {
            scene.path(
                EffectKind::Write,
                place,
                false,
                Manner {
                    recursive: true,
                    ..PLAIN
                },
            );
            scene.doubt();
        }
    }
}

/// What is in an archive decides where it is written; at least it may be here.
fn writes_here(scene: &mut Scene<'_>) {
    scene.path(EffectKind::Write, ".", false, PLAIN);
    scene.doubt();
}

fn unzip(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let (options, operands): (Vec<&str>, Vec<&str>) = parsed
        .operands
        .iter()
        .partition(|word| word.starts_with('-') && word.len() > 1);
    let letters =
        |word: &&str, known: &[u8]| word.bytes().skip(1).all(|letter| known.contains(&letter));
    let lists = match (scene.name.as_str(), options.split_first()) {
        ("zipinfo", _) => options.iter().all(|word| letters(word, b"12smlvhtTzC")),
        (_, Some((first, rest))) if *first == "-Z" || *first == "-Z1" => {
            rest.iter().all(|word| letters(word, b"12smlvhtTzC"))
        }
        (_, Some(_)) => {
            let all: String = options.concat();
            options.iter().all(|word| letters(word, b"lvtzqpc"))
                && all.contains(['l', 'v', 't', 'z', 'p', 'c'])
        }
        (_, None) => false,
    };
    let plain = parsed
        .operands
        .iter()
        .all(|word| !placeholder::may_be_several(word))
        && operands
            .iter()
            .all(|word| !placeholder::may_be_option(word))
        && operands
            .first()
            .is_none_or(|word| !word.contains(['*', '?', '[']));
    if let Some(archive) = operands.first() {
        scene.read(archive, false);
        // Without its ending the archive is looked for, too.
        scene.read(&format!("{archive}.zip"), false);
        scene.doubt();
    }
    let shows = options
        .iter()
        .any(|word| word.contains(['p', 'c']) && !word.starts_with("-Z"));
    if shows && scene.name == "unzip" {
        let members = operands.get(1..).unwrap_or(&[]);
        if members
            .iter()
            .any(|member| member.contains(['*', '?', '[', '\\']))
        {
            scene.unlisted("a pattern stands for files in an archive that only it knows");
        }
        reads_members(scene, members);
    }
    if !lists || !plain {
        writes_here(scene);
        writes_there(scene, &options);
        writes_there(scene, operands.get(1..).unwrap_or(&[]));
        scene.unknown(EXTRACTS);
    }
}

/// What is taken out of an archive is judged by its name, as if it lay here.
fn reads_members(scene: &mut Scene<'_>, members: &[&str]) {
    for member in members {
        scene.read(member, false);
        scene.doubt();
    }
}

fn packs(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    reads_all(scene, parsed);
    // `zip -@` takes names from its input; with `@list` others take them from a file.
    let is_zip = scene.name == "zip";
    let listed = |word: &&str| {
        word.starts_with('@')
            || word.starts_with("-i") && word.contains('@')
            || is_zip && word.starts_with('-') && word.contains('@')
    };
    if parsed.operands.iter().any(listed) {
        scene.unlisted("the names of the files that it takes stand in a list");
        let any = placeholder::TEXT.to_string();
        scene.path(EffectKind::Read, &any, false, PLAIN);
    }
    // The archive is the first word; behind a verb it is the second.
    let words: Vec<&str> = parsed
        .operands
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    let at = usize::from(scene.name != "zip" && words.len() > 1);
    if let Some(archive) = words.get(at) {
        scene.write(archive);
    }
    if parsed.operands.iter().any(|word| moves(&scene.name, word)) {
        words
            .iter()
            .skip(at + 1)
            .for_each(|path| deletes(scene, path));
    }
    // Those that unpack take a folder as a word or an option.
    if scene.name.starts_with("un") || scene.name == "rar" {
        writes_here(scene);
        writes_there(scene, &parsed.operands);
    }
    scene.unknown(MAKES);
}

/// Whether the files go away when they are in the archive. A letter that means something else is taken for this one.
fn moves(name: &str, word: &str) -> bool {
    match name {
        "zip" => {
            word == "--move"
                || word.starts_with('-') && !word.starts_with("--") && word.contains('m')
        }
        "rar" => matches!(word, "m" | "mf" | "-df" | "-dr" | "-dw"),
        _ => word.starts_with("-sdel"),
    }
}

fn deletes(scene: &mut Scene<'_>, path: &str) {
    scene.path(
        EffectKind::Delete,
        path,
        true,
        Manner {
            recursive: true,
            ..PLAIN
        },
    );
}

/// A verb with an `x` or an `e` unpacks; any other packs.
fn changes(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if parsed
        .operands
        .first()
        .is_none_or(|verb| verb.contains(['x', 'e']))
    {
        writes_here(scene);
        writes_there(scene, parsed.operands.get(1..).unwrap_or(&[]));
        scene.unknown(EXTRACTS);
    }
    packs(scene, parsed);
}

/// Every word that is no option may be a file that is read.
fn reads_all(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for word in parsed.operands.iter().filter(|word| !word.starts_with('-')) {
        scene.read(word, true);
    }
}

fn seven_zip(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.as_slice() {
        ["i"] => {}
        ["l" | "t", archive] | ["l", "-slt" | "-ba", archive]
            if !archive.starts_with(['-', '@'])
                && !archive.contains(['*', '?'])
                && placeholder::is_literal(archive) =>
        {
            scene.read(archive, false);
        }
        _ => {
            changes(scene, parsed);
        }
    }
}

/// Members of a thin archive are other files, wherever they are: only their names are shown without a question.
fn library(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.as_slice() {
        ["t" | "tv" | "-t" | "-tv", archive, members @ ..]
            if !may_be_list(archive)
                && !archive.starts_with('-')
                && members.iter().all(|member| {
                    !member.starts_with(['-', '@']) && placeholder::is_literal(member)
                }) =>
        {
            scene.read(archive, false);
            reads_members(scene, members);
        }
        _ => {
            packs(scene, parsed);
        }
    }
}

fn java_archive(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.as_slice() {
        ["tf" | "tvf" | "-tf" | "-tvf", archive]
            if !archive.starts_with(['-', '@']) && placeholder::is_literal(archive) =>
        {
            scene.read(archive, false)
        }
        _ => {
            changes(scene, parsed);
        }
    }
}

/// `cpio -t` lists what comes in; `-i`, `-o` and `-p` read and write files, whatever else is said.
fn copy_in_out(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let others = [
        "--create",
        "--pass-through",
        "--file",
        "-I",
        "--make-directories",
    ];
    if !parsed.keeps_mode("--list") || others.iter().any(|option| parsed.has(option)) {
        writes_here(scene);
        writes_there(scene, &parsed.operands);
        scene.unknown(EXTRACTS);
        if parsed.has("--create") || parsed.has("--pass-through") {
            scene.unlisted("the names of the files that it takes come from its input");
        }
    }
}

/// Without `-c`, `-l` or `-t` the file is replaced by its packed or unpacked form. `xz` and `bzip2` do what the last option says.
fn pack(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let looks = parsed.keeps_one_mode(&["--list", "--test"]);
    let turns = parsed.has("--decompress") || parsed.has("--compress");
    if looks
        || parsed.has("--decompress") && parsed.has("--stdout")
        || parsed.has("--stdout") && scene.name.contains("un")
    {
        reads_packed(scene, parsed);
    } else {
        reads(scene, parsed);
    }
    if parsed.operands.is_empty() || parsed.has("--stdout") || (looks && !turns) {
        // `bzip2 --version` goes on to pack its operands.
        return;
    }
    let unpacks =
        scene.name.starts_with("un") || scene.name.contains("un") || parsed.has("--decompress");
    let end = match scene.name.trim_start_matches("un") {
        "gzip" | "gunzip" => ".gz",
        "bzip2" | "bunzip2" => ".bz2",
        "zstd" => ".zst",
        "lzma" => ".lzma",
        _ => ".xz",
    };
    for path in &parsed.operands {
        let made = if unpacks {
            path.strip_suffix(end).unwrap_or(path).to_owned()
        } else {
            format!("{path}{end}")
        };
        scene.write(&made);
        if !parsed.has("--keep") && !scene.name.contains("zst") {
            scene.path(EffectKind::Delete, path, true, PLAIN);
        }
    }
}

/// What packed files end in. A name without one of these is tried with each by programs that unpack.
const ENDINGS: [&str; 16] = [
    ".gz", "-gz", ".z", "-z", "_z", ".Z", ".tgz", ".taz", ".bz2", ".tbz2", ".xz", ".txz", ".lzma",
    ".zst", ".lz4", ".lz",
];

fn reads_packed(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    reads(scene, parsed);
    reads_with_endings(scene, &parsed.operands);
}

fn reads_with_endings(scene: &mut Scene<'_>, paths: &[&str]) {
    for path in paths
        .iter()
        .filter(|path| **path != "-" && !placeholder::is_glob(path))
    {
        if ENDINGS.iter().any(|ending| path.ends_with(ending)) {
            continue;
        }
        for ending in ENDINGS {
            scene.read(&format!("{path}{ending}"), false);
            scene.doubt();
        }
    }
}

/// Most of these are scripts for a shell, which put some of their words together without quotes, or into a script of `sed`.
fn matches_in_packed(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let plain = |word: &str, signs: &str| {
        word.chars().all(|letter| {
            letter.is_ascii_alphanumeric()
                || letter == placeholder::STAR
                || letter == placeholder::ANY
                || signs.contains(letter)
        })
    };
    let fits = |name: &str, value: &str| match name {
        _ if scene.name == "bzgrep" => false,
        "--regexp" => {
            !value.is_empty()
                && !value.starts_with('-')
                && placeholder::is_literal(value)
                && plain(value, "_.:=,/-")
        }
        _ => is_number(value),
    };
    let skipped = usize::from(!parsed.has("--regexp"));
    let paths = parsed.operands.get(skipped..).unwrap_or(&[]);
    let values = parsed
        .options
        .iter()
        .all(|option| option.value.is_none_or(|value| fits(&option.name, value)));
    if !values || !paths.iter().all(|path| plain(path, "_.:=,/+@ -")) {
        scene.unlisted(format!(
            "`{}` is a script, which may take this apart",
            scene.name
        ));
    }
    for path in paths {
        scene.read(path, false);
    }
    reads_with_endings(scene, paths);
}
