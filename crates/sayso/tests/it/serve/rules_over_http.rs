//! Rules from prompts over HTTP: previewed, given by scope and width or as a pattern, and in force.

use serde_json::{Value, json};

use super::Served;

fn edit(file: &str) -> Value {
    json!({"file_path": file, "old_string": "x", "new_string": "y"})
}

fn file(served: &Served, name: &str) -> String {
    served.desk.scene.file(name, "x\n");
    format!("{}/{name}", served.desk.scene.folder())
}

/// finding A-11: over HTTP an edit is kept by its scope and width, with a preview that says the words that are stored.
#[test]
fn finding_a_11_http_takes_a_scope_and_a_width_for_an_edit() {
    let served = Served::new();
    let (a, b, elsewhere) = (
        file(&served, "src/a.py"),
        file(&served, "src/b.py"),
        file(&served, "lib/c.py"),
    );
    let hook = served.hook("claude", "Edit", edit(&a));
    let prompt = served.prompt();
    let id = prompt["id"].as_str().unwrap();
    let preview = |body: Value| served.post(&format!("/v1/prompts/{id}/preview"), body);
    let seen = preview(json!({"scope": "project", "width": "folder"})).is(200);
    assert!(
        seen["words"]
            .as_str()
            .unwrap()
            .starts_with("allow file tools to write and edit `src/**` in this project"),
        "{seen}"
    );
    assert_eq!(seen["earlier"], "matches no other earlier call");
    preview(json!({"scope": "project", "width": "planet"})).is_problem(422, "not-offered");
    let why = preview(json!({"scope": "project", "pattern": "**"})).is_problem(422, "bad-pattern");
    assert!(
        why["detail"]
            .as_str()
            .unwrap()
            .contains("`src/**` would do"),
        "{why}"
    );
    preview(json!({"scope": "project", "width": "folder", "pattern": "src/*"}))
        .is_problem(400, "unreadable");
    preview(json!({"width": "folder"})).is_problem(400, "unreadable");
    // What is not offered answers nothing.
    served
        .answer(
            &prompt,
            json!({"choice": "offer", "scope": "project", "width": "planet"}),
        )
        .is_problem(422, "not-offered");
    served
        .answer(
            &prompt,
            json!({"choice": "offer", "offer": 0, "width": "folder"}),
        )
        .is_problem(400, "unreadable");
    served
        .answer(
            &prompt,
            json!({"choice": "pattern", "scope": "project", "pattern": "docs/**"}),
        )
        .is_problem(422, "bad-pattern");
    served
        .answer(
            &prompt,
            json!({"choice": "offer", "scope": "project", "width": "folder"}),
        )
        .is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    let rules = served.get("/v1/rules").is(200);
    assert_eq!(rules["rules"].as_array().unwrap().len(), 1, "{rules}");
    assert_eq!(
        rules["rules"][0]["words"], seen["words"],
        "what was previewed is what is stored"
    );
    assert_eq!(
        served.hook("claude", "Edit", edit(&b)).said()["permissionDecision"],
        "allow",
        "nobody is asked again"
    );
    let other = served.hook("claude", "Edit", edit(&elsewhere));
    let prompt = served.prompt();
    served.answer(&prompt, json!({"choice": "deny"})).is(200);
    drop(other.said());
    // Taken back, it asks again.
    let rule = rules["rules"][0]["id"].as_str().unwrap();
    served.delete(&format!("/v1/rules/{rule}")).is(200);
    let again = served.hook("claude", "Edit", edit(&b));
    let prompt = served.prompt();
    served
        .answer(
            &prompt,
            json!({"choice": "pattern", "scope": "session", "pattern": "src/*.py"}),
        )
        .is(200);
    assert_eq!(again.said()["permissionDecision"], "allow");
}

/// The document names what a screen is shown of a prompt and what a kept answer would store apart.
#[test]
fn the_document_has_a_schema_of_its_own_for_a_kept_answer() {
    let document = Served::new().get("/openapi.json").is(200);
    let schemas = &document["components"]["schemas"];
    let body = &document["paths"]["/v1/prompts/{id}/preview"]["post"]["requestBody"]["content"]["application/json"]
        ["schema"]["$ref"];
    assert_eq!(body, "#/components/schemas/KeptAnswer");
    assert!(
        schemas["KeptAnswer"]["oneOf"].is_array() && schemas["Preview"]["allOf"].is_array(),
        "{schemas}"
    );
}
