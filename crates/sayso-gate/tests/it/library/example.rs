//! The example agent does what it says, and what the guide quotes.

#[path = "../../../examples/agent.rs"]
mod agent;

use std::path::Path;

#[test]
fn the_example_prints_what_the_guide_quotes() {
    let mut out = Vec::new();
    agent::tell(&mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let guide = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/library.md"),
    )
    .unwrap();
    assert!(
        guide.contains(&format!("```text\n{out}```\n")),
        "the guide should quote:\n{out}"
    );
}
