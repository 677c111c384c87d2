//! One spelling for every command of a known program, so that a rule does not depend on the order and form of options.

use crate::options::{self, Parsed};
use crate::programs::{self, git};
use crate::wrappers::identity;

/// The normal form of a command or of the words of a pattern.
pub(crate) fn normal(words: &[String]) -> Vec<String> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let name = identity(first);
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let mut form = vec![name.to_owned()];
    if name == "git" {
        let globals = git::globals(&rest);
        let Some((subcommand, arguments)) = rest.get(globals.length..).and_then(<[&str]>::split_first) else {
            form.extend(rest.iter().map(|word| (*word).to_owned()));
            return form;
        };
        form.push((*subcommand).to_owned());
        let table = git::table(subcommand).unwrap_or("");
        push_sorted(&mut form, &options::read(table, arguments, true));
        return form;
    }
    match programs::find(name).and_then(|program| program.options) {
        Some(table) => push_sorted(&mut form, &options::read(table, &rest, true)),
        None => form.extend(rest.iter().map(|word| (*word).to_owned())),
    }
    form
}

fn push_sorted(form: &mut Vec<String>, parsed: &Parsed<'_>) {
    let spelled = |given: &options::Given<'_>| match given.value {
        Some(value) => format!("{}={value}", given.name),
        None => given.name.clone(),
    };
    let mut options: Vec<String> = parsed.options.iter().map(spelled).collect();
    options.sort();
    options.dedup();
    form.extend(options);
    form.extend(parsed.operands.iter().map(|word| (*word).to_owned()));
}
