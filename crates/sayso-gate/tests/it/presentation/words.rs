//! Headings, one-line descriptions and styles, kind by kind.

use sayso_core::prompt::Style;
use sayso_gate::describe::{description, style, title};

use super::{call, call_json, judged, setup};
use crate::bench::Setup;

#[test]
fn u_20_titles_and_descriptions() {
    let plain = "Tool Execution Approval Required";
    let file = "File Operation Approval Required";
    let delete = "⚠️ DELETE CONFIRMATION";
    for (tool, args, heading, line) in [
        (
            "bash",
            r#"{"command": "git push"}"#,
            plain,
            "Execute terminal command: 'git push' (cwd: /ws, timeout: 90s)",
        ),
        (
            "bash",
            r#"{"command": "make", "cwd": "src", "timeout": 30}"#,
            plain,
            "Execute terminal command: 'make' (cwd: /ws/src, timeout: 30s)",
        ),
        (
            "file_edit",
            r#"{"path": "any_file.py", "find": "a", "replace": "b"}"#,
            file,
            "Edit file: any_file.py",
        ),
        (
            "file_edit",
            r#"{"path": "no.py", "find": "a", "replace": "b"}"#,
            file,
            "Edit file: no.py",
        ),
        (
            "file_create",
            r#"{"path": "no.py", "content": "a"}"#,
            file,
            "Create file: no.py",
        ),
        (
            "file_create",
            r#"{"path": "any_file.py", "content": "a"}"#,
            file,
            "Create file: any_file.py",
        ),
        (
            "file_write",
            r#"{"path": "no.py", "content": "a"}"#,
            file,
            "Write file: no.py",
        ),
        (
            "file_append",
            r#"{"path": "any_file.py", "content": "a"}"#,
            file,
            "Append to file: any_file.py",
        ),
        (
            "file_move",
            r#"{"from": "any_file.py", "to": "x.py"}"#,
            file,
            "Move file: any_file.py to x.py",
        ),
        (
            "file_delete",
            r#"{"path": "any_file.py"}"#,
            delete,
            "Delete file: any_file.py",
        ),
        (
            "file_rmdir",
            r#"{"path": "docs"}"#,
            delete,
            "File operation (file_rmdir): docs",
        ),
        (
            "mcp",
            r#"{"server": "github", "tool": "push"}"#,
            plain,
            "Execute MCP tool: push (server: github)",
        ),
        (
            "webfetch",
            r#"{"url": "https://example.com/"}"#,
            plain,
            "Fetch: https://example.com/",
        ),
        (
            "share_file",
            r#"{"path": "a.txt", "agent": "b"}"#,
            plain,
            "Hand the file a.txt to the agent b",
        ),
        ("my_tool", r#"{"x": 1, "y": 2}"#, plain, "my_tool(x=1, y=2)"),
        (
            "file_grep",
            r#"{"pattern": "x", "path": "src"}"#,
            file,
            "File operation (file_grep): src",
        ),
    ] {
        let (operation, judged) = judged(&setup(), call_json(tool, args));
        assert_eq!(title(&operation, &judged.verdict), heading, "{tool} {args}");
        assert_eq!(
            description(&operation, &judged.verdict),
            line,
            "{tool} {args}"
        );
    }
    let (operation, judged) = judged(&setup(), call("bash", &[("command", "chmod -R 777 .")]));
    assert_eq!(title(&operation, &judged.verdict), "⚠️ DANGEROUS OPERATION");
}

#[test]
fn u_11_styles_by_the_matrix() {
    let of = |setup: &Setup, tool: &str, args: &[(&str, &str)]| {
        let (operation, judged) = judged(setup, call(tool, args));
        style(&operation, &judged.verdict, setup.settings())
    };
    let spec = Setup::profile("kollabor-spec");
    let edit = |path| [("path", path), ("find", "a"), ("replace", "b")];
    for (tool, args, expected) in [
        ("file_delete", &[("path", "any_file.py")][..], Style::Modal),
        (
            "file_create_overwrite",
            &[("path", "any_file.py"), ("content", "x")],
            Style::Modal,
        ),
        ("file_edit", &edit("core/application.py"), Style::Modal),
        ("file_edit", &edit("any_file.py"), Style::Status),
        ("bash", &[("command", "rm -rf node_modules")], Style::Modal),
        ("bash", &[("command", "npm test")], Style::Status),
        ("mcp", &[("server", "a"), ("tool", "b")], Style::Modal),
    ] {
        assert_eq!(of(&spec, tool, args), expected, "{tool} {args:?}");
    }
    for (profile, expected) in [
        ("sayso", Style::Inline),
        ("forge", Style::Modal),
        ("opencode", Style::Modal),
        ("kollabor", Style::Inline),
        ("llm-do", Style::Inline),
    ] {
        assert_eq!(
            of(&Setup::profile(profile), "bash", &[("command", "npm test")]),
            expected,
            "{profile}"
        );
    }
    for (word, expected) in [
        ("status", Style::Status),
        ("box", Style::Modal),
        ("line", Style::Inline),
    ] {
        let setup = Setup::with("sayso", &format!("prompt_style: {word}"));
        assert_eq!(
            of(&setup, "bash", &[("command", "npm test")]),
            expected,
            "{word}"
        );
    }
}
