//! Escape attempts that really run, in every sandbox of this machine, as a person and as root, with proofs taken outside.
//!
//! Each attempt runs in a world of its own ([`ground`]), which is looked at afterwards: is anything changed, gone, told, reached or left?
//! Where it can be tried without harm, the same attempt has to get through without a sandbox: one that fails anyway shows nothing. What came
//! out is kept in `docs/sandbox-escapes.md`; `SAYSO_WRITE_NUMBERS=1` writes it anew. What Landlock does not cover is said with each attempt,
//! with the reason, and it has to be exactly that.

mod attempt;
pub mod ground;
mod kernel;
mod left;
mod processes;
mod secrets;
mod sockets;
mod traces;
mod workspace;
mod writes;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use attempt::{Attempt, Control, Landlock};
use ground::{Ground, Who};
use sayso_sandbox::backend::{Backend, Name};

use crate::numbers::root;

/// The groups of attempts, in the order of the table.
fn groups() -> [(&'static str, Vec<Attempt>); 6] {
    [
        ("Changing what is outside", writes::attempts()),
        ("Reading what is hidden", secrets::attempts()),
        ("Talking to somebody outside", sockets::attempts()),
        ("More rights, and the kernel", kernel::attempts()),
        ("Other processes, and staying behind", processes::attempts()),
        ("What the workspace keeps", workspace::attempts()),
    ]
}

/// Where an attempt runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Where {
    Bubblewrap,
    /// The sandbox of a session, entered.
    Session,
    Landlock,
    /// Without any sandbox, to see that it would work.
    Nowhere,
}

impl Where {
    /// The options of `sayso sandbox`.
    fn options(self) -> Option<&'static [&'static str]> {
        match self {
            Where::Bubblewrap => Some(&["--backend", "bubblewrap"]),
            Where::Session => Some(&["--backend", "bubblewrap", "--session", "escape"]),
            Where::Landlock => Some(&["--backend", "landlock"]),
            Where::Nowhere => None,
        }
    }
}

/// The columns of the table.
const COLUMNS: [(Where, Who); 6] = [
    (Where::Bubblewrap, Who::Person),
    (Where::Bubblewrap, Who::Root),
    (Where::Session, Who::Person),
    (Where::Session, Who::Root),
    (Where::Landlock, Who::Person),
    (Where::Landlock, Who::Root),
];

/// What this machine can try; what it cannot is said.
fn possible() -> Vec<(Where, Who)> {
    let mut users = vec![Who::Person];
    if rustix::process::geteuid().is_root() {
        users.push(Who::Root);
    } else {
        eprintln!("NOT CHECKED: no escape is tried as root, since this is not root");
    }
    let mut places = vec![Where::Nowhere];
    for (place, name) in [
        (Where::Bubblewrap, Name::Bubblewrap),
        (Where::Session, Name::Bubblewrap),
        (Where::Landlock, Name::Landlock),
    ] {
        match Backend::named(name) {
            Ok(_) => places.push(place),
            Err(why) => eprintln!("NOT CHECKED: no escape from {place:?}: {why}"),
        }
    }
    places
        .into_iter()
        .flat_map(|place| users.iter().map(move |who| (place, *who)))
        .collect()
}

type Results = BTreeMap<(&'static str, Where, Who), Option<String>>;

/// Tries everything, a few at once; what got through is told by what was seen.
fn try_all(attempts: &[&Attempt], places: &[(Where, Who)]) -> Results {
    let program = ground::program_for_everybody();
    let jobs: Vec<(&Attempt, Where, Who)> = attempts
        .iter()
        .flat_map(|attempt| {
            places
                .iter()
                .map(move |(place, who)| (*attempt, *place, *who))
        })
        .filter(|(attempt, place, who)| {
            attempt.is_for(*who) && (*place != Where::Nowhere || attempt.control_as(*who))
        })
        .collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Results::new()));
    let work = || {
        while let Some((attempt, place, who)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            // What is expected to get through may take another try on a busy machine; what is refused gets one.
            let once =
                || Ground::new(attempt, *who).attempt(attempt, place.options(), program.path());
            let again = |seen: &Option<String>| {
                seen.is_none() && wrong(attempt, *place, *who, None).is_some()
            };
            let mut seen = once();
            for _ in 0..2 {
                seen = if again(&seen) { once() } else { seen };
            }
            results
                .lock()
                .unwrap()
                .insert((attempt.name, *place, *who), seen);
        }
    };
    let workers = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .min(4)
        * 2;
    std::thread::scope(|scope| (0..workers).for_each(|_| _ = scope.spawn(work)));
    results.into_inner().unwrap()
}

/// What is wrong with a result, if anything is; nothing where this kernel is too old to tell.
fn wrong(attempt: &Attempt, place: Where, who: Who, seen: Option<&String>) -> Option<String> {
    let refused = match place {
        Where::Nowhere => false,
        Where::Bubblewrap | Where::Session => {
            attempt.full_lets_root.is_none() || who == Who::Person
        }
        Where::Landlock => match attempt.landlock(who) {
            Landlock::Refused { since } if sayso_sandbox::landlock::abi() < Some(since) => {
                eprintln!(
                    "NOT CHECKED: {}: this kernel's Landlock is too old",
                    attempt.name
                );
                return None;
            }
            Landlock::Refused { .. } => true,
            Landlock::NotCovered { until, .. } if sayso_sandbox::landlock::abi() >= Some(until) => {
                true
            }
            Landlock::NotCovered { .. } => false,
        },
    };
    match (refused, seen) {
        (true, Some(seen)) => Some(format!(
            "{place:?} as {who:?}: `{}` got through: {seen}",
            attempt.name
        )),
        (false, None) => Some(format!(
            "{place:?} as {who:?}: `{}` was expected to get through, and did not",
            attempt.name
        )),
        _ => None,
    }
}

fn cell(attempt: &Attempt, place: Where, who: Who, results: &Results) -> &'static str {
    let expected = match place {
        Where::Landlock => matches!(attempt.landlock(who), Landlock::Refused { .. }),
        _ => attempt.full_lets_root.is_none() || who == Who::Person,
    };
    let measured = results
        .get(&(attempt.name, place, who))
        .map(Option::is_none);
    // A newer kernel may refuse more, an older one less: the table is about what is promised.
    let refused = if place == Where::Landlock {
        expected
    } else {
        measured.unwrap_or(expected)
    };
    match (attempt.is_for(who), refused) {
        (false, _) => "–",
        (true, true) => "refused",
        (true, false) => "not covered",
    }
}

#[test]
fn every_escape_is_refused_by_bubblewrap_and_landlock_covers_what_it_says() {
    if !Path::new("/usr/bin/python3").exists() {
        eprintln!("NOT CHECKED: no escape is tried, since there is no python3");
        return;
    }
    let groups = groups();
    let only = std::env::var("SAYSO_ESCAPE").unwrap_or_default();
    let attempts: Vec<&Attempt> = groups
        .iter()
        .flat_map(|(_, attempts)| attempts)
        .filter(|one| one.name.contains(&only))
        .collect();
    let names: std::collections::BTreeSet<&str> =
        attempts.iter().map(|attempt| attempt.name).collect();
    assert_eq!(
        names.len(),
        attempts.len(),
        "every attempt has a name of its own"
    );
    let places = possible();
    let results = try_all(&attempts, &places);
    let find = |name: &str| {
        attempts
            .iter()
            .find(|attempt| attempt.name == name)
            .unwrap()
    };
    let wrong: Vec<String> = results
        .iter()
        .filter_map(|((name, place, who), seen)| wrong(find(name), *place, *who, seen.as_ref()))
        .collect();
    let bounded = results
        .keys()
        .filter(|(_, place, _)| *place != Where::Nowhere)
        .count();
    eprintln!(
        "escapes: {} attempts, {bounded} runs in sandboxes, {} without",
        attempts.len(),
        results.len() - bounded
    );
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        results.len(),
        wrong.join("\n")
    );
    if only.is_empty() {
        assert!(attempts.len() >= 45, "{}", attempts.len());
        document(&groups, &results);
    }
}

/// Compares the document with what came out, or writes it.
fn document(groups: &[(&str, Vec<Attempt>)], results: &Results) {
    let count: usize = groups.iter().map(|(_, attempts)| attempts.len()).sum();
    let mut text = format!(
        "# What was tried to get out of the sandbox\n\n\
         {count} attempts, each of which really runs in a world of its own that is looked at from outside afterwards; those that can be tried\n\
         without harm have to get through without a sandbox, so that a refusal means something. bubblewrap, the full sandbox, refuses all of\n\
         them, for a command with a sandbox to itself and for one in the sandbox of a session, but for a limit that no kernel keeps for root. Landlock, which is used where there is no bubblewrap, covers a part: what it does not is expected by name in the test, with the\n\
         reason. `cargo test -p sayso --test it escapes` runs all of it and compares this file; `SAYSO_WRITE_NUMBERS=1` writes it anew.\n",
    );
    let mut reasons: Vec<&str> = Vec::new();
    for (title, attempts) in groups {
        let _ = write!(
            text,
            "\n## {title}\n\n| attempt | bubblewrap | as root | a session's | as root | Landlock | as root |\n|---|---|---|---|---|---|---|\n"
        );
        for attempt in attempts {
            let mut cells =
                COLUMNS.map(|(place, who)| cell(attempt, place, who, results).to_owned());
            for (cell, (_, who)) in cells
                .iter_mut()
                .zip(COLUMNS)
                .filter(|(cell, _)| *cell == "not covered")
            {
                if let Landlock::NotCovered { why, .. } = attempt.landlock(who) {
                    let number = reasons
                        .iter()
                        .position(|known| *known == why)
                        .unwrap_or_else(|| {
                            reasons.push(why);
                            reasons.len() - 1
                        });
                    let _ = write!(cell, " ({})", number + 1);
                }
            }
            let _ = writeln!(text, "| {} | {} |", attempt.name, cells.join(" | "));
        }
    }
    text.push_str("\n## Why it is not covered\n\n");
    for (number, why) in reasons.iter().enumerate() {
        let _ = writeln!(text, "{}. {why}", number + 1);
    }
    let untried: Vec<String> = groups
        .iter()
        .flat_map(|(_, attempts)| attempts)
        .filter_map(|attempt| {
            if let Control::Untried(why) = attempt.control {
                Some(format!("- {}: {why}", attempt.name))
            } else {
                None
            }
        })
        .collect();
    let _ = write!(
        text,
        "\n## Not tried without a sandbox\n\n{}\n",
        untried.join("\n")
    );
    let path = root().join("docs/sandbox-escapes.md");
    if std::env::var_os("SAYSO_WRITE_NUMBERS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(
        kept == text,
        "docs/sandbox-escapes.md is out of date; `SAYSO_WRITE_NUMBERS=1` writes it anew. First difference: {differs:?}"
    );
}
