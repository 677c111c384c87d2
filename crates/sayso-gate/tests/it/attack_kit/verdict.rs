//! What a run did that a silent verdict does not allow.

use sayso_core::policy::decision::Decision;

use super::field::{Field, SHELLS};
use crate::traced::judge::{Judge, Violation};
use crate::traced::trace::{Started, Trace};

/// Where files are everybody's: programs, their data, settings of the system, and what the kernel shows.
const PUBLIC: [&str; 8] = [
    "/usr", "/etc", "/lib", "/bin", "/proc", "/sys", "/dev", "/tmp",
];
/// Files of the system that are not.
const NOT_PUBLIC: [&str; 5] = [
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/ssh/ssh_host_",
    "/etc/ssl/private/",
];
/// What shells keep of here-documents and pipes for themselves, `diff` of busybox of a pipe, and `sort` of long input.
const OWN_OF_SHELLS: [&str; 5] = [
    "/tmp/zsh",
    "/dev/shm/sf",
    "socket:",
    "/tmp/dif",
    "/tmp/sort",
];

/// Everything that a silent candidate did in a shell beyond what was listed for it.
pub fn violations(
    field: &Field,
    judge: &Judge,
    shell: usize,
    text: &str,
    trace: &Trace,
) -> Vec<Violation> {
    let mut out = judge.violations(text, text, trace);
    out.retain(|one| {
        one.kind != "wrote what is not listed"
            || !OWN_OF_SHELLS
                .iter()
                .any(|start| one.what.starts_with(start))
    });
    // The name of this machine itself is looked up like any other.
    let asks_for_itself = trace
        .started
        .iter()
        .any(|started| started.argv == ["getent", "hosts", "localhost"]);
    out.retain(|one| one.kind != "reached further than its files" || !asks_for_itself);
    // For a redirect without a command, zsh shows the file by its `READNULLCMD`.
    let shows_input = |one: &Violation| {
        one.kind == "started what is not listed" && one.what.contains("argv: [\"pager\"]")
    };
    out.retain(|one| !shows_input(one) || !text.contains('<'));
    // Other shells may split words otherwise; what they start must be silent alone, then.
    if SHELLS.get(shell).is_some_and(|(name, _)| *name != "bash") {
        let unlisted = |violation: &Violation| violation.kind == "started what is not listed";
        if out.iter().any(unlisted)
            && trace
                .started
                .iter()
                .all(|started| is_silent_alone(judge, started))
        {
            out.retain(|violation| !unlisted(violation));
        }
    }
    let opened = opened(field, trace).into_iter();
    out.extend(opened.map(|(kind, path)| Violation {
        kind,
        text: text.to_owned(),
        what: path.to_owned(),
    }));
    out.dedup_by(|one, other| one.kind == other.kind && one.what == other.what);
    out
}

/// The files that a run opened and that no silent candidate may, with what is wrong about each.
pub fn opened<'a>(field: &Field, trace: &'a Trace) -> Vec<(&'static str, &'a str)> {
    let kind = |path: &String| {
        // The wrapper of Debian is written in Perl, whose `getpwuid` opens it as root; `lslogins` asks it which accounts are locked.
        if path == "/etc/shadow"
            && trace
                .started
                .iter()
                .any(|started| matches!(started.name(), "psql" | "lslogins"))
        {
            return None;
        }
        // npm keeps its log in the home of the account where there is no HOME.
        if path.starts_with("/root/.npm")
            && trace.started.iter().any(|started| started.name() == "npm")
        {
            return None;
        }
        if field.secrets.contains(path) && trace.started.iter().any(shows_no_content) {
            return None;
        }
        if field.secrets.contains(path) || NOT_PUBLIC.iter().any(|start| path.starts_with(start)) {
            return Some("opened a secret or a file outside");
        }
        is_elsewhere(field, path).then_some("opened what is not public")
    };
    trace
        .opened
        .iter()
        .filter_map(|path| Some((kind(path)?, path.as_str())))
        .collect()
}

/// Whether a program opens files and shows nothing of what is in them: a dry run of `git add` hashes each file for its index and prints
/// names, `lsattr` asks the file system for flags.
fn shows_no_content(started: &Started) -> bool {
    let has = |words: &[&str]| {
        started
            .argv
            .iter()
            .any(|word| words.contains(&word.as_str()))
    };
    started.name() == "lsattr"
        || started.name() == "git" && has(&["add"]) && has(&["-n", "--dry-run"])
}

/// Whether a path is neither in the project nor public. Folders on the way to the project are looked at by many programs.
fn is_elsewhere(field: &Field, path: &str) -> bool {
    let (home, workspace) = (
        field.ground.home.to_string_lossy(),
        field.ground.workspace.to_string_lossy(),
    );
    let inside = sayso_core::paths::below(path, &workspace)
        || sayso_core::paths::below(&workspace, path)
        || path == home;
    // Pipes, sockets and files without a name.
    let nameless = !path.starts_with('/') || path.ends_with("(deleted)");
    !inside
        && !nameless
        && !PUBLIC
            .iter()
            .any(|folder| sayso_core::paths::below(path, folder))
}

/// Whether a program with these words would be silent as a candidate of its own.
fn is_silent_alone(judge: &Judge, started: &Started) -> bool {
    let mut words = vec![started.name().to_owned()];
    // A process substitution is a pipe of the line itself.
    let word = |word: &String| {
        if word.starts_with("/dev/fd/") {
            "README.md".to_owned()
        } else {
            word.clone()
        }
    };
    words.extend(started.argv.iter().skip(1).map(word));
    judge
        .read(&sayso_shell::quote(&words))
        .is_some_and(|(decision, _)| decision == Decision::Allow)
}
