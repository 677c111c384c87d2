//! Servers that mean no good: everything ends, and with little memory.

use std::io::Write as _;
use std::time::Duration;

use sayso_tools::result::ToolResult;
use sayso_tools::web::{Limits, fetch};

use super::server::{Server, answer};
use super::{get, limits};

/// What a command prints, packed by gzip.
pub(super) fn packed(command: &str) -> Vec<u8> {
    let out = std::process::Command::new("bash")
        .args(["-c", &format!("{command} | gzip -9")])
        .output()
        .unwrap();
    assert!(out.status.success() && !out.stdout.is_empty());
    out.stdout
}

fn in_a_second(server: &Server) -> ToolResult {
    fetch(
        &server.url("/"),
        &Limits {
            time: Duration::from_secs(1),
            ..limits()
        },
        &|_| Ok(()),
    )
}

/// Writes the first bytes, and then the others for as long as somebody listens.
fn endless(first: &'static [u8], again: &'static [u8], pause: Duration) -> Server {
    Server::start(move |_, stream| {
        stream.write_all(first)?;
        loop {
            stream.write_all(again)?;
            stream.flush()?;
            std::thread::sleep(pause);
        }
    })
}

const NO_PAUSE: Duration = Duration::ZERO;
const DRIP: Duration = Duration::from_millis(20);

#[test]
fn slow_drips_end_in_time() {
    for (first, again) in [
        (
            &b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"[..],
            &b"x"[..],
        ),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"1\r\nx\r\n",
        ),
        (b"HTTP/1.1 200 OK\r\n", b"x"),
        (b"", b"H"),
    ] {
        let page = in_a_second(&endless(first, again, DRIP));
        assert!(!page.success, "{}", String::from_utf8_lossy(first));
    }
    let page = in_a_second(&endless(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n",
        b"x",
        DRIP,
    ));
    assert!(
        page.error.contains("took longer than 1 s"),
        "{}",
        page.error
    );
    // Nothing at all.
    let page = in_a_second(&Server::start(|_, _| {
        loop {
            std::thread::park()
        }
    }));
    assert!(
        page.error.contains("took longer than 1 s"),
        "{}",
        page.error
    );
}

#[test]
fn an_endless_body_is_cut() {
    let page = get(&endless(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n",
        &[b'x'; 65536],
        NO_PAUSE,
    )
    .url("/"));
    assert!(
        !page.success && page.output.is_empty() && page.error.contains("longer than 5242880 bytes"),
        "{}",
        page.error
    );
}

#[test]
fn the_longest_body_is_kept_and_one_byte_more_is_not() {
    let small = Limits {
        most_bytes: 100,
        ..limits()
    };
    for (length, fits) in [(100, true), (101, false)] {
        let server = Server::saying(answer(
            "200 OK",
            &["content-type: text/plain"],
            &vec![b'x'; length],
        ));
        assert_eq!(
            fetch(&server.url("/"), &small, &|_| Ok(())).success,
            fits,
            "{length}"
        );
    }
}

#[test]
fn a_packed_bomb_does_not_go_off() {
    let bomb = packed("head -c 200000000 /dev/zero");
    assert!(bomb.len() < 1_000_000);
    let page = get(&Server::saying(answer(
        "200 OK",
        &["content-type: text/plain", "content-encoding: gzip"],
        &bomb,
    ))
    .url("/"));
    assert!(
        page.error.contains("longer than 5242880 bytes"),
        "{}",
        page.error
    );
}

#[test]
fn packed_nothing_without_end_ends_in_time() {
    // Each member unpacks to nothing, so no byte ever comes out.
    let nothing = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0";
    let page = in_a_second(&endless(
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
        nothing,
        NO_PAUSE,
    ));
    assert!(
        page.error.contains("took longer than 1 s"),
        "{}",
        page.error
    );
}

#[test]
fn broken_packing_is_told() {
    let page =
        get(&Server::saying(answer("200 OK", &["content-encoding: gzip"], b"not packed")).url("/"));
    assert!(
        !page.success && page.error.contains("could not be fetched"),
        "{}",
        page.error
    );
}

#[test]
fn a_huge_head_is_refused() {
    let long = format!("x-long: {}", "y".repeat(200_000));
    assert!(!get(&Server::saying(answer("200 OK", &[&long], b"")).url("/")).success);
    let many: Vec<String> = (0..5000).map(|at| format!("x-{at}: y")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(!get(&Server::saying(answer("200 OK", &many, b"")).url("/")).success);
    let page = get(&endless(b"HTTP/1.1 200 OK\r\n", b"x-more: and more\r\n", NO_PAUSE).url("/"));
    assert!(!page.success && !page.error.is_empty());
    let page = in_a_second(&endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", NO_PAUSE));
    assert!(!page.success && !page.error.is_empty());
}

#[test]
fn broken_answers_are_errors_in_words() {
    for bytes in [
        &b""[..],
        b"\r\n\r\n",
        b"nonsense",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n",
    ] {
        let page = get(&Server::saying(bytes).url("/"));
        assert!(
            !page.success && !page.error.is_empty() && !page.error.contains('\0'),
            "{bytes:?}: {}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn nobody_there_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let page = get(&format!("http://{address}/"));
    assert!(
        !page.success && page.error.contains("could not be fetched"),
        "{}",
        page.error
    );
}
