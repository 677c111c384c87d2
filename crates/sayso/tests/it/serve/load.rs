//! Many at once: open prompts, listeners and answers, with none lost and none doubled.
