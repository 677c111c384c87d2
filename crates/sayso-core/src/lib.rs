//! What is asked and what is answered: operations, effects, facts, rules, grants and verdicts.
//!
//! [`decide`](decide::decide) is pure, total and synchronous: it reads no file, clock or environment, and it cannot fail.
//!
//! The folders are layers. Each uses those above it in this list and none below:
//!
//! 1. [`packed`]: a binary form of values.
//! 2. [`text`]: JSON, YAML, digests, redaction, and how values are written for people.
//! 3. [`paths`]: what a path means by its name.
//! 4. [`call`]: one call of a tool, and the registry of tools.
//! 5. [`analysis`]: what the call would do, and the facts that this depends on.
//! 6. [`policy`]: policy text to rules and settings.
//! 7. [`answer`]: verdicts, grants, and how a call ended.
//! 8. [`decide`](mod@decide): the judge.
//!
//! Below all of them: [`const_table`], tables that are laid out at compile time. Beside the judge, on top of
//! [`answer`]: [`prompt`], a question to a person, and [`snapshot`], policy and grants as bytes.

pub mod analysis;
pub mod answer;
pub mod call;
pub mod const_table;
pub mod decide;
pub mod packed;
pub mod paths;
pub mod policy;
pub mod prompt;
pub mod snapshot;
pub mod text;
