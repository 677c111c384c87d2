//! Rules from prompts about files, addresses and tools: what each covers, and that none of them stretches.

use std::sync::Arc;

use sayso_core::answer::grant::GrantKey;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, McpIdentity};
use sayso_core::prompt::{Prompt, Stores};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::pattern;
use sayso_gate::simulated::Say;

use super::room::Room;
use crate::bench::{PROFILES, by, call};

/// A room of profile `forge`, which asks about everything, where the first call is answered with a pattern for the project.
fn with_rule(first: &str, pattern: &str) -> Room {
    let room = Room::new(
        "forge",
        How::Interactive,
        &[Say::Pattern(pattern.to_owned(), Scope::Project)],
    );
    for file in [
        "docs/a.md",
        "docs/deep/b.md",
        "docs/.env",
        "docs/AGENTS.md",
        "docs/package.json",
        "docs/.git/hooks/pre-commit",
    ] {
        room.world.write(&format!("/ws/{file}"), "old");
    }
    room.world.link("/ws/docs/out.md", "/home/u/other.txt");
    room.world.link("/ws/docs/in.md", "/ws/src/main.rs");
    room.world.link("/ws/docs/secret.md", "/ws/.env");
    let finished = room.call(call(first));
    assert_eq!(
        finished.outcome,
        Outcome::Approved,
        "{first}: {}",
        finished.message
    );
    room
}

fn in_workspace(workspace: &str, text: &str) -> Call {
    Call {
        workspace: workspace.to_owned(),
        cwd: workspace.to_owned(),
        ..call(text)
    }
}

fn check(room: &Room, covered: &[&str], asked: &[&str]) {
    for text in covered {
        assert_eq!(
            room.call(call(text)).outcome,
            Outcome::AutoApproved,
            "{text}"
        );
    }
    for text in asked {
        assert_ne!(
            room.call(call(text)).outcome,
            Outcome::AutoApproved,
            "{text}"
        );
    }
}

/// finding A-11: a rule for reads of a folder covers what file tools read there, and no secret, link, write or command.
#[test]
fn finding_a_11_a_rule_for_reads_of_a_folder_does_not_stretch() {
    let room = with_rule("file_read docs/a.md", "docs/**");
    check(
        &room,
        &[
            "file_read docs/a.md",
            "file_read docs/deep/b.md",
            "file_read docs/deep/../a.md",
            "list docs",
        ],
        &[
            "file_read README.md",
            "file_read src/main.rs",
            "file_read docs/.env",
            "file_read docs/../.env",
            "file_read docs/out.md",
            "file_read docs/in.md",
            "file_read docs/secret.md",
            "file_read docsx/a.md",
            "file_read /etc/passwd",
            "file_grep .",
            "list .",
            "file_edit docs/a.md",
            "file_delete docs/a.md",
            "bash cat docs/a.md",
            "share_file docs/a.md",
        ],
    );
    for (what, other) in [
        (
            "another project",
            in_workspace("/ws2", "file_read docs/a.md"),
        ),
        ("another agent", by("other", call("file_read docs/a.md"))),
    ] {
        assert_ne!(room.call(other).outcome, Outcome::AutoApproved, "{what}");
    }
}

/// finding A-11: "files that git ignores still ask" is so for what tools have built, too.
#[test]
fn finding_a_11_a_rule_with_wildcards_covers_nothing_that_git_ignores() {
    let room = with_rule("file_read docs/a.md", "{docs,node_modules}/**");
    room.world.write("/ws/node_modules/x/index.js", "old");
    check(
        &room,
        &["file_read docs/a.md"],
        &["file_read node_modules/x/index.js", "list node_modules"],
    );
}

/// finding A-11: a rule for edits of a folder covers ordinary files there, and nothing that something runs or obeys, deletes or replaces.
#[test]
fn finding_a_11_a_rule_for_edits_of_a_folder_does_not_stretch() {
    let room = with_rule("file_edit docs/a.md", "docs/**");
    check(
        &room,
        &[
            "file_edit docs/a.md",
            "file_edit docs/deep/b.md",
            "file_write docs/new.md",
            "file_append docs/a.md",
            "file_create docs/c.md",
        ],
        &[
            "file_edit docs/AGENTS.md",
            "file_write docs/deep/CLAUDE.md",
            "file_edit docs/package.json",
            "file_edit docs/.env",
            "file_edit docs/.git/hooks/pre-commit",
            "file_edit docs/out.md",
            "file_edit docs/in.md",
            "file_edit docs/secret.md",
            "file_edit docs/../src/main.rs",
            "file_create_overwrite docs/a.md",
            "file_delete docs/a.md",
            "file_move docs/a.md docs/z.md",
            "file_rmdir docs/deep",
            "file_edit src/main.rs",
            "bash tee docs/a.md",
            "bash echo x > docs/a.md",
        ],
    );
    assert_ne!(
        room.call(in_workspace("/ws2", "file_edit docs/a.md"))
            .outcome,
        Outcome::AutoApproved,
        "another project"
    );
}

/// finding A-11: a rule for one file is for that file, whatever its content, and also where its name is one that something obeys.
#[test]
fn finding_a_11_a_rule_for_one_file_is_for_that_file() {
    let room = with_rule("file_edit docs/a.md", "docs/a.md");
    check(
        &room,
        &["file_write docs/a.md"],
        &[
            "file_edit docs/deep/b.md",
            "file_read docs/a.md",
            "file_edit docs/a.md.bak",
        ],
    );
    let room = with_rule("file_edit docs/AGENTS.md", "docs/AGENTS.md");
    check(
        &room,
        &["file_edit docs/AGENTS.md"],
        &["file_edit AGENTS.md", "file_edit docs/a.md"],
    );
}

/// finding A-11: a rule for a host is for that host, scheme and port, and for fetches only.
#[test]
fn finding_a_11_a_rule_for_a_host_does_not_stretch() {
    let room = with_rule("webfetch https://docs.rs/serde", "https://docs.rs/**");
    check(
        &room,
        &[
            "webfetch https://docs.rs/serde",
            "webfetch https://docs.rs/tokio?x=1",
            "webfetch https://DOCS.rs/",
        ],
        &[
            "webfetch http://docs.rs/serde",
            "webfetch https://docs.rs:8443/serde",
            "webfetch https://docs.rs.evil.example/",
            "webfetch https://evil.example/docs.rs",
            "webfetch https://a.docs.rs/",
            "webfetch https://u@docs.rs/",
            "bash curl https://docs.rs/serde",
        ],
    );
    let room = with_rule("webfetch https://docs.rs/serde", "https://docs.rs/serde");
    check(
        &room,
        &["webfetch https://docs.rs/serde"],
        &[
            "webfetch https://docs.rs/serde?q=1",
            "webfetch https://docs.rs/serde/x",
        ],
    );
}

/// finding A-11: an address with a query has no pattern that names it alone, since `?` is a sign of patterns.
#[test]
fn finding_a_11_an_address_with_a_query_is_kept_exactly_or_by_its_host() {
    let room = Room::new("forge", How::Interactive, &[Say::Yes(Scope::Project)]);
    assert_eq!(
        room.call(call("webfetch https://a.example/x?k=1")).outcome,
        Outcome::Approved
    );
    check(
        &room,
        &["webfetch https://a.example/x?k=1"],
        &[
            "webfetch https://a.example/xAk=1",
            "webfetch https://a.example/x?k=2",
        ],
    );
}

/// finding A-11: a tool is kept by its name or with exactly its arguments, and never another one.
#[test]
fn finding_a_11_a_rule_for_a_tool_does_not_stretch() {
    for profile in PROFILES {
        let seen = Room::new(profile, How::Interactive, &[]);
        seen.call(call("deploy staging"));
        let prompt = seen.person.seen()[0].clone();
        let at = |width: &str| {
            prompt
                .offer_of_width(Scope::Project, width)
                .unwrap_or_else(|| panic!("{profile}: {width}"))
        };
        let room = Room::new(profile, How::Interactive, &[Say::Offer(at("tool"))]);
        assert_eq!(room.call(call("deploy staging")).outcome, Outcome::Approved);
        check(
            &room,
            &["deploy staging", "deploy prod"],
            &[
                "deploy2 staging",
                "Deploy staging",
                "mcp deploy/deploy",
                "bash deploy staging",
            ],
        );
        assert_ne!(
            room.call(by("other", call("deploy staging"))).outcome,
            Outcome::AutoApproved,
            "{profile}"
        );
        assert_ne!(
            room.call(in_workspace("/ws2", "deploy staging")).outcome,
            Outcome::AutoApproved,
            "{profile}"
        );
        let room = Room::new(profile, How::Interactive, &[Say::Offer(at("call"))]);
        assert_eq!(room.call(call("deploy staging")).outcome, Outcome::Approved);
        check(&room, &["deploy staging"], &["deploy prod"]);
    }
}

/// finding A-11: an MCP tool is kept with and without its arguments, bound to what was pinned.
#[test]
fn finding_a_11_a_rule_for_an_mcp_tool_is_bound_to_what_was_pinned() {
    let pinned = |text: &str, issue: &str, schema: Option<&[u8]>| {
        let args = Node::map([
            ("server", Node::text("github")),
            ("tool", Node::text(text)),
            ("arguments", Node::map([("n", Node::text(issue))])),
        ]);
        let identity = McpIdentity {
            schema: schema.map(Digest::of_bytes),
            ..McpIdentity::default()
        };
        Call {
            args,
            mcp: Some(identity),
            ..call("mcp github/get_issue")
        }
    };
    let one = Some(&b"one"[..]);
    let seen = Room::new("forge", How::Interactive, &[]);
    seen.call(pinned("get_issue", "1", one));
    let prompt = seen.person.seen()[0].clone();
    for (width, other_arguments) in [("call", false), ("tool", true)] {
        let at = prompt.offer_of_width(Scope::Project, width).expect(width);
        let room = Room::new("forge", How::Interactive, &[Say::Offer(at)]);
        let unasked = |call: Call| room.call(call).outcome == Outcome::AutoApproved;
        assert_eq!(
            room.call(pinned("get_issue", "1", one)).outcome,
            Outcome::Approved
        );
        assert!(unasked(pinned("get_issue", "1", one)), "{width}");
        assert_eq!(
            unasked(pinned("get_issue", "2", one)),
            other_arguments,
            "{width}"
        );
        assert!(
            !unasked(pinned("get_issue", "1", Some(b"two"))),
            "{width}: another schema or server is another tool"
        );
        assert!(!unasked(pinned("get_issue", "1", None)), "{width}");
        assert!(!unasked(pinned("drop", "1", one)), "{width}");
    }
    // What is not pinned may be another tool tomorrow.
    let seen = Room::new("forge", How::Interactive, &[]);
    seen.call(pinned("get_issue", "1", None));
    assert!(
        seen.person.seen()[0]
            .offers
            .iter()
            .all(|offer| offer.scope <= Scope::Session)
    );
}

fn prompt_of(profile: &str, text: &str) -> Arc<Prompt> {
    let room = Room::new(profile, How::Interactive, &[]);
    room.world.write("/ws/docs/a.md", "old");
    room.call(call(text));
    Arc::clone(
        room.person
            .seen()
            .first()
            .unwrap_or_else(|| panic!("{profile}: {text} is not asked about")),
    )
}

/// finding A-11: under every profile, what is offered is what is stored: the words hold the pattern, and the rule covers the call.
#[test]
fn finding_a_11_every_rule_is_offered_in_its_own_words_under_every_profile() {
    for profile in PROFILES {
        for (text, key, patterns) in [
            (
                "file_edit src/main.rs",
                "write",
                vec!["src/main.rs", "src/**"],
            ),
            (
                "file_write core/new.py",
                "write",
                vec!["core/new.py", "core/**"],
            ),
            (
                "file_insert_after src/main.rs",
                "write",
                vec!["src/main.rs", "src/**"],
            ),
            ("file_edit any_file.py", "write", vec!["any_file.py"]),
            ("deploy prod", "tool", vec!["deploy"]),
        ] {
            let prompt = prompt_of(profile, text);
            assert_eq!(prompt.proposed(), patterns, "{profile}: {text}");
            assert_eq!(
                prompt.rule_scopes(),
                [Scope::Session, Scope::Project, Scope::Always],
                "{profile}: {text}"
            );
            for offer in &prompt.offers {
                let Stores::Rule(rule) = &offer.stores else {
                    continue;
                };
                assert_eq!(rule.key.word(), key, "{profile}: {text}");
                assert!(
                    offer.words.contains(&format!("`{}`", rule.pattern)),
                    "{}",
                    offer.words
                );
                assert!(offer.words.contains(offer.scope.place()), "{}", offer.words);
                let Ok(Some(GrantKey::Rule(stored))) = sayso_gate::offers::key_of(&offer.stores)
                else {
                    panic!("{}", offer.words)
                };
                assert_eq!((stored.key(), stored.pattern()), (rule.key, &*rule.pattern));
                assert_eq!(stored.words(offer.scope), offer.words);
            }
        }
    }
}

/// finding A-11: what must be asked is still allowed once and no more, under every profile.
#[test]
fn finding_a_11_a_must_ask_offers_no_rule_under_any_profile() {
    for profile in PROFILES {
        for text in [
            "file_read .env",
            "file_edit .env",
            "file_edit .git/config",
            "file_delete src/main.rs",
            "file_create_overwrite README.md",
            "file_edit out.md",
            "bash rm -rf node_modules",
            "bash make $x",
        ] {
            let room = Room::new(profile, How::Interactive, &[]);
            let finished = room.call(call(text));
            match room.person.seen().first() {
                Some(prompt) => assert!(
                    prompt.offers.iter().all(|offer| offer.scope == Scope::Once),
                    "{profile}: {text}"
                ),
                None => assert_ne!(finished.outcome, Outcome::AutoApproved, "{profile}: {text}"),
            }
        }
    }
}

/// finding A-41: a pattern that allows far more is refused with the nearest one that would do.
#[test]
fn finding_a_41_a_pattern_that_is_refused_names_the_nearest_that_would_do() {
    for (profile, text, typed, nearest) in [
        (
            "opencode",
            "bash git push origin main",
            "git *",
            "`git push *` would do",
        ),
        (
            "opencode",
            "bash git push origin main",
            "npm *",
            "`git push *` would do",
        ),
        (
            "opencode",
            "bash cargo build",
            "*",
            "`cargo build *` would do",
        ),
        (
            "opencode",
            "file_edit src/main.rs",
            "**",
            "`src/**` would do",
        ),
        (
            "opencode",
            "file_edit src/main.rs",
            "*",
            "`src/**` would do",
        ),
        (
            "opencode",
            "file_edit src/main.rs",
            "docs/**",
            "`src/**` would do",
        ),
        ("forge", "file_read docs/a.md", "**/*", "`docs/**` would do"),
        (
            "forge",
            "webfetch https://docs.rs/x",
            "*",
            "`https://docs.rs/**` would do",
        ),
        (
            "forge",
            "webfetch https://docs.rs/x",
            "https://*.rs/**",
            "`https://docs.rs/**` would do",
        ),
        (
            "forge",
            "webfetch https://docs.rs/x",
            "https://evil.example/**",
            "`https://docs.rs/**` would do",
        ),
    ] {
        let prompt = prompt_of(profile, text);
        let why = pattern::check(typed, &prompt).expect_err(typed);
        assert!(why.to_string().contains(nearest), "{text}, {typed}: {why}");
        let named = nearest.split('`').nth(1).unwrap();
        pattern::check(named, &prompt).unwrap_or_else(|why| panic!("{named}: {why}"));
    }
    // What reaches outside of the workspace is for a policy file, and says so.
    for typed in ["/etc/**", "~/x", "../x"] {
        let why =
            pattern::check(typed, &prompt_of("forge", "file_read docs/a.md")).expect_err(typed);
        assert!(
            why.to_string().contains("workspace")
                || why.to_string().contains("`..`")
                || why.to_string().contains("would do"),
            "{typed}: {why}"
        );
    }
}
