//! Where sayso keeps its record: the state folder of the person, or the folder that their policy names (`audit.path`).

use std::path::PathBuf;

use sayso_core::diagnostic::{Severity, Source};
use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_shell::Bash;
use sayso_world::policy_files::{self, FileLayer, PolicyFile};
use sayso_world::whereabouts::Whereabouts;

/// Where sayso's own things are, by the environment and by the policies that may say it: the person's own and the administrator's.
///
/// # Errors
/// When the environment does not say enough.
pub fn whereabouts() -> Result<Whereabouts, String> {
    with_files().map(|(whereabouts, _)| whereabouts)
}

/// The same, with those policy files: whoever needs them next need not read them again.
///
/// # Errors
/// When the environment does not say enough.
pub fn with_files() -> Result<(Whereabouts, Vec<PolicyFile>), String> {
    let mut whereabouts = Whereabouts::from_environment()?;
    // No project's file counts.
    let files = policy_files::general(&whereabouts);
    if let Some(path) = named(&whereabouts, &files) {
        whereabouts.state = path;
    }
    Ok((whereabouts, files))
}

/// The folder of the policy. A file that cannot be read says nothing here: with it, everything is denied anyway.
fn named(whereabouts: &Whereabouts, files: &[PolicyFile]) -> Option<PathBuf> {
    let layers: Vec<Layer> = files.iter().filter_map(layer).collect();
    if layers.is_empty() {
        return None;
    }
    let policy = Policy::assemble(layers, &Overrides::default(), &Bash);
    let path = policy.views().first()?.general.settings.audit_path.clone()?;
    match path.strip_prefix("~/") {
        Some(rest) => Some(whereabouts.home.as_ref()?.join(rest)),
        None => Some(PathBuf::from(path)),
    }
}

fn layer(file: &PolicyFile) -> Option<Layer> {
    // Most files say nothing of it, and reading them twice would cost each call.
    let text = file.text.as_ref().ok().filter(|text| text.contains("audit"))?;
    let name = file.path.display().to_string();
    let is_json = file.path.extension().is_some_and(|extension| extension == "json");
    let origin = match file.layer {
        FileLayer::Managed => Origin::Managed,
        FileLayer::UserSettings => Origin::Learned,
        _ => Origin::User,
    };
    let (layer, findings) = read(Source { name: &name, text }, if is_json { Format::Json } else { Format::Yaml }, origin, &Bash);
    layer.filter(|_| findings.iter().all(|finding| finding.severity != Severity::Error))
}
