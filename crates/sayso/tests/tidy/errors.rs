//! Errors are types, so that control matches a variant and never reads a sentence.

use crate::code::{code, has_word};
use crate::{File, files, none};

/// Texts that are no error of ours: what a foreign format or the command line's own library wants.
const FOREIGN: [(&str, &str); 0] = [];

/// The code of a file that is compiled into the product.
fn product(file: &File) -> Option<String> {
    let is_product = file.krate().is_some() && file.name.contains("/src/");
    let is_test = file.name.ends_with("/tests.rs") || file.name.contains("/tests/");
    (is_product && !is_test && file.is_rust()).then(|| {
        let code = code(&file.text);
        let end = code.find("#[cfg(test)]\nmod ").unwrap_or(code.len());
        code.get(..end).unwrap_or_default().to_owned()
    })
}

/// The generic arguments that start behind a `<`, at the top level.
fn arguments(rest: &str) -> Vec<String> {
    let (mut depth, mut all, mut before) = (0, vec![String::new()], ' ');
    for c in rest.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' if depth == 0 => return all,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => all.push(String::new()),
            _ => {}
        }
        if (c != ',' || depth > 0)
            && let Some(last) = all.last_mut()
        {
            last.push(c);
        }
        before = c;
    }
    Vec::new()
}

/// Whether an error type is only a text.
fn is_text(error: &str) -> bool {
    let error = error.trim();
    let error = error.rsplit("::").next().unwrap_or(error);
    error == "String"
        || error.starts_with('&') && has_word(error, "str")
        || error.starts_with("Cow<")
}

fn text_errors(file: &File) -> Vec<String> {
    let Some(code) = product(file) else {
        return Vec::new();
    };
    let line = |at: usize| code.get(..at).unwrap_or_default().lines().count();
    let mut out = Vec::new();
    for (at, found) in code.match_indices("Result<") {
        let error = arguments(code.get(at + found.len()..).unwrap_or_default());
        if error.get(1).is_some_and(|error| is_text(error)) {
            out.push(format!(
                "{}:{}: a result with a text as its error",
                file.name,
                line(at)
            ));
        }
    }
    for (what, why) in [
        ("Other(String)", "a variant without a meaning"),
        (
            "Error> for String {",
            "an error that becomes a text without being shown",
        ),
    ] {
        let found = code.match_indices(what);
        out.extend(found.map(|(at, _)| format!("{}:{}: {why}", file.name, line(at))));
    }
    out.retain(|found| !FOREIGN.iter().any(|(name, _)| found.starts_with(name)));
    out
}

#[test]
fn errors_are_types() {
    none(&files().iter().flat_map(text_errors).collect::<Vec<_>>());
}

#[test]
fn the_check_of_errors_bites() {
    let found = |text: &str| {
        text_errors(&File {
            name: "crates/sayso-core/src/a.rs".to_owned(),
            text: text.to_owned(),
        })
        .len()
    };
    for text in [
        "pub fn a() -> Result<(), String> {",
        "pub fn a() -> Result<Vec<(u8, u8)>, std::string::String> {",
        "fn a(f: impl Fn(u8) -> Result<u8, &'static str>) {",
        "pub fn a() -> Result<\n    Option<u8>,\n    String,\n> {",
        "enum AError { Other(String) }",
        "impl From<AError> for String {",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    for text in [
        "pub fn a() -> Result<String, AError> {",
        "pub fn a() -> io::Result<String> {",
        "pub fn a(x: Result<Map<u8, String>, AError>, s: String) {",
        "pub fn a() -> Result<Box<dyn Fn(u8) -> String>, AError> {",
        "// Result<(), String>",
        "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() -> Result<(), String> {}\n}",
    ] {
        assert_eq!(found(text), 0, "{text}");
    }
}
