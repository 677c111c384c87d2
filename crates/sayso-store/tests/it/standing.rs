//! Rules and grants: what is remembered is what the journal says, however the index came to be.

use std::sync::Arc;

use proptest::prelude::*;
use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::learned_rule::{LearnedRule, RuleKey};
use sayso_core::call::tool::Kind;
use sayso_core::policy::command_pattern::{CommandPattern, CommandReader, Form};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_store::Sync;
use sayso_store::index::Index;
use sayso_store::rules_and_grants::change::{self, Change};
use sayso_store::rules_and_grants::generation::{Generation, Mark};
use sayso_store::rules_and_grants::{Standing, What, grant_fields};

use crate::scene::Scene;

/// Words as they stand between blanks.
struct Blanks;

impl CommandReader for Blanks {
    fn commands(&self, _: &str) -> Option<Vec<sayso_core::analysis::draft::Command>> {
        None
    }

    fn seen(&self, _: &str) -> Vec<Vec<String>> {
        Vec::new()
    }

    fn normal(&self, words: &[String]) -> Vec<String> {
        words.to_vec()
    }
}

fn grant(id: &str, key: GrantKey, reach: Reach) -> Grant {
    Grant {
        id: id.to_owned(),
        key,
        reach,
        agent: String::new(),
        expires: None,
        uses_left: None,
        risk: Risk::Low,
        seal: None,
    }
}

fn exact(id: &str, reach: Reach) -> Grant {
    grant(id, GrantKey::Exact(Digest::of_bytes(id.as_bytes())), reach)
}

fn index(scene: &Scene) -> Index {
    Index::open(&scene.state(), &mut |_| {}).unwrap()
}

fn ids(scene: &Scene) -> Vec<String> {
    index(scene)
        .standing()
        .unwrap()
        .into_iter()
        .map(|one| one.id)
        .collect()
}

fn write(scene: &Scene, change: &Change<'_>) {
    change::write(&scene.journal(), Vec::new(), change, Sync::System).unwrap();
}

fn rule() -> Node {
    Node::map([("deny", Node::map([("command", Node::text("rm *"))]))])
}

#[test]
fn every_kind_of_grant_comes_back_as_it_was() {
    let digest = Digest::of_bytes(b"x");
    let pattern = CommandPattern::parse("cargo test *", Form::Words, &Blanks).unwrap();
    let keys = [
        GrantKey::Exact(digest),
        GrantKey::Payload {
            tool: "t\u{1b}".to_owned(),
            payload: digest,
        },
        GrantKey::Command {
            words: vec!["a".to_owned(), "b c".to_owned()],
            folder: "/x".to_owned(),
        },
        GrantKey::Rule(Arc::new(LearnedRule::Command(pattern))),
        GrantKey::Rule(Arc::new(
            LearnedRule::parse(RuleKey::Read, "docs/**", &Blanks).unwrap(),
        )),
        GrantKey::Rule(Arc::new(
            LearnedRule::parse(RuleKey::Write, "src/a b.rs", &Blanks).unwrap(),
        )),
        GrantKey::Rule(Arc::new(
            LearnedRule::parse(RuleKey::Fetch, "https://a.example/**", &Blanks).unwrap(),
        )),
        GrantKey::Rule(Arc::new(
            LearnedRule::parse(RuleKey::Tool, "deploy", &Blanks).unwrap(),
        )),
        GrantKey::Reads("/ws".to_owned()),
        GrantKey::Edits("/ws".to_owned()),
        GrantKey::AnyContent {
            kind: Kind::FileEdit,
            path: "/ws/a\n".to_owned(),
        },
        GrantKey::McpTool {
            server: "s".to_owned(),
            tool: "t".to_owned(),
            schema: Some(digest),
        },
        GrantKey::McpTool {
            server: "s".to_owned(),
            tool: "t".to_owned(),
            schema: None,
        },
    ];
    let reaches = [
        Reach::Session("s".to_owned()),
        Reach::Project("/ws".to_owned()),
        Reach::Always,
    ];
    for key in keys {
        for reach in reaches.clone() {
            let whole = Grant {
                agent: "a\u{1f}b".to_owned(),
                expires: Some(7),
                uses_left: Some(3),
                seal: Some(digest),
                ..grant("g", key.clone(), reach)
            };
            for grant in [
                whole.clone(),
                Grant {
                    expires: None,
                    uses_left: None,
                    seal: None,
                    ..whole
                },
            ] {
                let text =
                    sayso_core::text::json::write_plain(&grant_fields::write(&grant).unwrap());
                let node =
                    sayso_core::text::json::read(&text, &sayso_core::text::Limits::default())
                        .unwrap();
                let back = grant_fields::read("g", &node, &Blanks).unwrap();
                assert_eq!(format!("{back:?}"), format!("{grant:?}"));
            }
        }
    }
    for reach in [Reach::Once("x".to_owned()), Reach::Batch("b".to_owned())] {
        assert!(
            grant_fields::write(&exact("g", reach)).is_none(),
            "that is never kept"
        );
    }
}

#[test]
fn what_another_version_wrote_is_no_grant() {
    let good = grant_fields::write(&exact("g", Reach::Always)).unwrap();
    assert!(grant_fields::read("g", &good, &Blanks).is_ok());
    let with = |name: &str, node: Node| {
        let rest = good
            .entries()
            .iter()
            .filter(|entry| entry.key != name)
            .map(|entry| (entry.key.clone(), entry.node.clone()));
        Node::map(rest.chain([(name.to_owned(), node)]))
    };
    let without = |name: &str| {
        Node::map(
            good.entries()
                .iter()
                .filter(|entry| entry.key != name)
                .map(|entry| (entry.key.clone(), entry.node.clone())),
        )
    };
    for bad in [
        with("only_on", Node::text("mondays")),
        with("project", Node::text("/ws")),
        with("always", Value::Bool(false).into()),
        with("reads", Node::text("/ws")),
        with("exact", Node::text("sha256:short")),
        with("risk", Node::text("none")),
        with("expires", Node::text("soon")),
        with("uses", Value::Number("-1".to_owned()).into()),
        with("seal", Node::text("")),
        without("always"),
        without("exact"),
        without("risk"),
        without("agent"),
        Value::Null.into(),
        Value::List(Vec::new()).into(),
    ] {
        assert!(grant_fields::read("g", &bad, &Blanks).is_err(), "{bad:?}");
    }
}

#[test]
fn grants_of_a_session_end_with_it_and_no_other_does() {
    let scene = Scene::new();
    for (id, reach) in [
        ("a", Reach::Session("one".to_owned())),
        ("b", Reach::Session("two".to_owned())),
        ("c", Reach::Always),
    ] {
        write(
            &scene,
            &Change::Granted {
                grant: &exact(id, reach),
                words: id,
            },
        );
    }
    write(&scene, &Change::SessionEnded("one"));
    assert_eq!(ids(&scene), ["b", "c"]);
}

#[test]
fn a_use_is_for_one_of_many_at_once() {
    let scene = Scene::new();
    let limited = Grant {
        uses_left: Some(10),
        ..exact("g", Reach::Always)
    };
    write(
        &scene,
        &Change::Granted {
            grant: &limited,
            words: "ten times",
        },
    );
    let takes: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let (journal, mut index) = (scene.journal(), index(&scene));
                    (0..5)
                        .filter(|_| index.take(&journal, Vec::new(), "g", None).unwrap())
                        .count()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(takes, 10);
    assert_eq!(index(&scene).standing().unwrap()[0].uses_left, Some(0));
    let (journal, mut index) = (scene.journal(), index(&scene));
    assert!(!index.take(&journal, Vec::new(), "missing", None).unwrap());
    assert!(
        index
            .take(&journal, Vec::new(), "policy.yaml:3", Some(1))
            .unwrap()
    );
    assert!(
        !index
            .take(&journal, Vec::new(), "policy.yaml:3", Some(1))
            .unwrap()
    );
}

#[test]
fn every_change_is_seen_by_whoever_holds_a_copy() {
    let scene = Scene::new();
    let mut generation = Generation::open(&scene.state()).unwrap();
    assert_eq!(generation.now(&scene.state()).unwrap(), Mark::Never);
    let mut seen = vec![Mark::Never];
    let mut is_new = |mark: Mark| {
        let known = seen.contains(&mark);
        seen.push(mark);
        !known
    };
    write(
        &scene,
        &Change::RuleAdded {
            id: "r",
            rule: &rule(),
            words: "no",
            source: "added",
        },
    );
    assert!(is_new(generation.now(&scene.state()).unwrap()));
    for change in [
        Change::Disabled("r"),
        Change::Enabled("r"),
        Change::Edited {
            id: "r",
            spec: &rule(),
            words: "still no",
        },
        Change::Removed("r"),
        Change::SessionEnded("s"),
        Change::Used("x"),
    ] {
        write(&scene, &change);
        assert!(
            is_new(generation.now(&scene.state()).unwrap()),
            "{change:?}"
        );
    }
}

#[test]
fn a_count_that_was_lost_or_put_back_is_not_taken_for_the_one_before() {
    let scene = Scene::new();
    let mut generation = Generation::open(&scene.state()).unwrap();
    write(
        &scene,
        &Change::RuleAdded {
            id: "r",
            rule: &rule(),
            words: "no",
            source: "added",
        },
    );
    let file = scene.state().join("generation");
    let old = std::fs::read(&file).unwrap();
    write(&scene, &Change::Disabled("r"));
    let seen = generation.now(&scene.state()).unwrap();

    std::fs::write(&file, &old).unwrap();
    write(&scene, &Change::Enabled("r"));
    let again = generation.now(&scene.state()).unwrap();
    assert_ne!(again, seen, "the same number in a file that was put back");
    let number = |mark| match mark {
        Mark::At { number, .. } => number,
        _ => 0,
    };
    assert_eq!(number(again), number(seen));

    std::fs::write(&file, b"").unwrap();
    assert_eq!(generation.now(&scene.state()).unwrap(), Mark::Unknown);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        generation.now(&scene.state()).unwrap(),
        Mark::Unknown,
        "also for whoever has it open"
    );
    write(&scene, &Change::Removed("r"));
    assert!(number(generation.now(&scene.state()).unwrap()) > 0);
}

/// Takes the first line out that has this in it, or spoils it, and lets the index be built anew.
fn without(scene: &Scene, words: &str, spoil: bool) {
    let text = scene.text();
    let line = text.lines().find(|line| line.contains(words)).unwrap();
    let other = if spoil {
        line.replace(words, &words.to_uppercase()) + "\n"
    } else {
        String::new()
    };
    std::fs::write(
        scene.first(),
        text.replacen(&format!("{line}\n"), &other, 1),
    )
    .unwrap();
}

#[test]
fn what_was_taken_back_does_not_come_back_where_the_record_lost_that() {
    for (spoil, at_end) in [(false, false), (true, false), (true, true)] {
        let scene = Scene::new();
        write(
            &scene,
            &Change::Granted {
                grant: &exact("g", Reach::Always),
                words: "all",
            },
        );
        write(
            &scene,
            &Change::RuleAdded {
                id: "r",
                rule: &rule(),
                words: "no",
                source: "added",
            },
        );
        write(&scene, &Change::Removed("g"));
        if !at_end {
            scene.fill(1);
        }
        without(&scene, "revoked", spoil);
        scene.fill(2);
        for _ in 0..2 {
            let built = Index::rebuild(&scene.state(), &mut |_| {}).unwrap();
            let standing = built.standing().unwrap();
            let counts = |id: &str| standing.iter().any(|one| one.id == id && one.enabled);
            assert!(!counts("g"), "spoiled {spoil}, at the end {at_end}");
            assert!(counts("r"), "what denies goes on");
        }
        write(&scene, &Change::Enabled("g"));
        assert!(
            index(&scene)
                .standing()
                .unwrap()
                .iter()
                .all(|one| one.enabled),
            "a person says so"
        );
    }
}

#[test]
fn what_is_restated_stands_by_itself() {
    let scene = Scene::new();
    write(
        &scene,
        &Change::Granted {
            grant: &Grant {
                uses_left: Some(4),
                ..exact("g", Reach::Always)
            },
            words: "four",
        },
    );
    write(
        &scene,
        &Change::RuleAdded {
            id: "r",
            rule: &rule(),
            words: "no",
            source: "import",
        },
    );
    write(&scene, &Change::Disabled("r"));
    write(&scene, &Change::Used("g"));
    write(&scene, &Change::Used("policy.yaml:9"));
    let shown = |standing: Vec<Standing>| format!("{standing:?}").replace(' ', "");
    let before = (
        shown(index(&scene).standing().unwrap()),
        index(&scene).spent().unwrap(),
    );
    let first = scene.verify().entries;
    index(&scene).restate(&scene.journal(), &[]).unwrap();
    assert_eq!(
        (
            shown(index(&scene).standing().unwrap()),
            index(&scene).spent().unwrap()
        ),
        before
    );

    // A journal that begins behind the first entries tells the same.
    let text = scene.text();
    let rest: Vec<&str> = text.lines().skip(usize::try_from(first).unwrap()).collect();
    let other = Scene::new();
    drop(other.journal());
    std::fs::write(other.first(), rest.join("\n") + "\n").unwrap();
    assert_eq!(
        (
            shown(index(&other).standing().unwrap()),
            index(&other).spent().unwrap()
        ),
        before
    );
}

#[test]
fn what_was_taken_back_meanwhile_does_not_come_back() {
    let scene = Scene::new();
    write(
        &scene,
        &Change::Granted {
            grant: &exact("g", Reach::Always),
            words: "w",
        },
    );
    write(
        &scene,
        &Change::Granted {
            grant: &exact("s", Reach::Session("one".to_owned())),
            words: "w",
        },
    );
    write(
        &scene,
        &Change::RuleAdded {
            id: "r",
            rule: &rule(),
            words: "no",
            source: "added",
        },
    );
    let seen = index(&scene).standing().unwrap();
    let as_of = scene.verify().entries;
    write(&scene, &Change::Removed("g"));
    write(&scene, &Change::SessionEnded("one"));
    for standing in &seen {
        write(&scene, &Change::Restated { standing, as_of });
    }
    assert_eq!(ids(&scene), ["r"]);
    assert_eq!(
        Index::rebuild(&scene.state(), &mut |_| {})
            .unwrap()
            .standing()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn behind_damage_nothing_allows_until_a_person_says_so() {
    let scene = Scene::new();
    let allow = Node::map([("allow", Node::map([("command", Node::text("ls *"))]))]);
    write(
        &scene,
        &Change::Granted {
            grant: &exact("g", Reach::Always),
            words: "w",
        },
    );
    write(
        &scene,
        &Change::RuleAdded {
            id: "allow",
            rule: &allow,
            words: "yes",
            source: "added",
        },
    );
    write(
        &scene,
        &Change::RuleAdded {
            id: "deny",
            rule: &rule(),
            words: "no",
            source: "added",
        },
    );
    write(&scene, &Change::Removed("g"));
    scene.fill(3);
    // The line that took the grant back is no longer as it was written.
    let text = scene
        .text()
        .replacen("\"kind\":\"revoked\"", "\"kind\":\"revokeD\"", 1);
    std::fs::write(scene.first(), text).unwrap();
    let enabled = |index: &Index| -> Vec<(String, bool)> {
        index
            .standing()
            .unwrap()
            .into_iter()
            .map(|one| (one.id, one.enabled))
            .collect()
    };
    let index = Index::rebuild(&scene.state(), &mut |_| {}).unwrap();
    let expected =
        [("g", false), ("allow", false), ("deny", true)].map(|(id, on)| (id.to_owned(), on));
    assert_eq!(enabled(&index), expected);
    assert_eq!(index.damaged().unwrap().len(), 1);
    drop(index);
    write(&scene, &Change::Enabled("allow"));
    assert!(enabled(&self::index(&scene)).contains(&("allow".to_owned(), true)));
}

#[derive(Clone, Debug)]
enum Step {
    Grant(u8, bool),
    Rule(u8),
    Switch(u8, bool),
    Remove(u8),
    Limit(u8, u64),
    Use(u8),
    End,
    Open,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..6u8, any::<bool>()).prop_map(|(id, session)| Step::Grant(id, session)),
        (0..6u8).prop_map(Step::Rule),
        (0..6u8, any::<bool>()).prop_map(|(id, on)| Step::Switch(id, on)),
        (0..6u8).prop_map(Step::Remove),
        (0..6u8, 1..4u64).prop_map(|(id, uses)| Step::Limit(id, uses)),
        (0..6u8).prop_map(Step::Use),
        Just(Step::End),
        Just(Step::Open),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Taken in step by step, or all at once by an index that is built anew: the same stands.
    #[test]
    fn an_index_that_is_built_anew_tells_the_same(steps in prop::collection::vec(step(), 1..25)) {
        let scene = Scene::new();
        let mut open = index(&scene);
        for step in steps {
            let id = |id: u8| format!("id{id}");
            match step {
                Step::Grant(number, session) => {
                    let reach = if session { Reach::Session("s".to_owned()) } else { Reach::Always };
                    write(&scene, &Change::Granted { grant: &exact(&id(number), reach), words: "w" });
                }
                Step::Rule(number) => write(&scene, &Change::RuleAdded { id: &id(number), rule: &rule(), words: "w", source: "added" }),
                Step::Switch(number, true) => write(&scene, &Change::Enabled(&id(number))),
                Step::Switch(number, false) => write(&scene, &Change::Disabled(&id(number))),
                Step::Remove(number) => write(&scene, &Change::Removed(&id(number))),
                Step::Limit(number, uses) => write(&scene, &Change::Limited { id: &id(number), expires: None, uses: Some(uses) }),
                Step::Use(number) => {
                    open.take(&scene.journal(), Vec::new(), &id(number), None).unwrap();
                }
                Step::End => write(&scene, &Change::SessionEnded("s")),
                Step::Open => open.refresh().unwrap(),
            }
        }
        open.refresh().unwrap();
        let told = format!("{:?}", open.standing().unwrap());
        let anew = Index::rebuild(&scene.state(), &mut |_| {}).unwrap();
        prop_assert_eq!(format!("{:?}", anew.standing().unwrap()), told);
        prop_assert!(open.standing().unwrap().iter().all(|one| matches!(one.what, What::Rule(_) | What::Grant(_))));
    }
}
