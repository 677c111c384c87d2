//! Every finding is closed by a test that names it: `fn finding_a_03_…`. The page docs/reports/findings.md is written from these names.
//!
//! `SAYSO_WRITE_REPORTS=1 cargo test -p sayso --test tidy findings` writes the page anew.

use std::collections::BTreeMap;

use crate::code::{code, lines};
use crate::{File, files, root};

const PAGE: &str = "docs/reports/findings.md";

/// The groups of findings, each with the numbers that have to be closed.
const GROUPS: [(&str, &[u32]); 5] = [
    (
        "A",
        &[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
            25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        ],
    ),
    (
        "W",
        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 18, 19, 20, 24, 26],
    ),
    ("J", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    ("N", &[1, 2, 3, 4, 5, 6, 7, 8]),
    ("D", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
];

/// The id in the name of a test: `finding_a_03_enter_denies` is A-03.
fn id(name: &str) -> Option<String> {
    let mut parts = name.strip_prefix("finding_")?.splitn(3, '_');
    let (group, number, _) = (parts.next()?, parts.next()?, parts.next()?);
    let is_id =
        group.len() == 1 && number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| format!("{}-{number}", group.to_ascii_uppercase()))
}

/// The names of functions in a file.
fn functions(file: &File) -> Vec<String> {
    let code = code(&file.text);
    let name = |line: &str| {
        let rest = line
            .trim_start()
            .trim_start_matches("pub ")
            .trim_start_matches("async ")
            .strip_prefix("fn ")?;
        Some(rest.split(['(', '<']).next()?.to_owned())
    };
    lines(&code).filter_map(|(_, line)| name(line)).collect()
}

fn tests_by_id(files: &[File]) -> BTreeMap<String, Vec<(String, String)>> {
    let mut out: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        for name in functions(file) {
            if let Some(id) = id(&name) {
                out.entry(id).or_default().push((file.name.clone(), name));
            }
        }
    }
    out
}

fn page(found: &BTreeMap<String, Vec<(String, String)>>) -> String {
    let mut out = String::from(
        "# Findings and the tests that close them\n\n\
         Each row is something that did not hold when the program was tried. The test fails without the fix.\n\
         This page is generated: `SAYSO_WRITE_REPORTS=1 cargo test -p sayso --test tidy findings`.\n\n\
         | finding | test | file |\n|---|---|---|\n",
    );
    for (id, tests) in found {
        for (file, name) in tests {
            out.push_str(&format!("| {id} | `{name}` | {file} |\n"));
        }
    }
    out
}

#[test]
fn every_finding_has_a_test_that_names_it() {
    let found = tests_by_id(&files());
    let wanted = GROUPS.iter().flat_map(|(group, numbers)| {
        numbers
            .iter()
            .map(move |number| format!("{group}-{number:02}"))
    });
    let missing: Vec<String> = wanted.filter(|id| !found.contains_key(id)).collect();
    assert!(
        missing.is_empty(),
        "no test is named for: {}",
        missing.join(", ")
    );
}

#[test]
fn the_page_of_findings_is_current() {
    let text = page(&tests_by_id(&files()));
    if std::env::var_os("SAYSO_WRITE_REPORTS").is_some() {
        std::fs::create_dir_all(root().join("docs/reports")).unwrap();
        return std::fs::write(root().join(PAGE), text).unwrap();
    }
    let written = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    assert!(
        written == text,
        "{PAGE} is not current: SAYSO_WRITE_REPORTS=1 cargo test -p sayso --test tidy findings"
    );
}

#[test]
fn ids_are_read_from_names() {
    assert_eq!(
        id("finding_a_03_the_log_is_appended_to").as_deref(),
        Some("A-03")
    );
    for other in [
        "finding_a_3_x",
        "finding_ab_03_x",
        "a_03_x",
        "finding_a_03",
        "finding_a_xx_y",
    ] {
        assert_eq!(id(other), None, "{other}");
    }
}
