//! One spelling for every command of a known program, so that a rule does not depend on the order and form of options.

use super::git;
use super::git::globals::globals;
use crate::expand::wrappers::identity;
use crate::parse::options::{self, Given, Parsed, Takes};
use crate::programs;

/// The normal form of a command or of the words of a pattern.
pub(crate) fn normal(words: &[String]) -> Vec<String> {
    let Some((first, rest)) = words.split_first() else {
        return Vec::new();
    };
    let name = identity(first);
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let mut form = Vec::with_capacity(words.len());
    form.push(name.to_owned());
    if name == "git" {
        let globals = globals(&rest);
        let Some((subcommand, arguments)) =
            rest.get(globals.length..).and_then(<[&str]>::split_first)
        else {
            form.extend(rest.iter().map(|word| (*word).to_owned()));
            return form;
        };
        form.push((*subcommand).to_owned());
        let known = git::form(subcommand, arguments);
        let mut arguments = arguments;
        // The own word of a subcommand stays in front: `git stash push`.
        if let (true, Some((word, rest))) = (
            known.as_ref().is_some_and(|form| form.has_word),
            arguments.split_first(),
        ) {
            form.push((*word).to_owned());
            arguments = rest;
        }
        let mut parsed = options::read(known.map_or("", |form| form.table()), arguments, true);
        if *subcommand == "push" {
            name_force(&mut parsed);
        }
        push_sorted(&mut form, &parsed);
        return form;
    }
    match programs::find(name).and_then(|program| program.options) {
        Some(table) => return of_parsed(name, &options::read(table, &rest, true)),
        None => form.extend(rest.iter().map(|word| (*word).to_owned())),
    }
    form
}

/// The normal form of a program with a table, from what was read after it.
pub(crate) fn of_parsed(name: &str, parsed: &Parsed<'_>) -> Vec<String> {
    let mut form = Vec::with_capacity(1 + parsed.options.len() + parsed.operands.len());
    form.push(name.to_owned());
    push_sorted(&mut form, parsed);
    form
}

/// A push has several ways to replace what stands on the other side; a rule about `--force` means them all.
fn name_force(parsed: &mut Parsed<'_>) {
    let forces = parsed.operands.iter().any(|word| word.starts_with('+'))
        || parsed.has("--force-with-lease")
        || parsed.has("--mirror");
    if forces && !parsed.has("--force") {
        parsed.options.push(Given {
            name: "--force".into(),
            value: None,
            takes: Takes::Nothing,
        });
    }
}

fn push_sorted(form: &mut Vec<String>, parsed: &Parsed<'_>) {
    let spelled = |given: &Given<'_>| match given.value {
        Some(value) => format!("{}={value}", given.name),
        None => given.name.to_string(),
    };
    if let [only] = parsed.options.as_slice() {
        form.push(spelled(only));
        return form.extend(parsed.operands.iter().map(|word| (*word).to_owned()));
    }
    let mut options: Vec<String> = parsed.options.iter().map(spelled).collect();
    options.sort_unstable();
    options.dedup();
    form.extend(options);
    form.extend(parsed.operands.iter().map(|word| (*word).to_owned()));
}
