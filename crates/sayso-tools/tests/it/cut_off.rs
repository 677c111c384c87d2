//! Processes that are killed in the middle, and two at once.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sayso_core::call::operation::{Call, Operation};
use sayso_core::text::node::Node;
use sayso_tools::backups::Limits;
use sayso_tools::files::{Files, run};
use sayso_tools::result::ToolResult;
use sayso_tools::undo::{self, Which};

use crate::ground::{Ground, judge, machine, quick, tree, yes};

/// How many processes are killed; `SAYSO_KILLS` asks for more.
const KILLS: usize = 200;

/// Starts this very program again with another part of the work.
fn program(ground: &Ground, part: &str) -> Command {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "cut_off::child", "--nocapture", "--ignored"]);
    program
        .env("SAYSO_TEST_PART", part)
        .env("SAYSO_TEST_ROOT", ground.ws.parent().unwrap());
    program
}

fn start(ground: &Ground, part: &str) -> Child {
    program(ground, part)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test: the process that is killed.
#[test]
#[ignore = "the other tests start it"]
fn child() {
    let Some(root) = std::env::var_os("SAYSO_TEST_ROOT") else {
        return;
    };
    let (root, part) = (Path::new(&root), std::env::var("SAYSO_TEST_PART").unwrap());
    let kit = Files::open(&root.join("state"), quick(Limits::default())).unwrap();
    let (machine, ws) = (machine(root), root.join("ws"));
    let call = |tool: &str, id: String, args: Vec<(&str, Node)>| -> ToolResult {
        let call = Call::new(tool, Node::map(args), ws.to_str().unwrap());
        let batch = Some(format!("batch {}", id.len()));
        let operation = Operation::freeze(Call { id, batch, ..call }).unwrap();
        let verdict = judge(&machine, &operation);
        println!("step");
        run(&kit, &operation, &verdict)
    };
    println!("ready");
    let text = |text: &str| Node::text(text);
    if part == "nobody" {
        return nobody(&ws, &call);
    }
    if let Some(name) = part.strip_prefix("append ") {
        for round in 0..100 {
            let line = format!("{name}{round}\n");
            let result = call(
                "file_append",
                format!("{name}{round}"),
                vec![("path", text("shared")), ("content", text(&line))],
            );
            assert!(
                result.success || result.error.contains("meanwhile"),
                "{}",
                result.error
            );
            println!(
                "{} {}",
                if result.success { "wrote" } else { "refused" },
                line.trim()
            );
        }
        return;
    }
    for round in 0_usize.. {
        let letter = char::from(b'a' + u8::try_from(round % 26).unwrap());
        let content = letter.to_string().repeat(20_000);
        let id = |what: &str| format!("{what}{round}");
        call(
            "file_write",
            id("w"),
            vec![("path", text("f")), ("content", text(&content))],
        );
        call(
            "file_create",
            id("c"),
            vec![("path", text("p/q/f")), ("content", text(&content))],
        );
        call(
            "file_copy",
            id("y"),
            vec![("from", text("t")), ("to", text("t2"))],
        );
        call(
            "file_rmdir",
            id("r"),
            vec![("path", text("t")), ("recursive", yes())],
        );
        call(
            "file_move",
            id("m"),
            vec![("from", text("t2")), ("to", text("t"))],
        );
        if round % 2 == 1 {
            let batch = undo::plan(&kit, Which::Batch("batch 2")).unwrap();
            println!("step");
            undo::apply(&kit, &batch, "", "").unwrap();
        }
        call(
            "file_rmdir",
            id("d"),
            vec![("path", text("p")), ("recursive", yes())],
        );
    }
}

/// What only somebody without special rights can try.
fn nobody(ws: &Path, call: &impl Fn(&str, String, Vec<(&str, Node)>) -> ToolResult) {
    let bits = |path: &str, mode: u32| {
        fs::set_permissions(ws.join(path), fs::Permissions::from_mode(mode)).unwrap()
    };
    let text = |text: &str| Node::text(text);
    fs::create_dir_all(ws.join("d/e")).unwrap();
    fs::write(ws.join("d/x"), "x").unwrap();
    fs::write(ws.join("d/e/y"), "y").unwrap();
    bits("d/e", 0o555);
    bits("d", 0o555);
    assert!(fs::write(ws.join("d/probe"), "").is_err());
    let before = tree(ws);
    for (tool, args) in [
        (
            "file_write",
            vec![("path", text("d/x")), ("content", text("y"))],
        ),
        (
            "file_create",
            vec![("path", text("d/y")), ("content", text("y"))],
        ),
        (
            "file_create",
            vec![("path", text("d/n/y")), ("content", text("y"))],
        ),
        ("file_delete", vec![("path", text("d/x"))]),
        ("file_move", vec![("from", text("d/x")), ("to", text("x"))]),
        ("file_mkdir", vec![("path", text("d/m"))]),
        (
            "file_rmdir",
            vec![("path", text("d/e")), ("recursive", yes())],
        ),
        (
            "file_write",
            vec![("path", text("/sayso-test")), ("content", text("y"))],
        ),
    ] {
        let result = call(tool, tool.to_owned(), args);
        assert!(
            result.error.contains("permission denied")
                && result.error.ends_with("nothing was changed"),
            "{tool}: {result:?}"
        );
        assert_eq!(before, tree(ws), "{tool}");
    }
    // A folder that is closed to its owner goes whole and comes back whole.
    let result = call(
        "file_rmdir",
        "gone".to_owned(),
        vec![("path", text("d")), ("recursive", yes())],
    );
    assert!(result.success, "{}", result.error);
    assert!(tree(ws).is_empty(), "{:?}", tree(ws));
    let kit = Files::open(&ws.with_file_name("state"), quick(Limits::default())).unwrap();
    let plan = undo::plan(&kit, Which::Id("gone")).unwrap();
    undo::apply(&kit, &plan, "", "").unwrap();
    assert_eq!(before, tree(ws));
    // A file that may not be read cannot be kept, so it stays.
    fs::write(ws.join("closed"), "x").unwrap();
    bits("closed", 0);
    let before = fs::symlink_metadata(ws.join("closed")).unwrap().ino();
    let result = call(
        "file_delete",
        "closed".to_owned(),
        vec![("path", text("closed"))],
    );
    assert!(
        result.error.contains("permission denied") && result.error.ends_with("nothing was changed"),
        "{result:?}"
    );
    assert_eq!(
        before,
        fs::symlink_metadata(ws.join("closed")).unwrap().ino()
    );
    bits("closed", 0o600);
    println!("all of it held");
}

#[test]
fn without_special_rights_what_is_closed_stays_as_it_is() {
    let ground = Ground::in_memory();
    ground.holds_for_nobody(program(&ground, "nobody"));
}

#[test]
fn after_a_kill_every_change_is_whole_or_never_was() {
    let kills = std::env::var("SAYSO_KILLS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(KILLS);
    let (mut whole, mut never, mut undone) = (0, 0, 0);
    for kill in 0..kills {
        let ground = Ground::in_memory();
        ground.write("f", "0".repeat(20_000));
        for name in 0..20 {
            ground.write(
                &format!("t/{}/{name}", name % 3),
                "content".repeat(100 * name),
            );
        }
        let before = ground.tree();
        let mut child = start(&ground, "change");
        let mut out = BufReader::new(child.stdout.take().unwrap());
        // Not by the clock: it is killed somewhere in its nth step.
        for _ in 0..=3 + kill % 29 {
            assert!(
                out.read_line(&mut String::new()).unwrap() > 0,
                "the other process did not start"
            );
        }
        std::thread::sleep(Duration::from_micros(
            u64::try_from(kill).unwrap() * 61 % 900,
        ));
        child.kill().unwrap();
        child.wait().unwrap();

        let recovered = ground.kit.recover();
        assert_eq!(recovered.left, Vec::<String>::new());
        whole += recovered.whole.len();
        never += recovered.never.len();
        let tree = ground.tree();
        let is_temp = |path: &Path| path.to_string_lossy().contains(".sayso-");
        assert!(!tree.keys().any(|path| is_temp(path)), "{tree:?}");
        assert!(
            fs::read_dir(ground.state.join("changes"))
                .unwrap()
                .all(|entry| !entry
                    .unwrap()
                    .file_name()
                    .to_string_lossy()
                    .contains(".open."))
        );
        let f = ground.read("f");
        assert!(
            f.len() == 20_000 && f.chars().all(|letter| f.starts_with(letter)),
            "a half file"
        );
        for folder in ["t", "t2"].iter().filter(|folder| ground.has(folder)) {
            assert_eq!(
                crate::ground::tree(&ground.ws.join(folder)).len(),
                23,
                "a half folder"
            );
        }
        // And all of it can be taken back.
        let end = loop {
            match undo::plan(&ground.kit, Which::Last) {
                Ok(plan) => drop(undo::apply(&ground.kit, &plan, "", "").unwrap()),
                Err(end) => break end,
            }
            undone += 1;
        };
        assert_eq!(end.to_string(), "there is nothing to undo");
        assert_eq!(before, ground.tree());
        assert_eq!(
            ground.kit.recover(),
            sayso_tools::recover::Recovered::default()
        );
    }
    println!(
        "kills: {kills}; cut off in the middle: {whole} whole, {never} never begun; {undone} changes undone; 0 half"
    );
}

#[test]
fn two_processes_at_once_lose_nothing_that_was_reported_as_written() {
    let ground = Ground::in_memory();
    ground.write("shared", "");
    let children = [start(&ground, "append a"), start(&ground, "append b")];
    let mut wrote = Vec::new();
    let mut refused = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            match line.split_once(' ') {
                Some(("wrote", line)) => wrote.push(line.to_owned()),
                Some(("refused", _)) => refused += 1,
                _ => {}
            }
        }
    }
    println!(
        "two processes at once: {} written, {refused} refused",
        wrote.len()
    );
    assert_eq!(wrote.len() + refused, 200);
    let mut lines: Vec<String> = ground.read("shared").lines().map(str::to_owned).collect();
    lines.sort();
    wrote.sort();
    assert_eq!(lines, wrote);
    assert_eq!(ground.tree().len(), 1);
    assert_eq!(
        ground.kit.recover(),
        sayso_tools::recover::Recovered::default(),
        "nobody was cut off"
    );
}
