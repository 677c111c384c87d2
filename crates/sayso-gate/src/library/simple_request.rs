//! A request for approval from a name and arguments, for tools that want nothing special.

use sayso_core::call::operation::ToolSays;
use sayso_core::call::tool_says::Approval;
use sayso_core::text::node::Node;

use super::check::{Context, Request};

/// Asks for a call of `tool`. Without a description the person reads `tool(key=value, …)`; arguments in `exclude_keys` are shown and do not
/// make another call when the answer is remembered.
///
/// ```
/// use sayso_core::text::node::Node;
/// use sayso_gate::library::simple_approval_request;
///
/// let args = Node::map([("to", Node::text("ann@example.com")), ("body", Node::text("Hello"))]);
/// let request = simple_approval_request("send_email", args, None, &["body"]);
/// assert_eq!(request.description(), "send_email(to=ann@example.com, body=Hello)");
/// assert!(request.payload().get("to").is_some() && request.payload().get("body").is_none());
/// ```
pub fn simple_approval_request(
    tool: &str,
    args: Node,
    description: Option<&str>,
    exclude_keys: &[&str],
) -> Request {
    let approval = Approval {
        description: description.map(str::to_owned),
        exclude_keys: exclude_keys.iter().map(|key| (*key).to_owned()).collect(),
        payload: None,
    };
    let says = approval.says(tool, &args);
    let description = match &says {
        ToolSays::NeedsApproval { description, .. } => description.clone(),
        _ => String::new(),
    };
    Request {
        context: Context::new(tool, args),
        description,
        says,
        presentation: None,
        group_id: None,
        twice: false,
        seal: None,
    }
}
