//! Many commands, one after the other and at once.

use sayso_tools::terminal::{self, Command};

use super::{alone, command, lives, run};

fn handles() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn dead_children() -> Vec<String> {
    let me = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let stats =
        entries.filter_map(|name| std::fs::read_to_string(format!("/proc/{name}/stat")).ok());
    let is_mine = |stat: &String| {
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .map(|(_, rest)| rest.split_whitespace().collect())
            .unwrap_or_default();
        fields.get(1) == Some(&me.as_str())
    };
    stats.filter(is_mine).collect()
}

/// Run by the test below it: other tests have children and handles too.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn inner_thousand() {
    run(command("true"));
    let before = handles();
    for at in 0..1000 {
        let outcome = run(command(&format!("echo {at}")));
        assert_eq!(outcome.output, format!("{at}\n"));
    }
    for _ in 0..5 {
        run(command("sleep 1000 & setsid sleep 1000 &"));
        assert!(
            terminal::run(
                Command {
                    cwd: std::path::Path::new("/missing"),
                    ..command("true")
                },
                &mut |_, _| {}
            )
            .is_err()
        );
    }
    assert_eq!(handles(), before);
    assert_eq!(dead_children(), Vec::<String>::new());
}

#[test]
fn a_thousand_commands_leave_nothing() {
    alone("terminal::many::inner_thousand", &[]);
}

#[test]
fn commands_at_once_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let (go, up) = (folder.path().join("go"), folder.path().join("up"));
    let waiting = format!(
        "setsid sleep 1000 & echo $! > '{up}.part'; mv '{up}.part' '{up}'; until [ -e '{go}' ]; do sleep 0.02; done; echo first",
        up = up.display(),
        go = go.display()
    );
    std::thread::scope(|scope| {
        let first = scope.spawn(|| run(command(&waiting)));
        while !up.exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let child = std::fs::read_to_string(&up).unwrap();
        let others: Vec<_> = (0..8)
            .map(|at| scope.spawn(move || run(command(&format!("sleep 1000 & echo {at}"))).output))
            .collect();
        for (at, other) in others.into_iter().enumerate() {
            assert_eq!(other.join().unwrap(), format!("{at}\n"));
        }
        assert!(lives(&child), "another command's end ended it");
        std::fs::write(&go, "").unwrap();
        assert_eq!(first.join().unwrap().output, "first\n");
        assert!(!lives(&child));
    });
}

/// Run by the test below it, as a command of sayso inside of a command of sayso.
#[test]
#[ignore = "run by another test, as its command"]
fn inner_nested() {
    let _ = terminal::run(
        command("echo INNER $$; exec sleep 1000"),
        &mut |_, bytes| {
            println!("{}", String::from_utf8_lossy(bytes));
        },
    );
}

#[test]
fn a_command_inside_of_a_command_ends_with_it() {
    let me = std::env::current_exe().unwrap();
    let text = format!(
        "'{}' --exact terminal::many::inner_nested --ignored --nocapture",
        me.display()
    );
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut seen = String::new();
    terminal::run(
        Command {
            stop: Some(&stop),
            ..command(&text)
        },
        &mut |_, bytes| {
            seen.push_str(&String::from_utf8_lossy(bytes));
            stop.store(
                seen.contains("INNER ") && seen.ends_with('\n'),
                std::sync::atomic::Ordering::Relaxed,
            );
        },
    )
    .unwrap();
    let number: String = seen
        .split_once("INNER ")
        .unwrap()
        .1
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    assert!(!number.is_empty() && !lives(&number), "{seen}");
}
