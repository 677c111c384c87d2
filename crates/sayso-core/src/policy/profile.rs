//! The six profiles: policy text that comes with sayso, read like any other file.

use crate::policy::command_pattern::CommandReader;
use crate::policy::read::{Format, Layer, Origin, read};
use crate::policy::settings::Settings;
use crate::text::diagnostic::Source;

/// The profiles by name, with their text.
pub const PROFILES: [(&str, &str); 6] = [
    ("sayso", include_str!("../../profiles/sayso.yaml")),
    (
        "kollabor-spec",
        include_str!("../../profiles/kollabor-spec.yaml"),
    ),
    ("llm-do", include_str!("../../profiles/llm-do.yaml")),
    ("forge", include_str!("../../profiles/forge.yaml")),
    ("opencode", include_str!("../../profiles/opencode.yaml")),
    ("kollabor", include_str!("../../profiles/kollabor.yaml")),
];

/// The layer of a profile. A name that does not exist, or a text that cannot be read, gives the strictest layer there is.
pub fn layer(name: &str, reader: &dyn CommandReader) -> Layer {
    let text = PROFILES
        .iter()
        .find(|(profile, _)| *profile == name)
        .map(|(_, text)| *text);
    let source = format!("profile {name}");
    text.and_then(|text| {
        read(
            Source {
                name: &source,
                text,
            },
            Format::Yaml,
            Origin::Profile,
            reader,
        )
        .0
    })
    .unwrap_or(Layer {
        origin: Origin::Profile,
        name: source,
        settings: Settings::default(),
        rules: Vec::new(),
        shell: Vec::new(),
        agents: Vec::new(),
        locked: Vec::new(),
    })
}
