//! One call of a file tool: its arguments by meaning, and the paths that were judged for it.

use std::path::{Path, PathBuf};

use sayso_core::analysis::effect::{Effect, Place};
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Role;
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::error::FileToolError;
use super::{About, Files, Made};
use crate::build::Source;
use crate::change_error::ChangeError;
use crate::changes::Step;

/// A call with what it works on.
pub(super) struct Call<'a> {
    pub kit: &'a Files,
    pub operation: &'a Operation,
    pub verdict: &'a Verdict,
}

/// A path of the call.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    /// The path that was judged, absolute and without links.
    pub path: PathBuf,
    /// As the caller wrote it, for messages.
    pub written: String,
}

impl Judged {
    /// For a message.
    pub fn shown(&self) -> String {
        visible(&self.written).into_owned()
    }
}

impl Call<'_> {
    /// The one path of a tool that has only one.
    pub fn path(&self, role: Role) -> Result<Judged, FileToolError> {
        self.path_of(role, |_| true)
    }

    /// The path with a role whose effect is of the right sort.
    pub fn path_of(
        &self,
        role: Role,
        sort: impl Fn(&Effect) -> bool,
    ) -> Result<Judged, FileToolError> {
        let written = self
            .operation
            .text(role)
            .filter(|text| !text.is_empty())
            .unwrap_or(".");
        self.judged(written, sort)
    }

    /// A path as it was written, by what was judged of it.
    pub fn judged(
        &self,
        written: &str,
        sort: impl Fn(&Effect) -> bool,
    ) -> Result<Judged, FileToolError> {
        let places = self
            .verdict
            .effects
            .iter()
            .filter(|effect| sort(effect))
            .filter_map(Effect::place);
        let fact = places
            .filter(|place: &&Place| place.written == written)
            .find_map(|place| place.fact.as_ref());
        match fact {
            Some(fact) => Ok(Judged {
                path: PathBuf::from(&fact.canonical),
                written: written.to_owned(),
            }),
            None => Err(FileToolError::NotJudged {
                written: written.to_owned(),
            }),
        }
    }

    /// The first argument with one of these names.
    pub fn data(&self, names: &[&'static str]) -> Option<(&'static str, &Node)> {
        let given = names
            .iter()
            .find_map(|name| Some((*name, self.operation.args().get(name)?)));
        given.filter(|(_, node)| !matches!(node.value, Value::Null))
    }

    /// A whole number, which may come as text.
    pub fn number(
        &self,
        names: &[&'static str],
    ) -> Result<Option<(&'static str, usize)>, FileToolError> {
        let Some((name, node)) = self.data(names) else {
            return Ok(None);
        };
        let number = match &node.value {
            Value::Number(text) | Value::Text(text) => whole(text.trim()),
            _ => None,
        };
        number
            .map(|number| Some((name, number)))
            .ok_or(FileToolError::NotWhole(name))
    }

    /// Yes or no, which may come as text.
    pub fn flag(&self, names: &[&'static str]) -> Result<Option<bool>, FileToolError> {
        let Some((name, node)) = self.data(names) else {
            return Ok(None);
        };
        match &node.value {
            Value::Bool(value) => Ok(Some(*value)),
            Value::Text(text) if text.eq_ignore_ascii_case("true") => Ok(Some(true)),
            Value::Text(text) if text.eq_ignore_ascii_case("false") => Ok(Some(false)),
            _ => Err(FileToolError::NotBool(name)),
        }
    }

    /// A text, or a list of texts.
    pub fn texts(&self, names: &[&'static str]) -> Result<Vec<String>, FileToolError> {
        let Some((name, node)) = self.data(names) else {
            return Ok(Vec::new());
        };
        let no_text = || FileToolError::NotText(name);
        match &node.value {
            Value::List(items) => items
                .iter()
                .map(|item| item.as_text().map(str::to_owned).ok_or_else(no_text))
                .collect(),
            _ => Ok(vec![node.as_text().ok_or_else(no_text)?.to_owned()]),
        }
    }

    /// Carries one step out in the name of the call.
    pub fn change(
        &self,
        step: Step,
        unkept: Option<String>,
        source: &Source<'_>,
    ) -> Result<Made, ChangeError> {
        let about = About::of(self.operation, self.verdict.decision != Decision::Allow);
        self.kit.carry_out(about, vec![step], unkept, source)
    }
}

/// Some agents write `10.0` for 10.
fn whole(text: &str) -> Option<usize> {
    let (number, rest) = text.split_once('.').unwrap_or((text, ""));
    number
        .parse()
        .ok()
        .filter(|_| rest.bytes().all(|byte| byte == b'0'))
}

/// A path below another one as an agent would write it.
pub(super) fn joined(written: &str, below: &Path) -> String {
    let below = below.to_string_lossy();
    match written.trim_end_matches('/') {
        _ if below.is_empty() => written.to_owned(),
        "." => below.into_owned(),
        folder => format!("{folder}/{below}"),
    }
}
