//! The gate for an agent of your own: [`GatedTools`] wrap the tools of a host, with a policy and a person who is asked.
//!
//! ```
//! use std::sync::Arc;
//! use sayso_core::answer::scope::Scope;
//! use sayso_core::text::node::Node;
//! use sayso_gate::library::{GatedError, GatedTools, Nowhere, Say, Tool, simulate_user_approval};
//!
//! // A tool is a function. To put it behind the gate changes nothing in it.
//! fn send(args: &Node) -> Result<Node, String> {
//!     let to = args.get("to").and_then(Node::as_text).ok_or("`to` is missing")?;
//!     Ok(Node::text(format!("sent to {to}")))
//! }
//!
//! let person = Arc::new(simulate_user_approval([Say::Yes(Scope::Session), Say::No]));
//! let tools = GatedTools::builder("/ws", Arc::new(Nowhere))
//!     .person(person.clone())
//!     .tool(Tool::new("send_email", send).exclude_keys(["body"]))
//!     .build()?;
//!
//! let mail = |to: &str, body: &str| Node::map([("to", Node::text(to)), ("body", Node::text(body))]);
//! let send = |to: &str, body: &str| pollster::block_on(tools.call("send_email", mail(to, body)));
//! assert_eq!(send("ann@example.com", "Hello").unwrap().as_text(), Some("sent to ann@example.com"));
//! // Another body is the same mail for this tool, so it is not asked about again; another address is another one.
//! assert!(send("ann@example.com", "Hello again").is_ok());
//! let refused = send("bob@example.com", "Hello").unwrap_err();
//! assert!(matches!(refused, GatedError::Refused(_)));
//! assert_eq!(refused.to_string(), "denied by the person. nothing was changed");
//! assert_eq!(person.seen().len(), 2);
//! // What was never registered cannot be called.
//! assert!(pollster::block_on(tools.call("drop_tables", Node::map::<String>([]))).is_err());
//! # Ok::<(), sayso_gate::error::BuildError>(())
//! ```
//!
//! A host that runs its tools itself asks with [`GatedTools::check`] and [`GatedTools::request_approval`]; one that asks the person itself,
//! too, with [`GatedTools::check_now`] and [`GatedTools::apply_response`].

pub mod answers;
pub mod builder;
pub mod check;
pub mod empty_world;
pub mod gated_tools;
pub mod presenter;
pub mod tool;

pub use crate::error::{BuildError, GatedError};
pub use crate::ports::{Ask, Run, Store, World};
pub use crate::presentation::truncate_for_display;
pub use crate::simulated::{Say, Simulated};
pub use answers::{
    Action, ApprovalDecision, DECISIONS, Response, Shown, person, simulate_user_approval,
};
pub use builder::Builder;
pub use check::{Checked, Request, ToolCall};
pub use empty_world::Nowhere;
pub use gated_tools::GatedTools;
pub use presenter::Presenter;
pub use sayso_core::answer::run_mode::Run as How;
pub use tool::Tool;

/// The examples of the guide run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guide/library.md")]
struct Guide;
