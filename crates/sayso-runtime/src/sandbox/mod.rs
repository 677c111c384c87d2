//! Commands in the sandbox: what they may touch by the policy, the run itself, and what is taken away when it has ended.

mod git_identity;

pub mod cleanup;
pub mod error;
pub mod profile;
pub mod run;
pub mod session;
