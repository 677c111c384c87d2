//! npm: what a lock file names comes from the person's cache.

use super::desk::{Desk, SANDBOXED};

const PACKAGE: &str = r#"{"name": "work", "version": "1.0.0", "dependencies": {"is-odd": "3.0.1"},
"scripts": {"test": "node -e \"process.exit(require('is-odd')(3) ? 0 : 1)\""}}"#;

fn desk() -> Option<Desk> {
    let desk = Desk::with(&["npm", "node"])?;
    desk.file("package.json", PACKAGE);
    desk.prepare("npm install --no-audit --no-fund && rm -rf node_modules")?;
    Some(desk)
}

#[test]
fn npm_installs_what_is_locked_and_runs_the_tests() {
    let Some(desk) = desk() else { return };
    desk.work_everywhere(
        "npm ci && npm test",
        "rm -rf node_modules",
        "npm ci && npm test",
    );
}

#[test]
fn npm_adds_to_the_cache_of_the_session_only() {
    let Some(desk) = desk() else { return };
    desk.work(super::desk::Way::SessionCaches, "mkdir lib && cd lib && npm init -y > made && npm pack > name && npm cache add ./lib-1.0.0.tgz && npm cache ls | grep lib-1.0.0");
    desk.work(
        super::desk::Way::SessionCaches,
        "npm cache ls | grep lib-1.0.0 && npm ci",
    );
    desk.work(super::desk::Way::Outside, "! npm cache ls | grep lib-1.0.0");
}

#[test]
fn what_was_never_downloaded_is_missing_in_words() {
    let Some(desk) = desk() else { return };
    for way in SANDBOXED {
        let done = desk.try_to(way, "npm install left-pad@1.3.0 --fetch-retries=0");
        assert_ne!(done.code, 0, "{way:?}");
        assert!(done.err.contains("left-pad"), "{way:?}: {}", done.err);
    }
}
