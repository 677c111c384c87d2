//! What a sandbox itself could leave behind.
