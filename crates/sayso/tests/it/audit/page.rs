//! The HTML report: harmless whatever is in it, and alive in a real browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sayso_store::Journal;

use super::{audit, desk, now, out, put};
use crate::desk::Desk;

const HOSTILE: [&str; 6] = [
    "</script><img src=x onerror=\"document.title='owned'\">",
    "\"><script>document.title='owned'</script>",
    "' onmouseover='document.title=1' x='",
    "<svg onload=document.title='owned'>",
    "<!-- <style>*{display:none}</style>",
    "&lt;b&gt; &#60;b&#62; ]]>",
];

fn hostile() -> Desk {
    let desk = Desk::with(&[]);
    let journal = Journal::open(&desk.scene.state()).unwrap();
    for text in HOSTILE {
        let names = [
            "agent", "tool", "rule", "source", "by", "what", "session", "outcome", "decision",
            "risk", "note", "why", "cwd",
        ];
        put(&journal, text, now(), &names.map(|name| (name, text)));
    }
    desk
}

#[test]
fn the_page_needs_and_allows_nothing_from_outside() {
    let page = out(&desk(), &["export", "--format", "html"]);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    let policy = page
        .split("Content-Security-Policy\" content=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-")
            && !policy.contains("unsafe")
            && !policy.contains('*'),
        "{policy}"
    );
    for word in [
        "http://",
        "https://",
        "src=",
        "href=",
        "@import",
        "url(",
        "javascript:",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    for word in [
        "The chain holds",
        "approval rate",
        "✗ blocked",
        "✓ approved",
        "✓ auto approved",
        "git push -f origin main",
        "use a branch",
        "sha256:",
    ] {
        assert!(page.contains(word), "{word}");
    }
    assert_eq!(page.matches("<tbody").count(), 4);
}

#[test]
fn what_an_agent_wrote_is_only_text() {
    let page = out(&hostile(), &["export", "--format", "html"]);
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("</script>").count(), 1);
    assert_eq!(page.matches("<style>").count(), 1);
    for word in ["<img", "<svg", "<!--", " onmouseover='", "<b>"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn a_page_has_the_newest_calls_and_says_so() {
    let desk = Desk::with(&[]);
    let journal = Journal::open(&desk.scene.state()).unwrap();
    for index in 0..30 {
        put(
            &journal,
            &format!("c{index}"),
            now(),
            &[("outcome", "approved"), ("what", "x")],
        );
    }
    let page = out(&desk, &["export", "--format", "html", "--limit", "10"]);
    assert_eq!(page.matches("<tbody").count(), 10);
    assert!(
        page.contains("The newest 10 of 30 calls.")
            && page.contains("data-number=\"30\"")
            && !page.contains("data-number=\"20\"")
    );
    assert!(
        out(&desk, &["export", "--format", "html", "--text", "nowhere"])
            .contains("narrowed down by filters")
    );
}

fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&std::env::var_os("PATH")?)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// What the browser makes of the page; none if it does not come up, which is none of our business.
fn dom(browser: &Path, desk: &Desk) -> Option<String> {
    let home = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
    let mut command = Command::new(browser);
    command.env("HOME", home.path()).args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--dump-dom",
    ]);
    command.arg(format!(
        "--user-data-dir={}",
        home.path().join("data").display()
    ));
    command.arg(format!(
        "file://{}",
        desk.scene.workspace.join("page.html").display()
    ));
    let done = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    Some(text).filter(|text| done.status.success() && text.contains("<html"))
}

/// In a real browser: the page's own script runs, and nothing of the record does.
#[test]
fn in_a_browser_nothing_of_the_record_runs() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium");
        return;
    };
    let desk = hostile();
    audit(
        &desk,
        &["export", "--format", "html", "--output", "page.html"],
    )
    .is(0, "the page");
    let Some(dom) = (0..3).find_map(|_| dom(&browser, &desk)) else {
        eprintln!("skipped: Chromium does not come up here");
        return;
    };
    assert!(
        dom.contains("<title>sayso audit report</title>"),
        "the title is as it was"
    );
    assert!(
        dom.contains(&format!(">{} calls<", HOSTILE.len())) && dom.contains("class=\"live\""),
        "the script of the page ran: {dom}"
    );
    for word in ["<img", "<svg", "owned'</title>"] {
        assert!(!dom.contains(word), "{word}");
    }
    assert_eq!(dom.matches("<script").count(), 1);
    assert_eq!(dom.matches("<tbody").count(), HOSTILE.len());
}
