//! A tool's own picture of its call, drawn only when somebody is really asked.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Kind;
use sayso_core::prompt::presentation::{Body, Part};
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::visible::visible;
use thiserror::Error;

use super::answers::Response;
use super::tool::Tools;
use crate::ports::{Ask, Later};
use crate::presentation::tool_drawing::drawn;

type Draw = dyn Fn(&Operation) -> Result<Body, NotShown> + Send + Sync;

/// Why a call could not be drawn, in the words of the host.
#[derive(Debug, Error)]
#[error("it could not be shown: {0}")]
struct NotShown(String);

/// Draws what a person looks at for a call of a host's own tool, instead of names and values, which stay below it as details. For commands,
/// files and whatever else sayso knows, its own picture stands.
#[derive(Clone)]
pub struct Presenter(Arc<Draw>);

impl Presenter {
    /// A presenter. An error is a denial: nobody is asked about what cannot be shown.
    pub fn new<E: fmt::Display>(
        draw: impl Fn(&Operation) -> Result<Body, E> + Send + Sync + 'static,
    ) -> Self {
        Presenter(Arc::new(move |operation| {
            draw(operation).map_err(|error| NotShown(error.to_string()))
        }))
    }
}

impl fmt::Debug for Presenter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Presenter")
    }
}

/// Shows prompts to a person with the pictures that tools and requests draw themselves, and brings answers that the host has already.
pub(super) struct Presenting {
    /// Without a person, what would be asked is denied.
    pub(super) person: Option<Arc<dyn Ask>>,
    pub(super) tools: Arc<Tools>,
    /// For single calls, by their id.
    pub(super) by_call: Mutex<HashMap<String, OfCall>>,
}

/// What a request of the host brings along for its call.
#[derive(Clone, Default)]
pub(super) struct OfCall {
    pub(super) presenter: Option<Presenter>,
    pub(super) response: Option<Response>,
}

impl Presenting {
    /// Keeps what a call brings along, as long as the value is kept.
    pub(super) fn keep(&self, id: &str, of_call: OfCall) -> Kept<'_> {
        self.calls().insert(id.to_owned(), of_call);
        Kept {
            at: self,
            id: id.to_owned(),
        }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, OfCall>> {
        self.by_call.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ask for Presenting {
    fn ask<'a>(&'a self, mut prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let operation = &prompt.operation;
        let of_call = self.calls().get(operation.id()).cloned();
        let of_call = of_call.unwrap_or_default();
        let presenter = of_call
            .presenter
            .or_else(|| self.tools.presenter(operation.tool()))
            .filter(|_| operation.kind() == Kind::Custom);
        let picture = presenter.map(|presenter| (presenter.0)(operation));
        match picture {
            Some(Ok(body)) => {
                let presentation = drawn(&prompt, shown(body));
                prompt = Arc::new(Prompt {
                    presentation,
                    ..(*prompt).clone()
                });
            }
            Some(Err(why)) => return Box::pin(ready(Ended::Failed(why.to_string()))),
            None => {}
        }
        match (of_call.response, &self.person) {
            (Some(response), _) => Box::pin(ready(response.end(&prompt))),
            (None, Some(person)) => person.ask(prompt),
            (None, None) => Box::pin(ready(Ended::Nobody)),
        }
    }
}

/// A call that brings something along.
pub(super) struct Kept<'a> {
    at: &'a Presenting,
    id: String,
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.at.calls().remove(&self.id);
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
