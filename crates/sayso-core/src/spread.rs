//! Turns what is done to a pattern of names into what is done to each of its files.

use crate::effect::{Effect, EffectKind, Manner, Place, Target};
use crate::fact::{Facts, NamesFact, Question, shown};

/// The effects with one for each file in the place of each pattern.
pub(crate) fn spread(effects: Vec<Effect>, questions: &[Question], facts: &Facts) -> Vec<Effect> {
    let mut out: Vec<Effect> = Vec::with_capacity(effects.len());
    // What is said of a pattern once is not said again for every effect on it.
    let mut said: Vec<(Option<usize>, usize)> = Vec::new();
    for mut effect in effects {
        let Target::Path(place) = &mut effect.target else {
            out.push(effect);
            continue;
        };
        let question = place.question;
        let Some(Question::Names { pattern, parted }) = questions.get(question) else {
            out.push(effect);
            continue;
        };
        let Some(names) = facts.names(question) else {
            // The missing answer makes it a denial; the pattern is only to be read by a person now.
            place.written = shown(pattern);
            out.push(effect);
            continue;
        };
        let first = !said.contains(&(effect.part, question));
        if first {
            said.push((effect.part, question));
        }
        each(&effect, question, pattern, names, first && *parted, first, &mut out);
    }
    out
}

fn each(effect: &Effect, question: usize, pattern: &str, names: &NamesFact, parted: bool, first: bool, out: &mut Vec<Effect>) {
    for (written, fact) in &names.files {
        let place = Place { written: written.clone(), question, fact: Some(fact.clone()) };
        out.push(Effect { target: Target::Path(place), ..effect.clone() });
        // Behind a `cd` the folder stands before the name here, and not where the shell writes it.
        let option = written.split('/').any(|name| name.starts_with('-'));
        let why = if first && option {
            format!("the file name `{written}` may be taken for an option")
        } else if parted && written.contains([' ', '\t', '\n', '*', '?', '[', '\\']) {
            format!("the file name `{written}` is parted, since it stands there without quotes")
        } else {
            continue;
        };
        let manner = Manner { unlisted: true, ..Manner::default() };
        out.push(Effect { manner, part: effect.part, at: effect.at, ..Effect::unknown(why) });
    }
    if names.incomplete {
        let shown = shown(pattern);
        out.push(Effect { target: Target::UnknownPath(shown.clone()), ..effect.clone() });
        if first {
            out.push(Effect { part: effect.part, ..Effect::unknown(format!("`{shown}` may name more files than could be looked at")) });
        }
    }
    // A pattern always stands for something; an effect never gets lost.
    if names.files.is_empty() && !names.incomplete {
        out.push(Effect { part: effect.part, kind: EffectKind::Unknown, target: Target::UnknownPath(shown(pattern)), ..effect.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::fact::{Fact, Ignored, Owner, PathFact, PathKind, Surroundings};

    fn at(path: &str) -> PathFact {
        PathFact {
            canonical: path.to_owned(),
            links: Vec::new(),
            kind: PathKind::File,
            hard_links: 1,
            owner: Owner::Me,
            writable_by_others: false,
            case_insensitive: false,
            ignored: Ignored::No,
            size: None,
        }
    }

    /// A read of a pattern by the first command, twice.
    fn settled(answer: Option<NamesFact>) -> crate::draft::Reading {
        let mut draft = Draft::default();
        let question = draft.ask(Question::Names { pattern: "\0/\u{1}".to_owned(), parted: false });
        for kind in [EffectKind::Read, EffectKind::Delete] {
            let place = Place { written: "\0/\u{1}".to_owned(), question, fact: None };
            let manner = Manner { recursive: true, ..Manner::default() };
            draft.effects.push(Effect { certain: false, part: Some(0), manner, ..Effect::new(kind, Target::Path(place)) });
        }
        let surroundings = Surroundings { home: Some("/home/u".to_owned()), ..Surroundings::default() };
        draft.settle(&Facts { surroundings, answers: vec![answer.map(Fact::Names)] })
    }

    #[test]
    fn each_file_has_the_effect_and_an_option_in_disguise_is_told_once() {
        let files = vec![("a".to_owned(), at("/ws/a")), ("-rf".to_owned(), at("/ws/-rf"))];
        let reading = settled(Some(NamesFact { files, incomplete: false }));
        let written: Vec<(EffectKind, Option<&str>)> =
            reading.effects.iter().map(|effect| (effect.kind, effect.place().map(|place| place.written.as_str()))).collect();
        let (read, delete) = (EffectKind::Read, EffectKind::Delete);
        assert_eq!(
            written,
            [(read, Some("a")), (read, Some("-rf")), (EffectKind::Unknown, None), (delete, Some("a")), (delete, Some("-rf"))]
        );
        assert!(reading.effects.iter().filter(|effect| effect.place().is_some()).all(|effect| effect.manner.recursive && !effect.certain));
        assert!(reading.effects.iter().any(|effect| effect.manner.unlisted && effect.part == Some(0)));
        assert!(reading.unanswered.is_empty());
    }

    #[test]
    fn what_could_not_be_listed_whole_is_told() {
        let reading = settled(Some(NamesFact { files: vec![("a".to_owned(), at("/ws/a"))], incomplete: true }));
        let unknown = |effect: &&Effect| effect.target == Target::UnknownPath("~/*".to_owned());
        assert_eq!(reading.effects.iter().filter(unknown).count(), 2);
        assert_eq!(reading.effects.iter().filter(|effect| effect.kind == EffectKind::Unknown).count(), 1);
        assert!(settled(Some(NamesFact::default())).effects.iter().all(|effect| effect.kind == EffectKind::Unknown));
    }

    #[test]
    fn no_answer_stays_no_answer() {
        let reading = settled(None);
        assert_eq!(reading.unanswered.len(), 1);
        assert!(reading.effects.iter().all(|effect| effect.place().is_some_and(|place| place.fact.is_none() && place.written == "~/*")));
    }
}
