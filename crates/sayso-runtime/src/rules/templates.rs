//! Rules for common kinds of work, which come with the program.

use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, yaml};

/// The templates, by name.
pub const TEMPLATES: [(&str, &str); 6] = [
    (
        "documentation-writer",
        include_str!("templates/documentation-writer.yaml"),
    ),
    ("tester", include_str!("templates/tester.yaml")),
    (
        "safe-git-user",
        include_str!("templates/safe-git-user.yaml"),
    ),
    (
        "read-only-reviewer",
        include_str!("templates/read-only-reviewer.yaml"),
    ),
    ("build-agent", include_str!("templates/build-agent.yaml")),
    ("ci", include_str!("templates/ci.yaml")),
];

/// A template: what it is for, and its rules.
pub struct Template {
    /// What it is for.
    pub about: String,
    /// Its rules.
    pub rules: Vec<Node>,
}

/// All templates: name, what each is for, and its rules.
pub fn all() -> Vec<(&'static str, String, Vec<Node>)> {
    TEMPLATES
        .iter()
        .filter_map(|(name, text)| {
            template(text)
                .ok()
                .map(|read| (*name, read.about, read.rules))
        })
        .collect()
}

/// Reads a template, which is a policy file with a word on what it is for.
///
/// # Errors
/// When it is no YAML.
pub fn template(text: &str) -> Result<Template, Diagnostic> {
    let about = text
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches(['#', ' '])
        .to_owned();
    let tree = yaml::read(text, &Limits::default())?;
    Ok(Template {
        about,
        rules: tree
            .get("rules")
            .map(Node::items)
            .unwrap_or_default()
            .to_vec(),
    })
}
