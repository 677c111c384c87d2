//! The judge with the real machine as its world, and what of a trace it had not listed.

use std::path::PathBuf;

use sayso_core::analysis::draft::{Command, Reading};
use sayso_core::analysis::effect::{EffectKind, Target};
use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::call::operation::{Call, Operation};
use sayso_core::paths::{below, join};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::{Overrides, Policy};
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::World;
use sayso_shell::Bash;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

use super::ground::Ground;
use super::trace::{Started, Trace};
use crate::oracle::listed::words_fit;

/// Programs that are scripts or families: what they start is how they do the one thing that is listed for them.
const HELPERS: [(&str, &[&str]); 40] = [
    ("locale", &["gzip"]),
    ("zstdgrep", &["grep", "zstdcat", "sed"]),
    (
        "gcloud",
        &["python3", "dirname", "readlink", "tput", "uname"],
    ),
    ("egrep", &["grep"]),
    ("fgrep", &["grep"]),
    ("zcat", &["gzip"]),
    ("gunzip", &["gzip"]),
    ("uncompress", &["gzip", "gunzip"]),
    ("zgrep", &["grep", "gzip", "sed", "expr"]),
    ("zegrep", &["zgrep", "grep", "gzip", "sed", "expr"]),
    ("zfgrep", &["zgrep", "grep", "gzip", "sed", "expr"]),
    ("zdiff", &["diff", "gzip"]),
    ("zcmp", &["cmp", "gzip"]),
    ("xzgrep", &["grep", "xz", "sed", "expr"]),
    ("xzegrep", &["grep", "xz", "sed", "expr"]),
    ("bzgrep", &["grep", "bzip2", "sed", "expr"]),
    ("bzdiff", &["diff", "bzip2"]),
    ("sdiff", &["diff"]),
    ("diff3", &["diff"]),
    (
        "valgrind --version",
        &["valgrind.bin", "memcheck-amd64-linux"],
    ),
    ("lsb_release", &["getopt", "cut", "tr"]),
    ("apt", &["dpkg"]),
    ("apt-cache", &["dpkg"]),
    ("apt-mark", &["dpkg"]),
    // One of the two programs of that name is a part around jq.
    ("yq", &["jq"]),
    ("dpkg", &["dpkg-query"]),
    (
        "pg_config",
        &["ls", "tail", "pg_config", "pg_config.libpq-dev"],
    ),
    ("npm", &["env", "node"]),
    ("npx --version", &["env", "node"]),
    ("npx -v", &["env", "node"]),
    (
        "git submodule",
        &["basename", "sed", "uname", "gettext", "envsubst"],
    ),
    (
        "git bisect",
        &["basename", "sed", "uname", "gettext", "envsubst"],
    ),
    ("cloc", &["pwd"]),
    ("wdiff", &["diff"]),
    ("gem", &["ruby"]),
    ("erl", &["dirname", "basename", "erlexec", "beam.smp"]),
    (
        "man",
        &[
            "nroff", "groff", "troff", "grotty", "preconv", "tbl", "col", "gzip", "zsoelim",
            "iconv", "locale", "cat", "apropos", "whatis",
        ],
    ),
    (
        "mvn",
        &[
            "java", "ls", "expr", "uname", "dirname", "basename", "sed", "tr", "cut", "xargs",
            "sh", "env",
        ],
    ),
    // It asks what it could show.
    ("gdb --version", &["iconv"]),
    ("tar", &["gzip", "bzip2", "xz", "zstd"]),
];
/// What programs keep for themselves, beside what they are told to do: git notes in its index which files it has looked at.
/// `top` makes the empty folder for its settings, npm keeps a log, java has its counters in a file of its own, dpkg-deb unpacks what it shows,
/// svn makes the folder for its settings.
const OWN_NOTES: [(&str, &[&str]); 17] = [
    ("tac", &["/tmp/tac"]),
    ("gcloud", &["/home/.config"]),
    ("git", &["/.git/index", "/.git/index.lock"]),
    ("java", &["/hsperfdata_", "/coredump_filter"]),
    ("javac", &["/hsperfdata_", "/coredump_filter"]),
    ("jar", &["/hsperfdata_", "/coredump_filter"]),
    ("javap", &["/hsperfdata_", "/coredump_filter"]),
    ("jps", &["/hsperfdata_", "/coredump_filter"]),
    ("mvn", &["/hsperfdata_", "/coredump_filter"]),
    ("man", &["/var/cache/man/"]),
    // The folder for sockets of its servers.
    ("tmux", &["/tmp/tmux-"]),
    ("top", &["/home/.config"]),
    // Without a HOME, it is the one of the account.
    ("npm", &["/home/.npm", "/root"]),
    ("terraform", &["/home/.terraform.d"]),
    ("dpkg-deb", &["/tmp/dpkg-deb."]),
    ("wdiff", &["/tmp/wdiff."]),
    ("svn", &["/home/.subversion"]),
];

/// Programs that look up the names of what is connected, or whether there is a newer version of themselves: no word of the command is told to
/// anybody by that, and no file of the project chooses whom they ask.
const LOOK_UP: [&str; 10] = [
    "kubectl",
    "lsof",
    "fuser",
    "netstat",
    "arp",
    "npm",
    "terraform",
    "az",
    "gcloud",
    "mise",
];

/// Something that a command did and the judge had not listed.
#[derive(Debug)]
pub struct Violation {
    pub kind: &'static str,
    pub text: String,
    pub what: String,
}

struct Real(Machine);

impl World for Real {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.0.answer(cwd, workspace, questions)
    }
}

/// The policy as it comes, over the project.
pub struct Judge {
    world: Real,
    policy: Policy,
    workspace: String,
}

impl Judge {
    /// The policy as it comes.
    pub fn new(ground: &Ground) -> Judge {
        Judge::with_policy(
            ground,
            Policy::assemble(Vec::new(), &Overrides::default(), &Bash),
        )
    }

    pub fn with_policy(ground: &Ground, policy: Policy) -> Judge {
        let (home, config) = (ground.home.clone(), ground.home.join(".config"));
        let whereabouts = Whereabouts {
            config: config.join("sayso"),
            state: home.join(".local/state/sayso"),
            log: None,
            managed: home.join("managed"),
            binary: PathBuf::from("/usr/bin/sayso"),
            // What is installed decides nothing.
            path: vec![PathBuf::from("/nonexistent/bin")],
            uid: Whereabouts::from_environment().map_or(0, |around| around.uid),
            git_configs: vec![config.join("git/config"), home.join(".gitconfig")],
            git_ignore: Some(config.join("git/ignore")),
            git_elsewhere: None,
            home: Some(home),
        };
        Judge {
            world: Real(Machine::new(whereabouts)),
            policy,
            workspace: ground.workspace.to_str().unwrap().to_owned(),
        }
    }

    pub fn read(&self, text: &str) -> Option<(Decision, Reading)> {
        let operation = Operation::freeze(Call::command(text, &self.workspace)).ok()?;
        let (world, policy) = (&self.world, &self.policy);
        let bench = Bench {
            world,
            policy,
            grants: &[],
            uses: None,
            run: Default::default(),
            now: 0,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        let judged = judge(&bench, &operation);
        Some((judged.verdict.decision, judged.reading))
    }

    pub fn is_silent(&self, text: &str) -> bool {
        self.read(text)
            .is_some_and(|(decision, _)| decision == Decision::Allow)
    }

    /// What the trace of a command has that was not listed of another text, which is the same but for tests.
    pub fn violations(&self, told: &str, text: &str, trace: &Trace) -> Vec<Violation> {
        let Some((_, reading)) = self.read(told) else {
            return Vec::new();
        };
        let violation = |kind: &'static str, what: String| Violation {
            kind,
            text: text.to_owned(),
            what,
        };
        let words: Vec<&Vec<String>> = reading
            .commands
            .iter()
            .map(|command| &command.words)
            .collect();
        let mut out = Vec::new();
        for started in trace
            .started
            .iter()
            .filter(|started| !is_listed(&reading, started))
        {
            out.push(violation(
                "started what is not listed",
                format!("{started:?}; listed: {words:?}"),
            ));
        }
        for path in trace
            .written
            .iter()
            .filter(|path| !is_nowhere(path) && !self.is_listed_write(&reading, path))
        {
            out.push(violation("wrote what is not listed", path.clone()));
        }
        let looks_up = reading
            .commands
            .iter()
            .filter_map(|command| command.words.first())
            .any(|name| LOOK_UP.contains(&name.as_str()));
        for call in trace.reached.iter().filter(|_| !looks_up) {
            out.push(violation("reached further than its files", call.clone()));
        }
        out
    }

    fn is_listed_write(&self, reading: &Reading, path: &str) -> bool {
        let path = join(&self.workspace, path);
        let own = |name: &str| {
            OWN_NOTES.iter().any(|(program, paths)| {
                *program == name && paths.iter().any(|part| path.contains(part))
            })
        };
        if reading
            .commands
            .iter()
            .filter_map(|command| command.words.first())
            .any(|name| own(name))
        {
            return true;
        }
        reading.effects.iter().any(|effect| {
            match (
                &effect.target,
                effect.place().and_then(|place| place.fact.as_ref()),
            ) {
                (Target::UnknownPath(_), _) => effect.kind == EffectKind::Write,
                (_, Some(fact))
                    if matches!(effect.kind, EffectKind::Write | EffectKind::Delete) =>
                {
                    fact.canonical == path
                        || (effect.manner.recursive || effect.manner.repository)
                            && below(&path, &fact.canonical)
                }
                _ => false,
            }
        })
    }
}

/// Devices that keep nothing.
fn is_nowhere(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/tty" | "/dev/zero" | "/dev/full")
        || path.starts_with("/dev/pts/")
        || path.starts_with("pipe:")
}

fn is_listed(reading: &Reading, started: &Started) -> bool {
    let name = started.name();
    let arguments = started.argv.get(1..).unwrap_or(&[]);
    reading.commands.iter().any(|command: &Command| {
        let first = command.words.first().map_or("", String::as_str);
        let itself = first == name
            && words_fit(
                command.words.get(1..).unwrap_or(&[]),
                command.literal,
                arguments,
            );
        let carries = command
            .wrappers
            .iter()
            .chain(command.stages.iter().filter_map(|stage| stage.first()));
        let starts_with = |start: &str| {
            start
                .split(' ')
                .zip(&command.words)
                .all(|(wanted, word)| wanted == word)
        };
        let helps = HELPERS
            .iter()
            .any(|(start, helpers)| starts_with(start) && helpers.contains(&name))
            || first == "git" && started.file.contains("/git-core/");
        // A login shell reads the administrator's and the person's own profile first.
        let login = |word: &String| {
            word.strip_prefix('-')
                .is_some_and(|letters| !letters.starts_with('-') && letters.contains('l'))
        };
        let profile = matches!(first, "bash" | "sh")
            && name == "id"
            && command.words.iter().skip(1).take(2).any(login);
        // The shell for a text that was read as part of this command: `flock -c`, `script -c`, and `watch`, which joins its words.
        let is_part = |text: &String| {
            command.words.contains(text)
                || first == "watch" && command.words.join(" ").ends_with(text.as_str())
        };
        let carried =
            name == "sh" && matches!(arguments, [option, text] if option == "-c" && is_part(text));
        itself
            || helps
            || profile
            || carried
            || carries
                .into_iter()
                .any(|word| word.rsplit('/').next() == Some(name))
    })
}
