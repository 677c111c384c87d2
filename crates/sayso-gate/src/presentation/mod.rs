//! Builds what a person looks at, only when somebody is asked: the command, the change, the content, or names and values.

use sayso_core::draft::Reading;
use sayso_core::operation::Operation;
use sayso_core::policy::settings::Resolved;
use sayso_core::presentation::{Body, Presentation};
use sayso_core::text::json;
use sayso_core::verdict::Verdict;
use sayso_core::visible::visible;

use crate::ports::World;

/// What the person looks at. An error is a denial: nobody is asked about what cannot be shown (H-27).
pub fn build(
    world: &dyn World,
    operation: &Operation,
    reading: &Reading,
    verdict: &Verdict,
    settings: &Resolved,
) -> Result<Presentation, String> {
    let _ = (world, reading, verdict, settings);
    let row = |entry: &sayso_core::node::Entry| (visible(&entry.key).into_owned(), visible(&json::write(&entry.node)).into_owned());
    Ok(Presentation::of(Body::Structured(operation.args().entries().iter().map(row).collect())))
}
