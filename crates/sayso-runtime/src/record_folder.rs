//! Where sayso keeps its record: the state folder of the person, or the folder that their policy names (`audit.path`).

use std::path::PathBuf;

use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::policy::settings::Resolved;
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_shell::Bash;
use sayso_world::locations::{Whereabouts, WhereaboutsError};
use sayso_world::policy_files::{self, FileLayer, PolicyFile};
use thiserror::Error;

use crate::decision_log;

/// Why sayso does not know where its record is.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum RecordFolderError {
    #[error(transparent)]
    Whereabouts(#[from] WhereaboutsError),
    #[error(
        "`audit.path` is the folder of the record, and `{}` is a file\nhint: for a log file write `audit.log`",
        .0.display()
    )]
    IsAFile(PathBuf),
}

/// Where sayso's own things are, by the environment and by the policies that may say it: the person's own and the administrator's.
///
/// # Errors
/// When the environment does not say enough.
pub fn whereabouts() -> Result<Whereabouts, RecordFolderError> {
    with_files().map(|(whereabouts, _)| whereabouts)
}

/// The same, with those policy files: whoever needs them next need not read them again.
///
/// # Errors
/// When the environment does not say enough.
pub fn with_files() -> Result<(Whereabouts, Vec<PolicyFile>), RecordFolderError> {
    let mut whereabouts = Whereabouts::from_environment()?;
    // No project's file counts.
    let files = policy_files::general(&whereabouts);
    if let Some(settings) = settings(&files) {
        let home = whereabouts.home.clone();
        let place = |written: &String| decision_log::place(written, home.as_deref());
        if let Some(state) = settings.audit_path.as_ref().map(place) {
            if state.is_file() {
                return Err(RecordFolderError::IsAFile(state));
            }
            whereabouts.state = state;
        }
        whereabouts.log = settings
            .audit_log
            .as_ref()
            .filter(|_| settings.audit_enabled)
            .map(place);
    }
    Ok((whereabouts, files))
}

/// What the policy says of the record. A file that cannot be read says nothing here: with it, everything is denied anyway.
fn settings(files: &[PolicyFile]) -> Option<Resolved> {
    let layers: Vec<Layer> = files.iter().filter_map(layer).collect();
    if layers.is_empty() {
        return None;
    }
    let policy = Policy::assemble(layers, &Overrides::default(), &Bash);
    Some(policy.views().first()?.general.settings.clone())
}

fn layer(file: &PolicyFile) -> Option<Layer> {
    // Most files say nothing of it, and reading them twice would cost each call.
    let text = file
        .text
        .as_ref()
        .ok()
        .filter(|text| text.contains("audit"))?;
    let name = file.path.display().to_string();
    let is_json = file
        .path
        .extension()
        .is_some_and(|extension| extension == "json");
    let origin = match file.layer {
        FileLayer::Managed => Origin::Managed,
        FileLayer::UserSettings => Origin::Learned,
        _ => Origin::User,
    };
    let (layer, findings) = read(
        Source { name: &name, text },
        if is_json { Format::Json } else { Format::Yaml },
        origin,
        &Bash,
    );
    layer.filter(|_| {
        findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    })
}
