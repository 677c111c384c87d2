//! A presentation from the value that [`to_node`](super::to_node) makes of one, for a screen in another process.

use sayso_core::prompt::presentation::{
    Body, Change, Diff, DiffLine, Hunk, Mark, Meaning, Part, Piece, Presentation, Undo,
};
use sayso_core::text::node::Node;
use sayso_core::text::visible::is_hidden;

use super::{binary, language};

/// The presentation of a value; none if a part is missing, is not what it has to be, or hides something.
pub fn from_node(node: &Node) -> Option<Presentation> {
    Some(Presentation {
        body: body(node)?,
        details: pairs(node.get("details")?)?,
        deciding: node.get("deciding").and_then(size).unwrap_or_default(),
        warnings: texts(node.get("warnings")?)?,
        undo: match node
            .get("undo")
            .filter(|undo| undo.get("possible").is_some())
        {
            Some(node) => Some(undo(node)?),
            None => None,
        },
        hidden_lines: size(node.get("hidden_lines")?)?,
        full: match node.get("full").filter(|full| full.get("type").is_some()) {
            Some(full) => Some(Box::new(body(full)?)),
            None => None,
        },
    })
}

fn undo(node: &Node) -> Option<Undo> {
    let given = |key: &str| node.get(key).filter(|node| node.as_text().is_some());
    Some(
        match (
            node.get("possible")?.as_bool()?,
            given("backup"),
            given("why"),
        ) {
            (true, Some(place), _) => Undo::Kept(text(place)?),
            (true, None, _) => Undo::Possible,
            (false, _, why) => Undo::Impossible(text(why?)?),
        },
    )
}

fn body(node: &Node) -> Option<Body> {
    let path = || text(node.get("path")?);
    let lines = || texts(node.get("lines")?);
    Some(match node.get("type")?.as_text()? {
        "text" => Body::Text(lines()?),
        "diff" => Body::Diff(Diff {
            language: language::of(&path()?),
            path: path()?,
            hunks: node
                .get("hunks")?
                .items()
                .iter()
                .map(hunk)
                .collect::<Option<_>>()?,
            added: size(node.get("added")?)?,
            removed: size(node.get("removed")?)?,
            notes: texts(node.get("notes")?)?,
            rest: Vec::new(),
        }),
        "file_content" => Body::Content {
            language: language::of(&path()?),
            path: path()?,
            lines: lines()?,
            size: node.get("size")?.as_whole()?,
            notes: texts(node.get("notes")?)?,
            over: match node.get("over").filter(|over| over.as_text().is_some()) {
                Some(over) => Some(text(over)?),
                None => None,
            },
        },
        "command" => {
            let lines = lines()?;
            let marks = node
                .get("marks")?
                .items()
                .iter()
                .map(|node| mark(node, &lines))
                .collect::<Option<_>>()?;
            let part = |node: &Node| {
                Some(Part {
                    program: text(node.get("program")?)?,
                    effects: texts(node.get("effects")?)?,
                })
            };
            let parts = node
                .get("parts")?
                .items()
                .iter()
                .map(part)
                .collect::<Option<_>>()?;
            Body::Command {
                lines,
                marks,
                folder: text(node.get("folder")?)?,
                parts,
                effects: texts(node.get("effects")?)?,
            }
        }
        "structured" => Body::Structured(pairs(node.get("rows")?)?),
        "binary" => Body::Binary {
            media: binary::media(&path()?, &[]),
            path: path()?,
            size: node.get("size")?.as_whole()?,
        },
        _ => return None,
    })
}

/// A mark that fits the lines.
fn mark(node: &Node, lines: &[String]) -> Option<Mark> {
    let [line, start, end] = ["line", "start", "end"].map(|name| node.get(name).and_then(size));
    let mark = Mark {
        line: line?,
        start: start?,
        end: end?,
        meaning: Meaning::from_word(node.get("meaning")?.as_text()?)?,
    };
    lines
        .get(mark.line)?
        .get(mark.start..mark.end)
        .map(|_| mark)
}

/// What stays around the changed places is not sent.
fn hunk(node: &Node) -> Option<Hunk> {
    Some(Hunk {
        before: Vec::new(),
        old_start: size(node.get("old_start")?)?,
        new_start: size(node.get("new_start")?)?,
        lines: node
            .get("lines")?
            .items()
            .iter()
            .map(line)
            .collect::<Option<_>>()?,
    })
}

fn line(node: &Node) -> Option<DiffLine> {
    let piece = |node: &Node| {
        Some(Piece {
            text: text(node.get("text")?)?,
            emphasised: node.get("emphasised")?.as_bool()?,
        })
    };
    Some(DiffLine {
        change: match node.get("change")?.as_text()? {
            "same" => Change::Same,
            "removed" => Change::Removed,
            "added" => Change::Added,
            _ => return None,
        },
        old: node.get("old").and_then(size),
        new: node.get("new").and_then(size),
        pieces: node
            .get("pieces")?
            .items()
            .iter()
            .map(piece)
            .collect::<Option<_>>()?,
    })
}

fn size(node: &Node) -> Option<usize> {
    usize::try_from(node.as_whole()?).ok()
}

/// A text that can be shown as it is.
fn text(node: &Node) -> Option<String> {
    node.as_text()
        .filter(|text| {
            !text
                .chars()
                .any(|sign| !matches!(sign, '\n' | '\t') && is_hidden(sign))
        })
        .map(str::to_owned)
}

fn texts(node: &Node) -> Option<Vec<String>> {
    node.items().iter().map(text).collect()
}

fn pairs(node: &Node) -> Option<Vec<(String, String)>> {
    node.items()
        .iter()
        .map(|pair| Some((text(pair.get("label")?)?, text(pair.get("value")?)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::to_node;
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let piece = |text: &str, emphasised| Piece {
            text: text.to_owned(),
            emphasised,
        };
        let line = DiffLine {
            change: Change::Removed,
            old: Some(3),
            new: None,
            pieces: vec![piece("a\tb", false), piece("c", true)],
        };
        let hunk = Hunk {
            old_start: 3,
            new_start: 3,
            before: Vec::new(),
            lines: vec![line],
        };
        let words = |list: &[&str]| {
            list.iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<String>>()
        };
        let bodies = [
            Body::Text(words(&["one", ""])),
            Body::Diff(Diff {
                path: "/ws/a.rs".to_owned(),
                language: Some("rust"),
                hunks: vec![hunk],
                added: 0,
                removed: 1,
                notes: words(&["it ends without a line break"]),
                rest: Vec::new(),
            }),
            Body::Content {
                path: "/ws/a".to_owned(),
                language: None,
                lines: words(&["x"]),
                size: 2,
                notes: words(&["other line breaks"]),
                over: Some("replaces a file of 7 bytes".to_owned()),
            },
            Body::Command {
                lines: words(&["rm a"]),
                marks: vec![
                    Mark {
                        line: 0,
                        start: 0,
                        end: 2,
                        meaning: Meaning::Danger,
                    },
                    Mark {
                        line: 0,
                        start: 3,
                        end: 4,
                        meaning: Meaning::Deletes,
                    },
                ],
                folder: "/ws".to_owned(),
                parts: vec![Part {
                    program: "rm".to_owned(),
                    effects: words(&["deletes a"]),
                }],
                effects: words(&["deletes a"]),
            },
            Body::Structured(vec![
                ("a".to_owned(), "b".to_owned()),
                ("a".to_owned(), "c".to_owned()),
            ]),
            Body::Binary {
                path: "/ws/a.png".to_owned(),
                media: binary::media("/ws/a.png", &[]),
                size: 9,
            },
        ];
        let undos = [
            None,
            Some(Undo::Possible),
            Some(Undo::Kept("~/b".to_owned())),
            Some(Undo::Impossible("it is a pipe".to_owned())),
        ];
        for (body, undo) in bodies.into_iter().zip(undos.into_iter().cycle()) {
            let whole = Presentation {
                details: vec![("folder".to_owned(), "/ws".to_owned())],
                deciding: 1,
                warnings: words(&["careful"]),
                undo: undo.clone(),
                hidden_lines: 7,
                full: Some(Box::new(body.clone())),
                ..Presentation::of(body)
            };
            assert_eq!(from_node(&to_node(&whole)), Some(whole));
        }
        let mark = |line, start, end| {
            vec![Mark {
                line,
                start,
                end,
                meaning: Meaning::Runs,
            }]
        };
        for marks in [mark(1, 0, 1), mark(0, 0, 9), mark(0, 3, 2), mark(0, 1, 2)] {
            let body = Body::Command {
                lines: words(&["üb"]),
                marks,
                folder: String::new(),
                parts: Vec::new(),
                effects: Vec::new(),
            };
            assert_eq!(
                from_node(&to_node(&Presentation::of(body))),
                None,
                "a mark that fits no line"
            );
        }
        let hostile = Presentation::of(Body::Text(words(&["a\u{202e}b"])));
        assert_eq!(from_node(&to_node(&hostile)), None);
    }
}
