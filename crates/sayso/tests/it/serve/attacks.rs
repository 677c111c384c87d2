//! Requests that no page and no program of ours makes: refused, told, and the server as good as before.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::Served;

#[test]
fn another_name_or_another_page_gets_nothing() {
    let served = Served::new();
    let token = format!("Bearer {}", served.answering);
    let with = |headers: &[(&str, &str)], path: &str| {
        let all: Vec<(&str, &str)> = [("authorization", token.as_str())]
            .iter()
            .chain(headers)
            .copied()
            .collect();
        served.request("GET", path, &all, None)
    };
    let port = served.host.split(':').next_back().unwrap().to_owned();
    let own = format!("http://{}", served.host);
    with(
        &[("origin", &own), ("sec-fetch-site", "same-origin")],
        "/v1/prompts",
    )
    .is(200);
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1:1",
        &format!("{}.evil.example", served.host),
        &format!("0.0.0.0:{port}"),
    ] {
        with(&[("host", host)], "/v1/prompts").is_problem(421, "host");
        // The page itself, too: another name is another origin, and this one has no secrets for it.
        served
            .request("GET", "/", &[("host", host)], None)
            .is_problem(421, "host");
    }
    for origin in [
        "https://evil.example",
        "null",
        &format!("http://127.0.0.1:{}", port.parse::<u16>().unwrap() ^ 1),
        &format!("https://{}", served.host),
    ] {
        with(&[("origin", origin)], "/v1/prompts").is_problem(403, "origin");
    }
    for site in ["cross-site", "same-site"] {
        with(&[("sec-fetch-site", site)], "/v1/prompts").is_problem(403, "origin");
    }
    let got = with(&[("origin", &own)], "/v1/health");
    assert!(
        !got.headers
            .keys()
            .any(|name| name.starts_with("access-control")),
        "{got:?}"
    );
    served
        .request(
            "OPTIONS",
            "/v1/prompts",
            &[
                ("origin", "https://evil.example"),
                ("access-control-request-method", "POST"),
            ],
            None,
        )
        .is_problem(403, "origin");
    served
        .request("OPTIONS", "/v1/prompts", &[], None)
        .is_problem(405, "method");
    let refused = served.desk.entries("refused");
    for words in ["none of the names", "another page"] {
        assert!(
            refused
                .iter()
                .any(|entry| entry["why"].as_str().unwrap().contains(words)),
            "{words}"
        );
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_not_read() {
    let served = Served::new();
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let token = format!("Bearer {}", served.answering);
    let path = format!("/v1/prompts/{}/answer", prompt["id"].as_str().unwrap());
    let digest = prompt["digest"].as_str().unwrap();
    let twice =
        format!("{{\"digest\":\"{digest}\",\"choice\":\"deny\",\"choice\":\"offer\",\"offer\":0}}");
    let got = served.request("POST", &path, &[("authorization", &token)], Some(&twice));
    assert!(
        got.is_problem(400, "unreadable")["detail"]
            .as_str()
            .unwrap()
            .contains("twice"),
        "{got:?}"
    );
    let whole = format!("{{\"digest\":\"{digest}\",\"choice\":\"offer\",\"offer\":0}}");
    for body in [
        format!("{whole}{whole}"),
        format!("\u{feff}{whole}"),
        format!("{whole}x"),
        whole.replace(":0}", ":00}"),
        "[".repeat(5000),
    ] {
        assert_eq!(
            served
                .request("POST", &path, &[("authorization", &token)], Some(&body))
                .status,
            400,
            "{body:.80}"
        );
    }
    // A form of another page can send these without asking first.
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: {token}\r\ncontent-type: {media}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            served.host,
            whole.len()
        );
        served
            .sent(format!("{head}{whole}").as_bytes())
            .is_problem(415, "media");
    }
    for odd in [
        "/v1/prompts/../prompts",
        "/v1//prompts",
        "/v1/prompts/",
        "/v1/%2e%2e/v1/prompts",
        "/v1/prompts/%00",
        "/..%2f..%2fetc/passwd",
        "/v1\\prompts",
    ] {
        let got = served.request("GET", odd, &[("authorization", &token)], None);
        assert!(matches!(got.status, 400 | 404), "{odd}: {got:?}");
    }
    served
        .get("/v1/prompts?limit=1&limit=1000")
        .is_problem(400, "unreadable");
    served
        .request(
            "GET",
            &format!("http://{}/v1/health", served.host),
            &[],
            None,
        )
        .is_problem(421, "host");
    // Two lengths, and a length beside pieces: what one reader takes for a body, another takes for a request.
    let smuggled = "GET /v1/stop HTTP/1.1\r\nhost: x\r\n\r\n";
    for lengths in [
        "content-length: 5\r\ncontent-length: 50\r\n",
        "content-length: 5\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: x\r\n",
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: {token}\r\ncontent-type: application/json\r\n{lengths}\r\n0\r\n\r\n{smuggled}",
            served.host
        );
        let got = served.raw(head.as_bytes());
        assert!(got.status != 200 && got.status < 500, "{lengths}: {got:?}");
    }
    assert_eq!(served.prompt()["id"], prompt["id"], "it is open as ever");
    served.yes(&prompt).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
}

#[test]
fn what_is_too_large_is_not_read_to_its_end() {
    let served = Served::new();
    let token = format!("Bearer {}", served.answering);
    let head = |length: usize| {
        format!(
            "POST /v1/prompts/x/answer HTTP/1.1\r\nhost: {}\r\nauthorization: {token}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n",
            served.host
        )
    };
    served
        .sent(head(1 << 40).as_bytes())
        .is_problem(413, "too-large");
    // One that does not say how long it is.
    let mut stream = TcpStream::connect(&served.host).unwrap();
    let chunked = head(0).replace("content-length: 0", "transfer-encoding: chunked");
    stream.write_all(chunked.as_bytes()).unwrap();
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..64 {
        if stream.write_all(piece.as_bytes()).is_err() {
            break;
        }
    }
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    assert!(
        String::from_utf8_lossy(&said).starts_with("HTTP/1.1 413") || said.is_empty(),
        "{}",
        String::from_utf8_lossy(&said)
    );
    // Heads have limits, too.
    let many: String = (0..500)
        .map(|number| format!("x-{number}: y\r\n"))
        .collect();
    assert_ne!(
        served
            .raw(
                format!(
                    "GET /v1/health HTTP/1.1\r\nhost: {}\r\n{many}\r\n",
                    served.host
                )
                .as_bytes()
            )
            .status,
        200
    );
    let long = "x".repeat(100_000);
    assert_ne!(
        served
            .raw(format!("GET /{long} HTTP/1.1\r\nhost: {}\r\n\r\n", served.host).as_bytes())
            .status,
        200
    );
    served.get("/v1/me").is(200);
}

#[test]
fn who_is_slow_holds_nobody_up() {
    let served = Served::new();
    // Hundreds that say a little and wait.
    let slow: Vec<TcpStream> = (0..300)
        .map(|number| {
            let mut stream = TcpStream::connect(&served.host).unwrap();
            let _ = stream.write_all(if number % 2 == 0 {
                b"GET /v1/he"
            } else {
                b"POST /v1/login HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n"
            });
            stream
        })
        .collect();
    served.get("/v1/me").is(200);
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    served.yes(&served.prompt()).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    // In the end they are let go.
    let mut one = &slow[0];
    one.set_read_timeout(Some(Duration::from_secs(300)))
        .unwrap();
    let mut said = Vec::new();
    let ended = one.read_to_end(&mut said);
    assert!(
        ended.is_ok() && !String::from_utf8_lossy(&said).starts_with("HTTP/1.1 200"),
        "{ended:?} {said:?}"
    );
}

#[test]
fn bytes_of_any_kind_break_nothing() {
    let served = Served::new();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    for number in 0..200 {
        let bytes: Vec<u8> = (0..number * 7 % 400)
            .map(|_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                seed.to_le_bytes()[3]
            })
            .collect();
        assert_ne!(served.raw(&bytes).status, 200);
    }
    for text in [
        "",
        "\0",
        "GET",
        "GET / HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET  /v1/health HTTP/1.1\r\n\r\n",
    ] {
        let got = served.raw(text.as_bytes());
        assert_ne!(got.status, 200, "{text:?} {got:?}");
    }
    served.get("/v1/me").is(200);
}

#[test]
fn guesses_are_slowed_down() {
    let served = Served::new();
    let statuses: Vec<u16> = (0..40)
        .map(|_| {
            served
                .request("POST", "/v1/login", &[], Some("{\"code\":\"0\"}"))
                .status
        })
        .collect();
    assert!(
        statuses.iter().take(5).all(|status| *status == 401),
        "{statuses:?}"
    );
    assert!(statuses.contains(&429), "{statuses:?}");
    let wrong = format!("Bearer {}", "0".repeat(64));
    let statuses: Vec<u16> = (0..600)
        .map(|_| {
            served
                .request("GET", "/v1/prompts", &[("authorization", &wrong)], None)
                .status
        })
        .collect();
    assert!(statuses.contains(&429), "never too many");
    // Those who are known go on.
    served.get("/v1/me").is(200);
    let refused = served.desk.entries("refused");
    assert!(
        (20..400).contains(&refused.len()),
        "{} entries: a flood does not fill the record",
        refused.len()
    );
}

#[test]
fn finding_d_06_wrong_codes_do_not_lock_the_right_one_out() {
    let served = Served::new();
    let login = |code: &str| {
        served.request(
            "POST",
            "/v1/login",
            &[],
            Some(&serde_json::json!({"code": code}).to_string()),
        )
    };
    let statuses: Vec<u16> = (0..60).map(|_| login("0").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    login(&served.code).is(200);
    login(&served.code).is_problem(429, "too-many");
}

#[test]
fn finding_d_06_idle_connections_of_strangers_make_room() {
    use std::io::{Read as _, Write as _};
    let served = Served::new();
    let connect = || std::net::TcpStream::connect(&served.host).unwrap();
    // This one is known, and stays open.
    let mut known = connect();
    let asks = format!(
        "GET /v1/me HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        served.host, served.answering
    );
    let ask = |stream: &mut std::net::TcpStream| {
        stream.write_all(asks.as_bytes()).unwrap();
        let mut got = [0; 12];
        stream.read_exact(&mut got).unwrap();
        assert_eq!(&got, b"HTTP/1.1 200");
    };
    ask(&mut known);
    let mut idle: Vec<std::net::TcpStream> = (0..600).map(|_| connect()).collect();
    // Half a request is no reason to stay.
    idle[0].write_all(b"GET / HTTP/1.1\r\n").ok();
    served.get("/v1/me").is(200);
    let first = &mut idle[1];
    first.set_read_timeout(Some(super::LONGEST)).unwrap();
    let mut byte = [0];
    assert!(
        matches!(first.read(&mut byte), Ok(0) | Err(_)),
        "the oldest is closed"
    );
    let mut rest = [0; 4096];
    let _ = known.read(&mut rest).unwrap();
    ask(&mut known);
}
