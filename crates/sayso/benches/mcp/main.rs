//! What the MCP gateway adds to an allowed call, with its entries in the record: the same server with and without it in one run, call by
//! call; then many calls at once, and how the memory of the gateway grows meanwhile; then messages of 10 MB in both directions, and how much
//! memory each takes on its way.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench fails by panicking"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const CALLS: usize = 3000;
const LARGE: usize = 10_000_000;

/// A server that answers every line at once, written so that it costs as little as can be.
const SERVER: &str = r#"
import sys
read, write = sys.stdin.buffer.readline, sys.stdout.buffer
while True:
    line = read()
    if not line: break
    id = line.split(b'"id":', 1)[1].split(b',', 1)[0]
    text = b'x' * 10000000 if b'"large"' in line[:200] else b'ok'
    write.write(b'{"jsonrpc":"2.0","id":' + id + b',"result":{"content":[{"type":"text","text":"' + text + b'"}],"isError":false}}\n')
    write.flush()
"#;

struct Server {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(command: &mut Command) -> Server {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (
            BufWriter::new(child.stdin.take().unwrap()),
            BufReader::new(child.stdout.take().unwrap()),
        );
        Server { child, to, from }
    }

    fn call(&mut self, id: usize) -> Duration {
        let start = Instant::now();
        self.to.write_all(&line(id)).unwrap();
        self.to.flush().unwrap();
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"ok\""), "{answer}");
        start.elapsed()
    }

    /// So many calls at once; gives the time for all.
    fn many(&mut self, count: usize) -> Duration {
        let Server { to, from, .. } = self;
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..count).for_each(|id| to.write_all(&line(id)).unwrap());
                to.flush().unwrap();
            });
            let mut answer = String::new();
            for _ in 0..count {
                answer.clear();
                from.read_line(&mut answer).unwrap();
                assert!(answer.contains("\"ok\""), "{answer}");
            }
        });
        start.elapsed()
    }

    /// The time for one line and its answer, which is at least so long.
    fn large(&mut self, line: &[u8], least: usize) -> Duration {
        let start = Instant::now();
        self.to.write_all(line).unwrap();
        self.to.flush().unwrap();
        let mut answer = Vec::new();
        self.from.read_until(b'\n', &mut answer).unwrap();
        assert!(answer.len() > least && !answer.windows(6).take(200).any(|part| part == b"sayso:"));
        start.elapsed()
    }

    /// The most memory that the process had since this was asked last, in KiB.
    fn most_memory(&self) -> u64 {
        let most = self.status("VmHWM:");
        fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5").unwrap();
        most
    }

    /// How much processor time the process had so far.
    fn cpu(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_ascii_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse().unwrap())
            .collect();
        Duration::from_millis(10 * fields.iter().sum::<u64>())
    }

    /// How much memory the process has, in KiB.
    fn memory(&self) -> u64 {
        self.status("VmRSS:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_ascii_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(id: usize) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"read_file\",\"arguments\":{{\"path\":\"src/main.rs\",\"n\":{id}}}}}}}\n").into_bytes()
}

fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .current_dir(home.join("ws"));
    command
}

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().canonicalize().unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    fs::create_dir_all(home.join("ws/src")).unwrap();
    fs::create_dir_all(home.join(".config/sayso")).unwrap();
    fs::write(
        home.join(".config/sayso/policy.yaml"),
        "version: 1\nrules:\n  - {allow: {mcp: 's/*'}}\n",
    )
    .unwrap();
    fs::write(home.join("server.py"), SERVER).unwrap();
    let mut direct = Server::start(Command::new("python3").arg(home.join("server.py")));
    let mut gated = Server::start(
        program(&home)
            .args(["mcp", "--name", "s", "--", "python3"])
            .arg(home.join("server.py")),
    );
    let (mut without, mut with) = (Vec::new(), Vec::new());
    // What was written a moment ago is read again for each call; most policies are older than that.
    std::thread::sleep(Duration::from_millis(1500));
    for id in 0..100 {
        direct.call(id);
        gated.call(id);
    }
    for id in 0..CALLS {
        without.push(direct.call(id));
        with.push(gated.call(id));
    }
    let mut added: Vec<i128> = with
        .iter()
        .zip(&without)
        .map(|(with, without)| with.as_nanos() as i128 - without.as_nanos() as i128)
        .collect();
    added.sort_unstable();
    without.sort_unstable();
    with.sort_unstable();
    let at = |share: usize| CALLS * share / 100;
    let ms = |nanos: i128| nanos as f64 / 1e6;
    println!("one call after another, {CALLS} of each, in turn:");
    println!(
        "  without: median {:?}, p99 {:?}",
        without[at(50)],
        without[at(99)]
    );
    println!(
        "  with:    median {:?}, p99 {:?}",
        with[at(50)],
        with[at(99)]
    );
    println!(
        "  added:   median {:.3} ms (budget 0.3), p99 {:.3} ms (budget 1)",
        ms(added[at(50)]),
        ms(added[at(99)])
    );
    let count: usize = std::env::var("SAYSO_MCP_CALLS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(20_000);
    let (before, began) = (gated.memory(), gated.cpu());
    let (took, busy) = (gated.many(count), gated.cpu());
    let half = gated.memory();
    gated.many(count);
    let after = gated.memory();
    let each = (busy - began).as_secs_f64() / count as f64;
    println!(
        "{count} calls at once: {:.0} calls/s (budget 5000); the gateway is busy {:.0} µs for each",
        count as f64 / took.as_secs_f64(),
        each * 1e6
    );
    println!(
        "memory of the gateway: {before} KiB before, {half} KiB after {count}, {after} KiB after {} calls",
        2 * count
    );
    large(&mut direct, &mut gated);
}

/// Messages of 10 MB, and how often the gateway has one of them in its memory at once.
fn large(direct: &mut Server, gated: &mut Server) {
    let text = "x".repeat(LARGE);
    let call = |name: &str, text: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",\"arguments\":{{\"text\":\"{text}\"}}}}}}\n").into_bytes()
    };
    let notice = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"future/thing\",\"params\":{{\"text\":\"{text}\"}}}}\n").into_bytes();
    for (what, line, least) in [
        ("an answer", call("large", ""), LARGE),
        ("a call", call("take", &text), 50),
        ("a request that is not judged", notice, 50),
    ] {
        let (mut without, mut with, mut most) = (Vec::new(), Vec::new(), 0);
        for _ in 0..7 {
            without.push(direct.large(&line, least));
            let before = gated.memory();
            gated.most_memory();
            with.push(gated.large(&line, least));
            most = most.max(gated.most_memory().saturating_sub(before));
        }
        without.sort_unstable();
        with.sort_unstable();
        let times = most as f64 * 1024.0 / LARGE as f64;
        println!(
            "10 MB as {what}: without {:?}, with {:?} (medians); the gateway had it {times:.1} times in memory",
            without[3], with[3]
        );
    }
}
