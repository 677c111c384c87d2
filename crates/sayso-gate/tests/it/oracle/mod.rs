//! Real shells as the judges of the judge: what bash, dash or zsh do with a snippet must be what a silent verdict allowed.
//!
//! Snippets are made from a seed and run in bubblewrap, where every program only records how it was started. `SAYSO_ORACLE_CASES` says how
//! many snippets are tried, and `SAYSO_ORACLE_SEED` which ones; each thousand takes about ten seconds of one core.

mod differential;
pub mod generate;
pub mod listed;
pub mod rows;
pub(crate) mod sandbox;
mod stage;
mod truth;

use std::collections::BTreeMap;

use sandbox::{Run, Sandbox};
use truth::{Judges, Miss};

/// How many snippets share one start of the sandbox.
const BATCH: usize = 250;
/// How many are tried when nothing else is said.
const USUAL: usize = 2400;

/// What the runs of a part of the snippets came to.
#[derive(Default)]
struct Tally {
    snippets: usize,
    evil: usize,
    silent: usize,
    granted: usize,
    starts: usize,
    silent_starts: usize,
    writes: usize,
    late: usize,
    misses: Vec<Miss>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.snippets += other.snippets;
        self.evil += other.evil;
        self.silent += other.silent;
        self.granted += other.granted;
        self.starts += other.starts;
        self.silent_starts += other.silent_starts;
        self.writes += other.writes;
        self.late += other.late;
        self.misses.extend(other.misses);
    }
}

pub fn number(name: &str, usual: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(usual)
}

/// Runs and judges one batch.
fn batch(sandbox: &Sandbox, turn: usize, texts: &[String]) -> Result<Tally, String> {
    let world = stage::list();
    let runs = sandbox.run(turn, &world, texts)?;
    let mut by_case: BTreeMap<usize, Vec<Run>> = BTreeMap::new();
    for run in runs {
        by_case.entry(run.case).or_default().push(run);
    }
    let mut judges = Judges::new();
    let mut tally = Tally {
        snippets: texts.len(),
        ..Tally::default()
    };
    for (index, text) in texts.iter().enumerate() {
        let runs = by_case.remove(&index).unwrap_or_default();
        let (silent, granted) = judges.silent(text);
        let starts: usize = runs.iter().map(|run| run.starts.len()).sum();
        tally.silent += usize::from(silent);
        tally.granted += usize::from(granted);
        tally.starts += starts;
        tally.silent_starts += if silent || granted { starts } else { 0 };
        tally.evil += usize::from(runs.iter().any(truth::ran_evil));
        tally.writes += usize::from(runs.iter().any(|run| !run.changed.is_empty()));
        tally.late += runs.iter().filter(|run| run.late).count();
        for run in &runs {
            tally.misses.extend(judges.misses(text, run));
        }
    }
    Ok(tally)
}

/// All batches, on as many threads as there are cores.
fn all(sandbox: &Sandbox, texts: &[String]) -> Result<Tally, String> {
    let batches: Vec<&[String]> = texts.chunks(BATCH).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(batches.len().max(1));
    let work = || -> Result<Tally, String> {
        let mut tally = Tally::default();
        loop {
            let turn = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(texts) = batches.get(turn) else {
                return Ok(tally);
            };
            tally.add(batch(sandbox, turn, texts)?);
        }
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut whole = Tally::default();
        for handle in handles {
            whole.add(handle.join().expect("a worker ends by itself")?);
        }
        Ok(whole)
    })
}

/// The shortest examples of each kind of miss.
fn report(misses: &[Miss]) -> String {
    let mut kinds: BTreeMap<(&str, &str), Vec<&Miss>> = BTreeMap::new();
    for miss in misses {
        kinds
            .entry((miss.kind, miss.shell.as_str()))
            .or_default()
            .push(miss);
    }
    let shown = number("SAYSO_ORACLE_SHOW", 12);
    let mut out = String::new();
    for ((kind, shell), mut list) in kinds {
        list.sort_by_key(|miss| (miss.text.len(), &miss.text));
        list.dedup_by_key(|miss| (&miss.text, &miss.what));
        out.push_str(&format!("{} × {kind} in {shell}:\n", list.len()));
        for miss in list.iter().take(shown) {
            out.push_str(&format!("  {:?}\n    {}\n", miss.text, miss.what));
        }
    }
    out
}

#[test]
fn what_shells_do_is_what_a_silent_verdict_allowed() {
    let count = number("SAYSO_ORACLE_CASES", USUAL);
    let seed = number("SAYSO_ORACLE_SEED", 7) as u64;
    let sandbox = match Sandbox::new("run") {
        Ok(sandbox) => sandbox,
        Err(reason) => return skipped(&reason),
    };
    let texts = generate::snippets(seed, count);
    let tally = match all(&sandbox, &texts) {
        Ok(tally) => tally,
        Err(reason) => return skipped(&reason),
    };
    let mut missed: Vec<&str> = tally.misses.iter().map(|miss| miss.text.as_str()).collect();
    missed.sort_unstable();
    missed.dedup();
    eprintln!(
        "{} snippets in bash, dash and zsh: {} ran the marker, {} wrote a file, {} programs were started, {} runs were stopped; \
         {} snippets are silent, {} with grants, {} programs started in these; {} missed",
        tally.snippets,
        tally.evil,
        tally.writes,
        tally.starts,
        tally.late,
        tally.silent,
        tally.granted,
        tally.silent_starts,
        missed.len()
    );
    assert!(
        tally.evil > tally.snippets / 20,
        "the sandbox ran the marker in only {} of {} snippets",
        tally.evil,
        tally.snippets
    );
    assert!(
        tally.misses.is_empty(),
        "{} snippets are missed:\n{}",
        missed.len(),
        report(&tally.misses)
    );
}

#[test]
fn the_oracle_bites() {
    let rows = [
        ("EVIL", "started a program that nobody knows"),
        ("x=EVIL; $x a", "started a program that nobody knows"),
        ("./bin/cat a", "started a program that nobody knows"),
        ("EVIL &", "started a program that nobody knows"),
        (
            "bash -c \"$(printf 'cat b')\"",
            "started what is not listed",
        ),
        ("cat .env", "started what is not silent alone"),
        ("cd /etc; cat shadow", "started what is not silent alone"),
        (
            "find . -exec sort -o b {} \\;",
            "started what is not silent alone",
        ),
        ("cat < .env", "gave a program what is not silent to read"),
        (
            "PAGER=EVIL; git log",
            "changed the environment of a program",
        ),
        ("echo a > b", "changed what is not silent to write"),
        (": > ~/.bashrc", "changed what is not silent to write"),
        ("read x < .env; echo $x", "read what is not silent to read"),
    ];
    let texts: Vec<String> = rows.iter().map(|(text, _)| (*text).to_owned()).collect();
    let runs =
        match Sandbox::new("bites").and_then(|sandbox| sandbox.run(0, &stage::list(), &texts)) {
            Ok(runs) => runs,
            Err(reason) => return skipped(&reason),
        };
    let mut judges = Judges::new();
    for (index, (text, kind)) in rows.iter().enumerate() {
        let found: Vec<Miss> = runs
            .iter()
            .filter(|run| run.case == index)
            .flat_map(|run| judges.misses_if([true; 2], text, run))
            .collect();
        assert!(
            found.iter().any(|miss| miss.kind == *kind),
            "{text}: {found:?}"
        );
    }
}

/// How bad a reading is: the worst danger, whether something is not known, whether it does more than look.
fn badness(text: &str) -> [usize; 3] {
    use sayso_core::analysis::effect::EffectKind;
    let draft = sayso_shell::analyse(text);
    let opaque = draft.opaque.is_some();
    let tier = draft
        .dangers
        .iter()
        .map(|danger| danger.tier as usize)
        .max()
        .unwrap_or_default();
    let is = |kinds: fn(EffectKind) -> bool| {
        usize::from(opaque || draft.effects.iter().any(|effect| kinds(effect.kind)))
    };
    [
        tier,
        is(|kind| kind == EffectKind::Unknown),
        is(|kind| !matches!(kind, EffectKind::Read | EffectKind::Run)),
    ]
}

#[test]
fn a_command_more_never_makes_a_line_better() {
    let mut better = Vec::new();
    // A text that is not whole (`a &&`) may be made so by more, a last `\\` takes what follows, and so does the body of a heredoc.
    let whole = |text: &String| {
        sayso_shell::analyse(text).opaque.is_none() && !text.ends_with('\\') && !text.contains("<<")
    };
    for text in generate::snippets(
        number("SAYSO_ORACLE_SEED", 7) as u64,
        number("SAYSO_ORACLE_CASES", USUAL) * 4,
    )
    .iter()
    .filter(|text| whole(text))
    {
        let before = badness(text);
        for longer in [
            format!("{text}; ls"),
            format!("{text}\nls"),
            format!("ls; {text}"),
            format!("{{ {text}\n}}"),
        ] {
            let after = badness(&longer);
            if before
                .iter()
                .zip(&after)
                .any(|(before, after)| after < before)
            {
                better.push(format!("{text:?} is {before:?}, {longer:?} is {after:?}"));
            }
        }
    }
    assert!(
        better.is_empty(),
        "{} are better:\n{}",
        better.len(),
        better.join("\n")
    );
}

fn skipped(reason: &str) {
    eprintln!("SKIPPED: the reader was not compared with real shells: {reason}");
}
