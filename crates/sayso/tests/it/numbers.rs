//! The three numbers of the judgement, over all corpora, kept in `docs/judgement.md`: harm that is silent, needless questions, prompts per 100 calls.
//!
//! The test compares the document with what is counted now; `./test --numbers` (`SAYSO_WRITE_NUMBERS=1`) writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sayso::expected;
use sayso::expected::{Expected, Row};
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::text::diagnostic::Source;
use sayso_gate::pipeline::{Bench, judge};

use crate::scene::{NOW, Scene};
use crate::{readings, sessions};

/// The folders of rows with expected verdicts; one that is not there has no rows.
const CORPORA: [&str; 3] = ["verdicts", "shell", "bypasses"];

/// Counts of one file or of one class.
#[derive(Clone, Copy, Default)]
struct Counts {
    rows: usize,
    harmful: usize,
    silent: usize,
    contained: usize,
    unbounded: usize,
    harmless: usize,
    asked: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.rows += other.rows;
        self.harmful += other.harmful;
        self.silent += other.silent;
        self.contained += other.contained;
        self.unbounded += other.unbounded;
        self.harmless += other.harmless;
        self.asked += other.asked;
    }

    fn row(&self, name: &str) -> String {
        let share = percent(self.asked, self.harmless);
        format!(
            "| {name} | {} | {} | {} | {} | {} | {share} |",
            self.rows, self.harmful, self.silent, self.harmless, self.asked
        )
    }
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        "–".to_owned()
    } else {
        format!("{:.1} %", part as f64 * 100.0 / whole as f64)
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The YAML files below a folder of the corpus, in order.
pub fn files(corpus: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![root().join("corpus").join(corpus)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "yaml")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

pub fn name(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The verdict on each row in the scene of its file, and where a sandbox may stand in for questions; none for a call that is malformed,
/// which is denied.
fn verdicts(
    keys: &sayso_core::text::node::Node,
    rows: &[Row],
) -> Vec<(Option<Verdict>, Option<Verdict>)> {
    let plain = Scene::of(keys);
    let bounded = Scene::of(keys);
    if !keys
        .get("policy")
        .and_then(sayso_core::text::node::Node::as_text)
        .is_some_and(|policy| policy.contains("sandbox"))
    {
        bounded.add_to_policy(sessions::CONTAINED);
    }
    judged(&plain, rows, false)
        .into_iter()
        .zip(judged(&bounded, rows, true))
        .collect()
}

fn judged(scene: &Scene, rows: &[Row], contains: bool) -> Vec<Option<Verdict>> {
    let (loaded, world) = (scene.load(), scene.world());
    let bench = Bench {
        world: &world,
        policy: &loaded.policy,
        grants: &[],
        uses: None,
        run: Run::Interactive,
        now: NOW,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY.containing(&contains),
        trace: false,
    };
    let call = |row: &Row| -> Call {
        let mut call = row.call(scene.folder());
        scene.fill_node(&mut call.args);
        call
    };
    rows.iter()
        .map(|row| {
            Operation::freeze(call(row))
                .ok()
                .map(|operation| judge(&bench, &operation).verdict)
        })
        .collect()
}

/// The class of a row by its name (`S01 …`), if it has one.
fn class(name: &str) -> Option<String> {
    let word = name.split([' ', ':', '.', ',']).next()?;
    let digits = word.get(1..)?;
    let fits = word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| word.get(..1).unwrap_or_default().to_owned())
}

/// A row's name on one line of a table or a list.
pub fn shown(name: &str) -> String {
    let line = name.replace('\n', "⏎").replace('\t', "⇥");
    let mut short: String = line.chars().take(120).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    if short.contains('`') {
        format!("`` {short} ``")
    } else {
        format!("`{short}`")
    }
}

/// The tables on corpora.
fn corpora(out: &mut String) -> usize {
    let (mut whole, mut silent, mut needless, mut unbounded) =
        (Counts::default(), Vec::new(), Vec::new(), Vec::new());
    let mut by_class: BTreeMap<String, Counts> = BTreeMap::new();
    let mut tables = String::new();
    for corpus in CORPORA {
        let mut total = Counts::default();
        let mut table = String::from(
            "| file | rows | harmful | silent | harmless | asked | |\n|---|--:|--:|--:|--:|--:|--:|\n",
        );
        for path in files(corpus) {
            let text = fs::read_to_string(&path).unwrap();
            let Expected { scene, rows } = expected::read(Source {
                name: &name(&path),
                text: &text,
            })
            .unwrap_or_else(|error| panic!("{error}"));
            let mut file = Counts::default();
            for (row, (verdict, bounded)) in rows.iter().zip(verdicts(&scene, &rows)) {
                let decision = verdict
                    .as_ref()
                    .map_or(Decision::Deny, |verdict| verdict.decision);
                let harmful = !row.is_harmless() && row.decision() != "allow";
                let counts = Counts {
                    rows: 1,
                    harmful: harmful.into(),
                    silent: (harmful && decision == Decision::Allow).into(),
                    contained: (harmful
                        && bounded
                            .as_ref()
                            .is_some_and(|verdict| verdict.terms.contained))
                    .into(),
                    unbounded: (harmful
                        && bounded.as_ref().is_some_and(|it| {
                            it.decision == Decision::Allow && !it.terms.contained
                        }))
                    .into(),
                    harmless: row.is_harmless().into(),
                    asked: (row.is_harmless() && decision != Decision::Allow).into(),
                };
                if counts.unbounded > 0 {
                    unbounded.push(format!(
                        "{}:{}: {}",
                        name(&path),
                        row.line,
                        shown(&row.name)
                    ));
                }
                if counts.silent > 0 {
                    silent.push(format!(
                        "- {}:{}: {}",
                        name(&path),
                        row.line,
                        shown(&row.name)
                    ));
                }
                if counts.asked > 0 {
                    let reason = verdict.and_then(|verdict| {
                        verdict
                            .reasons
                            .first()
                            .map(|reason| reason.rule.name().to_owned())
                    });
                    let reason = reason.unwrap_or_else(|| "malformed".to_owned());
                    needless.push(format!(
                        "- {}:{}: {} ({reason})",
                        name(&path),
                        row.line,
                        shown(&row.name)
                    ));
                }
                file.add(counts);
                if let Some(class) = class(&row.name).filter(|_| corpus == "bypasses") {
                    by_class.entry(class).or_default().add(counts);
                }
            }
            let _ = writeln!(table, "{}", file.row(&name(&path)));
            total.add(file);
        }
        if total.rows > 0 {
            let _ = writeln!(
                tables,
                "### corpus/{corpus}\n\n{table}{}\n",
                total.row("**all**")
            );
        }
        whole.add(total);
    }
    let _ = writeln!(
        out,
        "- **Harmful and silent: {}** of {} harmful rows.\n- **Harmless and asked: {}** of {} harmless rows ({}).",
        whole.silent,
        whole.harmful,
        whole.asked,
        whole.harmless,
        percent(whole.asked, whole.harmless)
    );
    assert!(
        unbounded.is_empty(),
        "with a sandbox for questions, harmful rows run without one: {unbounded:#?}"
    );
    let mut rest = format!("## By file\n\n{tables}");
    if !by_class.is_empty() {
        rest.push_str("### Bypasses by group\n\n| group | rows | harmful | silent | harmless | asked | |\n|---|--:|--:|--:|--:|--:|--:|\n");
        for (class, counts) in by_class {
            let _ = writeln!(rest, "{}", counts.row(&class));
        }
        rest.push('\n');
    }
    for (title, list) in [
        ("Harmful rows that are silent", silent),
        ("Harmless rows that ask, with the first reason", needless),
    ] {
        let _ = writeln!(
            rest,
            "## {title}\n\n{}\n",
            if list.is_empty() {
                "None.".to_owned()
            } else {
                list.join("\n")
            }
        );
    }
    readings::report(out, &mut rest);
    sessions::report(out, whole.contained, whole.harmful);
    out.push_str(&rest);
    whole.silent
}

#[test]
fn the_numbers_of_the_judgement_are_up_to_date() {
    let mut text = String::from(
        "# Judgement in numbers\n\n\
         Counted over all corpora by `./test --numbers`, which writes this file; a test checks that it is up to date. A row is harmful if it is not\n\
         marked harmless and expects a question or a denial.\n\n",
    );
    let silent = corpora(&mut text);
    let text = format!("{}\n", text.trim_end());
    let path = root().join("docs/judgement.md");
    if std::env::var_os("SAYSO_WRITE_NUMBERS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(silent, 0, "harmful rows are silent:\n{text}");
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(
        kept == text,
        "docs/judgement.md is out of date; `./test --numbers` writes it anew. First difference: {differs:?}"
    );
}
