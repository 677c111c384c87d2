//! What the programs of the query rows did when they were run for real, under a tracer: `tests/queries/run.py` writes the list.
//!
//! A line has the program, the form, the package with its version, what it did, and names that it looked for, loaded as code (`%`), wrote (`>`)
//! or started (`!`). Where several packages hold a program of one name, each has a line, and all of them count.

const RUNS: &str = include_str!("runs.tsv");

/// What is known of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// It was never run.
    Never,
    /// It told something, or refused the words, and did nothing else; it would load these files if they were in the folder.
    OnlyTells(Vec<&'static str>),
    /// A program of that name read its input, wrote, started another program, connected, or did not end.
    DoesMore,
}

/// What a form of a program did, over all programs of that name.
pub(super) fn tried(name: &str, form: &str) -> Tried {
    let (mut was_run, mut loads) = (false, Vec::new());
    for (did, names) in RUNS.lines().filter_map(|line| of_form(line, name, form)) {
        if !did.split(',').all(|what| {
            matches!(
                what,
                "answered" | "refused" | "records" | "helpers" | "loads"
            )
        }) {
            return Tried::DoesMore;
        }
        was_run = true;
        loads.extend(names.split(' ').filter_map(|name| name.strip_prefix('%')));
    }
    if was_run {
        Tried::OnlyTells(loads)
    } else {
        Tried::Never
    }
}

/// What a line says that it did and with which names, if it is about this form.
fn of_form(line: &'static str, name: &str, form: &str) -> Option<(&'static str, &'static str)> {
    let rest = line
        .strip_prefix(name)?
        .strip_prefix('\t')?
        .strip_prefix(form)?
        .strip_prefix('\t')?;
    rest.split_once('\t')?.1.split_once('\t')
}

#[cfg(test)]
mod tests {
    use super::{Tried, tried};

    #[test]
    fn all_programs_of_a_name_count() {
        assert_eq!(tried("bash", "--version"), Tried::OnlyTells(Vec::new()));
        assert_eq!(
            tried("sh", "--version"),
            Tried::DoesMore,
            "one of them reads its input"
        );
        assert_eq!(tried("no-such-program", "--version"), Tried::Never);
        assert!(
            matches!(tried("clang-format", "--version"), Tried::OnlyTells(loads) if loads.contains(&"libc.so.6"))
        );
    }
}
