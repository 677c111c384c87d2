//! What must hold for every run of a silent snippet, whatever the reader thought of its text.
//!
//! Each program that was really started, and each file that a shell really read or wrote, is judged again by itself, as literal text: what
//! would not be silent alone may not be silent in a snippet. In bash, each start must be among the listed commands as well.

use std::collections::HashMap;

use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use sayso_gate::pipeline::{Bench, judge};
use sayso_shell::Bash;

use super::listed::is_listed;
use super::sandbox::{Run, Start};
use super::stage::Stage;

/// What a person who has answered often may have allowed.
const GRANTED: &str = r#"
version: 1
rules:
  - allow: {write: "out/**"}
  - allow: {command: "make *"}
  - allow: {command: "cargo *"}
  - allow: {command: "touch *"}
  - allow: {command: "mkdir *"}
  - allow: {command: "cat *"}
  - allow: {command: "sort *"}
  - allow: {command: "tee *"}
"#;
/// Programs that write nothing and start nothing, whatever their options say: for these an unknown option is no harm.
const HARMLESS: [&str; 22] = [
    "basename",
    "cat",
    "cksum",
    "comm",
    "cut",
    "dirname",
    "du",
    "echo",
    "grep",
    "head",
    "ls",
    "md5sum",
    "nl",
    "od",
    "paste",
    "printf",
    "rev",
    "sha256sum",
    "stat",
    "tail",
    "tr",
    "wc",
];
/// Programs that start others; what they start is looked at by itself.
pub const STARTERS: [&str; 14] = [
    "bash", "busybox", "dash", "env", "find", "nice", "nohup", "setsid", "sh", "stdbuf", "time",
    "timeout", "xargs", "zsh",
];

/// Something that a silent snippet did all the same.
#[derive(Debug)]
pub struct Miss {
    pub kind: &'static str,
    pub shell: String,
    pub text: String,
    pub what: String,
}

/// The policy as it comes, and one with grants; and what they said before.
pub struct Judges {
    world: Stage,
    policies: [Policy; 2],
    known: HashMap<(String, String), [bool; 2]>,
}

/// Whether a program ran that nobody knows.
pub fn ran_evil(run: &Run) -> bool {
    run.starts.iter().any(is_evil)
}

fn is_evil(start: &Start) -> bool {
    !start.file.starts_with("/usr/bin/") || start.file == "/usr/bin/EVIL"
}

impl Judges {
    pub fn new() -> Self {
        let (layer, findings) = read(
            Source {
                name: "granted",
                text: GRANTED,
            },
            Format::Yaml,
            Origin::User,
            &Bash,
        );
        let layer = layer.unwrap_or_else(|| panic!("{findings:?}"));
        let assemble = |layers| Policy::assemble(layers, &Overrides::default(), &Bash);
        Judges {
            world: Stage::new(),
            policies: [assemble(Vec::new()), assemble(vec![layer])],
            known: HashMap::new(),
        }
    }

    /// Whether each policy is silent on a text.
    fn allowed(&mut self, text: &str, folder: &str) -> [bool; 2] {
        let key = (text.to_owned(), folder.to_owned());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let call = Call {
            cwd: folder.to_owned(),
            ..Call::command(text, "/ws")
        };
        let allowed = match Operation::freeze(call) {
            Ok(operation) => [0, 1].map(|index| {
                let policy = &self.policies[index];
                let bench = Bench {
                    world: &self.world,
                    policy,
                    grants: &[],
                    uses: None,
                    run: Default::default(),
                    now: 0,
                    runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
                    trace: false,
                };
                judge(&bench, &operation).verdict.decision == Decision::Allow
            }),
            Err(_) => [false; 2],
        };
        self.known.insert(key, allowed);
        allowed
    }

    /// Whether a snippet is silent, and whether it is with grants.
    pub fn silent(&mut self, text: &str) -> (bool, bool) {
        let [silent, granted] = self.allowed(text, "/ws");
        (silent, granted)
    }

    /// Everything that a run did and that the verdict on its text did not allow.
    pub fn misses(&mut self, text: &str, run: &Run) -> Vec<Miss> {
        let allowed = self.allowed(text, "/ws");
        self.misses_if(allowed, text, run)
    }

    /// The same for a verdict that is given.
    pub fn misses_if(&mut self, allowed: [bool; 2], text: &str, run: &Run) -> Vec<Miss> {
        if allowed == [false; 2] {
            return Vec::new();
        }
        let mut out = Vec::new();
        let mut miss = |kind: &'static str, what: String| {
            out.push(Miss {
                kind,
                shell: run.shell.clone(),
                text: text.to_owned(),
                what,
            });
        };
        // Whether what is allowed alone covers what was allowed in the snippet.
        let covers = |alone: [bool; 2]| (0..2).all(|index| alone[index] || !allowed[index]);
        let commands = sayso_shell::analyse(text).commands;
        for start in &run.starts {
            let shown = format!("{:?} in {}", start.argv, start.folder);
            let name = start.file.rsplit('/').next().unwrap_or_default();
            if is_evil(start) {
                miss("started a program that nobody knows", shown);
                continue;
            }
            if !start.environment.is_empty() {
                miss(
                    "changed the environment of a program",
                    format!("{shown}: {:?}", start.environment),
                );
            }
            // Alone it would get words from anywhere; behind a list of names it gets only these, and must be among the listed commands.
            let fed = name == "xargs" && text.contains('|') && !text.contains('<');
            if !fed && !covers(self.alone(name, start)) {
                miss("started what is not silent alone", shown.clone());
            }
            if let Some(input) = start
                .input
                .as_deref()
                .filter(|input| !covers(self.allowed(&quote(&["cat", input]), "/ws")))
            {
                miss(
                    "gave a program what is not silent to read",
                    format!("{shown} < {input}"),
                );
            }
            let arguments = start.argv.get(1..).unwrap_or(&[]);
            if run.shell == "bash"
                && !STARTERS.contains(&name)
                && !is_listed(&commands, name, arguments, &start.folder)
            {
                miss(
                    "started what is not listed",
                    format!(
                        "{shown}; listed: {:?}",
                        commands.iter().map(|c| &c.words).collect::<Vec<_>>()
                    ),
                );
            }
        }
        for path in &run.changed {
            let line = format!("true > {}", quote(&[path]));
            if !covers(self.allowed(&line, "/ws")) {
                miss("changed what is not silent to write", path.clone());
            }
        }
        // Shells look up the user's own name by themselves.
        for path in run.read.iter().filter(|path| *path != "/etc/passwd") {
            if !covers(self.allowed(&quote(&["cat", path]), "/ws")) {
                miss("read what is not silent to read", path.clone());
            }
        }
        out
    }

    /// Whether each policy is silent on the start of a program, as literal text.
    fn alone(&mut self, name: &str, start: &Start) -> [bool; 2] {
        let mut words = vec![name.to_owned()];
        let whole: Vec<String> = words
            .iter()
            .chain(start.argv.iter().skip(1))
            .cloned()
            .collect();
        let as_it_stands = self.allowed(&sayso_shell::quote(&whole), &start.folder);
        // An option that nobody knows is no harm where none can be.
        let arguments = start.argv.get(1..).unwrap_or(&[]);
        let harmless = |word: &&String| HARMLESS.contains(&name) && word.starts_with('-');
        // A pipe to a command that is looked at by itself.
        let pipe =
            |word: &&String| word.starts_with("/dev/fd/") || word.starts_with("/proc/self/fd/");
        words.extend(
            arguments
                .iter()
                .filter(|word| !harmless(word) && !pipe(word))
                .cloned(),
        );
        let text = sayso_shell::quote(&words);
        let without = self.allowed(&text, &start.folder);
        [0, 1].map(|index| as_it_stands[index] || without[index])
    }
}

fn quote(words: &[&str]) -> String {
    sayso_shell::quote(
        &words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>(),
    )
}
