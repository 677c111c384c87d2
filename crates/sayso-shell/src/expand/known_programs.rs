//! What a walk asks about programs. Their table uses the walk's folder, so the caller of a walk gives it the lookup.

/// What a walk needs to know about a program of the table.
pub(crate) struct KnownProgram {
    /// The table of its options (see [`crate::parse::options`]), if it has one.
    pub(crate) options: Option<&'static str>,
}

/// Looks up a program by its exact name.
pub(crate) type FindProgram = fn(&str) -> Option<KnownProgram>;
