//! Work that a sandbox refuses, in words.

use super::desk::{Desk, SANDBOXED};

#[test]
fn docker_is_refused_in_words() {
    let Some(desk) = Desk::with(&["docker"]) else {
        return;
    };
    for way in SANDBOXED {
        let done = desk.try_to(way, "docker ps");
        assert_ne!(done.code, 0, "{way:?}: {}", done.out);
        assert!(done.err.contains("docker.sock"), "{way:?}: {}", done.err);
    }
}
