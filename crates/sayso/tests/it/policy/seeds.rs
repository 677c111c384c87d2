//! The configuration blocks of the systems that sayso grew from, as `corpus/seeds` holds them: character by character.

use std::path::PathBuf;

use crate::desk::Desk;

/// The text of a block.
pub fn text(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus/seeds")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A desk whose person uses these blocks as their own policy. A JSON block is a whole file and stands alone.
pub fn desk(names: &[&str], files: &[(&str, &str)]) -> Desk {
    let desk = Desk::with(files);
    let texts: Vec<String> = names.iter().map(|name| text(name)).collect();
    let end = if names.iter().all(|name| name.ends_with(".json")) {
        "json"
    } else {
        "yaml"
    };
    std::fs::create_dir_all(desk.scene.config()).unwrap();
    std::fs::write(
        desk.scene.config().join(format!("policy.{end}")),
        texts.join("\n"),
    )
    .unwrap();
    desk
}
