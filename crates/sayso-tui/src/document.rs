//! A text of a prompt that scrolls, and remembers what of it was on the screen: the question, or the details that are one key away.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::prompt::presentation::Body;
use sayso_core::prompt::{Prompt, Style};

use crate::block::Block;
use crate::content;
use crate::key::Key;
use crate::prompt_style::{Look, is_compact};
use crate::theme::Theme;
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
        Part::Body(Box::new(Measured {
            view: BodyView::new(body),
            height: None,
        }))
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

/// A text of a prompt, and where somebody is in it.
pub struct Document {
    parts: Vec<Part>,
    /// The first row that shows.
    top: usize,
    /// How many rows show.
    window: usize,
    /// How many rows there are.
    total: usize,
}

impl Document {
    /// What a prompt asks: all that decides, and nothing that is only known besides.
    pub fn question(prompt: &Prompt, look: &Look) -> Self {
        if !is_compact(prompt) {
            return Document::with_bodies(prompt, look);
        }
        let mut lines = Vec::new();
        // Below what was printed, the sentence is the heading.
        if prompt.style == Style::Modal {
            lines.push(content::sentence(prompt));
        }
        lines.extend(content::compact_call(prompt, look));
        let why = content::compact_why(prompt, look);
        Document::new(vec![
            Part::Lines(Block::new(lines)),
            Part::Lines(Block::new(why)),
        ])
    }

    /// The same with every body as it is, to be looked at.
    pub fn with_bodies(prompt: &Prompt, look: &Look) -> Self {
        let mut parts = vec![
            Part::Lines(Block::new(content::head(prompt, look))),
            Part::body(&content::body(prompt)),
        ];
        for member in &prompt.group {
            parts.push(Part::Lines(Block::new(content::member_head(
                prompt, member,
            ))));
            parts.push(Part::body(member.presentation.whole()));
        }
        parts.push(Part::Lines(Block::new(content::tail(prompt, look))));
        Document::new(parts)
    }

    /// What is only known of it.
    pub fn details(prompt: &Prompt, look: &Look) -> Self {
        Document::new(vec![Part::Lines(Block::new(content::details(
            prompt, look,
        )))])
    }

    fn new(parts: Vec<Part>) -> Self {
        Document {
            parts,
            top: 0,
            window: 0,
            total: 0,
        }
    }

    /// How many rows it fills at a width.
    pub fn height(&mut self, width: u16) -> usize {
        self.parts.iter_mut().map(|part| part.height(width)).sum()
    }

    /// Makes so many rows of it show, so that it is known what is above and below them.
    pub fn fit(&mut self, width: u16, rows: usize) {
        self.total = self.height(width);
        self.window = rows;
    }

    /// Draws what shows of it.
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        self.fit(area.width, usize::from(area.height));
        self.top = self.above();
        let mut left = area;
        let mut from = self.top;
        for part in &mut self.parts {
            let height = part.height(area.width);
            if from >= height {
                from -= height;
                continue;
            }
            let rows = u16::try_from(height - from)
                .unwrap_or(left.height)
                .min(left.height);
            part.draw(
                from,
                Rect {
                    height: rows,
                    ..left
                },
                buffer,
                theme,
            );
            left = Rect {
                y: left.y + rows,
                height: left.height - rows,
                ..left
            };
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

    /// How many bodies there are to look at.
    pub fn bodies(&self) -> usize {
        self.parts
            .iter()
            .filter(|part| matches!(part, Part::Body(_)))
            .count()
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
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Body(body) if body.view.is_waiting()))
    }

    /// How many rows are below what shows.
    pub fn below(&self) -> usize {
        self.total.saturating_sub(self.above() + self.window)
    }

    /// How many rows are above what shows.
    pub fn above(&self) -> usize {
        self.top.min(self.total.saturating_sub(self.window))
    }

    /// How many rows were not on the screen yet.
    pub fn unseen(&self) -> usize {
        self.parts.iter().map(Part::unseen).sum()
    }

    /// The same, without the last part: why it asks.
    pub fn unseen_call(&self) -> usize {
        self.parts
            .split_last()
            .map_or(0, |(_, before)| before.iter().map(Part::unseen).sum())
    }
}
