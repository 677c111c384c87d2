//! What is asked and what is answered: operations, effects, facts, rules, grants and verdicts.
//!
//! [`decide`](decide::decide) is pure, total and synchronous: it reads no file, clock or environment, and it cannot fail.

pub mod diagnostic;
pub mod digest;
pub mod draft;
pub mod effect;
pub mod fact;
pub mod node;
pub mod paths;
pub mod url;
pub mod verdict;
pub mod visible;
