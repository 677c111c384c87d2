//! What the person said for one run, by flags.

/// What the person said for this run, by flags and never by a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// Prompts are answered by a person.
    #[default]
    Interactive,
    /// `--approve-all`: what would be asked is allowed; blocks hold.
    ApproveAll,
    /// `--yolo`: the same, and in one profile catastrophes too.
    Yolo,
    /// `--strict`: what would be asked is denied.
    Strict,
    /// Nobody can answer: what would be asked is denied.
    Nobody,
}
