//! Redirects, each of which is asked about.

use std::cell::RefCell;
use std::io::Write as _;

use sayso_core::call::url::Url;
use sayso_tools::web::{Limits, fetch};

use super::server::{Server, answer};
use super::{get, limits, told};

fn redirect(to: &str) -> Vec<u8> {
    answer("302 Found", &[&format!("location: {to}")], b"")
}

#[test]
fn each_step_is_given_to_the_caller() {
    let last = Server::saying(answer("200 OK", &["content-type: text/plain"], b"here"));
    let target = last.url("/end");
    let first = Server::start(move |path, stream| match path {
        "/a/start" => stream.write_all(&redirect("../b?x")),
        _ => stream.write_all(&redirect(&target)),
    });
    let seen = RefCell::new(Vec::new());
    let page = fetch(&first.url("/a/start"), &limits(), &|url: &Url| {
        seen.borrow_mut().push(url.written.clone());
        Ok(())
    });
    assert_eq!(
        (page.success, page.output.as_str()),
        (true, "here"),
        "{}",
        page.error
    );
    assert_eq!(seen.into_inner(), [first.url("/b?x"), last.url("/end")]);
    assert!(told(&page, "url", &last.url("/end")));
}

#[test]
fn a_step_that_is_refused_is_not_taken() {
    let last = Server::saying(answer("200 OK", &[], b"here"));
    let first = Server::saying(redirect(&last.url("/end")));
    let page = fetch(&first.url("/"), &limits(), &|_| {
        Err("no rule allows it".into())
    });
    assert!(!page.success && page.output.is_empty());
    assert!(
        page.error.contains(&last.url("/end")) && page.error.contains("no rule allows it"),
        "{}",
        page.error
    );
    assert!(last.requests().is_empty());
}

#[test]
fn h_70_other_schemes_and_hidden_hosts_are_refused() {
    for to in [
        "file:///etc/passwd",
        "ftp://a.example/",
        "http://user@a.example/",
        "javascript:alert(1)",
        "http://a b/",
        "http://",
    ] {
        let page = get(&Server::saying(redirect(to)).url("/"));
        assert!(
            !page.success && page.error.contains("was not followed"),
            "{to}: {}",
            page.error
        );
    }
}

#[test]
fn loops_end() {
    let server = Server::start(|path, stream| {
        stream.write_all(&redirect(if path == "/a" { "/b" } else { "/a" }))
    });
    let page = get(&server.url("/a"));
    assert!(
        page.error.contains("redirects more than 5 times"),
        "{}",
        page.error
    );
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn h_70_private_addresses_are_refused_before_anything_is_sent() {
    let server = Server::saying(answer("200 OK", &[], b"here"));
    let by_name = server.url("/").replace("127.0.0.1", "localhost");
    for url in [server.url("/"), by_name] {
        let page = fetch(&url, &Limits::default(), &|_| Ok(()));
        assert!(
            !page.success && page.error.contains("private network"),
            "{url}: {}",
            page.error
        );
    }
    assert!(server.requests().is_empty());
}

#[test]
fn what_is_no_address_is_refused() {
    for url in [
        "",
        "file:///etc/passwd",
        "http://u:p@a.example/",
        "http://a.example\\@b/",
        "a.example",
        "http://\u{202e}/",
    ] {
        let page = get(url);
        assert!(
            !page.success && page.error.contains("cannot be fetched"),
            "{url}: {}",
            page.error
        );
        assert!(!page.error.contains('\u{202e}'));
    }
}

#[test]
fn redirects_carry_nothing_along() {
    let last = Server::saying(answer("200 OK", &[], b""));
    let first = Server::saying(answer(
        "302 Found",
        &[&format!("location: {}", last.url("/")), "set-cookie: a=b"],
        b"",
    ));
    get(&first.url("/?secret=1"));
    let head = last.requests().join("").to_ascii_lowercase();
    assert!(
        head.starts_with("get / ") && !head.contains("secret") && !head.contains("cookie"),
        "{head}"
    );
}
