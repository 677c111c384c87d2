//! Events: in order, with ids, for those who come back, and under the names that others know.

use serde_json::json;

use super::Served;

#[test]
fn who_comes_back_misses_nothing_and_hears_nothing_twice() {
    let served = Served::new();
    let mut listener = served.listen("/v1/events?kinds=requested,responded", None);
    let (_, hello) = listener.until("hello");
    assert_eq!((&hello["open"], &hello["replayed"]), (&json!(0), &json!(0)));
    let asking = served.submit("make one").is(202);
    let (id, first) = listener.until("requested");
    assert_eq!(first["prompt"]["id"], asking["prompt"]);
    drop(listener);
    // An answer is told a moment after it counts; somebody else hears when.
    let mut other = served.listen("/v1/events?kinds=responded", None);
    other.until("hello");
    served.yes(&served.prompt()).is(200);
    other.until("responded");
    served.submit("make two").is(202);
    let mut again = served.listen("/v1/events?kinds=requested,responded", Some(&id));
    let (name, _, hello) = again.next();
    assert_eq!((name.as_str(), &hello["replayed"]), ("hello", &json!(2)));
    let (name, _, told) = again.next();
    assert_eq!(
        (name.as_str(), &told["prompt"], &told["answer"], &told["by"]),
        (
            "responded",
            &first["prompt"]["id"],
            &json!("once"),
            &json!("token")
        )
    );
    let (name, last, told) = again.next();
    assert_eq!(
        (
            name.as_str(),
            told["prompt"]["message"]
                .as_str()
                .unwrap()
                .contains("make two")
        ),
        ("requested", true)
    );
    // What a list knows is not told again.
    let known = served.get("/v1/prompts").is(200)["event_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let number = |id: &str| id.rsplit('-').next().unwrap().parse::<u64>().unwrap();
    assert!(number(&known) >= number(&last));
    assert_eq!(
        served
            .listen("/v1/events?kinds=requested,responded", Some(&known))
            .until("hello")
            .1["replayed"],
        0
    );
}

#[test]
fn another_run_is_said_to_be_one() {
    let served = Served::new();
    served.submit("make one").is(202);
    let id = served.get("/v1/prompts").is(200)["event_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let served = served.again();
    let mut listener = served.listen("/v1/events", Some(&id));
    assert_eq!(listener.next().0, "reset");
    assert_eq!(
        served.prompts().len(),
        0,
        "what waited has ended with the process that asked"
    );
}

#[test]
fn several_watch_and_all_see_who_answered() {
    let served = Served::new();
    let mut watchers: Vec<_> = (0..5).map(|_| served.listen("/v1/events", None)).collect();
    watchers
        .iter_mut()
        .for_each(|watcher| drop(watcher.until("hello")));
    assert_eq!(served.get("/v1/me").is(200)["watching"], 5);
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let path = format!("/v1/prompts/{}/activity", prompt["id"].as_str().unwrap());
    served.post(&path, json!({})).is(204);
    served.yes(&prompt).is(200);
    hook.said();
    for watcher in &mut watchers {
        // What the hook writes down is told, too, perhaps before the answer is.
        let told = watcher.all(&["requested", "activity", "responded", "entry decided"]);
        assert_eq!(
            (
                &told["requested"]["prompt"]["id"],
                &told["activity"]["prompt"]
            ),
            (&prompt["id"], &prompt["id"])
        );
        assert_eq!(
            (&told["responded"]["prompt"], &told["responded"]["by"]),
            (&prompt["id"], &json!("token"))
        );
        let decided = &told["entry decided"];
        assert_eq!(
            (&decided["outcome"], &decided["agent"]),
            (&json!("approved"), &json!("claude"))
        );
    }
}

#[test]
fn the_names_of_other_systems_are_known() {
    let served = Served::new();
    let mut session = served.listen("/session/s1/events", None);
    let mut other = served.listen("/session/s2/events", None);
    let mut spec = served.listen("/v1/events?names=kollabor-spec", None);
    for listener in [&mut session, &mut other, &mut spec] {
        listener.until("hello");
    }
    served.submit("make TOKEN=hunter2 all").is(202);
    let prompt = served.prompt();
    let told = session.until("permission.requested").1;
    assert_eq!(
        (&told["id"], &told["session_id"], &told["operation"]),
        (&prompt["id"], &json!("s1"), &json!("terminal"))
    );
    assert!(
        told["preview"]["lines"].is_array() && told["context"]["effects"].is_array(),
        "{told}"
    );
    assert_eq!(
        spec.until("permission_request").1["approval_future_id"],
        prompt["id"]
    );
    served.answer(&prompt, json!({"choice": "deny"})).is(200);
    let told = session.until("permission.responded").1;
    assert_eq!(
        (&told["request_id"], &told["action"]),
        (&prompt["id"], &json!("reject"))
    );
    // The end of the call, without what is secret in it.
    let told = spec.until("permission_denied").1;
    assert!(
        told["decision"] == "DENY" && !told.to_string().contains("hunter2"),
        "{told}"
    );
    // The other session hears nothing of it: its next event is its own.
    let mut body = served.operation("make other");
    body["session"] = json!("s2");
    served.asks("POST", "/v1/operations", Some(body)).is(202);
    assert_eq!(other.next().2["session_id"], "s2");
    served
        .get("/v1/events?names=nobody")
        .is_problem(400, "unreadable");
}

#[test]
fn who_looks_keeps_a_prompt_open() {
    let open = |timeout: u32| {
        let served = Served::with(
            crate::desk::Desk::with(&[]),
            &format!("approval_timeout: {timeout}\n"),
        );
        let asking = served.submit("make all").is(202);
        let path = format!("/v1/prompts/{}", asking["prompt"].as_str().unwrap());
        (served, path)
    };
    // Each look puts the end off, counted from then on.
    let (served, path) = open(600);
    let end = || served.get(&path).is(200)["expires_at"].as_i64().unwrap();
    let first = end();
    while end() < first + 500 {
        served.post(&format!("{path}/activity"), json!({})).is(204);
    }
    // It does end, however often somebody looks: four times its time is the limit.
    let (served, path) = open(1);
    loop {
        let got = served.post(&format!("{path}/activity"), json!({}));
        if got.status != 204 {
            assert_eq!(got.is_problem(410, "ended")["ended"]["answer"], "timeout");
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    served
        .post("/v1/prompts/x/activity", json!({}))
        .is_problem(404, "missing");
}
