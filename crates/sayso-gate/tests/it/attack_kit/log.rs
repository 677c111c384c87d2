//! The tracer's log of a whole batch, taken apart by candidate: each process counts for the one that its ancestors were started for.

use std::collections::{HashMap, HashSet};

use super::field::Runs;
use crate::traced::trace;

/// How many parents are followed.
const DEEPEST: usize = 200;

/// Programs that open files and show nothing of what is in them: a list of names that they are given may have secrets among them.
const COUNTS: [&str; 3] = [
    "execve(\"/usr/bin/wc\"",
    "execve(\"/bin/wc\"",
    "execve(\"/usr/bin/git\", [\"git\", \"add\", ",
];

/// What each of some candidates did. `order` has the process and the number of each that was started, `late` the numbers of those that
/// had to be stopped.
pub fn read(log: &str, order: &str, late: &str, texts: &[&str]) -> Runs {
    let started: HashMap<u32, usize> = order
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(pair)
        .collect();
    let late: HashSet<usize> = late
        .lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect();
    let lines = whole_lines(log);
    let parents: HashMap<u32, u32> = lines
        .iter()
        .filter_map(|(process, line)| Some((child(line)?, *process)))
        .collect();
    let owner = |process: u32| {
        let mut process = process;
        for _ in 0..DEEPEST {
            if let Some(case) = started.get(&process) {
                return Some(*case);
            }
            process = *parents.get(&process)?;
        }
        None
    };
    let mut logs: Vec<String> = vec![String::new(); texts.len()];
    let mut counts: HashSet<u32> = HashSet::new();
    for (process, line) in &lines {
        if line.starts_with("execve(") && line.ends_with(" = 0") {
            let is_count = COUNTS.iter().any(|start| line.starts_with(start));
            let _ = if is_count {
                counts.insert(*process)
            } else {
                counts.remove(process)
            };
        }
        if counts.contains(process) && line.starts_with("openat(") && line.contains("O_RDONLY") {
            continue;
        }
        if let Some(own) = owner(*process).and_then(|case| logs.get_mut(case)) {
            own.push_str(line);
            own.push('\n');
        }
    }
    let reached: HashSet<usize> = started.values().copied().collect();
    let trace = |case: usize, log: &String| {
        let mut trace = trace::read(log, texts[case], late.contains(&case));
        // There is no network, so that every try to connect fails.
        let tries = log.lines().filter(|line| {
            line.starts_with("connect(")
                && line.contains("sa_family=AF_INET")
                && !line.ends_with("= 0")
        });
        trace.reached.extend(tries.map(str::to_owned));
        trace
            .reached
            .retain(|call| !call.contains("/var/run/nscd") && !call.contains("AF_UNIX"));
        trace
    };
    logs.iter()
        .enumerate()
        .map(|(case, log)| reached.contains(&case).then(|| trace(case, log)))
        .collect()
}

fn pair((process, case): (&str, &str)) -> Option<(u32, usize)> {
    Some((process.parse().ok()?, case.trim().parse().ok()?))
}

/// The process and the call of each line, where a call that was interrupted by that of another process is one line again.
fn whole_lines(log: &str) -> Vec<(u32, String)> {
    let mut open: HashMap<u32, String> = HashMap::new();
    let mut out = Vec::new();
    for line in log.lines() {
        let Some((process, call)) = line.split_once(' ') else {
            continue;
        };
        let Ok(process) = process.parse::<u32>() else {
            continue;
        };
        let call = call.trim_start();
        if let Some(start) = call.strip_suffix("<unfinished ...>") {
            open.insert(process, start.trim_end().to_owned());
        } else if let Some(rest) = call
            .strip_prefix("<... ")
            .and_then(|rest| rest.split_once(" resumed>"))
        {
            out.push((process, open.remove(&process).unwrap_or_default() + rest.1));
        } else {
            out.push((process, call.to_owned()));
        }
    }
    // What never ended was begun all the same.
    out.extend(open);
    out
}

/// The process that a call made.
fn child(line: &str) -> Option<u32> {
    let makes = ["clone(", "clone3(", "fork(", "vfork("]
        .iter()
        .any(|call| line.starts_with(call));
    line.rsplit_once(" = ")
        .filter(|_| makes)?
        .1
        .split(['<', ' '])
        .next()?
        .parse()
        .ok()
}

#[test]
fn a_batch_is_taken_apart_by_candidate() {
    let log = "10 clone(child_stack=NULL, flags=SIGCHLD) = 11\n\
         11 execve(\"/usr/bin/ls\", [\"ls\"], 0x1 /* 1 var */ <unfinished ...>\n\
         10 clone(child_stack=NULL, flags=SIGCHLD) = 12\n\
         11 <... execve resumed>)             = 0\n\
         12 vfork( <unfinished ...>\n\
         13 openat(AT_FDCWD</ws>, \"x\", O_WRONLY|O_CREAT, 0666) = 3</ws/x>\n\
         12 <... vfork resumed>)              = 13\n\
         12 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(53)}, 16) = -1 ENETUNREACH (Network is unreachable)\n";
    let runs = read(log, "11 0\n12 1\n", "1\n", &["ls", "evil", "never"]);
    let (first, second) = (runs[0].as_ref().unwrap(), runs[1].as_ref().unwrap());
    assert_eq!(
        (first.started.len(), first.written.len(), first.late),
        (1, 0, false)
    );
    assert_eq!(
        (second.started.len(), second.written.as_slice(), second.late),
        (0, &["/ws/x".to_owned()][..], true)
    );
    assert_eq!(second.reached.len(), 1);
    assert!(runs[2].is_none());
}
