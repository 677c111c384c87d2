//! Tasks that stand in a JSON file: the scripts of `package.json`, of `composer.json` and of `deno.json`.

use sayso_core::paths::join;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

use super::{Place, Script, Source};

/// Options with a folder, in which the file is looked for.
const FOLDERS: [&str; 5] = ["--prefix", "-C", "--dir", "--cwd", "--working-dir"];
/// Options without a value that change nothing of which task is run; what any other does is not known.
const FLAGS: [&str; 16] = [
    "-s",
    "--silent",
    "--if-present",
    "--verbose",
    "-d",
    "-dd",
    "-q",
    "--quiet",
    "--no-audit",
    "--no-fund",
    "--offline",
    "--prefer-offline",
    "--legacy-peer-deps",
    "--frozen-lockfile",
    "-D",
    "--save-dev",
];
/// Words that name a task besides `run`: they are tasks by themselves.
const OWN: [&str; 5] = ["test", "start", "stop", "restart", "prepare"];
/// Words of the package tools that run the tasks that belong to them.
const WITH: &[(&[&str], &[&str])] = &[
    (
        &["install", "i", "ci", "add"],
        &[
            "preinstall",
            "install",
            "postinstall",
            "prepublish",
            "preprepare",
            "prepare",
            "postprepare",
        ],
    ),
    (
        &["publish"],
        &[
            "prepublishOnly",
            "prepack",
            "prepare",
            "postpack",
            "publish",
            "postpublish",
        ],
    ),
    (&["pack"], &["prepack", "prepare", "postpack"]),
    (&["version"], &["preversion", "version", "postversion"]),
];

/// The tasks that a command names, each with those that run before and after it.
pub(super) fn tasks(place: &Place<'_>, program: &str, words: &[String]) -> Vec<Script> {
    let program = program.rsplit('/').next().unwrap_or(program);
    let (mut folder, mut operands) = (place.folder.clone(), Vec::new());
    let mut left = words.iter().map(String::as_str);
    while let Some(word) = left.next() {
        match word.split_once('=') {
            Some((option, value)) if FOLDERS.contains(&option) => folder = join(&folder, value),
            _ if FOLDERS.contains(&word) => folder = join(&folder, left.next().unwrap_or_default()),
            _ if word == "--" && !operands.is_empty() => break,
            _ if word.starts_with('-') => {
                if !FLAGS.contains(&word) && word != "--" {
                    place.lacks("an option is not known here: it may run other tasks than these");
                }
            }
            _ => operands.push(word),
        }
    }
    let (files, key): (&[&str], &str) = match program {
        "composer" => (&["composer.json"], "scripts"),
        "deno" => (&["deno.json", "deno.jsonc", "package.json"], "tasks"),
        _ => (&["package.json"], "scripts"),
    };
    let place = place.at(folder);
    let Some((source, folder)) = place.read_upwards(files) else {
        return Vec::new();
    };
    if let Some(settings) = place.at(folder.clone()).read(".npmrc")
        && ["script-shell", "workspace", "prefix"]
            .iter()
            .any(|key| settings.text.contains(key))
    {
        place.lacks(".npmrc says what runs the tasks, or which: look at the file");
    }
    let Ok(document) = json::read(&source.text, &Limits::default()) else {
        place.lacks("the file with the tasks cannot be read");
        return Vec::new();
    };
    let Some(all) = document.get(key).or_else(|| document.get("scripts")) else {
        return Vec::new();
    };
    names(program, &operands, all)
        .iter()
        .filter_map(|name| task(&source, &folder, name, all.get(name)?))
        .collect()
}

/// Which tasks run, in their order.
fn names(program: &str, operands: &[&str], all: &Node) -> Vec<String> {
    let around = |name: &str| vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
    match operands {
        ["run" | "run-script" | "rum" | "urn" | "task", name, ..] => around(name),
        ["t" | "tst", ..] => around("test"),
        ["it" | "install-test", ..] => names(program, &["install"], all)
            .into_iter()
            .chain(around("test"))
            .collect(),
        [name, ..] if OWN.contains(name) => around(name),
        [name, ..] if WITH.iter().any(|(words, _)| words.contains(name)) => {
            let with = WITH
                .iter()
                .filter(|(words, _)| words.contains(name))
                .flat_map(|(_, names)| names.iter());
            with.map(|name| (*name).to_owned()).collect()
        }
        // Without a word, yarn installs.
        [] if program == "yarn" => names(program, &["install"], all),
        // The others run a task by its bare name.
        [name, ..] if program != "npm" && all.get(name).is_some() => around(name),
        _ => Vec::new(),
    }
}

fn task(source: &Source, folder: &str, name: &str, node: &Node) -> Option<Script> {
    let lines: Vec<&str> = match node.as_text() {
        Some(text) => vec![text],
        // A task of deno may be a map.
        None if !node.entries().is_empty() => vec![node.get("command")?.as_text()?],
        None => node.items().iter().filter_map(Node::as_text).collect(),
    };
    let text = lines.join("\n");
    (!text.is_empty()).then(|| Script {
        name: format!("{name} of {}", source.name),
        shell: Some(text.clone()),
        shown: text,
        folder: folder.to_owned(),
        lacks: source.lacks,
    })
}
