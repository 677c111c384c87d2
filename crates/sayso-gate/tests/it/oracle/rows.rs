//! The commands of the repository's corpora, as scripts to start from.

use std::fs;
use std::path::Path;

use sayso_core::text::node::Node;
use sayso_core::text::{Limits, yaml};

/// Longer ones are about their length.
const LONGEST: usize = 400;

/// Every command of the rows in `corpus/`, but for those that grow without end, in a fixed order.
pub fn commands() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut out = Vec::new();
    for folder in ["shell", "bypasses", "verdicts", "sessions"] {
        let mut files: Vec<_> = fs::read_dir(root.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for path in files.iter().filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        }) {
            let text = fs::read_to_string(path).unwrap();
            let keys = yaml::read(&text, &Limits::policy())
                .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
            let rows = keys.get("rows").or_else(|| keys.get("calls"));
            let commands = rows
                .map_or(&[][..], Node::items)
                .iter()
                .filter_map(|row| row.get("command")?.as_text());
            let fits = |text: &&str| {
                text.len() <= LONGEST && !text.contains(['\0', '\u{fffd}']) && !grows(text)
            };
            out.extend(commands.filter(fits).map(|text| {
                text.replace("{workspace}", "/ws")
                    .replace("{home}", "/home/u")
                    .replace("{outside}", "/")
            }));
        }
    }
    out.dedup();
    out
}

/// Whether it may be one of those that start themselves again and again.
fn grows(text: &str) -> bool {
    text.replace(' ', "").contains("(){")
        || text.contains("function ")
        || text.contains("$0 &")
        || text.contains("$0|")
}

/// The names of programs in these commands.
pub fn programs(commands: &[String]) -> Vec<String> {
    let words = commands.iter().flat_map(|text| {
        text.split([' ', '\n', ';', '|', '&', '(', ')', '`', '\'', '"', '{', '}'])
    });
    let plain = |name: &&str| {
        name.starts_with(|letter: char| letter.is_ascii_lowercase())
            && name.len() < 30
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let mut names: Vec<String> = words.filter(plain).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
#[ignore = "writes files: `./test` calls it before it fuzzes"]
fn seeds_of_the_fuzz_targets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let put = |target: &str, number: usize, bytes: &[u8]| {
        let folder = root.join(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("corpus-{number}")), bytes).unwrap();
    };
    let commands = commands();
    for (number, text) in commands.iter().enumerate() {
        put("shell", number, text.as_bytes());
        let (name, words) = text.split_once(' ').unwrap_or((text, ""));
        put("words", number, words.as_bytes());
        // The targets take the program, or how it is shown, from the first bytes.
        let mut table = vec![
            name.bytes()
                .fold(0u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)),
        ];
        table.extend(words.replace(' ', "\n").bytes());
        put("table", number, &table);
        let mut shown = vec![u8::try_from(number % 256).unwrap(), 80, 24, 7];
        shown.extend(text.bytes());
        put("renderer", number, &shown);
    }
    assert!(
        commands.len() > 5000,
        "the corpora have only {} commands",
        commands.len()
    );
}
