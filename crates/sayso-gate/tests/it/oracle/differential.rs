//! Bash is the reference: of every script, whatever the verdict on it, each program that bash started and each file that it wrote must have
//! been seen by the reader, or the reader must have said that there is something it cannot see.
//!
//! `SAYSO_DIFFERENTIAL_CASES` says how many scripts are compared, and `SAYSO_ORACLE_SEED` which ones.

use sayso_core::analysis::draft::{Command, Reading};
use sayso_core::analysis::effect::{EffectKind, Target};
use sayso_core::call::operation::{Call, Operation};
use sayso_core::paths::below;
use sayso_core::policy::{Overrides, Policy};
use sayso_gate::pipeline::{Bench, judge};
use sayso_shell::Bash;

use super::listed::{is_listed, words_fit};
use super::sandbox::{Run, Sandbox, Start};
use super::stage::{self, Stage};
use super::truth::{Miss, STARTERS};
use super::{BATCH, generate, number, report, rows, skipped};
use crate::world::HOME;

/// How many scripts are compared when nothing else is said.
const USUAL: usize = 800;

/// What the comparison came to.
#[derive(Default)]
struct Tally {
    scripts: usize,
    read: usize,
    starts: usize,
    writes: usize,
    late: usize,
    misses: Vec<Miss>,
}

/// The reader, with what it asks of the world answered.
struct Reader {
    world: Stage,
    policy: Policy,
}

impl Reader {
    fn new() -> Self {
        Reader {
            world: Stage::new(),
            policy: Policy::assemble(Vec::new(), &Overrides::default(), &Bash),
        }
    }

    fn read(&self, text: &str) -> Option<Reading> {
        let operation = Operation::freeze(Call::command(text, "/ws")).ok()?;
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
        Some(judge(&bench, &operation).reading)
    }
}

/// Whether it was said of a part that what it does is not known. Of the programs of the sandbox all is known: they start and write nothing.
fn is_open(reading: &Reading) -> bool {
    let inert = |command: &Command| match command.words.first() {
        Some(name) => {
            !STARTERS.contains(&name.as_str()) && !command.interprets && !is_of_shell(name)
        }
        None => false,
    };
    let parts = || {
        reading
            .effects
            .iter()
            .filter(|effect| effect.kind == EffectKind::Unknown)
    };
    reading.opaque.is_some()
        || parts().any(|effect| {
            !effect
                .part
                .and_then(|part| reading.commands.get(part))
                .is_some_and(inert)
        })
}

/// The builtins that start something or change what later words mean.
fn is_of_shell(name: &str) -> bool {
    matches!(
        name,
        "." | "source"
            | "eval"
            | "trap"
            | "alias"
            | "unalias"
            | "hash"
            | "enable"
            | "exec"
            | "command"
            | "builtin"
            | "coproc"
            | "shopt"
            | "set"
            | "declare"
            | "typeset"
            | "local"
            | "export"
            | "readonly"
            | "read"
            | "mapfile"
            | "readarray"
            | "printf"
            | "let"
            | "unset"
            | "bind"
            | "complete"
            | "compgen"
            | "fc"
            | "history"
            | "cd"
            | "pushd"
            | "popd"
            | "getopts"
            | "wait"
            | "test"
            | "["
    )
}

fn is_seen(reading: &Reading, start: &Start) -> bool {
    let name = start.file.rsplit('/').next().unwrap_or_default();
    let (called, arguments) = start
        .argv
        .split_first()
        .map_or((name, &[][..]), |(first, rest)| (first.as_str(), rest));
    let at_home = called.strip_prefix(HOME).map(|rest| format!("~{rest}"));
    let mut names = [Some(name), Some(called), at_home.as_deref()]
        .into_iter()
        .flatten();
    if names.any(|name| is_listed(&reading.commands, name, arguments, &start.folder)) {
        return true;
    }
    // What only starts others is taken off the command it starts, which is compared by itself. What an unknown program may start stands
    // among the other forms of its command, where ask and deny rules look.
    reading.commands.iter().any(|command| {
        let itself = command.words.first().filter(|_| STARTERS.contains(&name));
        let mut forms = command
            .stages
            .iter()
            .filter_map(|stage| stage.split_first());
        command
            .wrappers
            .iter()
            .chain(itself)
            .any(|word| word.rsplit('/').next() == Some(name))
            || forms.any(|(first, rest)| {
                first.rsplit('/').next() == Some(name)
                    && words_fit(rest, command.literal, arguments)
            })
    })
}

fn is_written(reading: &Reading, path: &str) -> bool {
    reading
        .effects
        .iter()
        .filter(|effect| matches!(effect.kind, EffectKind::Write | EffectKind::Delete))
        .any(|effect| {
            match (
                &effect.target,
                effect.place().and_then(|place| place.fact.as_ref()),
            ) {
                (Target::UnknownPath(_), _) => true,
                (_, Some(fact)) => {
                    // A path that is another one in each process stays as it is written; it is protected and never silent.
                    fact.canonical.starts_with("/proc/")
                        || fact.canonical == path
                        || effect.manner.recursive && below(path, &fact.canonical)
                }
                _ => false,
            }
        })
}

/// The same reading, where the sign that `xargs -I` puts its input for is one that stands for anything.
fn with_holes(mut reading: Reading) -> Reading {
    let xargs = reading
        .commands
        .iter()
        .filter(|command| command.words.first().is_some_and(|name| name == "xargs"));
    let signs = |command: &Command| {
        let pairs = command
            .words
            .windows(2)
            .filter(|pair| pair[0] == "-I")
            .map(|pair| pair[1].clone())
            .collect::<Vec<_>>();
        let glued = command.words.iter().filter_map(|word| {
            word.strip_prefix("-I")
                .or_else(|| word.strip_prefix("--replace="))
        });
        pairs
            .into_iter()
            .chain(glued.map(str::to_owned))
            .filter(|sign| !sign.is_empty())
            .collect::<Vec<_>>()
    };
    let signs: Vec<String> = xargs.flat_map(signs).collect();
    for command in reading
        .commands
        .iter_mut()
        .filter(|command| !command.literal)
    {
        for word in &mut command.words {
            *word = signs.iter().fold(std::mem::take(word), |word, sign| {
                word.replace(sign.as_str(), "$…")
            });
        }
    }
    reading
}

/// What bash did and the reader did not see.
fn misses(reading: &Reading, text: &str, run: &Run) -> Vec<Miss> {
    if is_open(reading) {
        return Vec::new();
    }
    let reading = &with_holes(reading.clone());
    let miss = |kind: &'static str, what: String| Miss {
        kind,
        shell: run.shell.clone(),
        text: text.to_owned(),
        what,
    };
    let words: Vec<&Vec<String>> = reading
        .commands
        .iter()
        .map(|command| &command.words)
        .collect();
    let unseen = run.starts.iter().filter(|start| !is_seen(reading, start));
    let mut out: Vec<Miss> = unseen
        .map(|start| {
            miss(
                "started what the reader did not see",
                format!("{:?} in {}; seen: {words:?}", start.argv, start.folder),
            )
        })
        .collect();
    let unwritten = run.changed.iter().filter(|path| !is_written(reading, path));
    out.extend(unwritten.map(|path| miss("wrote what the reader did not see", path.clone())));
    out
}

fn batch(
    sandbox: &Sandbox,
    reader: &Reader,
    turn: usize,
    texts: &[String],
) -> Result<Tally, String> {
    let runs = sandbox.run_in(&["bash"], turn, &stage::list(), texts)?;
    let mut tally = Tally {
        scripts: texts.len(),
        ..Tally::default()
    };
    for run in &runs {
        let Some(text) = texts.get(run.case) else {
            continue;
        };
        let Some(reading) = reader.read(text) else {
            continue;
        };
        tally.read += usize::from(!is_open(&reading));
        tally.starts += run.starts.len();
        tally.writes += run.changed.len();
        tally.late += usize::from(run.late);
        tally.misses.extend(misses(&reading, text, run));
    }
    Ok(tally)
}

#[test]
fn bash_starts_and_writes_nothing_that_the_reader_did_not_see() {
    let (count, seed) = (
        number("SAYSO_DIFFERENTIAL_CASES", USUAL),
        number("SAYSO_ORACLE_SEED", 7),
    );
    let known = rows::commands();
    let sandbox = match Sandbox::with_programs("differential", &rows::programs(&known)) {
        Ok(sandbox) => sandbox,
        Err(reason) => return skipped(&reason),
    };
    let start = std::time::Instant::now();
    let texts = generate::scripts(seed as u64, count, &known);
    let reader = Reader::new();
    let mut whole = Tally::default();
    for (turn, texts) in texts.chunks(BATCH).enumerate() {
        let tally = match batch(&sandbox, &reader, turn, texts) {
            Ok(tally) => tally,
            Err(reason) if whole.scripts == 0 => return skipped(&reason),
            Err(reason) => panic!("{reason}"),
        };
        whole.scripts += tally.scripts;
        whole.read += tally.read;
        whole.starts += tally.starts;
        whole.writes += tally.writes;
        whole.late += tally.late;
        whole.misses.extend(tally.misses);
    }
    eprintln!(
        "{} scripts from seed {seed} in bash, {} s: {} are read to the last word, {} programs were started, {} files were written, {} runs were stopped; {} missed",
        whole.scripts,
        start.elapsed().as_secs(),
        whole.read,
        whole.starts,
        whole.writes,
        whole.late,
        whole.misses.len()
    );
    assert!(
        whole.starts > whole.scripts / 10,
        "bash started only {} programs",
        whole.starts
    );
    assert!(
        whole.misses.is_empty(),
        "bash did more than was seen:\n{}",
        report(&whole.misses)
    );
}

#[test]
fn the_comparison_bites() {
    // What bash runs, and a text that the reader is given instead, which is less in one place.
    let rows = [
        (
            "EVIL a; EVIL b",
            "EVIL a",
            "started what the reader did not see",
        ),
        ("EVIL a b", "EVIL a", "started what the reader did not see"),
        (
            "cat a; ./EVIL",
            "cat a",
            "started what the reader did not see",
        ),
        (
            "x=$(EVIL); cat a",
            "x=b; cat a",
            "started what the reader did not see",
        ),
        (
            "cd src; cat a",
            "cat a",
            "started what the reader did not see",
        ),
        ("env EVIL", "EVIL", "started what the reader did not see"),
        (
            "cat a > out/a",
            "cat a",
            "wrote what the reader did not see",
        ),
        (
            "cat a > out/a 2> b",
            "cat a > out/a",
            "wrote what the reader did not see",
        ),
        (
            "cat a > src/b",
            "cat a > b",
            "wrote what the reader did not see",
        ),
    ];
    let texts: Vec<String> = rows.iter().map(|(text, ..)| (*text).to_owned()).collect();
    let runs = match Sandbox::new("comparison")
        .and_then(|sandbox| sandbox.run_in(&["bash"], 0, &stage::list(), &texts))
    {
        Ok(runs) => runs,
        Err(reason) => return skipped(&reason),
    };
    assert_eq!(runs.len(), rows.len());
    let reader = Reader::new();
    for run in &runs {
        let (text, less, kind) = rows[run.case];
        assert!(
            misses(&reader.read(text).unwrap(), text, run).is_empty(),
            "{text} is seen as it is"
        );
        let found = misses(&reader.read(less).unwrap(), text, run);
        assert!(
            found.iter().any(|miss| miss.kind == kind),
            "{text}: {found:?}"
        );
    }
}
