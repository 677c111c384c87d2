//! A proxy on a socket of this machine, with real clients and a real host behind it.

use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

use super::*;

/// A host that keeps what it was sent and answers each connection with the same.
struct Host {
    port: u16,
    seen: Receiver<Vec<u8>>,
}

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

/// It answers once it has seen `until`, and reads on to the end.
fn host(until: &'static str) -> Host {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (send, seen) = channel();
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let send = send.clone();
            thread::spawn(move || {
                let mut all = Vec::new();
                let mut buffer = [0; 4096];
                let mut answered = false;
                while let Ok(count @ 1..) = client.read(&mut buffer) {
                    all.extend_from_slice(&buffer[..count]);
                    if !answered && String::from_utf8_lossy(&all).contains(until) {
                        answered = true;
                        client.write_all(ANSWER.as_bytes()).unwrap();
                        client.shutdown(std::net::Shutdown::Write).unwrap();
                    }
                }
                send.send(all).unwrap();
            });
        }
    });
    Host { port, seen }
}

struct Room {
    proxy: Proxy,
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

fn room(hosts: &[&str], to: u16, patience: Patience) -> Room {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    let connect = move |host: &str, port: u16| {
        heard.lock().unwrap().push(format!("{host}:{port}"));
        if host == "down.example" {
            return Err("it leads to \u{1b}[31ma private address".into());
        }
        TcpStream::connect((Ipv4Addr::LOCALHOST, to)).map_err(Into::into)
    };
    let network = Network::Hosts(hosts.iter().map(|host| (*host).to_owned()).collect());
    let proxy = Proxy::start(network, Box::new(connect), Source::Here(listener), patience).unwrap();
    Room { proxy, port, asked }
}

impl Room {
    fn client(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap()
    }

    /// Sends, and reads to the end.
    fn exchange(&self, bytes: &[u8]) -> String {
        let mut client = self.client();
        client.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

#[test]
fn a_plain_request_goes_to_the_host_that_was_judged() {
    let host = host("\r\n\r\n");
    let room = room(&["allowed.org"], host.port, PATIENCE);
    let answer = room.exchange(b"GET http://allowed.org/x HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert_eq!(answer, ANSWER);
    assert_eq!(
        String::from_utf8(host.seen.recv().unwrap()).unwrap(),
        "GET /x HTTP/1.1\r\nHost: allowed.org\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(*room.asked.lock().unwrap(), ["allowed.org:80"]);
    assert!(room.proxy.refused().is_empty());
}

#[test]
fn a_second_request_behind_the_first_goes_nowhere() {
    let host = host("\r\n\r\n");
    let room = room(&["allowed.org"], host.port, PATIENCE);
    let two =
        b"GET http://allowed.org/1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nHost: other.example\r\n\r\n";
    assert_eq!(room.exchange(two), ANSWER);
    let seen = String::from_utf8(host.seen.recv().unwrap()).unwrap();
    assert!(
        seen.starts_with("GET /1 ") && !seen.contains("/2"),
        "{seen}"
    );
}

#[test]
fn a_body_goes_on_to_its_length() {
    let host = host("12345");
    let room = room(&["allowed.org"], host.port, PATIENCE);
    let body = b"POST http://allowed.org/ HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345GET / HTTP/1.1\r\nHost: other.example\r\n\r\n";
    assert_eq!(room.exchange(body), ANSWER);
    let seen = String::from_utf8(host.seen.recv().unwrap()).unwrap();
    assert!(seen.ends_with("\r\n\r\n12345"), "{seen}");
    // In pieces, and with the client's end right behind it.
    let mut client = room.client();
    for piece in [
        "POST http://allowed.org/ HTTP/1.1\r\nConte",
        "nt-Length: 5\r\n\r",
        "\n12",
        "345",
    ] {
        client.write_all(piece.as_bytes()).unwrap();
    }
    client.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, ANSWER);
}

#[test]
fn a_tunnel_carries_bytes_both_ways_and_their_ends() {
    let host = host("ping");
    let room = room(&["allowed.org"], host.port, PATIENCE);
    let mut client = room.client();
    // The first bytes may come with the head.
    client
        .write_all(b"CONNECT allowed.org:443 HTTP/1.1\r\n\r\npi")
        .unwrap();
    let mut opened = [0; 39];
    client.read_exact(&mut opened).unwrap();
    assert_eq!(&opened, b"HTTP/1.1 200 Connection established\r\n\r\n");
    client.write_all(b"ng").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(
        answer, ANSWER,
        "the end of the host came through, and the client can still send"
    );
    client.write_all(b" and more").unwrap();
    drop(client);
    assert_eq!(host.seen.recv().unwrap(), b"ping and more");
}

#[test]
fn much_goes_both_ways_at_once() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let room = room(
        &["allowed.org"],
        listener.local_addr().unwrap().port(),
        PATIENCE,
    );
    let echo = thread::spawn(move || {
        let (mut from, _) = listener.accept().unwrap();
        let mut to = from.try_clone().unwrap();
        std::io::copy(&mut from, &mut to).unwrap();
        to.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut client = room.client();
    client
        .write_all(b"CONNECT allowed.org:443 HTTP/1.1\r\n\r\n")
        .unwrap();
    let mut opened = [0; 39];
    client.read_exact(&mut opened).unwrap();
    let sent: Vec<u8> = (0..8_000_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    let mut writer = client.try_clone().unwrap();
    let copy = sent.clone();
    let writing = thread::spawn(move || {
        writer.write_all(&copy).unwrap();
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut back = Vec::new();
    client.read_to_end(&mut back).unwrap();
    writing.join().unwrap();
    echo.join().unwrap();
    assert!(back == sent);
}

#[test]
fn a_host_that_is_not_listed_is_refused_in_words_and_remembered() {
    let room = room(
        &["allowed.org", "*.wild.org", "203.0.113.5", "*.0.0.1"],
        1,
        PATIENCE,
    );
    for host in [
        "evil.example",
        "allowed.org.evil.com",
        "notallowed.org",
        "sub.allowed.org",
        "wild.org",
        "evilwild.org",
        "127.0.0.1",
        "203.0.113.6",
    ] {
        for request in [
            format!("CONNECT {host}:443 HTTP/1.1\r\n\r\n"),
            format!("GET http://{host}/ HTTP/1.1\r\nHost: allowed.org\r\n\r\n"),
        ] {
            let answer = room.exchange(request.as_bytes());
            assert!(
                answer.starts_with("HTTP/1.1 403 Forbidden\r\n"),
                "{host}: {answer}"
            );
            let words = format!(
                "sayso: the sandbox refused to reach `{host}`; to allow it: add it to `sandbox.hosts`\n"
            );
            assert!(answer.ends_with(&words), "{answer}");
        }
        assert!(
            room.proxy
                .refused()
                .iter()
                .filter(|known| *known == host)
                .count()
                == 1,
            "{host}"
        );
    }
    assert!(
        room.asked.lock().unwrap().is_empty(),
        "nobody was connected to"
    );
    let odd = room.exchange(b"CONNECT evil.com#.allowed.org:443 HTTP/1.1\r\n\r\n");
    assert!(odd.starts_with("HTTP/1.1 400 "), "{odd}");
}

#[test]
fn so_much_is_remembered_and_no_more() {
    let room = room(&["allowed.org"], 1, PATIENCE);
    for number in 0..50 {
        room.exchange(format!("CONNECT h{number}.example:443 HTTP/1.1\r\n\r\n").as_bytes());
    }
    assert_eq!(room.proxy.refused().len(), 20);
}

#[test]
fn listed_hosts_are_reached_by_every_spelling_that_means_them() {
    let host = host("\r\n\r\n");
    let room = room(
        &["allowed.org", "*.wild.org", "203.0.113.5"],
        host.port,
        PATIENCE,
    );
    for name in [
        "ALLOWED.org",
        "allowed.org.",
        "a.wild.org",
        "a.b.Wild.org",
        "203.0.113.5",
    ] {
        let answer = room.exchange(format!("GET http://{name}/ HTTP/1.1\r\n\r\n").as_bytes());
        assert_eq!(answer, ANSWER, "{name}");
    }
    assert_eq!(
        *room.asked.lock().unwrap(),
        [
            "allowed.org:80",
            "allowed.org:80",
            "a.wild.org:80",
            "a.b.wild.org:80",
            "203.0.113.5:80"
        ],
        "the caller gets the name that was judged"
    );
}

#[test]
fn other_ports_are_refused() {
    let room = room(&["allowed.org"], 1, PATIENCE);
    for request in [
        "CONNECT allowed.org:22 HTTP/1.1\r\n\r\n",
        "CONNECT allowed.org:80 HTTP/1.1\r\n\r\n",
        "GET http://allowed.org:443/ HTTP/1.1\r\n\r\n",
        "GET http://allowed.org:6379/ HTTP/1.1\r\n\r\n",
    ] {
        let answer = room.exchange(request.as_bytes());
        assert!(
            answer.starts_with("HTTP/1.1 403 ") && answer.contains("port"),
            "{request:?}: {answer}"
        );
    }
    assert!(room.proxy.refused().is_empty(), "the host itself is listed");
    assert_eq!(room.proxy.refusals().len(), 4);
    assert!(room.asked.lock().unwrap().is_empty());
}

#[test]
fn what_the_caller_does_not_connect_is_told_without_tricks() {
    let room = room(&["down.example"], 1, PATIENCE);
    let answer = room.exchange(b"CONNECT down.example:443 HTTP/1.1\r\n\r\n");
    assert!(
        answer.starts_with("HTTP/1.1 502 Bad Gateway\r\n") && !answer.contains('\u{1b}'),
        "{answer:?}"
    );
    assert!(
        room.proxy.refusals()[0]
            .words
            .ends_with("it leads to ␛[31ma private address")
    );
    assert!(room.proxy.refused().is_empty());
}

#[test]
fn a_head_may_be_so_long_and_no_longer() {
    let host = host("\r\n\r\n");
    let room = room(&["allowed.org"], host.port, PATIENCE);
    let head = |length: usize| {
        let (start, end) = ("GET http://allowed.org/ HTTP/1.1\r\nX: ", "\r\n\r\n");
        format!(
            "{start}{}{end}",
            "x".repeat(length - start.len() - end.len())
        )
    };
    assert_eq!(room.exchange(head(16 * 1024).as_bytes()), ANSWER);
    assert!(
        room.exchange(head(16 * 1024 + 1).as_bytes())
            .starts_with("HTTP/1.1 431 ")
    );
    assert!(
        room.exchange("x".repeat(20_000).as_bytes())
            .starts_with("HTTP/1.1 431 ")
    );
    assert!(
        room.exchange(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")
            .starts_with("HTTP/1.1 400 "),
        "TLS that was sent to the proxy itself"
    );
}

#[test]
fn who_is_slow_or_silent_is_let_go() {
    let host = host("never");
    let soon = Duration::from_millis(50);
    let hurried = room(
        &["allowed.org"],
        host.port,
        Patience {
            head: soon,
            ..PATIENCE
        },
    );
    assert!(
        hurried
            .exchange(b"GET http://allowed.org/ HTTP/1.1\r\nX: ")
            .starts_with("HTTP/1.1 408 "),
        "half a head, and no more"
    );
    let bored = room(
        &["allowed.org"],
        host.port,
        Patience {
            idle: soon,
            ..PATIENCE
        },
    );
    assert_eq!(
        bored.exchange(b"GET http://allowed.org/ HTTP/1.1\r\n\r\n"),
        "",
        "no answer"
    );
    let mut client = bored.client();
    client.write_all(b"GET http").unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 400 "),
        "the end of the client in its head: {answer}"
    );
}

#[test]
fn those_that_are_too_many_wait_for_their_turn() {
    let host = host("\r\n\r\n");
    let two = Patience {
        connections: 2,
        ..PATIENCE
    };
    let room = room(&["allowed.org"], host.port, two);
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut client = room.client();
        client
            .write_all(b"CONNECT allowed.org:443 HTTP/1.1\r\n\r\n")
            .unwrap();
        let mut opened = [0; 39];
        client.read_exact(&mut opened).unwrap();
        held.push(client);
    }
    let mut third = room.client();
    third
        .write_all(b"GET http://allowed.org/ HTTP/1.1\r\n\r\n")
        .unwrap();
    assert_eq!(room.asked.lock().unwrap().len(), 2);
    held.pop();
    let mut answer = String::new();
    third.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, ANSWER);
}

#[test]
fn the_end_of_the_proxy_ends_everything() {
    let host = host("never");
    let full = Patience {
        connections: 3,
        ..PATIENCE
    };
    let Room { proxy, port, .. } = room(&["allowed.org"], host.port, full);
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let mut open = connect();
    open.write_all(b"CONNECT allowed.org:443 HTTP/1.1\r\n\r\n")
        .unwrap();
    let mut opened = [0; 39];
    open.read_exact(&mut opened).unwrap();
    let mut asking = connect();
    asking
        .write_all(b"GET http://allowed.org/ HTTP/1.1\r\n\r\n")
        .unwrap();
    let mut silent = connect();
    // One more than there is room for: the proxy ends also while it waits for room.
    let mut waiting = connect();
    drop(proxy);
    for client in [&mut open, &mut asking, &mut silent, &mut waiting] {
        let mut rest = Vec::new();
        let _ = client.read_to_end(&mut rest);
        assert!(rest.is_empty());
    }
    assert!(host.seen.recv().is_ok(), "the host was left, too");
}
