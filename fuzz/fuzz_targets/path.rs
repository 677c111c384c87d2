//! Any text as a path: its classes never panic, and joining gives a normal form that stays the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sayso_core::paths::{
    ExtraProtected, active, below, below_folded, fold, is_short_name_of, join, odd, prose_in,
    protected, relative, secret,
};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (base, path) = text.split_once('\n').unwrap_or(("/home/u/ws", &text));
    let _ = odd(path);
    let joined = join(base, path);
    assert!(joined.starts_with('/'), "{joined:?} is not absolute");
    assert!(
        joined == "/"
            || joined
                .split('/')
                .skip(1)
                .all(|name| !matches!(name, "" | "." | "..")),
        "{joined:?} is not in normal form"
    );
    assert_eq!(join("/", &joined), joined);
    assert_eq!(join(base, &joined), joined);
    for home in [None, Some("/home/u"), Some(base)] {
        let _ = (
            protected(&joined, home),
            secret(&joined, home),
            protected(path, home),
            secret(path, home),
        );
        // Whatever lies below what is protected is protected, too.
        assert!(
            protected(&joined, home).is_none() || protected(&join(&joined, "x"), home).is_some(),
            "{joined:?} is only half protected"
        );
    }
    let _ = (
        active(&joined),
        prose_in(&joined, "/ws"),
        active(path),
        prose_in(path, "/ws"),
    );
    assert!(below(&joined, "/") && below_folded(&joined, "/"));
    assert_eq!(below(&joined, base), relative(&joined, base).is_some());
    for name in joined.split('/').filter(|name| !name.is_empty()) {
        let folded = fold(name);
        assert_eq!(fold(&folded), folded, "folding {name:?} twice differs");
        let _ = is_short_name_of(name, "authorized_keys");
    }
    let mut extra = ExtraProtected::default();
    if extra.add(path).is_ok() {
        let _ = extra.matches(&joined, base, Some("/home/u"));
    }
});
