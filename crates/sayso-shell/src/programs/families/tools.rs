//! Programs that run what their words say: interpreters, shells, debuggers, editors.

use crate::expand::launcher_options;
use crate::expand::wrappers::is_shell;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::Scene;
use crate::programs::{Program, queries, subcommands, table};

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::raw(&["npx", "pnpx", "bunx", "uvx"], runs_package).interpreter(),
    Program::raw(
        &[
            "node",
            "deno",
            "perl",
            "ruby",
            "php",
            "lua",
            "osascript",
            "tclsh",
            "Rscript",
        ],
        interpreter,
    )
    .interpreter(),
    Program::raw(
        &[
            "tmux", "screen", "gdb", "strace", "ltrace", "lldb", "vim", "vi", "nvim", "emacs",
            "less", "more", "most", "zless", "zmore", "man", "info",
        ],
        interpreter,
    )
    .interpreter(),
    Program::raw(
        &[
            "pwsh",
            "powershell",
            "powershell.exe",
            "pwsh.exe",
            "cmd",
            "cmd.exe",
        ],
        other_shell,
    )
    .interpreter(),
    Program::raw(
        &[
            "sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "source", ".", "exec", "builtin",
            "xargs", "parallel", "watch", "ssh", "su", "busybox", "toybox", "script", "trap",
            "setsid", "flock", "chroot", "entr", "runuser", "nsenter", "unshare", "pkexec",
        ],
        runs_command,
    )
    .interpreter(),
];

/// Names that carry a version or a kind: `python3.12`, `mkfs.ext4`.
pub(in crate::programs) fn by_prefix(name: &str) -> Option<&'static Program> {
    const PYTHON: Program = Program::raw(&["python"], interpreter).interpreter();
    const PICTURES: Program = Program::raw(&["netpbm"], changes_pictures).interpreter();
    const FILE_SYSTEM: Program = Program::raw(&["mkfs"], makes_file_system);
    let version = name
        .strip_prefix("python")
        .or_else(|| name.strip_prefix("pypy"));
    if version.is_some_and(|version| {
        version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    }) {
        return Some(&PYTHON);
    }
    if is_netpbm(name) {
        return Some(&PICTURES);
    }
    name.starts_with("mkfs.").then_some(&FILE_SYSTEM)
}

/// The many small programs for pictures: `pngtopnm`, `pnmscale`.
fn is_netpbm(name: &str) -> bool {
    const KINDS: [&str; 5] = ["pnm", "ppm", "pgm", "pbm", "pam"];
    let to = |kind: &&str| {
        name.strip_suffix(*kind)
            .is_some_and(|rest| rest.len() > 3 && rest.ends_with("to"))
    };
    let of = |kind: &&str| name.strip_prefix(*kind).is_some_and(|rest| rest.len() > 2);
    name.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && KINDS.iter().any(|kind| to(kind) || of(kind))
}

fn changes_pictures(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    parsed
        .operands
        .iter()
        .filter(|word| !word.starts_with('-'))
        .for_each(|word| scene.read(word, false));
    scene.runs("reads and writes pictures that its words name");
}

/// A program that [`subcommands`] knows.
pub(in crate::programs) fn with_subcommands(runs_words: bool) -> &'static Program {
    const RUNS_WORDS: Program = Program::raw(&[], subcommands::meaning).interpreter();
    const LEAVES_WORDS: Program = Program::raw(&[], subcommands::meaning);
    if runs_words {
        &RUNS_WORDS
    } else {
        &LEAVES_WORDS
    }
}

/// A program that [`table`] knows.
pub(in crate::programs) fn told(runs_words: bool) -> &'static Program {
    const RUNS_WORDS: Program = Program::raw(&[], table::meaning).interpreter();
    const LEAVES_WORDS: Program = Program::raw(&[], table::meaning);
    if runs_words {
        &RUNS_WORDS
    } else {
        &LEAVES_WORDS
    }
}

fn makes_file_system(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    parsed
        .operands
        .iter()
        .filter(|word| !word.starts_with('-'))
        .for_each(|path| scene.write(path));
    scene.unknown("makes a new file system");
}

fn runs_package(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if queries::only_prints(scene, &parsed.operands) {
        return;
    }
    scene.interprets = true;
    scene.connect("the package registry");
    scene.unknown("downloads a package and runs it");
}

fn interpreter(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.interprets = true;
    if queries::only_prints(scene, &parsed.operands) {
        return;
    }
    // It only looks whether a file could be read as a program; `ruby -c` takes options from its first line, and `node -c` reads what
    // `package.json` names.
    if let ("php", ["-l", file]) = (scene.name.as_str(), parsed.operands.as_slice())
        && placeholder::is_operand(file)
        && !file.contains(':')
    {
        scene.settle();
        return scene.read(file, false);
    }
    let note = format!(
        "`{}` runs whatever its arguments or its input say",
        scene.name
    );
    scene.unknown(note.clone());
    // Without a file the program is in the arguments or comes from the input.
    let language = matches!(
        scene.name.as_str(),
        "node" | "deno" | "perl" | "ruby" | "php" | "lua" | "tclsh" | "Rscript" | "osascript"
    ) || scene.name.starts_with("py");
    if language
        && parsed
            .operands
            .first()
            .is_none_or(|word| word.starts_with('-'))
    {
        scene.opaque(note);
    }
}

/// A shell whose language this reader does not know.
fn other_shell(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.interprets = true;
    let note = format!(
        "`{}` runs text for another shell, which is not read",
        scene.name
    );
    scene.unknown(note.clone());
    scene.opaque(note);
}

/// The words after it are a command or a script, which this reader does not look into.
fn runs_command(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.interprets = true;
    match parsed.operands.as_slice() {
        // It only redirects.
        [] if scene.name == "exec" => return scene.settle(),
        // It only looks whether the first file could be read as a script. `+n` behind it would take that back.
        ["-n", files @ ..]
            if is_shell(&scene.name)
                && !files.is_empty()
                && files.iter().all(|file| placeholder::is_operand(file)) =>
        {
            scene.settle();
            return files.iter().for_each(|file| scene.read(file, false));
        }
        _ => {}
    }
    if scene.read_inside {
        makes_file(scene, parsed);
    }
    if scene.read_inside || queries::only_prints(scene, &parsed.operands) {
        return scene.settle();
    }
    let note = format!("`{}` runs another command", scene.name);
    scene.unknown(note.clone());
    if scene.name == "ssh" {
        scene.connect(
            parsed
                .operands
                .iter()
                .find(|word| !word.starts_with('-'))
                .unwrap_or(&"a host that is not in the command"),
        );
    }
    // A shell with only a file to run is an interpreter like any other.
    let script = parsed
        .operands
        .iter()
        .any(|word| word.starts_with('-') && word.contains('c'));
    let file = parsed.operands.iter().any(|word| !word.starts_with('-'));
    if !is_shell(&scene.name) || script || !file {
        scene.opaque(note);
    }
}

/// The file that a program makes which itself only starts another.
fn makes_file(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let file =
        launcher_options::read(&scene.name, &parsed.operands).and_then(|carrier| carrier.file);
    match (
        file.and_then(|at| parsed.operands.get(at)),
        scene.name.as_str(),
    ) {
        (Some(file), _) => scene.write(file),
        (None, "script") => scene.write("typescript"),
        (None, _) => {}
    }
}
