//! Answers over HTTP: their words, their keys, and denials, under every profile.

use serde_json::json;

use super::Served;
use crate::desk::Desk;

const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];

fn served(profile: &str) -> Served {
    Served::with(
        Desk::with(&[("a.txt", "a\n"), ("a.py", "1\n")]),
        &format!("profile: {profile}\nhooks: {{ask: inbox}}\n"),
    )
}

/// finding A-05: the words of a denial in the inbox reach the agent of a hook and the program that submitted the call.
#[test]
fn finding_a_05_a_note_reaches_hooks_and_programs_under_every_profile() {
    for profile in PROFILES {
        let served = served(profile);
        let hook = served.hook("claude", "Bash", json!({"command": "sort -o x.txt a.py"}));
        served
            .answer(
                &served.prompt(),
                json!({"choice": "deny", "note": "use the helper instead"}),
            )
            .is(200);
        let said = hook.said();
        assert!(
            said.to_string().contains("use the helper instead"),
            "{profile}: {said}"
        );

        let id = served.submit("sort -o y.txt a.py").json()["id"]
            .as_str()
            .unwrap()
            .to_owned();
        served
            .answer(
                &served.prompt(),
                json!({"choice": "deny", "note": "not now"}),
            )
            .is(200);
        let ended = served
            .asks("GET", &format!("/v1/operations/{id}?wait=10"), None)
            .json();
        assert!(
            ended["message"]
                .as_str()
                .unwrap_or_default()
                .contains("not now"),
            "{profile}: {ended}"
        );
    }
}

/// finding A-08: a hard denial reads like one at a hook and over HTTP.
#[test]
fn finding_a_08_a_hard_denial_over_http_and_at_a_hook_does_not_ask_for_approval() {
    for profile in PROFILES {
        let served = served(profile);
        let said = served
            .hook("claude", "Bash", json!({"command": "rm -rf /"}))
            .said()
            .to_string()
            .to_lowercase();
        let submitted = served.submit("rm -rf /").json().to_string().to_lowercase();
        for words in [said, submitted] {
            assert!(
                !words.contains("requires approval") && !words.contains("approval required"),
                "{profile}: {words}"
            );
        }
    }
}

/// finding A-09: the second prompt offers only what was chosen at the first.
/// finding A-21: the key that a screen sends with an answer is in the record.
#[test]
fn finding_a_21_the_key_of_a_screen_is_recorded_and_a_program_has_only_the_word() {
    let served = served("kollabor-spec");
    let hook = served.hook("claude", "Bash", json!({"command": "rm a.txt"}));
    let first = served.prompt();
    served
        .answer(&first, json!({"choice": "offer", "offer": 0, "typed": "y"}))
        .is(200);
    // The first one may still be listed for a moment.
    let second = std::iter::repeat_with(|| served.prompt())
        .find(|prompt| prompt["round"] == "second")
        .unwrap();
    assert_eq!(second["offers"], json!([first["offers"][0]]));
    served
        .answer(
            &second,
            json!({"choice": "offer", "offer": 0, "typed": "y"}),
        )
        .is(200);
    hook.said();
    let hook = served.hook("claude", "Bash", json!({"command": "sort -o x.txt a.py"}));
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    hook.said();
    let rows: Vec<_> = served
        .desk
        .entries("decided")
        .iter()
        .map(|entry| {
            (
                entry["user_response"].clone(),
                entry["user_response_word"].clone(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [(json!("y"), json!("once")), (json!("deny"), json!("deny"))]
    );
    // Bad input: a key that is too long is cut, one that is no text is refused, and nothing is decided by it.
    let hook = served.hook("claude", "Bash", json!({"command": "sort -o z.txt a.py"}));
    let prompt = served.prompt();
    served
        .answer(&prompt, json!({"choice": "deny", "typed": 7}))
        .is_problem(400, "unreadable");
    served
        .answer(
            &prompt,
            json!({"choice": "deny", "typed": "\u{202e}".repeat(100)}),
        )
        .is(200);
    hook.said();
    let last = served.desk.entries("decided").pop().unwrap();
    assert!(
        !last["user_response"].as_str().unwrap().contains('\u{202e}'),
        "{last}"
    );
}
