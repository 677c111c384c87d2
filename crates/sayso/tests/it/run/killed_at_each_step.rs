//! Kills the program at each single thing it does to the disk, one after the other, for every tool.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use super::killed::{look, next_run, round};
use crate::desk::Desk;

/// Everything that changes what is on the disk, or who may.
pub const STEPS: &str = "write pwrite64 rename renameat2 mkdir mkdirat linkat symlinkat unlink unlinkat rmdir fsync fdatasync ftruncate fchmod flock";

const TOOLS: [&str; 7] = [
    "file_create",
    "file_edit",
    "terminal",
    "file_create_overwrite",
    "file_move",
    "file_delete",
    "file_write",
];

/// Runs the program, which is killed when it does something for the nth time.
pub fn killed(desk: &Desk, words: &[&str], step: &str, nth: usize) -> ExitStatus {
    let sayso = desk.program();
    let mut strace = Command::new("strace");
    strace
        .env_clear()
        .envs(
            sayso
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(&desk.scene.workspace);
    strace.args([
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        &format!("trace={step}"),
        "-e",
        &format!("inject={step}:signal=KILL:when={nth}"),
    ]);
    strace.args(["--", env!("CARGO_BIN_EXE_sayso")]).args(words);
    strace
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("strace is there")
}

#[test]
#[ignore = "takes minutes and needs strace; the kills at random moments are for every day"]
fn killed_at_each_step_of_each_tool() {
    let (mut kills, mut ran) = (0, 0);
    for tool in TOOLS {
        let desk = Desk::with(&[]);
        for step in STEPS.split(' ') {
            for nth in 1.. {
                let name = format!("{step}{nth}");
                let round = round(&desk, &name, Some(tool));
                let file = desk.batch("killed.json", round.calls.to_string());
                let status = killed(
                    &desk,
                    &["run", "--approve-all", "--json", file.to_str().unwrap()],
                    step,
                    nth,
                );
                ran += look(&desk, &round).ran;
                next_run(&desk, &name, &round, nth % 3 == 0);
                if status.success() {
                    break;
                }
                assert_eq!(status.signal(), Some(9), "{tool}, {step} {nth}: {status}");
                kills += 1;
                assert!(nth < 500, "{tool} never ends");
            }
        }
    }
    println!(
        "{kills} kills, one at each step of {} tools: {ran} calls had run, none without its entry, none half done",
        TOOLS.len()
    );
}
