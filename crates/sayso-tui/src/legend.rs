//! Which keys there are, drawn from the keymap that is active: a short line below a prompt, and all of it as help.

use sayso_core::keymap::Action;
use sayso_core::prompt::{Prompt, Scope, Stores};

use crate::fold::{Spans, line};
use crate::look::{Look, is_routine};
use crate::theme::Tone;

/// All scopes, narrowest first.
const SCOPES: [Scope; 5] = [Scope::Once, Scope::Batch, Scope::Session, Scope::Project, Scope::Always];

/// Answers that only one kind of prompt has, with the words of the short line.
const OF_ONE_KIND: [(Action, &str); 2] = [(Action::Edits, "all edits…"), (Action::ServerTool, "this tool…")];

/// A key with what it does.
pub fn entry(key: &str, words: &str) -> Spans {
    vec![(Tone::Key, key.to_owned()), (Tone::Text, format!(" {words}"))]
}

/// The keys of a prompt, short. `…` says that something is shown before it counts.
pub fn short(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out = Vec::new();
    let mut add = |action: Action, words: &str| out.extend(look.keymap.key_of(action).map(|key| entry(&key.to_string(), words)));
    for scope in SCOPES.into_iter().filter(|scope| prompt.offer(*scope).is_some()) {
        let words = match scope {
            Scope::Once if prompt.group.is_empty() => "allow once",
            Scope::Once => "allow all of these once",
            Scope::Batch => "allow the rest…",
            Scope::Session => "this session…",
            Scope::Project => "this project…",
            Scope::Always => "always…",
        };
        add(Action::Allow(scope), words);
    }
    for (action, words) in OF_ONE_KIND.into_iter().filter(|(action, _)| !action.offers(prompt).is_empty()) {
        add(action, words);
    }
    if takes_pattern(prompt) {
        add(Action::Pattern, "pattern…");
    } else if prompt.offer(Scope::Project).is_some() {
        add(Action::Pattern, "this project…");
    }
    add(Action::Deny, "deny");
    out.push(entry("Tab", "deny, say why"));
    let mut add = |action: Action, words: &str| out.extend(look.keymap.key_of(action).map(|key| entry(&key.to_string(), words)));
    add(Action::View, "view all");
    add(Action::Quit, if prompt.place.is_some_and(|place| place.total > 1) { "stop the batch" } else { "stop" });
    add(Action::Help, "help");
    out
}

/// Whether a pattern can be typed.
pub fn takes_pattern(prompt: &Prompt) -> bool {
    prompt.offers.iter().any(|offer| matches!(offer.stores, Stores::Rule(_)))
}

/// What every key does, with what each answer would store, in the words of the gate.
pub fn help(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out = Vec::new();
    let row = |key: &str, words: String| vec![(Tone::Key, format!("{key:>6}  ")), (Tone::Text, words)];
    let key_of = |action: Action| look.keymap.key_of(action).map(|key| key.to_string());
    out.push(line(Tone::Heading, format!("keys of the keymap `{}`", look.keymap.name)));
    for scope in SCOPES {
        let Some(key) = key_of(Action::Allow(scope)) else { continue };
        let mut offers = prompt.offers.iter().filter(|offer| offer.scope == scope);
        match offers.next() {
            None => out.push(vec![(Tone::Faint, format!("{key:>6}  ({}: not offered here)", scope.word()))]),
            Some(first) => {
                let first = if scope == Scope::Once { first.words.clone() } else { format!("{} (asks for `y` first)", first.words) };
                out.push(row(&key, first));
                out.extend(offers.map(|offer| row("", format!("or {}", offer.words))));
            }
        }
    }
    for (action, _) in OF_ONE_KIND {
        let Some(key) = key_of(action) else { continue };
        let offers: Vec<&str> = action.offers(prompt).iter().filter_map(|at| Some(prompt.offers.get(*at)?.words.as_str())).collect();
        match offers.as_slice() {
            [] => {
                let kind = if action == Action::Edits { "every edit" } else { "every call of a tool" };
                out.push(vec![(Tone::Faint, format!("{key:>6}  ({kind}: not offered here)"))]);
            }
            words => out.extend(words.iter().map(|words| row(&key, format!("{words} (asks for `y` first)")))),
        }
    }
    if let Some(key) = key_of(Action::Pattern) {
        match (takes_pattern(prompt), prompt.offer(Scope::Project)) {
            (true, _) => out.push(row(&key, "allow a pattern of commands: you see what it covers and how far it reaches".to_owned())),
            (false, Some(at)) => out.extend(prompt.offers.get(at).map(|offer| row(&key, format!("{} (asks for `y` first)", offer.words)))),
            (false, None) => out.push(vec![(Tone::Faint, format!("{key:>6}  (pattern: not offered here)"))]),
        }
    }
    out.extend(key_of(Action::Deny).map(|key| row(&key, "deny this one".to_owned())));
    out.push(row("Esc", "deny this one".to_owned()));
    out.push(row("Tab", "deny this one, with words that reach the agent".to_owned()));
    out.extend(key_of(Action::Quit).map(|key| row(&key, "deny this one and stop the batch".to_owned())));
    out.push(row("Ctrl-C", "the same; in `sayso watch` it leaves, and answers nothing".to_owned()));
    out.extend(key_of(Action::View).map(|key| row(&key, "view all of it on the whole screen".to_owned())));
    out.push(row("↑ ↓", "scroll, also PgUp, PgDn, Home, End".to_owned()));
    let enter =
        if look.enter_approves && is_routine(prompt) { "allow once: this prompt is routine" } else { "nothing: it never approves here" };
    out.push(row("Enter", enter.to_owned()));
    out.extend(key_of(Action::Help).map(|key| row(&key, "this".to_owned())));
    out.push(Vec::new());
    let wait = "what is typed in the first 0.3 s of a question does not count, and nothing that is pasted ever answers";
    out.push(line(Tone::Faint, wait));
    out
}
