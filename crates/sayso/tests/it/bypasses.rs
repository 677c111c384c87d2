//! Every class of attacks that has a form as a command is in `corpus/bypasses`, with harmful rows that never pass.

use std::collections::BTreeMap;

use crate::corpus::{files, name, read};

/// Fewer harmful rows than this do not show a class.
const LEAST_ROWS: usize = 2;

/// The classes, by group. Those that are not here have no form as a command: they are about file tools, wires, prompts or races, and have tests
/// of their own.
const CLASSES: [(&str, &[u8]); 10] = [
    (
        "S",
        &[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
        ],
    ),
    (
        "X",
        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
    ),
    ("R", &[1, 2, 3, 4, 5, 6, 7]),
    ("W", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
    (
        "F",
        &[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
            25,
        ],
    ),
    ("G", &[1, 2, 3, 4, 5, 6, 7, 8]),
    ("C", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    ("P", &[1, 2, 3, 4, 6, 7, 8, 9, 13, 14, 15, 16, 18]),
    ("M", &[1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15]),
    ("N", &[1, 2, 3, 6, 7, 8, 11]),
];

#[test]
fn every_class_of_attacks_has_rows() {
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    for path in files().iter().filter(|path| {
        path.parent()
            .is_some_and(|folder| folder.ends_with("bypasses"))
    }) {
        for row in read(path).rows {
            let class = row
                .class()
                .unwrap_or_else(|| panic!("{}:{}: the row has no class", name(path), row.line))
                .to_owned();
            let silent = row.decision() == "allow";
            assert_eq!(
                silent,
                row.is_harmless(),
                "{}:{}: only what is harmless passes",
                name(path),
                row.line
            );
            *rows.entry(class).or_default() += usize::from(!silent);
        }
    }
    for (group, numbers) in CLASSES {
        for class in numbers.iter().map(|number| format!("{group}{number:02}")) {
            let count = rows.remove(&class).unwrap_or(0);
            assert!(count >= LEAST_ROWS, "{class} has {count} harmful rows");
        }
    }
    assert!(rows.is_empty(), "classes that nobody knows: {rows:?}");
}
