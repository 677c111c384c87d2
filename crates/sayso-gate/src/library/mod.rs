//! The gate for somebody who builds an agent: tools behind it, a person in front of it, and one call to make.
//!
//! ```
//! use std::sync::Arc;
//! use sayso_core::text::node::Node;
//! use sayso_core::answer::outcome::Outcome;
//! use sayso_core::answer::scope::Scope;
//! use sayso_gate::library::{Builder, Nowhere, Say, requires_approval, simulate_user_approval};
//!
//! // A tool is a function. To put it behind the gate changes nothing in it.
//! fn send(args: &Node) -> Result<Node, String> {
//!     let to = args.get("to").and_then(Node::as_text).ok_or("`to` is missing")?;
//!     Ok(Node::text(format!("sent to {to}")))
//! }
//!
//! let person = Arc::new(simulate_user_approval([Say::Yes(Scope::Session), Say::No]));
//! let agent = Builder::new("/ws", Arc::new(Nowhere))
//!     .person(person.clone())
//!     .tool(requires_approval("send_email", send).exclude_keys(["body"]))
//!     .build()?;
//!
//! let mail = |to: &str, body: &str| Node::map([("to", Node::text(to)), ("body", Node::text(body))]);
//! let first = pollster::block_on(agent.call("send_email", mail("ann@example.com", "Hello")));
//! assert_eq!(first.outcome, Outcome::Approved);
//! // Another body is the same mail for this tool, so nobody is asked again; another address is another one.
//! let second = pollster::block_on(agent.call("send_email", mail("ann@example.com", "Hello again")));
//! assert_eq!(second.outcome, Outcome::AutoApproved);
//! let third = pollster::block_on(agent.call("send_email", mail("bob@example.com", "Hello")));
//! assert_eq!(third.message, "denied by the person. nothing was changed");
//! assert_eq!(person.seen().len(), 2);
//! // What was never registered cannot be called.
//! let unknown = pollster::block_on(agent.call("drop_tables", Node::map::<String>([])));
//! assert_eq!(unknown.outcome, Outcome::Blocked);
//! # Ok::<(), String>(())
//! ```
//!
//! A host that runs its tools itself asks with [`Controller::check`] and [`Controller::request_approval`]; one that wants answers about
//! commands, edits and addresses, and asks by itself, takes the [`Checker`].

pub mod builder;
pub mod check;
pub mod checker;
pub mod controller;
pub mod decision;
pub mod empty_world;
pub mod person;
pub mod presenter;
pub mod simple_request;
pub mod tools;
pub mod wrapper;

pub use crate::ports::{Ask, Run, Store, World};
pub use crate::presentation::truncate_for_display;
pub use crate::simulated::{Say, Simulated};
pub use builder::Builder;
pub use check::{Checked, Context, Metadata, Request};
pub use checker::{Action, Checker, Response};
pub use controller::Controller;
pub use decision::{ApprovalDecision, Decision};
pub use empty_world::Nowhere;
pub use person::{Shown, person, simulate_user_approval};
pub use presenter::Presenter;
pub use sayso_core::answer::run_mode::Run as How;
pub use simple_request::simple_approval_request;
pub use tools::Tools;
pub use wrapper::{
    Tool, Wrapped, gated, gated_async, pre_approved, requires_approval, requires_approval_async,
};

/// The examples of the guide run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guide/library.md")]
struct Guide;
