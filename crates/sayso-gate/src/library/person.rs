//! People for a host: one who is asked by a function, and one for tests.

use std::sync::Arc;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::prompt::{Ended, Prompt};

use super::decision::ApprovalDecision;
use crate::ports::{Ask, Later};
use crate::simulated::{Say, Simulated};

/// So often a question is shown again with all its details; who still does not answer says no.
const MOST_VIEWS: usize = 100;

/// What is put before the person.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The question.
    pub prompt: &'a Prompt,
    /// The person wants to see all of it: [`Presentation::whole`](sayso_core::prompt::presentation::Presentation::whole).
    pub whole: bool,
}

/// A person who is asked by a function. It is called where the gate is polled, so it may block that thread and no other.
///
/// After [`ApprovalDecision::ViewDetails`] it is called again, with `whole`. If it panics, that is a denial.
///
/// ```
/// use std::sync::Arc;
/// use sayso_core::text::node::Node;
/// use sayso_gate::library::{ApprovalDecision, Builder, Nowhere, person, requires_approval};
///
/// let careful = person("ann", |shown| match shown.whole {
///     false => ApprovalDecision::ViewDetails,
///     true if shown.prompt.description.contains("example.com") => ApprovalDecision::Approve,
///     true => ApprovalDecision::Deny,
/// });
/// let send = requires_approval("send_email", |_| Ok(Node::text("sent")));
/// let agent = Builder::new("/ws", Arc::new(Nowhere)).person(careful).tool(send).build()?;
/// let to = |to: &str| Node::map([("to", Node::text(to))]);
/// assert!(pollster::block_on(agent.call("send_email", to("ann@example.com"))).succeeded());
/// assert!(!pollster::block_on(agent.call("send_email", to("eve@example.org"))).succeeded());
/// # Ok::<(), String>(())
/// ```
pub fn person<F>(name: impl Into<String>, ask: F) -> Arc<dyn Ask>
where
    F: Fn(Shown<'_>) -> ApprovalDecision + Send + Sync + 'static,
{
    Arc::new(Asked {
        name: name.into(),
        ask,
    })
}

/// A person for tests who answers by a script, and with no when it is over.
pub fn simulate_user_approval(script: impl IntoIterator<Item = Say>) -> Simulated {
    Simulated::new(script)
}

struct Asked<F> {
    name: String,
    ask: F,
}

impl<F: Fn(Shown<'_>) -> ApprovalDecision + Send + Sync> Ask for Asked<F> {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move {
            let mut said = ApprovalDecision::ViewDetails;
            for view in 0..MOST_VIEWS {
                said = (self.ask)(Shown {
                    prompt: &prompt,
                    whole: view > 0,
                });
                if said != ApprovalDecision::ViewDetails {
                    break;
                }
            }
            let by = || DecidedBy::from_text(&self.name);
            match (said, said.choice(&prompt)) {
                (ApprovalDecision::Timeout, _) => Ended::TimedOut,
                (_, Some(choice)) => Ended::Answered {
                    answer: prompt.answer(choice),
                    by: by(),
                },
                (_, None) => Ended::Answered {
                    answer: prompt.answer(sayso_core::prompt::Choice::Deny),
                    by: by(),
                },
            }
        })
    }
}
