//! What a tool says of itself, and how a name looks: what counts for telling one from another.

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::has_hidden;

/// The arguments that a tool takes; none where it does not say, or takes others, too.
pub fn takes(tool: &Node) -> Option<Vec<String>> {
    let schema = tool.get("inputSchema")?;
    let is_open = |key: &str| {
        schema
            .get(key)
            .is_some_and(|node| node.as_bool() != Some(false))
    };
    let mixed = [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "if",
    ];
    let named: Vec<String> = schema
        .get("properties")?
        .entries()
        .iter()
        .map(|entry| entry.key.clone())
        .collect();
    (!mixed.iter().any(|key| is_open(key)) && !named.is_empty()).then_some(named)
}

/// What a tool is, without what only decorates it.
pub fn told(tool: &Node) -> Node {
    let kept = tool
        .entries()
        .iter()
        .filter(|entry| !matches!(entry.key.as_str(), "icons" | "_meta"));
    Node::map(kept.map(|entry| (entry.key.clone(), entry.node.clone())))
}

/// Whether any text of it holds what is not seen.
pub fn holds_hidden(node: &Node) -> bool {
    let text = matches!(&node.value, Value::Text(text) if has_hidden(text));
    text || node.items().iter().any(holds_hidden)
        || node
            .entries()
            .iter()
            .any(|entry| has_hidden(&entry.key) || holds_hidden(&entry.node))
}

/// A name by its looks: letters that are taken for each other are one.
pub fn skeleton(name: &str) -> String {
    let folded = sayso_core::paths::fold(name).to_lowercase();
    let plain = folded
        .replace("rn", "m")
        .replace("vv", "w")
        .replace("cl", "d");
    let same = |letter: char| match letter {
        '0' => 'o',
        '1' | 'i' | '|' => 'l',
        '5' => 's',
        // Letters of other alphabets that are drawn alike.
        'а' => 'a',
        'е' => 'e',
        'о' => 'o',
        'р' => 'p',
        'с' => 'c',
        'х' => 'x',
        'у' => 'y',
        'і' => 'l',
        'ο' => 'o',
        'α' => 'a',
        other => other,
    };
    plain
        .chars()
        .filter(|letter| !matches!(letter, '_' | '-' | '.'))
        .map(same)
        .collect()
}
