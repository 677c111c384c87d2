//! The recipes that `just` runs, and those that they need.

use std::collections::BTreeSet;

use sayso_core::paths::join;

use super::{Place, Script, UNKNOWN};

const FILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];
/// Options with a value of their own.
const VALUED: [&str; 9] = [
    "--set",
    "--shell",
    "--shell-arg",
    "--color",
    "--dotenv-path",
    "-E",
    "--dotenv-filename",
    "--command-color",
    "--chooser",
];

/// One recipe.
#[derive(Debug, Default)]
struct Recipe<'a> {
    name: &'a str,
    needs: Vec<&'a str>,
    lines: Vec<&'a str>,
}

/// The recipes that a command runs.
pub(super) fn recipes(place: &Place<'_>, words: &[String]) -> Vec<Script> {
    let (mut file, mut folder, mut asked) = (None, None, Vec::new());
    let mut left = words.iter().map(String::as_str);
    while let Some(word) = left.next() {
        match word {
            "-f" | "--justfile" => file = left.next(),
            "-d" | "--working-directory" => folder = left.next(),
            "--set" => drop((left.next(), left.next())),
            _ if VALUED.contains(&word) => drop(left.next()),
            _ if word.starts_with('-') || word.contains('=') => {}
            _ => asked.push(word),
        }
    }
    let found = match file {
        Some(file) => place
            .read(file)
            .map(|source| (source, place.folder.clone())),
        None => place.read_upwards(&FILES),
    };
    let Some((source, at)) = found else {
        return Vec::new();
    };
    let odd = [
        "alias ", "import ", "import? ", "mod ", "mod? ", "set ", "export ", "[", "!",
    ];
    let is_odd = |line: &str| {
        odd.iter().any(|start| line.starts_with(start))
            || line.contains("```")
            || line.contains('`')
            || line.ends_with('\\')
    };
    if source
        .text
        .lines()
        .any(|line| is_odd(line) || line.trim_start().starts_with("#!"))
    {
        place.lacks("the justfile has parts that are not read: look at the file");
    }
    let all = read(&source.text);
    // A word that is no recipe is an argument of the one before it.
    let mut open: Vec<&str> = asked
        .iter()
        .copied()
        .filter(|word| all.iter().any(|recipe| recipe.name == *word))
        .collect();
    if asked.is_empty() {
        open.extend(all.first().map(|recipe| recipe.name));
    }
    let name = if open.is_empty() {
        source.name.clone()
    } else {
        format!("{} of {}", open.join(" "), source.name)
    };
    open.reverse();
    let mut known = BTreeSet::new();
    let mut order = Vec::new();
    while let Some(name) = open.pop() {
        for recipe in all
            .iter()
            .filter(|recipe| recipe.name == name && known.insert(name))
        {
            order.push(recipe);
            open.extend(&recipe.needs);
        }
    }
    let lines: Vec<&str> = order
        .iter()
        .rev()
        .flat_map(|recipe| recipe.lines.iter().copied())
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let backticks = source
        .text
        .lines()
        .filter(|line| line.contains(":=") && line.contains('`'));
    let shell: Vec<String> = backticks
        .flat_map(commands_of_value)
        .chain(lines.iter().map(|line| alone(line)))
        .collect();
    let folder = folder.map_or(at, |folder| join(&place.folder, folder));
    vec![Script {
        name,
        shown: lines.join("\n"),
        shell: Some(shell.join("\n")),
        folder,
        lacks: source.lacks,
    }]
}

/// Commands in a value, which run while the file is read.
fn commands_of_value(line: &str) -> Vec<String> {
    line.split('`').skip(1).step_by(2).map(alone).collect()
}

fn read(text: &str) -> Vec<Recipe<'_>> {
    let mut out: Vec<Recipe<'_>> = Vec::new();
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some(recipe) = out.last_mut() {
                recipe.lines.push(line.trim());
            }
        } else if let Some((head, needs)) = line
            .split_once(':')
            .filter(|(_, needs)| !needs.starts_with('='))
        {
            let name = head
                .trim_start_matches('@')
                .split_whitespace()
                .next()
                .unwrap_or_default();
            let is_name = !name.is_empty()
                && name
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
            if is_name && !head.starts_with("set ") && !line.starts_with('#') {
                let needs = needs
                    .split_whitespace()
                    .map(|need| need.trim_matches(['(', ')']))
                    .filter(|need| *need != "&&")
                    .collect();
                out.push(Recipe {
                    name,
                    needs,
                    lines: Vec::new(),
                });
            }
        }
    }
    out
}

/// A line as a shell of its own runs it; what is put in when it runs is not known.
fn alone(line: &str) -> String {
    let line = line.trim_start_matches(['@', '-', ' ']);
    let mut out = String::new();
    let mut left = line;
    while let Some((before, rest)) = left.split_once("{{") {
        out.push_str(before);
        out.push_str(UNKNOWN);
        left = rest.split_once("}}").map_or("", |(_, behind)| behind);
    }
    out.push_str(left);
    format!("(\n{out}\n)")
}

#[cfg(test)]
mod tests {
    use super::{alone, read};

    #[test]
    fn recipes_have_names_needs_and_lines() {
        let text = "set shell := [\"bash\"]\nv := `id`\n# a: b\n@test name='x': build (lint \"a\")\n    cargo test {{name}}\n\nbuild:\n  cargo build\n";
        let all = read(text);
        assert_eq!(all.len(), 2);
        assert_eq!(
            (
                all[0].name,
                all[0].needs.as_slice(),
                all[0].lines.as_slice()
            ),
            (
                "test",
                ["build", "lint", "\"a\""].as_slice(),
                ["cargo test {{name}}", ""].get(..1).unwrap()
            )
        );
        assert_eq!(all[1].lines, ["cargo build"]);
    }

    #[test]
    fn what_is_put_in_is_not_known() {
        assert_eq!(
            alone("@echo {{a}} {{b"),
            "(\necho ${known_when_it_runs} ${known_when_it_runs}\n)"
        );
    }
}
