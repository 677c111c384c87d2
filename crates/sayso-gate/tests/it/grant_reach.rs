//! How far a remembered answer reaches: sessions, agents, batches, time, and the tool it was given for.

use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::call::operation::{Call, McpIdentity};
use sayso_core::policy::decision::Decision::{Allow, Ask};
use sayso_core::text::digest::Digest;

use crate::bench::{NOW, Setup, by};
use crate::grants::{exact, grant, in_session};

#[test]
fn h_35_grants_stay_in_their_session_and_with_their_agent() {
    let call = in_session("file_edit src/main.rs");
    let setup = Setup::profile("forge").grant(grant(exact(&call)));
    assert_eq!(setup.judge(call.clone()).decision, Allow);
    assert_eq!(
        setup
            .judge(Call {
                session: "t".to_owned(),
                ..call.clone()
            })
            .decision,
        Ask
    );
    assert_eq!(setup.judge(by("other", call.clone())).decision, Ask);
    let nobody = Grant {
        reach: Reach::Session(String::new()),
        ..grant(exact(&call))
    };
    let setup = Setup::profile("forge").grant(nobody);
    assert_eq!(
        setup
            .judge(Call {
                session: String::new(),
                ..call.clone()
            })
            .decision,
        Ask,
        "no session is no session"
    );
    let project = Grant {
        reach: Reach::Project("/other".to_owned()),
        ..grant(exact(&call))
    };
    assert_eq!(
        Setup::profile("forge").grant(project).judge(call).decision,
        Ask
    );
}

#[test]
fn z_37_a_grant_ends_with_its_time_and_its_uses() {
    let call = in_session("file_edit src/main.rs");
    for (expires, uses_left, expected) in [
        (None, None, Allow),
        (Some(NOW + 1), None, Allow),
        (Some(NOW), None, Ask),
        (Some(NOW - 1), None, Ask),
        (None, Some(1), Allow),
        (None, Some(0), Ask),
        (Some(NOW + 1), Some(0), Ask),
    ] {
        let setup = Setup::profile("forge").grant(Grant {
            expires,
            uses_left,
            ..grant(exact(&call))
        });
        assert_eq!(
            setup.judge(call.clone()).decision,
            expected,
            "{expires:?} {uses_left:?}"
        );
    }
}

/// Z-11: a batch is not a session, and "the rest of the batch" has no wider reach.
#[test]
fn z_11_the_rest_of_a_batch_ends_with_it() {
    let batch = Grant {
        reach: Reach::Batch("b".to_owned()),
        ..grant(GrantKey::RestOfBatch)
    };
    let setup = Setup::profile("forge").grant(batch);
    let edit = in_session("file_edit src/main.rs");
    assert_eq!(
        setup
            .judge(Call {
                batch: Some("b".to_owned()),
                ..edit.clone()
            })
            .decision,
        Allow
    );
    assert_eq!(
        setup
            .judge(Call {
                batch: Some("c".to_owned()),
                ..edit.clone()
            })
            .decision,
        Ask
    );
    assert_eq!(setup.judge(edit.clone()).decision, Ask);
    for reach in [
        Reach::Session("s".to_owned()),
        Reach::Project("/ws".to_owned()),
        Reach::Always,
    ] {
        let wide = Setup::profile("forge").grant(Grant {
            reach,
            ..grant(GrantKey::RestOfBatch)
        });
        assert_eq!(
            wide.judge(Call {
                batch: Some("b".to_owned()),
                ..edit.clone()
            })
            .decision,
            Ask
        );
    }
}

/// Z-40: trust in an MCP tool is for this server, this tool and this schema.
#[test]
fn z_40_an_mcp_tool_that_changed_is_another_tool() {
    let schema = Digest::of_bytes(b"schema");
    let key = GrantKey::McpTool {
        server: "github".to_owned(),
        tool: "get_issue".to_owned(),
        schema: Some(schema),
    };
    let setup = Setup::profile("forge").grant(grant(key));
    let mcp = |text: &str, schema, changed| Call {
        mcp: Some(McpIdentity {
            schema,
            changed,
            ..McpIdentity::default()
        }),
        ..in_session(text)
    };
    assert_eq!(
        setup
            .judge(mcp("mcp github/get_issue", Some(schema), false))
            .decision,
        Allow
    );
    for other in [
        mcp("mcp github/get_issue", Some(schema), true),
        mcp(
            "mcp github/get_issue",
            Some(Digest::of_bytes(b"new")),
            false,
        ),
        mcp("mcp github/get_issue", None, false),
        mcp("mcp github/delete_repo", Some(schema), false),
        mcp("mcp gitlab/get_issue", Some(schema), false),
        in_session("mcp github/get_issue"),
    ] {
        assert_eq!(setup.judge(other.clone()).decision, Ask, "{other:?}");
    }
}
