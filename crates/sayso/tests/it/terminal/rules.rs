//! Rules from prompts about files, with the keys of the systems that have them: proposed, confirmed, told, and in force for the next call.

use super::screen::{Room, Screen, command};

fn read(path: &str) -> String {
    serde_json::json!({"type": "read_file", "id": path, "path": path}).to_string()
}

fn edit(path: &str, find: &str, replace: &str) -> String {
    serde_json::json!({"type": "edit_file", "id": path, "path": path, "find": find, "replace": replace}).to_string()
}

fn room(profile: &str, calls: &[String]) -> Room {
    let room = Room::new(calls).policy(&format!("profile: {profile}\napproval_timeout: 0"));
    for (name, text) in [
        ("docs/a.md", "one\n"),
        ("docs/b.md", "two\n"),
        ("docs/.env", "KEY=1\n"),
        ("src/a.py", "x = 1\n"),
        ("src/b.py", "x = 1\n"),
    ] {
        let file = room.folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    room
}

/// What `sayso rules list` says there.
fn listed(room: &Room) -> String {
    let screen = room.start(
        &format!("{} rules list", env!("CARGO_BIN_EXE_sayso")),
        200,
        20,
    );
    screen.see("SOURCE");
    screen.end().0
}

/// Saves what the screen shows, step by step, where the guide is written from it.
fn step(transcript: &mut String, title: &str, screen: &Screen) {
    transcript.push_str(&format!("--- {title}\n{}\n", screen.text().trim_end()));
}

fn save(name: &str, transcript: &str) {
    if let Some(folder) = std::env::var_os("SAYSO_TRANSCRIPTS") {
        std::fs::write(std::path::Path::new(&folder).join(name), transcript).unwrap();
    }
}

/// finding A-11: 002's workflow 2. `A` at a read below `docs` proposes a rule for the folder, `y` creates it, and the next read there does not ask.
#[test]
fn finding_a_11_forge_workflow_2_always_for_a_read_creates_a_rule_for_its_folder() {
    let room = room(
        "forge",
        &[
            read("docs/a.md"),
            read("docs/b.md"),
            read("docs/.env"),
            read("src/a.py"),
        ],
    );
    let mut transcript = String::new();
    let mut screen = room.start(
        &format!("{} run calls.json", env!("CARGO_BIN_EXE_sayso")),
        80,
        40,
    );
    screen.see("docs/a.md");
    step(&mut transcript, "the question", &screen);
    screen.press("A");
    screen.see("Create rule for read_file on docs/**?");
    screen.see("Create rule for read_file on docs/a.md?");
    step(&mut transcript, "A", &screen);
    screen.press("y");
    screen.was("Auto-approval rule created");
    // The next read below docs is not asked about; the secret there, and a file elsewhere, are.
    screen.see("docs/.env");
    step(&mut transcript, "y", &screen);
    assert!(screen.raw().contains("ran, unasked"), "{}", screen.text());
    screen.press("d");
    screen.see("src/a.py");
    screen.press("d");
    let (text, _) = screen.end();
    transcript.push_str(&format!("--- d, d\n{}\n", text.trim_end()));
    let list = listed(&room);
    assert!(
        list.contains("read docs/**") && list.contains("everywhere"),
        "{list}"
    );
    transcript.push_str(&format!("--- sayso rules list\n{}\n", list.trim_end()));
    save("forge.txt", &transcript);
}

/// finding A-11: 003's `A` and `P` for an edit: always for this file, or for a pattern of files.
#[test]
fn finding_a_11_opencode_always_and_pattern_for_an_edit() {
    let calls = [
        edit("src/a.py", "1", "2"),
        edit("src/a.py", "2", "3"),
        edit("src/b.py", "1", "2"),
        edit("src/b.py", "2", "3"),
    ];
    let room = room("opencode", &calls);
    let mut transcript = String::new();
    let mut screen = room.start(
        &format!("{} run calls.json", env!("CARGO_BIN_EXE_sayso")),
        80,
        40,
    );
    screen.see("src/a.py");
    step(&mut transcript, "the question", &screen);
    screen.press("a");
    screen.see("Create rule for edit_file on src/a.py?");
    step(&mut transcript, "a", &screen);
    screen.press("y");
    screen.was("Auto-approval rule created");
    screen.see("src/b.py");
    step(&mut transcript, "y", &screen);
    // A pattern that is far too wide names the one that would do.
    screen.press("p");
    screen.send("\u{15}");
    screen.see("type a pattern");
    screen.send("**");
    screen.see("`src/**` would do");
    screen.send("\u{15}");
    screen.see("type a pattern");
    screen.send("src/*.py");
    screen.see("this would allow file tools to write and edit `src/*.py` in this session");
    screen.send("\t\t");
    screen.see("how far: everywhere");
    step(&mut transcript, "p, and a pattern", &screen);
    screen.press("\r");
    let (text, status) = screen.end();
    assert_eq!(status, 0, "{text}");
    transcript.push_str(&format!("--- Enter\n{}\n", text.trim_end()));
    assert_eq!(
        std::fs::read_to_string(room.folder.join("src/b.py")).unwrap(),
        "x = 3\n"
    );
    let list = listed(&room);
    assert!(
        list.contains("write src/a.py") && list.contains("write src/*.py"),
        "{list}"
    );
    transcript.push_str(&format!("--- sayso rules list\n{}\n", list.trim_end()));
    save("opencode.txt", &transcript);
}

/// finding A-11: 004's `p` on a file edit keeps it for the project, and Tab takes it to another scope.
#[test]
fn finding_a_11_kollabor_project_for_an_edit() {
    let room = room(
        "kollabor",
        &[
            edit("src/a.py", "1", "2"),
            edit("src/a.py", "2", "3"),
            edit("src/b.py", "1", "2"),
        ],
    );
    let mut screen = room.run();
    screen.at("src/a.py", "p");
    screen.see("Create rule for edit_file on src/a.py?");
    screen.see("how far: in this project");
    screen.press("\t");
    screen.see("how far: everywhere");
    screen.press("\t");
    screen.see("how far: in this session");
    screen.press("\t");
    screen.see("how far: in this project");
    screen.press("y");
    screen.was("Auto-approval rule created");
    screen.at("src/b.py", "d");
    screen.end();
    let list = listed(&room);
    assert!(
        list.contains("write src/a.py") && list.contains(&format!("in {}", room.folder.display())),
        "{list}"
    );
}

/// finding A-41: 003's own example, `git *`, is refused with the nearest pattern that would do.
#[test]
fn finding_a_41_git_star_is_refused_with_the_nearest_pattern() {
    let room = room("opencode", &[command("git push origin main")]);
    let mut screen = room.run();
    screen.at("git push", "p");
    screen.send("\u{15}");
    screen.see("type a pattern");
    screen.send("git *");
    screen.see("`git *` allows far more than this call; `git push *` would do");
    screen.press("\u{1b}");
    screen.press("d");
    screen.end();
}
