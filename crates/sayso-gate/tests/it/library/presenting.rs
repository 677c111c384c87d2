//! A tool's own picture: only for those who are asked, with nothing hidden, and never instead of what sayso knows better.

use pollster::block_on;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::presentation::{Body, Mark, Meaning, Part};
use sayso_gate::library::{Presenter, Request, Say, Tool, ToolCall};

use super::{Setup, args};

fn text(line: &'static str) -> Presenter {
    Presenter::new(move |_| Ok::<_, String>(Body::Text(vec![line.to_owned()])))
}

#[test]
fn a_tool_draws_its_own_call_and_all_arguments_stay_below() {
    let deploy = Tool::new("deploy", |args| Ok::<_, String>(args.clone()))
        .presented_by(text("three\u{1b}[2J services\nand more"));
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| builder.tool(deploy));
    assert!(
        block_on(setup.agent.finish(ToolCall::new(
            "deploy",
            args([("stage", "live"), ("force", "\u{202e}yes")])
        )))
        .succeeded()
    );
    let shown = &setup.person.seen()[0].presentation;
    assert_eq!(
        shown.body,
        Body::Text(vec!["three␛[2J services".to_owned(), "and more".to_owned()])
    );
    assert!(
        shown
            .details
            .iter()
            .any(|(name, value)| name == "stage" && value.contains("live")),
        "{shown:?}"
    );
    assert!(
        shown
            .details
            .iter()
            .any(|(name, value)| name == "force" && value.contains("‹U+202E›")),
        "{shown:?}"
    );
}

#[test]
fn every_kind_of_picture_is_made_visible() {
    let escape = "\u{1b}]0;x\u{7}".to_owned();
    let lines = || vec![escape.clone()];
    let pictures = [
        Body::Text(lines()),
        Body::Content {
            path: escape.clone(),
            language: None,
            lines: lines(),
            size: 1,
            notes: lines(),
            over: Some(escape.clone()),
        },
        Body::Command {
            lines: lines(),
            marks: vec![Mark {
                line: 0,
                start: 1,
                end: 999,
                meaning: Meaning::Danger,
            }],
            folder: escape.clone(),
            parts: vec![Part {
                program: escape.clone(),
                effects: lines(),
            }],
            effects: lines(),
        },
        Body::Structured(vec![(escape.clone(), escape.clone())]),
        Body::Binary {
            path: escape.clone(),
            media: "image/png",
            size: 1,
        },
    ];
    for picture in pictures {
        let setup = Setup::new([Say::No], |builder| builder);
        let presenter = Presenter::new(move |_| Ok::<_, String>(picture.clone()));
        let request = Request::simple("deploy", args([]), None, &[]).presented_by(presenter);
        assert!(setup.ask(request).is_err());
        let shown = format!("{:?}", setup.person.seen()[0].presentation);
        assert!(shown.contains('␛') && !shown.contains("\\u{1b}"), "{shown}");
    }
}

#[test]
fn h_27_what_cannot_be_drawn_is_denied() {
    for presenter in [
        Presenter::new(|_| Err("no colours".to_owned())),
        Presenter::new(|_| -> Result<_, String> { panic!("no colours") }),
    ] {
        let setup = Setup::new([Say::Yes(Scope::Once)], |builder| builder);
        let request = Request::simple("deploy", args([]), None, &[]).presented_by(presenter);
        let refused = setup.ask(request).unwrap_err();
        assert_eq!((refused.outcome(), setup.asked()), (Outcome::Blocked, 0));
        assert!(refused.to_string().contains("no colours"), "{refused}");
    }
}

#[test]
fn what_sayso_knows_is_drawn_by_sayso() {
    let setup = Setup::new([Say::No, Say::No], |builder| builder);
    let own = Request::simple("bash", args([("command", "cargo test")]), None, &[]);
    let drawn = own.clone().presented_by(text("nothing to see here"));
    for request in [own, drawn] {
        assert!(setup.ask(request).is_err());
    }
    let seen = setup.person.seen();
    assert_eq!(seen[0].presentation, seen[1].presentation);
}

#[test]
fn a_picture_for_one_request_is_for_no_other() {
    let setup = Setup::new([Say::No, Say::No], |builder| builder);
    let request = Request::simple("deploy", args([]), None, &[]);
    for request in [request.clone().presented_by(text("a picture")), request] {
        assert!(setup.ask(request).is_err());
    }
    let seen = setup.person.seen();
    assert!(matches!(seen[0].presentation.body, Body::Text(_)));
    assert!(!matches!(&seen[1].presentation.body, Body::Text(lines) if lines == &["a picture"]));
}
