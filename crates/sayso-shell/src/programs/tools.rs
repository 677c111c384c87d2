//! Programs that run other code: build tools, package managers, interpreters.

use super::Program;
use crate::options::Parsed;
use crate::scene::Scene;
use crate::wrappers::is_shell;

pub(super) const PROGRAMS: &[Program] = &[
    Program::raw(&["npm", "pnpm", "yarn", "bun"], package_manager),
    Program::raw(
        &["pip", "pip3", "pipx", "uv", "poetry", "gem", "bundle", "composer", "apt", "apt-get", "dnf", "yum", "brew", "pacman", "apk"],
        package_manager,
    ),
    Program::raw(
        &[
            "cargo", "go", "make", "gmake", "cmake", "ninja", "meson", "gradle", "mvn", "pytest", "tox", "jest", "vitest", "rake", "just",
            "bazel", "dotnet", "swift", "tsc", "eslint", "prettier", "black", "ruff", "mypy",
        ],
        project_code,
    ),
    Program::raw(&["rustc", "gcc", "g++", "clang", "cc", "rustfmt", "gofmt"], project_code),
    Program::raw(&["npx", "pnpx", "bunx", "uvx"], runs_package).interpreter(),
    Program::raw(&["node", "deno", "perl", "ruby", "php", "lua", "osascript", "tclsh", "Rscript"], interpreter).interpreter(),
    Program::raw(
        &["docker", "podman", "kubectl", "tmux", "screen", "gdb", "strace", "ltrace", "lldb", "vim", "vi", "emacs", "less", "man"],
        interpreter,
    )
    .interpreter(),
    Program::raw(&["pwsh", "powershell", "powershell.exe", "pwsh.exe", "cmd", "cmd.exe"], other_shell).interpreter(),
    Program::raw(
        &[
            "sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "source", ".", "exec", "builtin", "xargs", "parallel", "watch", "ssh",
            "su", "busybox", "toybox", "script", "trap", "setsid", "flock", "chroot",
        ],
        runs_command,
    )
    .interpreter(),
];

/// Names that carry a version or a kind: `python3.12`, `mkfs.ext4`.
pub(super) fn by_prefix(name: &str) -> Option<&'static Program> {
    const PYTHON: Program = Program::raw(&["python"], interpreter).interpreter();
    const FILE_SYSTEM: Program = Program::raw(&["mkfs"], makes_file_system);
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    if version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')) {
        return Some(&PYTHON);
    }
    name.starts_with("mkfs.").then_some(&FILE_SYSTEM)
}

fn makes_file_system(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.unknown("makes a new file system");
}

fn package_manager(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let subcommand = parsed.operands.iter().find(|word| !word.starts_with('-')).copied().unwrap_or("");
    match subcommand {
        "install" | "i" | "ci" | "add" | "update" | "upgrade" | "sync" | "" => {
            scene.connect("the package registry");
            scene.runs("installs packages, which may run their code");
        }
        "publish" | "login" | "logout" | "token" | "adduser" => {
            scene.connect("the package registry");
            scene.unknown(format!("`{} {subcommand}` reaches the package registry as you", scene.name));
        }
        "exec" | "x" | "dlx" | "explore" => {
            scene.interprets = true;
            scene.unknown(format!("`{} {subcommand}` runs any program", scene.name));
        }
        _ => scene.runs("runs the project's own code"),
    }
}

fn project_code(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match (scene.name.as_str(), parsed.operands.first().copied()) {
        ("cargo", Some("install" | "add" | "update" | "fetch")) | ("go", Some("get" | "install")) => {
            scene.connect("the package registry");
            scene.runs("installs packages, which may run their code");
        }
        ("cargo", Some("publish" | "login" | "yank" | "owner")) => {
            scene.connect("the package registry");
            scene.unknown("reaches the package registry as you");
        }
        _ => scene.runs("runs the project's own code"),
    }
}

fn runs_package(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.interprets = true;
    scene.connect("the package registry");
    scene.unknown("downloads a package and runs it");
}

fn interpreter(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.interprets = true;
    let asks_version =
        |name: &str| (name == "node" && parsed.operands == ["-v"]) || (name.starts_with("python") && parsed.operands == ["-V"]);
    if asks_version(&scene.name) || (matches!(scene.name.as_str(), "node" | "python" | "python3") && parsed.operands == ["--version"]) {
        return;
    }
    let note = format!("`{}` runs whatever its arguments or its input say", scene.name);
    scene.unknown(note.clone());
    // Without a file the program is in the arguments or comes from the input.
    let language = matches!(scene.name.as_str(), "node" | "deno" | "perl" | "ruby" | "php" | "lua" | "tclsh" | "Rscript" | "osascript")
        || scene.name.starts_with("py");
    if language && parsed.operands.first().is_none_or(|word| word.starts_with('-')) {
        scene.opaque(note);
    }
}

/// A shell whose language this reader does not know.
fn other_shell(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.interprets = true;
    let note = format!("`{}` runs text for another shell, which is not read", scene.name);
    scene.unknown(note.clone());
    scene.opaque(note);
}

/// The words after it are a command or a script, which this reader does not look into.
fn runs_command(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.interprets = true;
    if scene.read_inside {
        return scene.settle();
    }
    let note = format!("`{}` runs another command", scene.name);
    scene.unknown(note.clone());
    if scene.name == "ssh" {
        scene.connect(parsed.operands.iter().find(|word| !word.starts_with('-')).unwrap_or(&"a host that is not in the command"));
    }
    // A shell with only a file to run is an interpreter like any other.
    let script = parsed.operands.iter().any(|word| word.starts_with('-') && word.contains('c'));
    let file = parsed.operands.iter().any(|word| !word.starts_with('-'));
    if !is_shell(&scene.name) || script || !file {
        scene.opaque(note);
    }
}
