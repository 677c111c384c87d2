//! Turns what is done to a pattern of names into what is done to each of its files.

use std::collections::HashSet;

use crate::analysis::draft::Command;
use crate::analysis::effect::{Effect, EffectKind, Manner, Place, Target};
use crate::analysis::fact::{Facts, NamesFact, Question, shown};

/// The effects with one for each file in the place of each pattern.
pub(crate) fn spread(
    effects: Vec<Effect>,
    questions: &[Question],
    commands: &[Command],
    facts: &Facts,
) -> Vec<Effect> {
    let mut out: Vec<Effect> = Vec::with_capacity(effects.len());
    // What is said of a pattern once is not said again for every effect on it.
    let mut said: HashSet<(Option<usize>, usize)> = HashSet::new();
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
        each(&effect, question, names, &mut out);
        let may_be_none = effect.manner.maybe_option && !names.incomplete;
        if names.incomplete || names.files.is_empty() && !may_be_none {
            // A pattern always stands for something; an effect never gets lost.
            out.push(Effect {
                target: Target::UnknownPath(shown(pattern)),
                ..effect.clone()
            });
        }
        if said.insert((effect.part, question)) {
            let folders = effect
                .part
                .and_then(|part| commands.get(part))
                .map_or(&[][..], |command| &command.folders);
            doubts(effect.part, pattern, names, folders, &mut out);
            if let Some((name, _)) = names
                .files
                .iter()
                .find(|(name, _)| *parted && is_parted(name))
            {
                let why = format!(
                    "the file name `{name}` is parted, since it stands there without quotes"
                );
                let manner = Manner {
                    unlisted: true,
                    ..Manner::default()
                };
                out.push(Effect {
                    manner,
                    part: effect.part,
                    at: effect.at,
                    ..Effect::unknown(why)
                });
            }
        }
    }
    out
}

fn each(effect: &Effect, question: usize, names: &NamesFact, out: &mut Vec<Effect>) {
    // As with a path that is written out: deleting and moving act on a link itself, everything else on what it leads to.
    let itself = effect.kind == EffectKind::Delete || effect.manner.moved_away;
    for (written, fact) in &names.files {
        let link = names
            .links
            .iter()
            .find(|(name, _)| itself && name == written);
        let fact = link.map_or(fact, |(_, link)| link).clone();
        let place = Place {
            written: written.clone(),
            question,
            fact: Some(fact),
        };
        out.push(Effect {
            target: Target::Path(place),
            ..effect.clone()
        });
    }
}

/// Whether a shell makes other words of a name that stands there without quotes.
fn is_parted(name: &str) -> bool {
    name.contains(|letter: char| letter.is_whitespace() || "*?[\\".contains(letter))
}

/// What makes the names something else than files to be listed.
fn doubts(
    part: Option<usize>,
    pattern: &str,
    names: &NamesFact,
    folders: &[String],
    out: &mut Vec<Effect>,
) {
    for (written, _) in &names.files {
        // Names are told from where the line starts; the command sees them from its own folder.
        let inner = |folder: &String| {
            written
                .strip_prefix(folder.as_str())
                .filter(|_| !folder.is_empty())
        };
        let seen = folders
            .iter()
            .filter_map(inner)
            .map(|rest| rest.trim_start_matches('/'));
        if let Some(name) = seen
            .chain([written.as_str()])
            .find(|name| name.starts_with('-'))
        {
            let manner = Manner {
                unlisted: true,
                ..Manner::default()
            };
            out.push(Effect {
                manner,
                part,
                ..Effect::unknown(format!("the file name `{name}` is taken for an option"))
            });
        }
    }
    if names.incomplete {
        out.push(Effect {
            part,
            ..Effect::unknown(format!(
                "`{}` may name more files than could be looked at",
                shown(pattern)
            ))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::draft::Draft;
    use crate::analysis::fact::{Fact, Ignored, Owner, PathFact, PathKind, Surroundings};

    fn at(path: &str) -> PathFact {
        PathFact {
            canonical: path.to_owned(),
            links: Vec::new(),
            kind: PathKind::File,
            hard_links: 1,
            owner: Owner::Me,
            writable_by_others: false,
            closed_to_others: false,
            case_insensitive: false,
            ignored: Ignored::No,
            size: None,
        }
    }

    /// A read of a pattern by the first command, twice.
    fn settled(answer: Option<NamesFact>) -> crate::analysis::draft::Reading {
        let mut draft = Draft {
            commands: vec![Command {
                folders: vec!["\0/sub".to_owned()],
                ..Command::default()
            }],
            ..Draft::default()
        };
        let question = draft.ask(Question::Names {
            pattern: "\0/\u{1}".to_owned(),
            parted: false,
        });
        for kind in [EffectKind::Read, EffectKind::Delete] {
            let place = Place {
                written: "\0/\u{1}".to_owned(),
                question,
                fact: None,
            };
            let manner = Manner {
                recursive: true,
                ..Manner::default()
            };
            draft.effects.push(Effect {
                certain: false,
                part: Some(0),
                manner,
                ..Effect::new(kind, Target::Path(place))
            });
        }
        let surroundings = Surroundings {
            home: Some("/home/u".to_owned()),
            ..Surroundings::default()
        };
        draft.settle(&Facts {
            surroundings,
            answers: vec![answer.map(Fact::Names)],
        })
    }

    #[test]
    fn each_file_has_the_effect_and_an_option_in_disguise_is_told_once() {
        let files = vec![
            ("a".to_owned(), at("/ws/a")),
            ("-rf".to_owned(), at("/ws/-rf")),
        ];
        let reading = settled(Some(NamesFact {
            files,
            ..NamesFact::default()
        }));
        let written: Vec<(EffectKind, Option<&str>)> = reading
            .effects
            .iter()
            .map(|effect| {
                (
                    effect.kind,
                    effect.place().map(|place| place.written.as_str()),
                )
            })
            .collect();
        let (read, delete) = (EffectKind::Read, EffectKind::Delete);
        assert_eq!(
            written,
            [
                (read, Some("a")),
                (read, Some("-rf")),
                (EffectKind::Unknown, None),
                (delete, Some("a")),
                (delete, Some("-rf"))
            ]
        );
        assert!(
            reading
                .effects
                .iter()
                .filter(|effect| effect.place().is_some())
                .all(|effect| effect.manner.recursive && !effect.certain)
        );
        assert!(
            reading
                .effects
                .iter()
                .any(|effect| effect.manner.unlisted && effect.part == Some(0))
        );
        assert!(reading.unanswered.is_empty());
    }

    #[test]
    fn what_could_not_be_listed_whole_is_told() {
        let reading = settled(Some(NamesFact {
            files: vec![("a".to_owned(), at("/ws/a"))],
            incomplete: true,
            ..NamesFact::default()
        }));
        let unknown = |effect: &&Effect| effect.target == Target::UnknownPath("~/*".to_owned());
        assert_eq!(reading.effects.iter().filter(unknown).count(), 2);
        assert_eq!(
            reading
                .effects
                .iter()
                .filter(|effect| effect.kind == EffectKind::Unknown)
                .count(),
            1
        );
        assert_eq!(
            settled(Some(NamesFact::default()))
                .effects
                .iter()
                .filter(unknown)
                .count(),
            2
        );
    }

    #[test]
    fn a_name_is_seen_from_the_folder_of_its_command() {
        let names = |name: &str| NamesFact {
            files: vec![(name.to_owned(), at("/home/u/sub/x"))],
            ..NamesFact::default()
        };
        let disguised = |name: &str| {
            settled(Some(names(name)))
                .effects
                .iter()
                .any(|effect| effect.manner.unlisted)
        };
        assert!(disguised("/home/u/sub/-x"));
        assert!(!disguised("/home/u/sub/./-x"));
        assert!(!disguised("/home/u/other/-x"));
    }

    #[test]
    fn a_link_is_deleted_itself_and_read_through() {
        let files = vec![
            ("l".to_owned(), at("/etc/x")),
            ("f".to_owned(), at("/ws/f")),
        ];
        let links = vec![(
            "l".to_owned(),
            PathFact {
                kind: PathKind::Link,
                ..at("/ws/l")
            },
        )];
        let reading = settled(Some(NamesFact {
            files,
            links,
            incomplete: false,
        }));
        let paths: Vec<&str> = reading
            .effects
            .iter()
            .filter_map(|effect| Some(effect.place()?.fact.as_ref()?.canonical.as_str()))
            .collect();
        assert_eq!(paths, ["/etc/x", "/ws/f", "/ws/l", "/ws/f"]);
    }

    #[test]
    fn no_answer_stays_no_answer() {
        let reading = settled(None);
        assert_eq!(reading.unanswered.len(), 1);
        assert!(reading.effects.iter().all(|effect| {
            effect
                .place()
                .is_some_and(|place| place.fact.is_none() && place.written == "~/*")
        }));
    }
}
