//! What a command of `sayso sandbox` leaves behind: the same is taken away as after a run.

use sayso_sandbox::backend::{Backend, Name};

use crate::desk::Desk;
use crate::program::run;

#[test]
fn finding_d_03_sandbox_takes_protected_newcomers_away() {
    let script = "mkdir -p d/.claude e/.git/hooks e/.git/objects e/.git/refs x/y; echo '{}' > d/.claude/settings.json; echo '{}' > x/y/.mcp.json; \
                  echo 'ref: refs/heads/main' > e/.git/HEAD; printf '#!/bin/sh\\n' > e/.git/hooks/pre-commit; chmod +x e/.git/hooks/pre-commit; \
                  echo fine > d/fine.txt; exit 7";
    for (backend, name) in [
        ("bubblewrap", Name::Bubblewrap),
        ("landlock", Name::Landlock),
    ] {
        if let Err(why) = Backend::named(name) {
            eprintln!("NOT CHECKED: newcomers of `sayso sandbox`, {backend}: {why}");
            continue;
        }
        let desk = Desk::with(&[("known/.claude/settings.json", "{}\n")]);
        let done = run(
            desk.program()
                .args(["sandbox", "--backend", backend, "--", "bash", "-c", script]),
            b"",
        );
        assert_eq!(done.code, 7, "{done:?}");
        for gone in [
            "d/.claude/settings.json",
            "x/y/.mcp.json",
            "e/.git/hooks/pre-commit",
        ] {
            assert_eq!(desk.text(gone), None, "{backend}, {gone}: {done:?}");
        }
        assert_eq!(desk.text("d/fine.txt").as_deref(), Some("fine\n"));
        assert_eq!(
            desk.text("known/.claude/settings.json").as_deref(),
            Some("{}\n")
        );
        assert!(
            done.err.contains("d/.claude") && done.err.contains("took away"),
            "{done:?}"
        );
    }
}
