//! Which keys there are, drawn from the keymap that is active: a short line below a prompt, and all of it as help.

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::Action;
use sayso_core::prompt::{Prompt, Round};

use crate::fold::{Spans, line};
use crate::prompt_style::Look;
use crate::theme::Tone;

/// All scopes, narrowest first.
const SCOPES: [Scope; 5] = [
    Scope::Once,
    Scope::Batch,
    Scope::Session,
    Scope::Project,
    Scope::Always,
];

/// Answers that only one kind of prompt has, with the words of the short line.
const OF_ONE_KIND: [(Action, &str); 2] = [
    (Action::Edits, "all edits…"),
    (Action::ServerTool, "this tool…"),
];

/// A key with what it does.
pub fn entry(key: &str, words: &str) -> Spans {
    vec![
        (Tone::Key, key.to_owned()),
        (Tone::Text, format!(" {words}")),
    ]
}

/// The keys of a prompt, short. `…` says that something is shown before it counts.
pub fn short(prompt: &Prompt, look: &Look, enter_approves: bool) -> Vec<Spans> {
    if prompt.round == Round::Second {
        return second(prompt, look);
    }
    let mut out = Vec::new();
    let mut add = |action: Action, words: &str| {
        out.extend(
            look.keymap
                .key_of(action)
                .map(|key| entry(&key.to_string(), words)),
        )
    };
    let names_rest = look.keymap.names_rest_at_the_end(prompt);
    let is_named =
        |scope: &Scope| prompt.offer(*scope).is_some() || *scope == Scope::Batch && names_rest;
    for scope in SCOPES.into_iter().filter(is_named) {
        let words = match scope {
            Scope::Batch if names_rest => "the same: nothing follows",
            Scope::Once if prompt.group.is_empty() => "allow once",
            Scope::Once => "allow all of these once",
            Scope::Batch => "allow the rest…",
            Scope::Session => "this session…",
            Scope::Project => "this project…",
            Scope::Always => "always…",
        };
        add(Action::Allow(scope), words);
    }
    for (action, words) in OF_ONE_KIND
        .into_iter()
        .filter(|(action, _)| !action.offers(prompt).is_empty())
    {
        add(action, words);
    }
    if takes_pattern(prompt) {
        add(Action::Pattern, "pattern…");
    } else if prompt.offer(Scope::Project).is_some() {
        add(Action::Pattern, "this project…");
    }
    add(Action::Deny, "deny");
    if enter_approves {
        out.push(entry("Enter", "allow once"));
    }
    out.push(entry("Tab", "deny, say why"));
    let mut add = |action: Action, words: &str| {
        out.extend(
            look.keymap
                .key_of(action)
                .map(|key| entry(&key.to_string(), words)),
        )
    };
    add(Action::View, "view all");
    add(
        Action::Quit,
        if prompt.place.is_some_and(|place| place.total > 1) {
            "stop the batch"
        } else {
            "stop"
        },
    );
    add(Action::Help, "help");
    out
}

/// The second of two confirmations has one key that says yes, to what was chosen at the first.
fn second(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let yes = look
        .keymap
        .key_of(Action::Allow(Scope::Once))
        .unwrap_or('y')
        .to_string();
    let words = prompt
        .offers
        .first()
        .filter(|offer| offer.scope > Scope::Once)
        .map(|offer| format!("yes: {}", offer.words));
    vec![
        entry(&yes, &words.unwrap_or_else(|| "yes, allow once".to_owned())),
        entry("any other key", "cancel"),
    ]
}

/// The same keys for a prompt of a few rows: the shortest words, and without what the help has as well.
pub fn compact(keys: Vec<Spans>) -> Vec<Spans> {
    const SHORTER: [(&str, &str); 5] = [
        (" this session…", " session…"),
        (" this project…", " project…"),
        (" allow the rest…", " the rest…"),
        (" the same: nothing follows", " the same"),
        (" view all", " details"),
    ];
    const LEFT_OUT: [&str; 3] = [" deny, say why", " stop", " stop the batch"];
    let words = |item: &Spans| item.last().map_or(String::new(), |(_, text)| text.clone());
    let mut out: Vec<Spans> = keys
        .into_iter()
        .filter(|item| !LEFT_OUT.contains(&words(item).as_str()))
        .collect();
    for (_, text) in out.iter_mut().filter_map(|item| item.last_mut()) {
        if let Some((_, shorter)) = SHORTER.iter().find(|(long, _)| long == text) {
            *text = (*shorter).to_owned();
        }
    }
    out
}

/// Whether a pattern can be typed.
pub fn takes_pattern(prompt: &Prompt) -> bool {
    prompt.takes_pattern()
}

/// What every key does, with what each answer would store, in the words of the gate.
pub fn help(prompt: &Prompt, look: &Look, enter_approves: bool) -> Vec<Spans> {
    let mut out = Vec::new();
    let row =
        |key: &str, words: String| vec![(Tone::Key, format!("{key:>6}  ")), (Tone::Text, words)];
    let key_of = |action: Action| look.keymap.key_of(action).map(|key| key.to_string());
    out.push(line(
        Tone::Heading,
        format!("keys of the keymap `{}`", look.keymap.name),
    ));
    for scope in SCOPES {
        let Some(key) = key_of(Action::Allow(scope)) else {
            continue;
        };
        let mut offers = prompt.offers.iter().filter(|offer| offer.scope == scope);
        match offers.next() {
            None if Action::at(Some(Action::Allow(scope)), prompt)
                == Some(Action::Allow(Scope::Once)) =>
            {
                out.push(row(
                    &key,
                    "allow this once: nothing follows in this batch".to_owned(),
                ));
            }
            None => out.push(vec![(
                Tone::Faint,
                format!("{key:>6}  ({}: not offered here)", scope.word()),
            )]),
            Some(first) => {
                let first = if scope == Scope::Once {
                    first.words.clone()
                } else {
                    format!("{} (asks for `y` first)", first.words)
                };
                out.push(row(&key, first));
                out.extend(offers.map(|offer| row("", format!("or {}", offer.words))));
            }
        }
    }
    for (action, _) in OF_ONE_KIND {
        let Some(key) = key_of(action) else { continue };
        let offers: Vec<&str> = action
            .offers(prompt)
            .iter()
            .filter_map(|at| Some(prompt.offers.get(*at)?.words.as_str()))
            .collect();
        match offers.as_slice() {
            [] => {
                let kind = if action == Action::Edits {
                    "every edit"
                } else {
                    "every call of a tool"
                };
                out.push(vec![(
                    Tone::Faint,
                    format!("{key:>6}  ({kind}: not offered here)"),
                )]);
            }
            words => out.extend(
                words
                    .iter()
                    .map(|words| row(&key, format!("{words} (asks for `y` first)"))),
            ),
        }
    }
    if let Some(key) = key_of(Action::Pattern) {
        match (takes_pattern(prompt), prompt.offer(Scope::Project)) {
            (true, _) => out.push(row(
                &key,
                "allow a pattern of your own: you see what it covers and how far it reaches"
                    .to_owned(),
            )),
            (false, Some(at)) => out.extend(
                prompt
                    .offers
                    .get(at)
                    .map(|offer| row(&key, format!("{} (asks for `y` first)", offer.words))),
            ),
            (false, None) => out.push(vec![(
                Tone::Faint,
                format!("{key:>6}  (pattern: not offered here)"),
            )]),
        }
    }
    out.extend(key_of(Action::Deny).map(|key| row(&key, "deny this one".to_owned())));
    out.push(row("Esc", "deny this one".to_owned()));
    out.push(row(
        "Tab",
        "deny this one, with words that reach the agent".to_owned(),
    ));
    out.extend(
        key_of(Action::Quit).map(|key| row(&key, "deny this one and stop the batch".to_owned())),
    );
    out.push(row(
        "Ctrl-C",
        "the same; in `sayso watch` it leaves, and answers nothing".to_owned(),
    ));
    out.extend(
        key_of(Action::View).map(|key| row(&key, "view all of it on the whole screen".to_owned())),
    );
    out.push(row("↑ ↓", "scroll, also PgUp, PgDn, Home, End".to_owned()));
    let enter = if enter_approves {
        "allow once; not any more after a key that means nothing"
    } else {
        "nothing: it does not approve here"
    };
    out.push(row("Enter", enter.to_owned()));
    out.extend(key_of(Action::Help).map(|key| row(&key, "this".to_owned())));
    out.push(Vec::new());
    let wait = "what is typed in the first 0.3 s of a question does not count, and nothing that is pasted ever answers";
    out.push(line(Tone::Faint, wait));
    out
}
