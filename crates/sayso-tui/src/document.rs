//! All that a prompt says, as one text that scrolls: what would happen, what is grave about it, facts besides, and why it asks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::digest::Digest;
use sayso_core::presentation::Body;
use sayso_core::prompt::{Member, Prompt, Style};
use sayso_core::tool::{Kind, Role};
use sayso_core::verdict::Reason;
use sayso_core::visible::{visible, visible_block};

use crate::block::Block;
use crate::fold::{Spans, line};
use crate::key::Key;
use crate::look::{Look, is_grave};
use crate::theme::{Theme, Tone};
use crate::views::BodyView;

/// A part of the text.
enum Part {
    /// Lines of ours.
    Lines(Block),
    /// The body of an operation.
    Body(Box<Measured>),
}

/// A body, with its height at the width it was last measured at.
struct Measured {
    view: BodyView,
    height: Option<(u16, usize)>,
}

impl Part {
    fn body(body: &Body) -> Part {
        Part::Body(Box::new(Measured { view: BodyView::new(body), height: None }))
    }

    fn height(&mut self, width: u16) -> usize {
        match self {
            Part::Lines(block) => block.height(width),
            Part::Body(body) => match body.height {
                Some((of, height)) if of == width => height,
                _ => {
                    let height = body.view.height(width);
                    body.height = Some((width, height));
                    height
                }
            },
        }
    }

    fn draw(&mut self, top: usize, area: Rect, buffer: &mut Buffer, theme: Theme) {
        match self {
            Part::Lines(block) => block.draw(top, area, buffer, theme),
            Part::Body(body) => {
                body.view.show_from(top, area.width);
                body.view.draw(area, buffer, theme);
            }
        }
    }

    fn unseen(&self) -> usize {
        match self {
            Part::Lines(block) => block.unseen(),
            Part::Body(body) => body.view.unseen(),
        }
    }
}

/// The text of a prompt, and where somebody is in it.
pub struct Document {
    parts: Vec<Part>,
    /// Whether the body is in it as it is.
    whole: bool,
    /// The first row that shows.
    top: usize,
    /// How many rows show.
    window: usize,
    /// How many rows there are.
    total: usize,
}

impl Document {
    /// The text of a prompt. A short command stands in the call where that is enough.
    pub fn new(prompt: &Prompt, look: &Look) -> Self {
        Document::with(prompt, look, short_command(prompt))
    }

    /// The same, with the body as it is, to be viewed.
    pub fn whole(prompt: &Prompt, look: &Look) -> Self {
        Document::with(prompt, look, None)
    }

    fn with(prompt: &Prompt, look: &Look, short: Option<Body>) -> Self {
        let body = short.as_ref().unwrap_or(prompt.presentation.whole());
        let mut parts = vec![Part::Lines(Block::new(head(prompt, look, short.is_some()))), Part::body(body)];
        for member in &prompt.group {
            parts.push(Part::Lines(Block::new(member_head(prompt, member))));
            parts.push(Part::body(member.presentation.whole()));
        }
        parts.push(Part::Lines(Block::new(tail(prompt, look))));
        Document { parts, whole: short.is_none(), top: 0, window: 0, total: 0 }
    }

    /// How many rows it fills at a width.
    pub fn height(&mut self, width: u16) -> usize {
        self.parts.iter_mut().map(|part| part.height(width)).sum()
    }

    /// Draws what shows of it.
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        self.total = self.height(area.width);
        self.window = usize::from(area.height);
        self.top = self.top.min(self.total.saturating_sub(self.window));
        let mut left = area;
        let mut from = self.top;
        for part in &mut self.parts {
            let height = part.height(area.width);
            if from >= height {
                from -= height;
                continue;
            }
            let rows = u16::try_from(height - from).unwrap_or(left.height).min(left.height);
            part.draw(from, Rect { height: rows, ..left }, buffer, theme);
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

    /// Whether the body is in it as it is.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// How many bodies there are to look at.
    pub fn bodies(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Body(_))).count()
    }

    /// The view of a body, to be looked at by itself. Whatever is done to it may change its height.
    pub fn body(&mut self, which: usize) -> Option<&mut BodyView> {
        let mut bodies = self.parts.iter_mut().filter_map(|part| match part {
            Part::Body(body) => Some(body),
            Part::Lines(_) => None,
        });
        bodies.nth(which).map(|body| {
            body.height = None;
            &mut body.view
        })
    }

    /// Whether colours are still being worked out.
    pub fn is_waiting(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Body(body) if body.view.is_waiting()))
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
        self.parts.iter().map(Part::unseen).sum()
    }

    /// The same, without the facts that stand behind what would happen.
    pub fn unseen_call(&self) -> usize {
        self.parts.split_last().map_or(0, |(_, before)| before.iter().map(Part::unseen).sum())
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
        Body::Command { lines, folder, parts, effects, .. } if lines.len() == 1 => {
            let told = |effect: &&String| parts.iter().any(|part| part.effects.contains(effect));
            let parts = parts.iter().map(|part| format!("• {}", part.words()));
            let effects = effects.iter().filter(|effect| !told(effect)).map(|effect| format!("• {effect}"));
            Some(Body::Text(std::iter::once(format!("in {folder}")).chain(parts).chain(effects).collect()))
        }
        _ => None,
    }
}

fn head(prompt: &Prompt, look: &Look, short: bool) -> Vec<Spans> {
    let mut out = Vec::new();
    match (prompt.style, prompt.presentation.whole()) {
        (Style::Inline, Body::Command { .. }) if !short => {}
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
    // Here everything can be scrolled to, and the last row says what is out of sight.
    let cut = sayso_core::presentation::cut_warning(prompt.presentation.hidden_lines);
    for warning in prompt.presentation.warnings.iter().filter(|warning| Some(*warning) != cut.as_ref()) {
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
    // What is a warning already is not said twice.
    let said = |reason: &&Reason| prompt.presentation.warnings.contains(&visible_block(&reason.text));
    let mut reasons = asks(prompt).filter(|reason| !said(reason)).peekable();
    if reasons.peek().is_some() {
        gap(&mut out);
    }
    for reason in reasons {
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
    if !prompt.presentation.details.is_empty() {
        gap(&mut out);
        out.extend(table(&prompt.presentation.details));
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

/// What stands above the body of another operation of a group.
fn member_head(prompt: &Prompt, member: &Member) -> Vec<Spans> {
    let mut out = Vec::new();
    if prompt.style == Style::Modal {
        out.push(Vec::new());
    }
    out.push(line(Tone::Strong, format!("and {}", member.description)));
    out.extend(member.presentation.warnings.iter().map(|text| line(Tone::Warning, format!("⚠ {text}"))));
    out.extend(table(&member.presentation.details));
    out
}

/// Names and values, one below the other; a value may have several lines.
fn table(rows: &[(String, String)]) -> Vec<Spans> {
    const WIDEST: usize = 28;
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().min(WIDEST);
    let mut out = Vec::new();
    for (name, value) in rows {
        for (at, text) in value.split('\n').enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            out.push(vec![(Tone::Faint, format!("{name:<width$}  ")), (Tone::Text, text.to_owned())]);
        }
    }
    out
}
