//! One answer for several prompts of a group. The group is said by whoever asks and never guessed; the answer names each prompt that was seen.

use std::sync::Arc;

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Answer, Choice, Prompt, Round};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};

use crate::problem::Problem;
use crate::request::only;
use crate::server::Server;

/// So many prompts may be answered at once.
const MAX_ALSO: usize = 100;

/// The answers to the other prompts that a body names: all of one group and session, each with the digest that was shown; once or no, and
/// nothing that is kept.
pub(super) fn read(server: &Server, first: &Answer, body: &Node) -> Result<Vec<Answer>, Problem> {
    let items = match body.get("also").map(|node| &node.value) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::List(items)) if items.len() <= MAX_ALSO => items,
        Some(_) => {
            return Err(Problem::unreadable(format!(
                "`also` is a list of up to {MAX_ALSO} prompts"
            )));
        }
    };
    let mut out: Vec<Answer> = Vec::new();
    for item in items {
        only(item, &["id", "digest"])?;
        let text = |key: &str| item.get(key).and_then(Node::as_text);
        let id =
            text("id").ok_or_else(|| Problem::unreadable("`also.id` is missing, or no text"))?;
        let digest = text("digest")
            .and_then(Digest::parse)
            .ok_or_else(|| Problem::unreadable("`also.digest` is none"))?;
        out.push(Answer {
            prompt: id.to_owned(),
            digest,
            choice: first.choice.clone(),
            note: first.note.clone(),
            typed: first.typed.clone(),
        });
    }
    if !out.is_empty() {
        check(server, first, &out)?;
    }
    Ok(out)
}

fn check(server: &Server, first: &Answer, also: &[Answer]) -> Result<(), Problem> {
    let open = |id: &str| {
        server
            .inbox
            .find(id)
            .and_then(Result::ok)
            .map(|posted| Arc::clone(&posted.prompt))
    };
    let refused = |words: &str| Problem::new(422, "group", words);
    // Where the first one is over, its own answer says so.
    let Some(lead) = open(&first.prompt) else {
        return Ok(());
    };
    for (place, answer) in also.iter().enumerate() {
        let before = also.iter().take(place).map(|known| &known.prompt);
        if std::iter::once(&first.prompt)
            .chain(before)
            .any(|known| *known == answer.prompt)
        {
            return Err(refused("`also` names a prompt twice"));
        }
        let other =
            open(&answer.prompt).ok_or_else(|| refused("a prompt of the group is not open"))?;
        if !is_one_group(&lead, &other) {
            return Err(refused("the prompts are not of one group"));
        }
        if other.operation.digest() != answer.digest {
            return Err(Problem::refused(
                409,
                "other-digest",
                "a prompt of the group is about something else now",
            ));
        }
        if !may_be_shared(&lead, &first.choice) || !may_be_shared(&other, &first.choice) {
            return Err(refused(
                "a group is allowed once or denied: nothing dangerous, and nothing that is kept",
            ));
        }
    }
    Ok(())
}

fn is_one_group(one: &Prompt, other: &Prompt) -> bool {
    let (one, other) = (&one.operation, &other.operation);
    one.group().is_some()
        && one.group() == other.group()
        && one.session() == other.session()
        && one.agent() == other.agent()
}

fn may_be_shared(prompt: &Prompt, choice: &Choice) -> bool {
    match choice {
        Choice::Deny | Choice::Quit => true,
        Choice::Offer(_) => {
            prompt.round == Round::Only && prompt.scope_of(choice) == Some(Scope::Once)
        }
        Choice::Pattern { .. } => false,
    }
}
