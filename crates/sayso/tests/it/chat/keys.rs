//! The key of a model: no tool of its session gets near it, wherever it is kept.

use std::os::unix::fs::PermissionsExt as _;

use super::endpoint::{Answer, Endpoint, openai};
use super::{KEY, chat, everything};
use crate::terminal::screen::Room;

fn keep(file: &std::path::Path) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, KEY).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn configure(room: &Room, url: &str, file: &str) {
    let config = room.home.join(".config/sayso");
    std::fs::create_dir_all(&config).unwrap();
    let text = format!(
        "model: test\nmodels:\n  test: {{api: openai, url: '{url}/v1', model: m1, key_file: '{file}'}}\n"
    );
    std::fs::write(config.join("chat.yaml"), text).unwrap();
}

#[test]
fn a_key_in_the_workspace_is_refused_before_anything_is_sent() {
    let endpoint = Endpoint::start(vec![Answer::Events(
        openai(&["ok"], &[]),
        std::time::Duration::ZERO,
    )]);
    let room = Room::new(&[]);
    keep(&room.folder.join("my-key"));
    std::os::unix::fs::symlink(room.folder.join("my-key"), room.home.join("link")).unwrap();
    for file in [room.folder.join("my-key"), room.home.join("link")] {
        configure(&room, &endpoint.url, &file.display().to_string());
        let output = chat(&room, &["--strict", "hello"], "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains("inside of the workspace")
                && error.contains("hint: ")
                && !error.contains(KEY),
            "{error}"
        );
    }
    configure(&room, &endpoint.url, "my-key");
    assert_eq!(
        chat(&room, &["--strict", "hello"], "").status.code(),
        Some(2),
        "a path that means another file in each folder"
    );
    assert!(endpoint.asked().is_empty());
}

#[test]
fn a_key_elsewhere_is_read_by_no_tool_in_no_mode() {
    let room = Room::new(&[]);
    // Neither hidden nor secret by its name.
    let file = room.home.join("notes/plain.txt");
    keep(&file);
    std::os::unix::fs::symlink(&file, room.folder.join("innocent")).unwrap();
    let path = file.display().to_string();
    let folder = file.parent().unwrap().display().to_string();
    let json = |value: serde_json::Value| value.to_string();
    let list = [
        ("c0", "file_read", json(serde_json::json!({"path": path}))),
        (
            "c1",
            "file_read",
            json(serde_json::json!({"path": "innocent"})),
        ),
        (
            "c2",
            "terminal",
            json(serde_json::json!({"command": format!("cat {path}")})),
        ),
        (
            "c3",
            "terminal",
            json(serde_json::json!({"command": format!("cat {folder}/*")})),
        ),
        (
            "c4",
            "terminal",
            json(serde_json::json!({"command": format!("cp {path} here")})),
        ),
        (
            "c5",
            "file_write",
            json(serde_json::json!({"path": path, "content": "x"})),
        ),
        (
            "c6",
            "terminal",
            json(serde_json::json!({"command": "cat < innocent"})),
        ),
        (
            "c7",
            "terminal",
            json(serde_json::json!({"command": format!("grep -r . {folder}")})),
        ),
        (
            "c8",
            "file_grep",
            json(serde_json::json!({"pattern": ".", "path": folder})),
        ),
        (
            "c9",
            "terminal",
            json(serde_json::json!({"command": format!("tar c {folder}")})),
        ),
    ];
    let calls: Vec<(&str, &str, &str)> = list
        .iter()
        .map(|(id, tool, args)| (*id, *tool, args.as_str()))
        .collect();
    for flags in [
        &["--mode", "high-risk-only", "--strict"][..],
        &["--approve-all"],
        &["--yolo"],
    ] {
        let none = std::time::Duration::ZERO;
        let endpoint = Endpoint::start(vec![
            Answer::Events(openai(&[], &calls), none),
            Answer::Events(openai(&["ok"], &[]), none),
        ]);
        configure(&room, &endpoint.url, &path);
        let mut args = flags.to_vec();
        args.extend(["--json", "go"]);
        let output = chat(&room, &args, "");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            output.status.code(),
            Some(20),
            "{out} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        for (at, one) in value["calls"].as_array().unwrap().iter().enumerate() {
            assert_eq!(one["approved"], false, "{flags:?} {at}: {one}");
        }
        let asked = endpoint.asked();
        assert!(
            asked[0].head.contains(KEY) && !asked[1].body.to_string().contains(KEY),
            "it is for the endpoint alone"
        );
        let says_why = asked[1].body.to_string().contains("the key of a model");
        assert!(says_why || flags.contains(&"--strict"), "{}", asked[1].body);
        assert!(!out.contains(KEY) && !everything(&room.home.join(".local")).contains(KEY));
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), KEY);
}
