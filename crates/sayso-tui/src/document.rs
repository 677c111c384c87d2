//! All that a prompt says, as one text that scrolls: what would happen, what is grave about it, facts besides, and why it asks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::digest::Digest;
use sayso_core::presentation::Body;
use sayso_core::prompt::{Prompt, Style};
use sayso_core::tool::{Kind, Role};
use sayso_core::verdict::Reason;
use sayso_core::visible::{visible, visible_block};

use crate::block::Block;
use crate::body::{self, BodyView};
use crate::fold::{Spans, line};
use crate::key::Key;
use crate::look::{Look, is_grave};
use crate::theme::{Theme, Tone};

/// The text of a prompt, and where somebody is in it.
pub struct Document {
    head: Block,
    body: BodyView,
    tail: Block,
    /// The first row that shows.
    top: usize,
    /// How many rows show.
    window: usize,
    /// How many rows there are.
    total: usize,
}

impl Document {
    /// The text of a prompt.
    pub fn new(prompt: &Prompt, look: &Look) -> Self {
        let short = short_command(prompt);
        let body = short.as_ref().unwrap_or(prompt.presentation.whole());
        Document {
            head: Block::new(head(prompt, look)),
            body: BodyView::new(body),
            tail: Block::new(tail(prompt, look)),
            top: 0,
            window: 0,
            total: 0,
        }
    }

    /// How many rows it fills at a width.
    pub fn height(&mut self, width: u16) -> usize {
        self.head.height(width) + self.body.height(width) + self.tail.height(width)
    }

    /// Draws what shows of it.
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        let (head, body) = (self.head.height(area.width), self.body.height(area.width));
        self.total = head + body + self.tail.height(area.width);
        self.window = usize::from(area.height);
        self.top = self.top.min(self.total.saturating_sub(self.window));
        let mut left = area;
        let mut from = self.top;
        for (part, height) in [head, body, usize::MAX].into_iter().enumerate() {
            if from >= height {
                from -= height;
                continue;
            }
            let rows = (height - from).min(usize::from(left.height));
            let rows = u16::try_from(rows).unwrap_or(left.height);
            let here = Rect { height: rows, ..left };
            match part {
                0 => self.head.draw(from, here, buffer, theme),
                1 => {
                    self.body.scroll_to(from);
                    self.body.draw(here, buffer, theme);
                }
                _ => self.tail.draw(from, here, buffer, theme),
            }
            left = Rect { y: left.y + rows, height: left.height - rows, ..left };
            from = 0;
        }
    }

    /// Scrolls; false for a key that scrolls nothing.
    pub fn scroll(&mut self, key: &Key) -> bool {
        let page = self.window.saturating_sub(1).max(1);
        self.top = match key {
            Key::Up => self.top.saturating_sub(1),
            Key::Down => self.top + 1,
            Key::PageUp => self.top.saturating_sub(page),
            Key::PageDown => self.top + page,
            Key::Home => 0,
            Key::End => usize::MAX,
            _ => return false,
        };
        self.top = self.top.min(self.total.saturating_sub(self.window));
        true
    }

    /// A key of the view of the body, such as one that searches; false where it means nothing.
    pub fn view(&mut self, key: &Key) -> bool {
        let taken = self.body.key(key);
        if taken {
            // The body went somewhere, and everything goes along.
            self.top = self.head.rows() + self.body.top();
        }
        taken
    }

    /// How many rows are below what shows.
    pub fn below(&self) -> usize {
        self.total.saturating_sub(self.top + self.window)
    }

    /// How many rows are above what shows.
    pub fn above(&self) -> usize {
        self.top
    }

    /// How many rows were not on the screen yet.
    pub fn unseen(&self) -> usize {
        self.head.unseen() + self.body.unseen() + self.tail.unseen()
    }

    /// How many rows of the body were not on the screen yet.
    pub fn unseen_body(&self) -> usize {
        self.body.unseen()
    }
}

/// The call as one line: `terminal(cargo test)`, `Edit(src/main.rs)`, `MCP(github/get_issue)`.
pub fn call(prompt: &Prompt) -> String {
    let operation = &prompt.operation;
    let text = |role| visible(operation.text(role).unwrap_or_default()).into_owned();
    match operation.kind() {
        Kind::Terminal => format!("terminal({})", text(Role::Command)),
        Kind::FileEdit | Kind::FileInsertAfter | Kind::FileInsertBefore | Kind::FileAppend => format!("Edit({})", text(Role::Path)),
        Kind::FileWrite | Kind::FileCreate | Kind::FileCreateOverwrite => format!("Write({})", text(Role::Path)),
        Kind::FileDelete | Kind::FileRmdir => format!("Delete({})", text(Role::Path)),
        Kind::FileMove => format!("Move({} → {})", text(Role::From), text(Role::To)),
        Kind::FileCopy => format!("Copy({} → {})", text(Role::From), text(Role::To)),
        Kind::Mcp => format!("MCP({}/{})", text(Role::Server), text(Role::ServerTool)),
        Kind::WebFetch => format!("Fetch({})", text(Role::Url)),
        Kind::Delegate => format!("Delegate({})", text(Role::Agent)),
        _ => sayso_core::explain::subject(operation),
    }
}

/// What is left to say of a routine command of one line in the inline style, where the command itself stands in the call.
fn short_command(prompt: &Prompt) -> Option<Body> {
    if prompt.style != Style::Inline || is_grave(&prompt.verdict) {
        return None;
    }
    match prompt.presentation.whole() {
        Body::Command { lines, folder, effects } if lines.len() == 1 => {
            let folder = format!("in {folder}");
            Some(Body::Text(std::iter::once(folder).chain(effects.iter().map(|effect| format!("• {effect}"))).collect()))
        }
        _ => None,
    }
}

fn head(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out = Vec::new();
    match (prompt.style, prompt.presentation.whole()) {
        (Style::Inline, Body::Command { .. }) if short_command(prompt).is_none() => {}
        (Style::Inline, _) => out.push(line(Tone::Strong, call(prompt))),
        (_, Body::Command { .. }) => {}
        _ => out.push(line(Tone::Strong, &prompt.description)),
    }
    if prompt.style == Style::Modal && !out.is_empty() {
        out.push(Vec::new());
    }
    let warnings = warnings(prompt, look);
    if !warnings.is_empty() {
        out.extend(warnings);
        if prompt.style == Style::Modal {
            out.push(Vec::new());
        }
    }
    out
}

fn asks(prompt: &Prompt) -> impl Iterator<Item = &Reason> {
    prompt.verdict.reasons.iter().filter(|reason| reason.decision == prompt.verdict.decision)
}

fn rule(reason: &Reason, look: &Look) -> Spans {
    match look.rule {
        true => line(Tone::Faint, format!(" [{}, {}]", visible(&reason.rule), visible(&reason.source))),
        false => Vec::new(),
    }
}

fn warnings(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out = Vec::new();
    for warning in &prompt.presentation.warnings {
        let reason = asks(prompt).find(|reason| visible_block(&reason.text) == *warning);
        for (at, text) in warning.split('\n').enumerate() {
            let mut spans = line(Tone::Warning, format!("{} {text}", if at == 0 { "⚠" } else { " " }));
            spans.extend(reason.filter(|_| at == 0).map(|reason| rule(reason, look)).into_iter().flatten());
            out.push(spans);
        }
    }
    out
}

fn tail(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let modal = prompt.style == Style::Modal;
    let mut out = Vec::new();
    let gap = |out: &mut Vec<Spans>| {
        if modal {
            out.push(Vec::new());
        }
    };
    for member in &prompt.group {
        gap(&mut out);
        out.push(vec![(Tone::Strong, "and ".to_owned()), (Tone::Strong, member.description.clone())]);
        out.extend(body::lines(member.presentation.whole()).into_iter().map(|spans| indented(spans, "  ")));
        out.extend(member.presentation.warnings.iter().map(|text| line(Tone::Warning, format!("  ⚠ {text}"))));
    }
    if !prompt.presentation.details.is_empty() {
        gap(&mut out);
        out.extend(body::table(&prompt.presentation.details));
    }
    gap(&mut out);
    // What is a warning already is not said twice.
    let said = |reason: &&Reason| prompt.presentation.warnings.contains(&visible_block(&reason.text));
    for reason in asks(prompt).filter(|reason| !said(reason)) {
        let text = visible_block(&reason.text);
        for (at, text) in text.split('\n').enumerate() {
            let mut spans = vec![(Tone::Faint, if at == 0 { "asks because " } else { "  " }.to_owned()), (Tone::Text, text.to_owned())];
            if at == 0 {
                spans.extend(rule(reason, look));
            }
            out.push(spans);
        }
    }
    if let Some(alike) = &prompt.alike {
        out.push(line(Tone::Warning, format!("{} prompts like this one are open; this one differs in:", alike.count)));
        out.extend(alike.differs.iter().map(|text| line(Tone::Text, format!("  {text}"))));
    }
    out.push(line(Tone::Faint, format!("digest {}", short(&prompt.operation.digest()))));
    out.extend(prompt.group.iter().map(|member| line(Tone::Faint, format!("   and {}", short(&member.digest)))));
    out
}

/// As much of a digest as nobody can make twice, and as fits a line.
fn short(digest: &Digest) -> String {
    const LETTERS: usize = "sha256:".len() + 40;
    digest.to_string().chars().take(LETTERS).collect()
}

fn indented(mut spans: Spans, by: &str) -> Spans {
    spans.insert(0, (Tone::Text, by.to_owned()));
    spans
}
