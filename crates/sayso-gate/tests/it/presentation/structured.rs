//! Names and values: MCP, fetch, delegation, moves and tools that nobody knows.

use sayso_core::call::operation::{Call, McpIdentity, ToolSays};
use sayso_core::text::node::Node;

use super::{call, call_json, rows, setup, show, value, warned};

#[test]
fn u_22_h_67_every_argument_is_shown_whole() {
    let args = r#"{"to": "a@example.com", "body": {"text": "secret\nplan", "n": [1, 2.0, null, true]}, "": 1, "the host": "x"}"#;
    let says = ToolSays::NeedsApproval {
        payload: Node::text("mail"),
        description: "Send a mail".to_owned(),
    };
    let shown = show(
        &setup(),
        Call {
            says,
            ..call_json("send_email", args)
        },
    );
    let expected = [
        ("the tool says", "Send a mail"),
        ("the tool", "send_email"),
        ("to", "\"a@example.com\""),
        ("body", r#"{"text":"secret\nplan","n":[1,2.0,null,true]}"#),
        ("\"\"", "1"),
        ("\"the host\"", "\"x\""),
    ];
    assert_eq!(
        rows(&shown),
        expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    let shown = show(&setup(), call_json("my_tool", "{}"));
    assert_eq!(rows(&shown)[1].0, "no arguments");
}

#[test]
fn an_mcp_call_shows_server_tool_and_each_argument() {
    let args = r#"{"server": "github", "tool": "create_issue", "arguments": {"title": "x", "server": "other"}}"#;
    let call = Call {
        mcp: Some(McpIdentity {
            changed: true,
            ..McpIdentity::default()
        }),
        ..call_json("mcp", args)
    };
    let shown = show(&setup(), call);
    let all = rows(&shown);
    assert_eq!(
        (value(all, "server"), value(all, "tool")),
        ("github", "create_issue")
    );
    assert_eq!(
        (
            value(all, "arguments.title"),
            value(all, "arguments.server")
        ),
        ("\"x\"", "\"other\"")
    );
    assert!(warned(&shown, "in another way"));
}

#[test]
fn a_fetch_shows_the_address_and_the_host_that_is_really_asked() {
    for (url, host) in [
        ("https://example.com/a?b=c#d", "example.com"),
        ("http://EXAMPLE.com.:8080/", "example.com, port 8080"),
        (
            "http://2130706433/",
            "127.0.0.1 (this machine or a private network)",
        ),
        ("https://paypal.com@evil.com/", "cannot be told"),
    ] {
        let shown = show(
            &setup(),
            call("webfetch", &[("url", url), ("prompt", "read it")]),
        );
        assert_eq!(value(rows(&shown), "url"), url);
        assert_eq!(value(rows(&shown), "the host"), host);
        assert_eq!(value(rows(&shown), "prompt"), "\"read it\"");
        assert_eq!(
            warned(&shown, "cannot be read in one way"),
            host == "cannot be told"
        );
    }
    assert!(warned(
        &show(
            &setup(),
            call("webfetch", &[("url", "https://xn--pypal-4ve.com/")])
        ),
        "other alphabets"
    ));
}

#[test]
fn u_18_a_delegation_shows_target_input_and_attachments() {
    let mut setup = setup();
    setup.world.with("/ws/notes/a.txt", "x".repeat(2400));
    let args = r#"{"agent": "reviewer", "input": "look\nat this", "attachments": ["notes/a.txt", "out.md", "none.txt"]}"#;
    let shown = show(&setup, call_json("delegate", args));
    let all = rows(&shown);
    assert_eq!(
        (value(all, "agent"), value(all, "input")),
        ("reviewer", "\"look\\nat this\"")
    );
    let attached: Vec<&str> = all
        .iter()
        .filter(|(label, _)| label == "attached file")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(
        attached,
        [
            "notes/a.txt (2.3 KB), for reviewer",
            "out.md (leads to /home/u/other.txt, 0 bytes), for reviewer",
            "none.txt (there is no such file), for reviewer",
        ]
    );
    assert!(warned(&shown, "`out.md` leads through a link"));
}

#[test]
fn moves_and_copies_say_what_they_replace() {
    for tool in ["file_move", "file_copy"] {
        let shown = show(
            &setup(),
            call(tool, &[("from", "any_file.py"), ("to", "old_file.py")]),
        );
        assert!(warned(
            &shown,
            "it replaces the file that is there: /ws/old_file.py"
        ));
        assert_eq!(
            value(&shown.details, "undo"),
            "`sayso undo` cannot take it back: sayso does not run it and makes no backup."
        );
        let shown = show(
            &setup(),
            call(tool, &[("from", "any_file.py"), ("to", "new.py")]),
        );
        assert!(!warned(&shown, "replaces"));
        assert_eq!(value(&shown.details, "to"), "does not exist yet");
        let shown = show(
            &setup(),
            call(tool, &[("from", "any_file.py"), ("to", "docs")]),
        );
        assert!(warned(&shown, "may go into it"));
    }
}
