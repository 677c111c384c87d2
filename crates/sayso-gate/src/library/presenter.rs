//! A tool's own picture of its call, drawn only when somebody is really asked.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Kind;
use sayso_core::prompt::presentation::{Body, Part};
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::visible::visible;

use crate::ports::{Ask, Later};
use crate::presentation::tool_drawing::drawn;

type Draw = dyn Fn(&Operation) -> Result<Body, String> + Send + Sync;

/// Draws what a person looks at for a call of a host's own tool, instead of names and values, which stay below it as details. For commands,
/// files and whatever else sayso knows, its own picture stands.
#[derive(Clone)]
pub struct Presenter(Arc<Draw>);

impl Presenter {
    /// A presenter. An error is a denial: nobody is asked about what cannot be shown.
    pub fn new(draw: impl Fn(&Operation) -> Result<Body, String> + Send + Sync + 'static) -> Self {
        Presenter(Arc::new(draw))
    }
}

impl fmt::Debug for Presenter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Presenter")
    }
}

/// Shows prompts to a person with the pictures that tools and requests draw themselves.
pub(super) struct Presenting {
    pub(super) person: Arc<dyn Ask>,
    pub(super) by_tool: HashMap<String, Presenter>,
    /// For single calls, by their id.
    pub(super) by_call: Mutex<HashMap<String, Presenter>>,
}

impl Presenting {
    /// Draws one call with a presenter, as long as the value is kept.
    pub(super) fn draw_call<'a>(&'a self, id: &str, presenter: Option<Presenter>) -> Drawn<'a> {
        if let Some(presenter) = presenter {
            self.by_call
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(id.to_owned(), presenter);
        }
        Drawn {
            at: self,
            id: id.to_owned(),
        }
    }

    fn presenter(&self, operation: &Operation) -> Option<Presenter> {
        let of_call = self
            .by_call
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(operation.id())
            .cloned();
        of_call
            .or_else(|| self.by_tool.get(operation.tool()).cloned())
            .filter(|_| operation.kind() == Kind::Custom)
    }
}

impl Ask for Presenting {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let Some(presenter) = self.presenter(&prompt.operation) else {
            return self.person.ask(prompt);
        };
        match (presenter.0)(&prompt.operation) {
            Ok(body) => {
                let presentation = drawn(&prompt, shown(body));
                self.person.ask(Arc::new(Prompt {
                    presentation,
                    ..(*prompt).clone()
                }))
            }
            Err(why) => {
                Box::pin(async move { Ended::Failed(format!("it could not be shown: {why}")) })
            }
        }
    }
}

/// A call that is drawn by a presenter of its own.
pub(super) struct Drawn<'a> {
    at: &'a Presenting,
    id: String,
}

impl Drop for Drawn<'_> {
    fn drop(&mut self) {
        self.at
            .by_call
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.id);
    }
}

/// The same picture with nothing in it that could hide or move.
fn shown(body: Body) -> Body {
    let text = |text: String| visible(&text).into_owned();
    let texts = |lines: Vec<String>| {
        lines
            .iter()
            .flat_map(|line| line.split('\n'))
            .map(|line| visible(line).into_owned())
            .collect()
    };
    match body {
        Body::Text(lines) => Body::Text(texts(lines)),
        Body::Content {
            path,
            language,
            lines,
            size,
            notes,
            over,
        } => Body::Content {
            path: text(path),
            language,
            lines: texts(lines),
            size,
            notes: texts(notes),
            over: over.map(text),
        },
        Body::Command {
            lines,
            folder,
            parts,
            effects,
            ..
        } => Body::Command {
            lines: texts(lines),
            // They name bytes of lines that may just have changed.
            marks: Vec::new(),
            folder: text(folder),
            parts: parts
                .into_iter()
                .map(|part| Part {
                    program: text(part.program),
                    effects: texts(part.effects),
                })
                .collect(),
            effects: texts(effects),
        },
        Body::Structured(rows) => Body::Structured(
            rows.into_iter()
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
        ),
        Body::Binary { path, media, size } => Body::Binary {
            path: text(path),
            media,
            size,
        },
        Body::Diff(mut diff) => {
            diff.path = text(diff.path);
            diff.notes = texts(diff.notes);
            let stays = diff
                .hunks
                .iter_mut()
                .map(|hunk| &mut hunk.before)
                .chain([&mut diff.rest])
                .flatten();
            stays.for_each(|line| *line = visible(line).into_owned());
            for piece in diff
                .hunks
                .iter_mut()
                .flat_map(|hunk| &mut hunk.lines)
                .flat_map(|line| &mut line.pieces)
            {
                piece.text = visible(&piece.text).into_owned();
            }
            Body::Diff(diff)
        }
    }
}
