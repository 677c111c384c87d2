//! What is answered: verdicts, remembered answers, how a call ended, and the words for all of these.

pub mod cause;
pub mod decided_by;
pub mod evidence;
mod excerpt;
pub mod explain;
pub mod grant;
pub mod learned_rule;
pub mod outcome;
pub mod rest_of_batch;
pub mod rule_id;
pub mod run_mode;
pub mod runner;
pub mod scope;
pub mod verdict;
