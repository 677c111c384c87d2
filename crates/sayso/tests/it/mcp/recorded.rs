//! What real clients and real servers said to each other (corpus/mcp) passes as it is, byte for byte, when everything is allowed.
//!
//! `SAYSO_RECORD=FOLDER` at `./test --agents` records the sessions anew.

use std::fs;
use std::path::Path;

use super::Gated;
use crate::desk::Desk;

/// Stands in the records for the folder that the session was in.
const PLACE: &str = "@WORKSPACE@";

#[test]
fn recorded_sessions_pass_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/mcp");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    assert!(files.len() >= 35, "{files:?}");
    let mut bytes = 0;
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let server = name.split(' ').next().unwrap();
        let desk = Desk::with(&[("a.txt", "one ü漢🦀\n")]);
        desk.scene.user_policy(&format!(
            "version: 1\nrules:\n  - {{allow: {{mcp: '{server}/*'}}}}\n"
        ));
        // Addresses of this machine are asked about, whatever is allowed; these are of a page that was there for the record.
        let tools = desk.scene.home.join(".config/sayso/tools.d");
        fs::create_dir_all(&tools).unwrap();
        fs::write(
            tools.join("fetch.yaml"),
            "version: 1\ntools:\n  - {tool: fetch/fetch, arguments: {url: data}}\n",
        )
        .unwrap();
        let session = fs::read_to_string(&file)
            .unwrap()
            .replace(PLACE, desk.scene.workspace.to_str().unwrap());
        let own = desk.scene.home.join("session.txt");
        fs::write(&own, &session).unwrap();
        let replay = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/replay.py");
        let words = ["python3", replay, own.to_str().unwrap()].map(str::to_owned);
        let mut gated = Gated::of(&desk, &["--name", server], &words);
        for line in session.split_inclusive('\n') {
            match line.split_at(2) {
                ("> ", said) => gated.raw(said.as_bytes()),
                ("< ", said) => assert_eq!(gated.line(), said, "{name}"),
                _ => panic!("{name}: {line}"),
            }
            bytes += line.len() - 2;
        }
        gated.close();
        assert_eq!(
            gated.ended().code(),
            Some(0),
            "{name}: the server heard something else"
        );
        assert!(
            desk.entries("mcp_dropped").is_empty() && desk.entries("mcp_refused").is_empty(),
            "{name}"
        );
    }
    assert!(bytes > 100_000, "{bytes}");
}
