//! Searches in files by a regular expression, through no link and past what is no text.

use std::io::Read as _;

use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::FileType;
use sayso_core::call::edit;
use sayso_core::call::tool::Role;
use sayso_core::text::count::{agreed, count};

use super::call::{Call, joined};
use super::error::FileToolError;
use super::list::is_git;
use super::output::{Lines, binary_kind};
use super::pattern::Pattern;
use super::walk::{Flow, walk};
use crate::open_nofollow::{self, PathError};
use crate::result::ToolResult;

/// Larger files are passed by.
const MOST_FILE: u64 = 16 << 20;
/// The most lines that are given back if the call does not say.
const MOST_LINES: usize = 1000;
/// The longest line that is given back, in bytes.
const MOST_LINE: usize = 2000;
const DEEPEST: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Lines,
    Files,
    Counts,
}

struct Search {
    expression: Regex,
    whole_text: bool,
    shape: Shape,
    before: usize,
    after: usize,
    skip: usize,
    most: usize,
    out: Lines,
    seen: usize,
    more: bool,
    passed_by: usize,
}

/// Runs a grep.
pub(super) fn grep(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let judged = call.path(Role::Path)?;
    let mut search = search(call)?;
    let mut only = patterns(
        call,
        &["include", "glob", "file_pattern", "include_pattern"],
    )?;
    only.extend(of_type(call)?);
    let not = patterns(call, &["exclude", "exclude_pattern"])?;
    match open_nofollow::names_of(&judged.path) {
        Ok(folder) => {
            let walked = walk(&folder, DEEPEST, &mut |entry| {
                if search.more {
                    return Flow::Stop;
                }
                if is_git(entry.name) || not.iter().any(|pattern| pattern.fits(entry.path)) {
                    return Flow::Past;
                }
                let wanted = only.is_empty() || only.iter().any(|pattern| pattern.fits(entry.path));
                if entry.kind == FileType::RegularFile && wanted {
                    match open_nofollow::file(entry.folder, entry.name, entry.path) {
                        Ok((file, _)) => search.file(file, &joined(&judged.written, entry.path)),
                        Err(_) => search.passed_by += 1,
                    }
                }
                Flow::On
            });
            search.more |= walked.cut;
            search.passed_by += walked.closed;
        }
        Err(PathError::NotFolder(path)) if path == judged.path => {
            let spot = open_nofollow::Spot::of(&judged.path)?;
            let (file, _) = open_nofollow::file(&spot.folder, &spot.name, &spot.path)?;
            search.file(file, &judged.written);
        }
        Err(other) => return Err(other.into()),
    }
    Ok(ToolResult::done(search.finish()))
}

fn search(call: &Call<'_>) -> Result<Search, FileToolError> {
    let ignore_case = match (
        call.flag(&["-i", "ignore_case"])?,
        call.flag(&["case_sensitive"])?,
    ) {
        (Some(ignored), _) => ignored,
        (None, sensitive) => !sensitive.unwrap_or(true),
    };
    let whole_text = call.flag(&["multiline"])?.unwrap_or(false);
    let expression = RegexBuilder::new(&edit::text(call.operation, Role::Find))
        .case_insensitive(ignore_case)
        .multi_line(true)
        .dot_matches_new_line(whole_text)
        .crlf(true)
        .size_limit(4 << 20)
        .build()
        .map_err(FileToolError::Expression)?;
    let shape = match call.texts(&["output_mode"])?.first().map(String::as_str) {
        None | Some("content") => Shape::Lines,
        Some("files_with_matches") => Shape::Files,
        Some("count") => Shape::Counts,
        Some(_) => return Err(FileToolError::OutputMode),
    };
    let number = |names: &[&'static str]| {
        Ok::<_, FileToolError>(call.number(names)?.map(|(_, number)| number))
    };
    let around = number(&["-C", "context"])?.unwrap_or(0).min(100);
    Ok(Search {
        expression,
        whole_text,
        shape,
        before: number(&["-B"])?.unwrap_or(around).min(100),
        after: number(&["-A"])?.unwrap_or(around).min(100),
        skip: number(&["offset"])?.unwrap_or(0),
        most: number(&["head_limit", "limit", "max_results"])?
            .filter(|most| *most > 0)
            .unwrap_or(MOST_LINES),
        out: Lines::default(),
        seen: 0,
        more: false,
        passed_by: 0,
    })
}

fn patterns(call: &Call<'_>, names: &[&'static str]) -> Result<Vec<Pattern>, FileToolError> {
    call.texts(names)?
        .iter()
        .map(|text| Pattern::for_names(text))
        .collect()
}

/// The files of a language by the endings of their names.
fn of_type(call: &Call<'_>) -> Result<Option<Pattern>, FileToolError> {
    const TYPES: &[(&[&str], &str)] = &[
        (&["rust", "rs"], "*.rs"),
        (&["py", "python"], "*.{py,pyi}"),
        (&["js", "javascript"], "*.{js,jsx,mjs,cjs}"),
        (&["ts", "typescript"], "*.{ts,tsx,mts,cts}"),
        (&["go"], "*.go"),
        (&["java"], "*.java"),
        (&["c"], "*.{c,h}"),
        (&["cpp"], "*.{cpp,cc,cxx,hpp,hh,hxx,h}"),
        (&["md", "markdown"], "*.{md,markdown}"),
        (&["json"], "*.json"),
        (&["yaml"], "*.{yaml,yml}"),
        (&["toml"], "*.toml"),
        (&["sh"], "*.{sh,bash,zsh}"),
        (&["html"], "*.{html,htm}"),
        (&["css"], "*.css"),
        (&["ruby"], "*.rb"),
    ];
    let Some(word) = call.texts(&["type"])?.into_iter().next() else {
        return Ok(None);
    };
    match TYPES
        .iter()
        .find(|(names, _)| names.contains(&word.as_str()))
    {
        Some((_, pattern)) => Pattern::for_names(pattern).map(Some),
        None => Err(FileToolError::UnknownType { word }),
    }
}

impl Search {
    fn file(&mut self, file: std::fs::File, shown: &str) {
        let mut bytes = Vec::new();
        let read = file.take(MOST_FILE + 1).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() as u64 > MOST_FILE {
            self.passed_by += 1;
            return;
        }
        if binary_kind(bytes.get(..bytes.len().min(8192)).unwrap_or_default()).is_some() {
            return;
        }
        let found = self.lines_of(&bytes);
        match self.shape {
            _ if found.is_empty() => {}
            Shape::Files => self.give(shown),
            Shape::Counts => self.give(&format!("{shown}:{}", found.len())),
            Shape::Lines => self.lines(&bytes, &found, shown),
        }
    }

    /// The numbers of the lines with a match, from 0.
    fn lines_of(&self, bytes: &[u8]) -> Vec<usize> {
        if !self.whole_text {
            let lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
            return lines
                .filter(|(_, line)| self.expression.is_match(without_break(line)))
                .map(|(number, _)| number)
                .collect();
        }
        let mut numbers = Vec::new();
        let (mut at, mut line) = (0, 0);
        for found in self.expression.find_iter(bytes) {
            let breaks = |from: usize, to: usize| {
                bytes
                    .get(from..to)
                    .unwrap_or_default()
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count()
            };
            line += breaks(at, found.start());
            let last = line
                + breaks(
                    found.start(),
                    found.end().saturating_sub(1).max(found.start()),
                );
            numbers.extend(line..=last);
            at = found.start();
        }
        numbers.dedup();
        numbers
    }

    fn lines(&mut self, bytes: &[u8], found: &[usize], shown: &str) {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let mut next = 0;
        for number in found {
            let from = number.saturating_sub(self.before).max(next);
            for at in from..=(number + self.after).min(lines.len().saturating_sub(1)) {
                if at < next || self.more {
                    continue;
                }
                let line = String::from_utf8_lossy(without_break(
                    lines.get(at).copied().unwrap_or_default(),
                ))
                .into_owned();
                let sign = if found.binary_search(&at).is_ok() {
                    ':'
                } else {
                    '-'
                };
                self.give(&format!("{shown}{sign}{}{sign}{}", at + 1, cut(&line)));
                next = at + 1;
            }
        }
    }

    fn give(&mut self, line: &str) {
        self.seen += 1;
        if self.seen <= self.skip {
            return;
        }
        if self.out.count >= self.most || self.out.full {
            self.more = true;
            return;
        }
        self.out.add(line);
    }

    fn finish(self) -> String {
        let mut notes = Vec::new();
        if self.more || self.out.full {
            notes.push(format!("{}, there are more", count(self.out.count, "line")));
        } else if self.out.count == 0 {
            notes.push("nothing found".to_owned());
        }
        if self.passed_by > 0 {
            notes.push(format!(
                "{} passed by: too large, or not to be read",
                agreed(
                    self.passed_by,
                    "1 file or folder was",
                    &format!("{} files or folders were", self.passed_by)
                )
            ));
        }
        self.out
            .with_note((!notes.is_empty()).then(|| notes.join("; ")))
    }
}

fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn cut(line: &str) -> String {
    match line
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| *at > MOST_LINE)
    {
        Some(at) => format!(
            "{}… [{}]",
            line.get(..at).unwrap_or_default(),
            count(line.len() - at, "more byte")
        ),
        None => line.to_owned(),
    }
}
