//! Painted prompts of `sayso run` and what happens to them: typing ahead, pastes, sizes, signals, a lost terminal, time.

use std::time::Duration;

use rustix::process::Signal;

use super::screen::{Room, command, create};

const DELETE: &str = r#"{"type": "file_delete", "id": "delete_0", "file": "c.py"}"#;

fn calls(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| create(name)).collect()
}

/// The first try of a few in which what has to come within a moment did so.
fn in_time<T>(tried: impl Fn(&Room) -> Option<T>) -> (Room, T) {
    let mut tries = (0..5).map(|_| Room::new(&calls(&["f.py"])).policy("approval_timeout: 0"));
    tries
        .find_map(|room| tried(&room).map(|found| (room, found)))
        .expect("a key in the first moment of a prompt does not count")
}

#[test]
fn h_40_what_was_typed_before_the_prompt_or_in_its_first_moment_does_not_count() {
    // What is typed before it never counts. The key after that comes too late on a busy machine, and then counts rightly; so it is tried again.
    let (room, mut screen) = in_time(|room| {
        let mut screen = room.run();
        screen.send("yyy\ry");
        screen.see(" wants to ");
        screen.send("y");
        std::thread::sleep(Duration::from_millis(900));
        (!room.has("f.py")).then_some(screen)
    });
    screen.press("n");
    let (text, status) = screen.end();
    assert!(
        !room.has("f.py") && text.contains("denied by the person"),
        "{text}"
    );
    assert_eq!(status, 20);
}

#[test]
fn h_40_a_paste_never_approves_marked_or_not() {
    let room = Room::new(&calls(&["f.py"])).policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.see(" wants to ");
    std::thread::sleep(Duration::from_millis(600));
    screen.send("\u{1b}[200~y\r\u{1b}[201~");
    screen.see("what is pasted answers nothing");
    std::thread::sleep(Duration::from_millis(600));
    screen.send("yes\r");
    screen.see("too fast for a key");
    // And one that comes in single bytes, only faster than a hand.
    std::thread::sleep(Duration::from_millis(600));
    for byte in ["y", "e", "s"] {
        screen.send(byte);
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(!room.has("f.py"), "{}", screen.text());
    screen.press("n");
    screen.end();
    assert!(!room.has("f.py"));
}

#[test]
fn u_15_what_was_printed_before_stays_and_the_terminal_is_given_back() {
    let room = Room::new(&calls(&["f.py"])).policy("approval_timeout: 0");
    let line = format!(
        "echo before; {} run calls.json; stty -a; echo after",
        env!("CARGO_BIN_EXE_sayso")
    );
    let mut screen = room.start(&line, 100, 40);
    screen.see(" wants to ");
    assert!(screen.text().contains("before"), "{}", screen.text());
    assert!(
        !screen.raw().contains("\u{1b}[?1049h"),
        "an inline prompt takes no other screen"
    );
    screen.press("y");
    let raw = screen.raw();
    let (text, _) = screen.end();
    assert!(
        text.contains("before") && text.contains("after") && !text.contains(" wants to "),
        "{text}"
    );
    assert!(
        text.contains(" icanon") && text.contains(" echo "),
        "{text}"
    );
    assert!(raw.contains("\u{1b}[?2004h"), "pastes are marked");
    assert!(room.has("f.py"));
}

#[test]
fn h_54_a_delete_needs_two_prompts_that_look_different_and_two_keys() {
    let room = Room::new(&[DELETE.to_owned(), DELETE.to_owned()]).policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.see("confirmation 1 of 2");
    assert!(screen.text().contains("┏━"), "{}", screen.text());
    // A key that is held down is one key.
    for _ in 0..30 {
        screen.send("y");
        std::thread::sleep(Duration::from_millis(30));
    }
    assert!(
        std::fs::exists(room.folder.join("c.py")).unwrap(),
        "{}",
        screen.text()
    );
    screen.see("confirmation");
    if screen.text().contains("confirmation 1 of 2") {
        screen.press("y");
    }
    screen.see("confirmation 2 of 2");
    assert!(
        screen.text().contains("╔═") && screen.text().contains("ARE YOU SURE?"),
        "{}",
        screen.text()
    );
    screen.press("n");
    screen.at("confirmation 1 of 2", "y");
    screen.at("confirmation 2 of 2", "y");
    let raw = screen.raw();
    let (text, _) = screen.end();
    assert!(!room.has("c.py"), "{text}");
    assert!(text.contains("double confirmed 1"), "{text}");
    assert!(
        raw.matches("\u{1b}[?1049h").count() >= 4,
        "each is painted on a screen of its own"
    );
}

#[test]
fn a_window_that_changes_its_size_shows_the_prompt_again() {
    let room = Room::new(&[command("sort -o out.txt a.py")]).policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.see(" wants to ");
    for (columns, rows) in [(60, 20), (120, 50), (40, 24)] {
        screen.resize(columns, rows);
        screen.press("z");
        screen.see("decides nothing");
        screen.press("\u{1b}[A");
        let text = screen.text();
        assert_eq!(
            text.matches(" wants to ").count(),
            1,
            "{columns}x{rows}:\n{text}"
        );
        assert!(text.contains("help"), "{columns}x{rows}:\n{text}");
    }
    // Where nothing can be shown, nothing can be approved.
    screen.resize(20, 5);
    screen.see("larger");
    std::thread::sleep(Duration::from_millis(600));
    screen.send("y");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!room.has("out.txt"), "{}", screen.text());
    screen.resize(100, 30);
    screen.see(" wants to ");
    screen.press("y");
    let (text, status) = screen.end();
    assert!(room.has("out.txt"), "{text}");
    assert_eq!(status, 0);
}

#[test]
fn h_55_a_lost_terminal_is_a_denial() {
    // The countdown writes once a second.
    let room = Room::new(&calls(&["f.py", "g.py"])).policy("approval_timeout: 300");
    let mut screen = room.run();
    screen.see(" wants to ");
    screen.lose();
    screen.status();
    assert!(!room.has("f.py") && !room.has("g.py"));
    let record = std::fs::read_dir(room.home.join(".local/state/sayso/journal")).unwrap();
    let text: String = record
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default())
        .collect();
    assert!(
        text.contains("\"asked\"") || text.contains("asked"),
        "{text}"
    );
    assert!(!text.contains("\"outcome\":\"approved\""), "{text}");
}

#[test]
fn ctrl_z_and_back_asks_again_and_nothing_typed_in_between_counts() {
    for by_key in [true, false] {
        let room = Room::new(&calls(&["f.py"])).policy("approval_timeout: 0\nprompt_style: modal");
        // The program itself is what the terminal started, so that it can be stopped.
        let mut screen = room.start(
            &format!("exec {} run calls.json", env!("CARGO_BIN_EXE_sayso")),
            100,
            40,
        );
        screen.see("Approval Required");
        std::thread::sleep(Duration::from_millis(600));
        if by_key {
            screen.send("\u{1a}");
        } else {
            screen.signal(Signal::TSTP);
        }
        screen.gone("Approval Required");
        while screen.state() != 'T' {
            std::thread::sleep(Duration::from_millis(20));
        }
        screen.send("y");
        screen.signal(Signal::CONT);
        screen.see("Approval Required");
        std::thread::sleep(Duration::from_millis(300));
        assert!(!room.has("f.py"), "{}", screen.text());
        screen.press("y");
        let (text, status) = screen.end();
        assert!(room.has("f.py"), "{text}");
        assert_eq!(status, 0, "{text}");
    }
}

#[test]
fn two_prompts_in_a_row_need_a_key_each() {
    let room = Room::new(&calls(&["f.py", "g.py"])).policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.see("operation 1 of 2");
    std::thread::sleep(Duration::from_millis(600));
    screen.send("y");
    screen.see("operation 2 of 2");
    screen.send("y");
    std::thread::sleep(Duration::from_millis(700));
    assert!(room.has("f.py") && !room.has("g.py"), "{}", screen.text());
    screen.press("n");
    let (text, status) = screen.end();
    assert!(!room.has("g.py"), "{text}");
    assert_eq!(status, 20);
}

#[test]
fn x_01_nobody_answers_in_time_and_the_countdown_says_so() {
    let room = Room::new(&calls(&["f.py"])).policy("approval_timeout: 3");
    let screen = room.run();
    screen.see("denied in 0:0");
    let (text, status) = screen.end();
    assert!(
        text.contains("nobody answered in time, so it was denied. nothing was changed"),
        "{text}"
    );
    assert!(!room.has("f.py"));
    assert_eq!(status, 20);
}

#[test]
fn r_08_a_pattern_is_typed_checked_and_previewed() {
    let sorts = [
        "sort -o o1.txt a.py",
        "sort -o o2.txt a.py",
        "sort -o o3.txt a.py",
        "sort -o o4.txt a.py",
    ];
    let calls: Vec<String> = sorts.iter().map(|text| command(text)).collect();
    let room = Room::new(&calls).policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.at("operation 1 of 4", "y");
    screen.at("operation 2 of 4", "n");
    screen.at("operation 3 of 4", "p");
    screen.see("this would allow `sort -o o3.txt a.py` in this session");
    // Wider, and then far too wide.
    screen.send("\u{15}");
    screen.see("type a pattern");
    screen.send("*");
    screen.see("✗");
    screen.press("\r");
    assert!(!room.has("o3.txt"), "{}", screen.text());
    screen.send("\u{15}");
    screen.see("type a pattern");
    screen.send("sort -o o?.txt a.py");
    screen.see("this would allow `sort -o o?.txt a.py` in this session");
    screen.see("also matches 2 earlier commands, 1 of them DENIED");
    screen.send("\t");
    screen.see("this would allow `sort -o o?.txt a.py` in this project");
    screen.press("\r");
    screen.see("Auto-approval rule created: allow `sort -o o?.txt a.py` in this project");
    let (text, status) = screen.end();
    assert!(text.contains("takes it back)"), "{text}");
    assert!(
        text.contains("ran, unasked"),
        "the rule counts for the next one:\n{text}"
    );
    assert!(
        room.has("o3.txt") && room.has("o4.txt") && !room.has("o2.txt"),
        "{text}"
    );
    assert_eq!(status, 20);
}

#[test]
fn r_07_always_proposes_a_rule_and_says_how_to_take_it_back() {
    let calls: Vec<String> = (1..=2)
        .map(|number| command(&format!("sort -o o{number}.txt a.py")))
        .collect();
    let room = Room::new(&calls).policy("profile: forge");
    let mut screen = room.run();
    screen.at("operation 1 of 2", "A");
    screen.see("Create rule for `sort -o o1.txt a.py` everywhere?");
    screen.press("y");
    // The next question is painted over it.
    screen.was("Auto-approval rule created");
    screen.was("(`sayso rules");
    screen.at("operation 2 of 2", "q");
    screen.end();
    assert!(room.has("o1.txt"));
}

#[test]
fn z_03_enter_approves_only_where_the_profile_lets_it_and_never_a_delete() {
    let room = Room::new(&[create("o1.py"), DELETE.to_owned()])
        .policy("profile: kollabor-spec\nenter_approves: true");
    let mut screen = room.run();
    screen.see("Enter allow once");
    screen.at("operation 1 of 2", "\r");
    screen.at("operation 2 of 2", "\r");
    screen.see("Enter decides nothing");
    assert!(
        !screen.text().contains("Enter allow once"),
        "{}",
        screen.text()
    );
    screen.press("n");
    screen.end();
    assert!(room.has("o1.py"));
    assert!(room.has("c.py"));
}

#[test]
fn z_50_a_dangerous_prompt_takes_no_yes_before_all_of_it_was_seen() {
    let mut lines: Vec<String> = (0..60).map(|number| format!("echo {number}")).collect();
    lines.push("rm -rf build".to_owned());
    let room = Room::new(&[command(&lines.join("\n"))]).policy("approval_timeout: 0");
    std::fs::create_dir(room.folder.join("build")).unwrap();
    let mut screen = room.run();
    screen.at("DANGEROUS", "y");
    screen.see("not on the screen yet");
    screen.press("v");
    for _ in 0..8 {
        screen.send("\u{1b}[6~");
        std::thread::sleep(Duration::from_millis(50));
    }
    screen.see("rm -rf build");
    screen.press("\u{1b}");
    // Whether it can be taken back decides, too; digest, program and who asks do not.
    screen.at("confirmation 1 of 2", "y");
    screen.see("not on the screen yet");
    screen.press("\u{1b}[F");
    screen.see("cannot take it back");
    screen.press("y");
    screen.at("confirmation 2 of 2", "y");
    let (text, _) = screen.end();
    assert!(!room.has("build"), "{text}");
}

#[test]
fn h_72_what_is_piped_into_sayso_answers_nothing() {
    let room = Room::new(&calls(&["f.py"])).policy("approval_timeout: 0");
    let mut screen = room.start(
        &format!("yes | {} run calls.json", env!("CARGO_BIN_EXE_sayso")),
        100,
        40,
    );
    screen.see(" wants to ");
    std::thread::sleep(Duration::from_millis(900));
    assert!(!room.has("f.py"), "{}", screen.text());
    screen.press("n");
    screen.end();
    assert!(!room.has("f.py"));
}

#[test]
fn h_36_what_an_agent_wrote_moves_nothing_on_the_screen() {
    let hostile = "printf '\u{1b}[2J\u{1b}[H\u{1b}]52;c;eQ==\u{7}\u{202e}\u{200b}\u{e0041}\ry allow once' > out.txt";
    let room = Room::new(&[command(hostile)]).policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.see("␛[2J␛[H␛]52;c;eQ==␇‹U+202E›‹U+200B›‹U+E0041›␍");
    let raw = screen.raw();
    assert!(
        !raw.contains("\u{1b}]52") && !raw.contains('\u{202e}') && !raw.contains('\u{e0041}'),
        "{raw:?}"
    );
    screen.press("n");
    screen.end();
}

#[test]
fn ctrl_c_stops_the_batch_also_in_the_first_moment() {
    let room = Room::new(&calls(&["f.py", "g.py"])).policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.see(" wants to ");
    screen.send("\u{3}");
    let (text, status) = screen.end();
    assert!(
        text.contains("User requested to stop execution")
            && text.contains("Cancelled 2 remaining operations"),
        "{text}"
    );
    assert_eq!(status, 20);
}

#[test]
fn plain_lines_come_where_they_are_wanted() {
    let program = env!("CARGO_BIN_EXE_sayso");
    for line in [
        format!("{program} run --plain calls.json"),
        format!("TERM=dumb {program} run calls.json"),
        format!("TERM= {program} run calls.json"),
    ] {
        let room = Room::new(&calls(&["f.py"])).policy("approval_timeout: 0");
        let mut screen = room.start(&line, 100, 40);
        screen.see("Your answer:");
        screen.press("n\r");
        let raw = screen.raw();
        screen.end();
        assert!(!raw.contains("\u{1b}[?"), "{raw:?}");
    }
}

#[test]
fn a_prompt_that_waits_calls_somebody_when_the_person_wants_that() {
    let room = Room::new(&calls(&["f.py"]));
    let told = room.home.join("told");
    let script = room.home.join("call");
    std::fs::write(
        &script,
        format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > {}.part\nmv {0}.part {0}\n",
            told.display()
        ),
    )
    .unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let policy = format!(
        "approval_timeout: 0\nnotify: {{after: 0, bell: true, terminal: osc777, command: [{}, '$(x)']}}",
        script.display()
    );
    let room = room.policy(&policy);
    let mut screen = room.run();
    screen.see(" wants to ");
    while !told.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        std::fs::read_to_string(&told).unwrap(),
        "$(x)\nsayso: an agent waits for your answer\n"
    );
    let raw = screen.raw();
    assert!(
        raw.contains("\u{1b}]777;notify;sayso;an agent waits for your answer\u{7}\u{7}"),
        "{raw:?}"
    );
    screen.press("n");
    screen.end();
}

#[test]
fn a_project_names_no_program_that_is_started_when_a_prompt_waits() {
    let room = Room::new(&calls(&["f.py"])).policy("approval_timeout: 0");
    std::fs::create_dir(room.folder.join(".sayso")).unwrap();
    std::fs::write(
        room.folder.join(".sayso/policy.yaml"),
        "version: 1\nnotify: {after: 0, bell: true, command: [/bin/touch]}\n",
    )
    .unwrap();
    let mut screen = room.run();
    screen.see(" wants to ");
    std::thread::sleep(Duration::from_millis(400));
    assert!(!screen.raw().contains('\u{7}'));
    screen.press("n");
    screen.end();
}

#[test]
fn a_catastrophe_is_told_though_nobody_is_asked() {
    let room = Room::new(&[command("rm -rf / --no-preserve-root"), create("f.py")])
        .policy("approval_timeout: 0");
    let mut screen = room.run();
    screen.see("CATASTROPHIC OPERATION: denied, and nobody is asked about it");
    screen.see("it deletes / with everything below");
    screen.at("operation 2 of 2", "n");
    let (text, status) = screen.end();
    assert!(
        text.contains("CATASTROPHIC OPERATION") && !room.has("f.py"),
        "{text}"
    );
    assert_eq!(status, 20);
}
