//! An endpoint on the loopback streams words at a steady rate to the real program at a pseudo terminal, and the changes of the screen are timed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// So many tokens come.
pub const TOKENS: usize = 1000;
/// So many in a second.
pub const RATE: usize = 200;
/// What the last of them is.
const END: &str = "the-last-token";

/// What was seen.
pub struct Streamed {
    /// The milliseconds between two changes of the screen while words came, sorted.
    pub gaps: Vec<f64>,
    /// The milliseconds from the last token to the screen.
    pub late: f64,
}

/// Streams, and watches the screen.
pub fn watch(home: &Path, (columns, rows): (u16, u16)) -> Streamed {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = home.join(".config/sayso");
    std::fs::create_dir_all(&config).unwrap();
    let address = listener.local_addr().unwrap();
    let file = config.join("chat.yaml");
    std::fs::write(
        &file,
        format!("model: m\nmodels: {{m: {{api: openai, url: 'http://{address}/v1', model: m}}}}\n"),
    )
    .unwrap();
    let (sent, was_sent) = channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap() > 2 {
            line.clear();
        }
        stream
            .write_all(
                b"HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
            )
            .unwrap();
        let begin = Instant::now();
        for at in 0..TOKENS {
            let due = begin + Duration::from_micros(u64::try_from(at * 1_000_000 / RATE).unwrap());
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let word = if at + 1 == TOKENS {
                END.to_owned()
            } else {
                format!("token{at}")
            };
            let end = if at % 12 == 11 { "\\n" } else { " " };
            stream
                .write_all(
                    format!(
                        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{word}{end}\"}}}}]}}\n\n"
                    )
                    .as_bytes(),
                )
                .unwrap();
        }
        sent.send(Instant::now()).unwrap();
        stream.write_all(b"data: [DONE]\n\n").unwrap();
    });
    let pair = native_pty_system()
        .openpty(PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        })
        .unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sayso"));
    command.arg("chat");
    command.cwd(home);
    command.env_clear();
    for (name, value) in [
        ("HOME", home.to_str().unwrap()),
        ("PATH", "/usr/bin:/bin"),
        ("TERM", "xterm-256color"),
    ] {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).unwrap();
    let (mut reader, mut keys) = (
        pair.master.try_clone_reader().unwrap(),
        pair.master.take_writer().unwrap(),
    );
    let mut piece = [0; 65536];
    let mut until = |sign: &str| {
        let (mut seen, mut times) = (Vec::new(), Vec::new());
        while !String::from_utf8_lossy(&seen).contains(sign) {
            let count = reader.read(&mut piece).unwrap();
            assert!(count > 0, "it ended");
            seen.extend_from_slice(&piece[..count]);
            times.push(Instant::now());
        }
        times
    };
    until("/help");
    keys.write_all(b"go\r").unwrap();
    until("token0");
    let times = until(END);
    let late = was_sent.recv().unwrap().elapsed().as_secs_f64() * 1e3;
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(file).unwrap();
    let mut gaps: Vec<f64> = times
        .windows(2)
        .map(|two| (two[1] - two[0]).as_secs_f64() * 1e3)
        .collect();
    gaps.sort_by(f64::total_cmp);
    Streamed { gaps, late }
}
