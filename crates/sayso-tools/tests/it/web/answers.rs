//! Answers as they usually are.

use std::io::{Read as _, Write as _};

use super::server::{Server, answer};
use super::{fact, get, told};

#[test]
fn a_page_comes_as_it_is() {
    let server = Server::saying(answer(
        "200 OK",
        &["content-type: text/html; charset=utf-8"],
        "<h1>Grüße</h1>".as_bytes(),
    ));
    let page = get(&server.url("/a?b=c#d"));
    assert!(page.success && page.error.is_empty(), "{}", page.error);
    assert_eq!(page.output, "<h1>Grüße</h1>");
    assert!(
        told(&page, "status", "200")
            && told(&page, "bytes", "16")
            && told(&page, "url", &server.url("/a?b=c#d"))
    );
    assert_eq!(fact(&page, "content_type"), "text/html; charset=utf-8");
}

#[test]
fn the_request_says_who_asks_and_nothing_else() {
    let server = Server::saying(answer("200 OK", &["set-cookie: a=b"], b""));
    get(&server.url("/one%20two/ä?x=\"y\""));
    get(&server.url("/again"));
    let requests = server.requests();
    let first = requests[0].to_ascii_lowercase();
    assert!(
        first.starts_with("get /one%20two/%c3%a4?x=%22y%22 http/1.1\r\n"),
        "{first}"
    );
    assert!(
        first.contains(&format!(
            "\r\nuser-agent: sayso/{}\r\n",
            env!("CARGO_PKG_VERSION")
        )),
        "{first}"
    );
    for word in ["cookie", "authorization", "referer", "proxy"] {
        assert!(
            !requests
                .iter()
                .any(|head| head.to_ascii_lowercase().contains(word)),
            "{word}: {requests:?}"
        );
    }
}

#[test]
fn errors_of_the_server_are_told_with_what_it_says() {
    let server = Server::saying(answer(
        "404 Not Found",
        &["content-type: text/plain"],
        b"no such page",
    ));
    let page = get(&server.url("/x"));
    assert!(
        !page.success && page.error.ends_with("answered 404 Not Found"),
        "{}",
        page.error
    );
    assert_eq!(page.output, "no such page");
    assert!(told(&page, "status", "404"));
    let server = Server::saying(answer("304 Not Modified", &[], b""));
    assert!(!get(&server.url("/")).success);
    // A redirect that does not say where to.
    let server = Server::saying(answer("302 Found", &[], b"nowhere"));
    assert!(get(&server.url("/")).error.ends_with("answered 302 Found"));
}

#[test]
fn what_is_no_text_is_told_by_type_and_size() {
    let server = Server::saying(answer(
        "200 OK",
        &["content-type: application/octet-stream"],
        &[0, 1, 2, 255],
    ));
    assert_eq!(
        get(&server.url("/")).output,
        "[application/octet-stream, 4 bytes]"
    );
}

#[test]
fn character_sets_are_read() {
    let server = Server::saying(answer(
        "200 OK",
        &["content-type: text/plain; charset=iso-8859-1"],
        b"gr\xfc\xdfe",
    ));
    assert_eq!(get(&server.url("/")).output, "grüße");
    let server = Server::saying(answer(
        "200 OK",
        &["content-type: text/plain"],
        b"gr\xfc\xdfe",
    ));
    assert_eq!(get(&server.url("/")).output, "gr\u{fffd}\u{fffd}e");
}

#[test]
fn pieces_and_packed_answers_are_put_together() {
    let chunked = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    assert_eq!(get(&Server::saying(chunked).url("/")).output, "abcde");
    let packed = super::hostile::packed("echo packed");
    let server = Server::saying(answer(
        "200 OK",
        &["content-type: text/plain", "content-encoding: gzip"],
        &packed,
    ));
    assert_eq!(get(&server.url("/")).output, "packed\n");
    let until_the_end = "HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nabc";
    assert_eq!(get(&Server::saying(until_the_end).url("/")).output, "abc");
}

/// Run by the test below it, in a process whose environment names a proxy.
#[test]
#[ignore = "run by another test, under its variables"]
fn inner_proxy() {
    let server = Server::saying(answer("200 OK", &["content-type: text/plain"], b"direct"));
    let page = get(&server.url("/"));
    assert_eq!(page.output, "direct", "{}", page.error);
}

#[test]
fn no_proxy_of_the_environment_is_used() {
    let nobody = "http://127.0.0.1:1";
    let proxies = [
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ]
    .map(|name| (name, nobody));
    crate::terminal::alone("web::answers::inner_proxy", &proxies);
}

#[test]
fn https_does_not_fall_back_to_plain_text() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    // It answers a greeting it does not understand, and hangs up.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(&answer("200 OK", &["content-type: text/plain"], b"plain"));
        }
    });
    let page = get(&url);
    assert!(
        !page.success && page.error.contains("could not be fetched") && page.output.is_empty(),
        "{}",
        page.error
    );
}
