//! A policy that was packed judges like the one that was read, and bytes that are none do no harm.

use std::path::Path;

use proptest::prelude::*;
use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::learned_rule::RuleKey;
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::Call;
use sayso_core::call::tool::Kind;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::read::Origin;
use sayso_core::policy::{Overrides, Policy};
use sayso_core::snapshot::{pack, unpack};
use sayso_core::text::digest::Digest;

use sayso_shell::Bash;

use super::random::{Bent, any_mode, any_run, any_world, call_and_grants, every_call, rule};
use super::texts::{Text, text, trusted_texts};
use super::{config, layers, verdict};
use crate::bench::{PROFILES, call, layer};

/// A bit of everything that a policy can say.
const RICH: &str = r#"
safe_commands: [npm run, "cargo {build,test} *"]
auto_approve_safe_commands: true
auto_approve_safe_paths: true
safe_paths: ["docs/**", "*.{md,txt}"]
safe_path_regexes: ["notes/.*[.]txt"]
protected_paths: [infra/prod, "*.secret", ~/notes]
blocked_tools: [my_tool]
trusted_tools: [file_read]
trusted_mcp_servers: [github]
risk: {high_patterns: ["push|rm"], medium_patterns: ["^git "]}
shell:
  default: {allowed: true, approval: true}
  rules:
    - {pattern: git log, approval: false, allowed: true, description: history, sandbox_paths: [src]}
    - {pattern: dd, allowed: false}
sandbox.paths: {src: {root: src, mode: rw, suffixes: [.rs], write_approval: false}}
agents:
  rev: {mode: safe-only, rules: [{deny: {write: "**"}, id: no-writes, reason: a reviewer writes nothing}]}
  build: {shell.rules: [{pattern: make, approval: false, allowed: true}]}
rules:
  - {allow: {command: "git {status,diff} *"}, except: {command: "git diff --output *"}}
  - {deny: {command_regex: "curl|wget"}, reason: "no network"}
  - {deny: {command: "rm -rf *", as: glob}, match: ["rm -rf x"], not_match: [ls]}
  - {ask: {command: "npm publish", as: exact}}
  - {allow: {command: "make all", as: prefix}, when: {agent: [build, "b*"], mode: [balanced], uses: 3, until: 2090-01-01}}
  - {allow: {read: ["src/**", "/etc/hosts", "~/x/*"]}, when: {workspace: "/ws"}}
  - {deny: {read: "core/**"}}
  - {allow: {write: "out/**", overwrite: true}, when: {max_lines: 5, max_files: 2}}
  - {ask: {delete: "**", recursive: true}}
  - {allow: {fetch: ["*.example.com", "http://a.org:8080/x/**"]}}
  - {allow: {mcp: "github/get_*"}, when: {annotations: {readOnlyHint: true}}}
  - {deny: {tool: "zzz_*"}}
  - {ask: {delegate: helper}}
"#;

fn again(policy: &Policy, grants: &[Grant]) -> (Policy, Vec<Grant>) {
    let bytes = pack(policy, grants);
    let (unpacked, unpacked_grants) = unpack(bytes.clone()).expect("what was packed");
    assert!(
        pack(&unpacked, &unpacked_grants) == bytes,
        "packed again, it is something else"
    );
    assert_eq!(format!("{grants:?}"), format!("{unpacked_grants:?}"));
    (unpacked, unpacked_grants)
}

fn rich(profile: &str) -> Policy {
    let project = layer(
        "mode: auto-approve-edits\nrules: [{allow: {command: \"*\"}}, {deny: {read: src/main.rs}}]",
        Origin::UntrustedProject,
    );
    let user = layer(&format!("profile: {profile}\n{RICH}"), Origin::User);
    Policy::assemble(vec![user, project], &Overrides::default(), &Bash)
}

fn calls() -> Vec<Call> {
    every_call().iter().map(|text| call(text)).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_packed_policy_judges_like_the_one_that_was_read(
        (call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run(),
        project in prop::option::of(text(vec![Origin::UntrustedProject])), environment_mode in any_mode(),
    ) {
        let texts: Vec<Text> = texts.into_iter().chain(project).collect();
        let read = Policy::assemble(layers(&texts), &Overrides { mode, environment_mode, ..Overrides::default() }, &Bash);
        let (packed, packed_grants) = again(&read, &grants);
        prop_assert_eq!(verdict(&read, &world, &call, &grants, run), verdict(&packed, &world, &call, &packed_grants, run));
        // Also once its rules have been unpacked, and as a copy.
        prop_assert_eq!(verdict(&read, &world, &call, &[], run), verdict(&packed.clone(), &world, &call, &[], run));
    }

    /// Nothing but the checksum of a file keeps such bytes away, so they get one.
    #[test]
    fn changed_bytes_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut: Option<prop::sample::Index>, seed: u64) {
        let mut bytes = pack(&rich("opencode"), &every_grant());
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.map_or(usize::MAX, |cut| cut.index(bytes.len())));
        if let Some((policy, grants)) = unpack(bytes) {
            look_at_everything(&policy, &grants, seed);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Some((policy, grants)) = unpack(bytes) {
            look_at_everything(&policy, &grants, 1);
        }
    }
}

/// Judges a few calls, and unpacks all there is.
fn look_at_everything(policy: &Policy, grants: &[Grant], seed: u64) {
    for call in calls().into_iter().skip(seed as usize % 97).step_by(97) {
        let _verdict = verdict(
            policy,
            &Bent { seed, gap: None },
            &call,
            grants,
            Run::Interactive,
        );
    }
    let _text = format!("{policy:?} {grants:?}");
    let _bytes = pack(policy, grants);
}

/// A grant of every kind.
fn every_grant() -> Vec<Grant> {
    let (digest, text) = (Digest::of_bytes(b"x"), |text: &str| text.to_owned());
    let keys = [
        GrantKey::Exact(digest),
        GrantKey::Payload {
            tool: text("t"),
            payload: digest,
        },
        GrantKey::Command {
            words: vec![text("git"), text("status")],
            folder: text("/ws"),
        },
        GrantKey::Rule(rule(RuleKey::Command, "rm -rf {a,b} *")),
        GrantKey::Rule(rule(RuleKey::Read, "docs/**")),
        GrantKey::Rule(rule(RuleKey::Write, "src/{a,b}.rs")),
        GrantKey::Rule(rule(RuleKey::Fetch, "https://a.example/**")),
        GrantKey::Rule(rule(RuleKey::Tool, "deploy")),
        GrantKey::Reads(text("/ws")),
        GrantKey::AnyContent {
            kind: Kind::FileEdit,
            path: text("/ws/src/main.rs"),
        },
        GrantKey::McpTool {
            server: text("github"),
            tool: text("get_issue"),
            schema: None,
        },
        GrantKey::RestOfBatch,
        GrantKey::Edits(text("/ws")),
    ];
    let reaches = [
        Reach::Once(text("id")),
        Reach::Batch(text("b")),
        Reach::Session(text("s")),
        Reach::Project(text("/ws")),
        Reach::Always,
    ];
    let grant = |(number, key): (usize, GrantKey)| Grant {
        id: format!("g-{number}"),
        key,
        reach: reaches[number % reaches.len()].clone(),
        agent: text("main"),
        expires: (number % 2 == 0).then_some(-1),
        uses_left: (number % 3 == 0).then_some(number as u64),
        risk: [Risk::Low, Risk::Medium, Risk::High, Risk::Unknown][number % 4],
        seal: (number % 2 == 1).then_some(digest),
    };
    keys.into_iter().enumerate().map(grant).collect()
}

#[test]
fn every_kind_of_grant_comes_back() {
    again(&Policy::broken("it has `errors`"), &every_grant());
    let (policy, _) = again(&Policy::broken("it has `errors`"), &[]);
    assert_eq!(policy.why_broken(), Some("it has `errors`"));
}

#[test]
fn every_profile_judges_every_call_the_same_when_it_was_packed() {
    let world = Bent { seed: 7, gap: None };
    let calls = calls();
    for profile in PROFILES {
        for read in [
            Policy::assemble(
                vec![layer(&format!("profile: {profile}"), Origin::User)],
                &Overrides::default(),
                &Bash,
            ),
            rich(profile),
        ] {
            let (packed, _) = again(&read, &[]);
            for call in &calls {
                for agent in ["", "rev", "build"] {
                    let call = crate::bench::by(agent, call.clone());
                    let [before, after] = [&read, &packed]
                        .map(|policy| verdict(policy, &world, &call, &[], Run::Interactive));
                    assert_eq!(before, after, "{profile} {call:?}");
                }
            }
        }
    }
}

#[test]
fn the_policies_of_the_documents_judge_the_same_when_they_were_packed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = 0;
    for document in ["README.md", "docs/guide/policy.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        for block in text
            .split("```yaml\n")
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap())
        {
            let (Some(user), _) = crate::bench::read_text(block, Origin::User) else {
                continue;
            };
            found += 1;
            let read = Policy::assemble(vec![user], &Overrides::default(), &Bash);
            let (packed, _) = again(&read, &[]);
            for call in calls() {
                let [before, after] = [&read, &packed].map(|policy| {
                    verdict(
                        policy,
                        &Bent { seed: 3, gap: None },
                        &call,
                        &[],
                        Run::Interactive,
                    )
                });
                assert_eq!(before, after, "{document} {call:?}");
            }
        }
    }
    assert!(found > 0, "no document has a policy");
}

#[test]
fn what_is_cut_off_or_goes_on_is_refused() {
    let bytes = pack(&rich("sayso"), &every_grant());
    for length in 0..bytes.len() {
        assert!(unpack(bytes[..length].to_vec()).is_none(), "{length}");
    }
    assert!(unpack([&bytes[..], &[0]].concat()).is_none());
}

/// Wherever a length or a count stands, a huge one must not make room for what cannot be there.
#[test]
fn a_huge_number_at_any_place_does_no_harm() {
    let bytes = pack(&rich("sayso"), &every_grant());
    let numbers: [&[u8]; 4] = [
        &[0xff; 9],
        &[0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0xff, 0xff, 0x7f],
        &[0xfd, 0xff, 0x03],
    ];
    for place in 0..bytes.len() {
        for number in numbers {
            let mut changed = bytes.clone();
            changed.splice(
                place..(place + number.len()).min(bytes.len()),
                number.iter().copied(),
            );
            if let Some((policy, grants)) = unpack(changed) {
                let _text = format!("{policy:?} {grants:?}");
            }
        }
    }
}

/// A rule whose bytes are damaged under a right checksum is a denial of all that it could be about, whatever it was.
#[test]
fn a_rule_that_cannot_be_unpacked_denies() {
    for (rule, denied) in [
        ("allow: {command: \"ls lost\"}", "bash ls"),
        ("allow: {command: \"ls lost\"}", "bash ls 'unclosed"),
        ("ask: {command_regex: \"lost\"}", "bash ls"),
        ("allow: {read: \"src/lost\"}", "file_read src/main.rs"),
        (
            "allow: {read: \"src/lost\"}",
            "bash unknown-program src/main.rs",
        ),
        ("allow: {write: \"**/lost\"}", "file_edit README.md"),
        ("allow: {delete: \"**/lost\"}", "file_delete README.md"),
        (
            "allow: {fetch: \"lost.example.com\"}",
            "webfetch https://docs.example.com/a",
        ),
        ("allow: {mcp: \"github/lost\"}", "mcp gitlab/push"),
        ("allow: {tool: lost}", "file_read src/main.rs"),
        ("allow: {delegate: lost}", "delegate helper"),
    ] {
        let read = Policy::assemble(
            vec![layer(&format!("rules: [{{{rule}}}]"), Origin::User)],
            &Overrides::default(),
            &Bash,
        );
        let mut bytes = pack(&read, &[]);
        let place = bytes
            .windows(4)
            .position(|window| window == b"lost")
            .expect("the pattern");
        bytes[place] = 0xff;
        let (packed, _) = unpack(bytes).expect("rules are not looked at");
        let world = Bent { seed: 7, gap: None };
        let after = verdict(&packed, &world, &call(denied), &[], Run::Interactive);
        assert_eq!(after.decision, Decision::Deny, "{rule} {denied}");
        assert!(
            after
                .reasons
                .iter()
                .any(|reason| reason.rule.name() == "unreadable-rule"),
            "{rule} {denied} {:#?}",
            after.reasons
        );
    }
}
