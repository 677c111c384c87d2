//! Makes whole sentences of the short notes that analyses write: "builds the project" becomes "it builds the project".

/// Words that open a predicate without being a verb with an `s`.
const MODALS: [&str; 4] = ["may", "can", "could", "must"];

/// Words with an `s` at their end that are no verb.
const NOUNS: [&str; 8] = [
    "this",
    "its",
    "words",
    "options",
    "files",
    "commands",
    "variables",
    "as",
];

/// Verbs that no wish has: nobody wants to be something, or to have it.
const STATES: [&str; 2] = ["is", "has"];

/// Verbs that follow another one in notes, and are no nouns there.
const FURTHER: [&str; 29] = [
    "asks", "builds", "changes", "checks", "compiles", "converts", "copies", "deletes", "fetches",
    "installs", "keeps", "leaves", "makes", "opens", "prints", "reads", "records", "removes",
    "rewrites", "runs", "searches", "sends", "shows", "starts", "stops", "takes", "talks", "uses",
    "writes",
];

/// Words behind which somebody else is meant.
const OTHERS: [&str; 6] = ["which", "that", "what", "whatever", "as", "where"];

/// A note as a whole sentence. One that names its own subject stays as it is.
pub fn whole(note: &str) -> String {
    if is_predicate(note) {
        format!("it {note}")
    } else {
        note.to_owned()
    }
}

/// Whether a note is a verb with what follows, without a subject: "runs what it downloads".
pub fn is_predicate(note: &str) -> bool {
    let first = first_word(note);
    MODALS.contains(&first) || is_verb(first)
}

/// What a note says behind "wants to": "runs what it downloads" is "run what it downloads". None where it names another subject, or says what
/// something is or may do.
pub fn infinitive(note: &str) -> Option<String> {
    let note = note.strip_prefix("it ").unwrap_or(note);
    let first = first_word(note);
    if !is_verb(first)
        || STATES.contains(&first)
        || note.contains("and may ")
        || note.contains("or may ")
    {
        return None;
    }
    let mut out: Vec<String> = Vec::new();
    let (mut is_own, mut is_next) = (true, true);
    for word in note.split(' ') {
        is_own &= !OTHERS.contains(&word);
        // "builds and runs", "works on tables, keeps counts, and reads settings": all are verbs of the same subject.
        let bare = word.strip_suffix(',').unwrap_or(word);
        let is_list = out.len() < 2 && is_verb(word);
        let is_verb = is_own
            && is_next
            && (out.is_empty()
                || is_list
                || out.len() == 2 && is_verb(word)
                || FURTHER.contains(&bare));
        out.push(if is_verb {
            plain_form(word)
        } else {
            word.to_owned()
        });
        is_next = word == "and" || word == "or" || word.ends_with(',');
        // A comma ends what is said of somebody else.
        is_own |= word.ends_with(',');
    }
    Some(out.join(" "))
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// Whether a word is a verb for "it". Notes are our own texts, and a test holds the few nouns that look alike.
fn is_verb(word: &str) -> bool {
    let word = word.strip_suffix(',').unwrap_or(word);
    word.len() > 1
        && word.ends_with('s')
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !NOUNS.contains(&word)
}

fn plain_form(verb: &str) -> String {
    let (verb, comma) = verb
        .strip_suffix(',')
        .map_or((verb, ""), |verb| (verb, ","));
    let plain = match verb.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if ["shes", "ches", "sses", "xes", "oes"]
            .iter()
            .any(|ending| verb.ends_with(ending)) =>
        {
            verb[..verb.len() - 2].to_owned()
        }
        None => verb[..verb.len().saturating_sub(1)].to_owned(),
    };
    format!("{plain}{comma}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_notes() {
        for (note, sentence, behind_wants_to) in [
            (
                "builds and runs the project's own code",
                "it builds and runs the project's own code",
                Some("build and run the project's own code"),
            ),
            (
                "runs what it downloads",
                "it runs what it downloads",
                Some("run what it downloads"),
            ),
            (
                "fetches, copies or changes files",
                "it fetches, copies or changes files",
                Some("fetch, copy or change files"),
            ),
            (
                "may run the repository's hooks",
                "it may run the repository's hooks",
                None,
            ),
            (
                "`git push` talks to another machine",
                "`git push` talks to another machine",
                None,
            ),
            (
                "this MCP tool is not the one",
                "this MCP tool is not the one",
                None,
            ),
            (
                "what `eval` does shows only when it runs",
                "what `eval` does shows only when it runs",
                None,
            ),
            (
                "it gains rights by `sudo`",
                "it gains rights by `sudo`",
                Some("gain rights by `sudo`"),
            ),
            (
                "passes or goes on",
                "it passes or goes on",
                Some("pass or go on"),
            ),
            (
                "runs another command, or makes one run later",
                "it runs another command, or makes one run later",
                Some("run another command, or make one run later"),
            ),
            (
                "works on keys, certificates or connections",
                "it works on keys, certificates or connections",
                Some("work on keys, certificates or connections"),
            ),
            (
                "has words that are not known",
                "it has words that are not known",
                None,
            ),
            (
                "sets variables, and may run code",
                "it sets variables, and may run code",
                None,
            ),
            (
                "copies what it reads, and writes it",
                "it copies what it reads, and writes it",
                Some("copy what it reads, and write it"),
            ),
            ("", "", None),
        ] {
            assert_eq!(whole(note), sentence);
            assert_eq!(infinitive(note).as_deref(), behind_wants_to, "{note}");
        }
    }
}
