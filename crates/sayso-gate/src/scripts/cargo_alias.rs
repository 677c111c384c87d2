//! Short names of cargo: `cargo xtask` is whatever a file in the workspace says it is.

use super::{Place, Script};

/// The command that a short name stands for.
pub(super) fn alias(place: &Place<'_>, words: &[String]) -> Vec<Script> {
    let Some(name) = words.iter().find(|word| !word.starts_with(['-', '+'])) else {
        return Vec::new();
    };
    // Of both cargo takes the one without an ending.
    let Some((source, folder)) = place.read_upwards(&[".cargo/config", ".cargo/config.toml"])
    else {
        return Vec::new();
    };
    // What goes over several lines, or stands in a table in one line, is not read.
    let odd = |line: &str| {
        line.contains("\"\"\"")
            || line.contains("'''")
            || line.contains("alias = {")
            || line.trim_end().ends_with('[')
    };
    if source.text.contains("alias") && source.text.lines().any(odd) {
        place.lacks("its short names are written in a way that is not read");
    }
    let Some(value) = value(&source.text, name) else {
        return Vec::new();
    };
    let text = format!("cargo {value}");
    vec![Script {
        name: format!("{name} of {}", source.name),
        shell: Some(text.clone()),
        shown: text,
        folder,
        lacks: source.lacks,
    }]
}

/// What stands behind the name, among the short names of the file: a text, or a list of words.
fn value(text: &str, name: &str) -> Option<String> {
    let mut is_alias = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_alias = line.trim_matches(['[', ']', ' ']) == "alias";
        }
        let Some((key, value)) = line
            .split_once('=')
            .filter(|(key, _)| is_alias || key.trim().starts_with("alias."))
        else {
            continue;
        };
        let key = key.trim();
        let key = key
            .strip_prefix("alias.")
            .unwrap_or(key)
            .trim_matches(['"', '\'', ' ']);
        if key == name {
            return Some(quoted(value));
        }
    }
    None
}

/// The texts in quotes, put behind one another.
fn quoted(value: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut left = value;
    while let Some(start) = left.find(['"', '\'']) {
        let quote = left.as_bytes().get(start).copied().map_or('"', char::from);
        let rest = left.get(start + 1..).unwrap_or_default();
        let Some(end) = rest.find(quote) else { break };
        out.extend(rest.get(..end));
        left = rest.get(end + 1..).unwrap_or_default();
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn short_names_are_texts_or_lists() {
        let text = "[build]\njobs = 2\n[alias]\nxtask = \"run --package xtask --\"\n'b' = ['build', \"--release\"]\n[net]\nc = \"no\"\n";
        assert_eq!(
            value(text, "xtask").as_deref(),
            Some("run --package xtask --")
        );
        assert_eq!(value(text, "b").as_deref(), Some("build --release"));
        assert_eq!(value(text, "c"), None);
        assert_eq!(value("alias.x = \"run\"", "x").as_deref(), Some("run"));
        assert_eq!(value("[alias]\nx = \"open", "x").as_deref(), Some(""));
    }
}
