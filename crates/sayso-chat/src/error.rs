//! What the errors of this crate have in common.

use std::path::Path;

use sayso_core::text::visible::visible;

/// The error of what another crate does.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// A path as a message shows it.
pub(crate) fn shown(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}
