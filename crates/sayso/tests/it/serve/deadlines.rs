//! One deadline for a prompt, and true words after the first of two confirmations, at every screen of the inbox.

use std::time::Duration;

use serde_json::{Value, json};

use super::Served;
use crate::desk::Desk;
use crate::terminal::screen::Screen;

fn served(policy: &str) -> Served {
    Served::with(Desk::with(&[("a.txt", "one\n")]), policy)
}

fn watch(served: &Served, more: &str) -> Screen {
    let folder = served.desk.scene.workspace.as_path();
    let screen = Screen::start(
        folder,
        &served.desk.scene.home,
        &format!("exec {} watch {more}", env!("CARGO_BIN_EXE_sayso")),
        100,
        40,
    );
    screen.see("watching; prompts appear here");
    while served.get("/v1/me").is(200)["watching"] == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    screen
}

fn document(served: &Served, prompt: &Value) -> Value {
    served
        .get(&format!("/v1/prompts/{}", prompt["id"].as_str().unwrap()))
        .is(200)
}

/// The seconds that a screen says are left.
fn seconds(text: &str) -> Option<i64> {
    let left = text.split_once("denied in ")?.1.split_whitespace().next()?;
    let (minutes, seconds) = left.split_once(':')?;
    Some(minutes.parse::<i64>().ok()? * 60 + seconds.parse::<i64>().ok()?)
}

/// What the screen and the inbox say at about the same moment, until they agree to the second or a little more.
#[track_caller]
fn agree(served: &Served, screen: &Screen, prompt: &Value) -> i64 {
    let mut last = None;
    for _ in 0..500 {
        let expires = document(served, prompt)["expires_at"].as_i64().unwrap();
        let now = served.get("/v1/me").is(200)["now"].as_i64().unwrap();
        let left = (expires - now + 999) / 1000;
        if let Some(shown) = seconds(&screen.text()) {
            if (shown - left).abs() <= 1 {
                return shown;
            }
            last = Some((shown, left));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!(
        "the screen and the inbox have two deadlines: {last:?}\n{}",
        screen.text()
    );
}

/// finding W-03: a hook that waits for less than the prompt's time ends it, and every screen shows that end, also after somebody looked.
#[test]
fn finding_w_03_one_deadline_is_shown_everywhere() {
    let served = served("hooks: {ask: inbox}\napproval_timeout: 300\n");
    let screen = watch(&served, "");
    let mut events = served.listen("/v1/events?kinds=activity,requested", None);
    let payload = crate::hook::before(&served.desk, "Bash", json!({"command": "make all"}));
    let _hook = served.hook_with("claude", &payload, &["--wait", "100"]);
    let prompt = served.prompt();
    assert_eq!(
        events.until("requested").1["prompt"]["expires_at"],
        prompt["expires_at"],
        "the list and the prompt say the same"
    );
    assert!(
        agree(&served, &screen, &prompt) <= 100,
        "the hook gives up then, and the screen does not start a count of its own"
    );
    let before = document(&served, &prompt)["expires_at"].clone();
    served
        .post(
            &format!("/v1/prompts/{}/activity", prompt["id"].as_str().unwrap()),
            json!({}),
        )
        .is(204);
    assert_eq!(
        events.until("activity").1["expires_at"],
        before,
        "looking moves nothing that cannot be moved"
    );
    assert_eq!(document(&served, &prompt)["expires_at"], before);
    agree(&served, &screen, &prompt);
}

/// finding W-03: where looking does move the deadline, it is the same new one at every screen; a key at one of them does so, too.
#[test]
fn finding_w_03_a_deadline_that_moves_moves_everywhere() {
    let served = served("approval_timeout: 60\n");
    let mut events = served.listen("/v1/events?kinds=activity,requested", None);
    served.submit("make all").is(202);
    let prompt = served.prompt();
    let first = prompt["expires_at"].as_i64().unwrap();
    assert_eq!(
        document(&served, &prompt)["expires_at"],
        first,
        "it has one time, however often it is looked up"
    );
    let path = format!("/v1/prompts/{}/activity", prompt["id"].as_str().unwrap());
    let mut screen = watch(&served, "");
    agree(&served, &screen, &prompt);
    assert_eq!(
        document(&served, &prompt)["expires_at"],
        first,
        "to show it moves nothing"
    );
    std::thread::sleep(Duration::from_millis(1500));
    served.post(&path, json!({})).is(204);
    let moved = events.until("activity").1["expires_at"].as_i64().unwrap();
    assert!(moved > first, "{moved} {first}");
    assert_eq!(document(&served, &prompt)["expires_at"], moved);
    assert_eq!(
        served.get("/v1/prompts").is(200)["prompts"][0]["expires_at"],
        moved
    );
    agree(&served, &screen, &prompt);
    // A key that answers nothing, at the terminal.
    std::thread::sleep(Duration::from_millis(500));
    screen.send("x");
    let told = events.until("activity").1;
    assert_eq!(document(&served, &prompt)["expires_at"], told["expires_at"]);
    assert!(
        told["by"].as_str().is_some_and(|by| by != "token"),
        "{told}"
    );
    agree(&served, &screen, &prompt);
}

/// finding W-02: the first of two confirmations allows nothing yet, and no screen says that it did.
#[test]
fn finding_w_02_the_first_of_two_confirmations_is_said_to_be_one() {
    for plain in ["", "--plain"] {
        let served = served("approval_timeout: 0\n");
        let mut screen = watch(&served, plain);
        let asking = served.submit("rm a.txt").is(202);
        let prompt = served.prompt();
        assert_eq!(prompt["round"], "first");
        screen.see("a.txt");
        std::thread::sleep(Duration::from_millis(1000));
        if plain.is_empty() {
            screen.press("y")
        } else {
            screen.send("y\r")
        }
        screen.see("you confirmed it, 1 of 2: it asks once more");
        let path = format!("/v1/operations/{}", asking["id"].as_str().unwrap());
        assert_eq!(
            served.asks("GET", &path, None).is(200)["state"],
            "asking",
            "nothing is allowed yet"
        );
        // The second one is answered elsewhere.
        let second = served.prompt();
        assert_eq!(second["round"], "second");
        let taken = served.yes(&second).is(200);
        assert_eq!(
            (&taken["round"], &taken["answer"]),
            (&json!("second"), &json!("once"))
        );
        let ended = served
            .answer(&prompt, json!({"choice": "deny"}))
            .is_problem(409, "answered")["ended"]
            .clone();
        assert_eq!(
            (&ended["round"], &ended["answer"]),
            (&json!("first"), &json!("once"))
        );
    }
}

/// finding W-02: whoever watches while somebody else confirms reads the same.
#[test]
fn finding_w_02_others_read_it_too() {
    let served = served("approval_timeout: 0\n");
    let screen = watch(&served, "");
    served.submit("rm a.txt").is(202);
    screen.see("a.txt");
    let taken = served.yes(&served.prompt()).is(200);
    assert_eq!(taken["round"], "first");
    screen.was("1 of 2: it asks once more");
}
