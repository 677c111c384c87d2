//! Who is told first: named places in the order, the highest first.

/// A place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i32);

impl Priority {
    /// The host itself.
    pub const SYSTEM: Priority = Priority(1000);
    /// The gate. Who stands above it hears of a call before it is decided, everybody else when it is.
    pub const SECURITY: Priority = Priority(900);
    /// What prepares something.
    pub const PREPROCESSING: Priority = Priority(500);
    /// The agent's own.
    pub const AGENT: Priority = Priority(100);
    /// What follows on something.
    pub const POSTPROCESSING: Priority = Priority(50);
    /// Screens.
    pub const DISPLAY: Priority = Priority(10);

    /// Whether it stands above the gate. It still only hears: nothing can run between the decision and the run.
    pub fn is_above_gate(self) -> bool {
        self > Priority::SECURITY
    }
}

/// All named priorities.
pub const PRIORITIES: [(Priority, &str); 6] = [
    (Priority::SYSTEM, "system"),
    (Priority::SECURITY, "security"),
    (Priority::PREPROCESSING, "preprocessing"),
    (Priority::AGENT, "agent"),
    (Priority::POSTPROCESSING, "postprocessing"),
    (Priority::DISPLAY, "display"),
];
