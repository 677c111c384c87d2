//! The whole screen of a conversation: a banner where everything runs unasked, what was said, what goes on, what is asked or the line to type
//! in, and the bar.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::prompt::Style;

use super::input::Input;
use super::settings::Settings;
use super::transcript::Transcript;
use crate::draw::{Frame, Surface};
use crate::fold::{self, Spans, line};
use crate::prompt_state::{Asking, Mode};
use crate::theme::{Theme, Tone};

/// The signs of something that goes on.
const SPINNER: [&str; 4] = ["◐", "◓", "◑", "◒"];
/// So many rows of what was said stay above a prompt that is in front of everything, where there is room.
const CONTEXT: u16 = 6;
/// A prompt gets no fewer rows than this, whatever stays above it.
const LEAST_PROMPT: u16 = 20;
/// What stands in an empty line.
const PLACEHOLDER: &str = "say something, or /help";

/// What goes on, and since when.
#[derive(Clone, Debug)]
pub struct Activity {
    /// In words.
    pub words: String,
    /// Since when.
    pub since: Instant,
}

/// How things stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bar {
    /// The mode, and how questions are treated where that is unusual.
    pub mode: String,
    /// The profile.
    pub profile: String,
    /// The agent.
    pub agent: String,
    /// The model; made visible before.
    pub model: String,
    /// How many questions are open.
    pub open: usize,
    /// The sandbox.
    pub sandbox: String,
    /// What it cost so far.
    pub usage: String,
}

/// A conversation on the screen.
pub struct Chat {
    /// What was said.
    pub transcript: Transcript,
    /// What is typed.
    pub input: Input,
    /// How things stand.
    pub bar: Bar,
    /// What has to be seen all the time: that everything runs unasked.
    pub banner: Option<String>,
    /// What goes on.
    pub activity: Option<Activity>,
    /// What is told for a moment.
    pub notice: Option<String>,
    /// The settings, where they are open.
    pub settings: Option<Settings>,
    /// Colours.
    pub theme: Theme,
}

impl Chat {
    /// The frame for a screen of this size, with a prompt where one is open. What it shows of a prompt counts as seen.
    pub fn frame(
        &mut self,
        asking: Option<&mut Asking>,
        width: u16,
        height: u16,
        now: Instant,
    ) -> Frame {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let mut area = Rect::new(0, 0, width, height);
        if let Some(banner) = self.banner.as_ref().filter(|_| height > 2) {
            let words = format!(" {banner}{}", " ".repeat(usize::from(width)));
            fold::put(
                &mut buffer,
                0,
                0,
                usize::from(width),
                &line(Tone::BarDanger, words),
                self.theme,
            );
            area = Rect {
                y: 1,
                height: area.height - 1,
                ..area
            };
        }
        if area.height > 1 {
            area.height -= 1;
            self.bar(&mut buffer, area.bottom(), width);
        }
        if let Some(settings) = &self.settings {
            settings.draw(area, &mut buffer, self.theme);
            return Frame {
                surface: Surface::Whole,
                buffer,
            };
        }
        match asking {
            Some(asking) => self.asked(asking, area, &mut buffer, now),
            None => self.typed(area, &mut buffer, now),
        }
        Frame {
            surface: Surface::Whole,
            buffer,
        }
    }

    /// What was said, and below it the prompt.
    fn asked(&mut self, asking: &mut Asking, area: Rect, buffer: &mut Buffer, now: Instant) {
        let is_front = asking.prompt.style == Style::Modal
            || matches!(asking.mode, Mode::View { .. } | Mode::Help { .. });
        let whole = matches!(asking.mode, Mode::View { .. } | Mode::Help { .. });
        let above = if whole {
            0
        } else {
            area.height.saturating_sub(LEAST_PROMPT).min(CONTEXT)
        };
        let frame = asking.frame(
            area.width,
            if is_front {
                area.height - above
            } else {
                area.height
            },
            now,
        );
        let high = frame.buffer.area.height.min(area.height);
        let rest = area.height - high;
        // What keeps going on is what is asked about: it stands in the prompt.
        self.transcript.draw(
            Rect {
                height: rest,
                ..area
            },
            buffer,
            self.theme,
        );
        for y in 0..high {
            for x in 0..area.width {
                if let (Some(to), Some(from)) = (
                    buffer.cell_mut((area.x + x, area.y + rest + y)),
                    frame.buffer.cell((x, y)),
                ) {
                    *to = from.clone();
                }
            }
        }
    }

    /// What was said, what goes on, and the line to type in.
    fn typed(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) {
        let mut below: Vec<Spans> = Vec::new();
        let width = usize::from(area.width);
        if let Some(activity) = &self.activity {
            below.push(running(activity, now, width));
        }
        let place = if self.transcript.follows() {
            String::new()
        } else {
            " ↓ more below: PgDn ".to_owned()
        };
        let rule = "─".repeat(width.saturating_sub(fold::width(&place)));
        below.push(vec![(Tone::Faint, rule), (Tone::Reach, place)]);
        if let Some(notice) = &self.notice {
            below.extend(fold::fold(&line(Tone::Warning, notice), width, "  "));
        }
        let mut rows = self.input.rows(area.width);
        if self.input.is_empty()
            && !self.input.is_searching()
            && let Some(row) = rows.first_mut()
        {
            row.push((Tone::Faint, PLACEHOLDER.to_owned()));
        }
        below.extend(rows);
        for (words, about) in self.input.proposed() {
            below.push(vec![
                (Tone::Key, format!("  {words:<24}")),
                (Tone::Faint, about.to_owned()),
            ]);
        }
        let high = u16::try_from(below.len())
            .unwrap_or(u16::MAX)
            .min(area.height);
        let skipped = below.len() - usize::from(high);
        self.transcript.draw(
            Rect {
                height: area.height - high,
                ..area
            },
            buffer,
            self.theme,
        );
        for (row, y) in below.iter().skip(skipped).zip(area.bottom() - high..) {
            fold::put(buffer, area.x, y, width, row, self.theme);
        }
    }

    fn bar(&self, buffer: &mut Buffer, y: u16, width: u16) {
        let bar = &self.bar;
        let open = match bar.open {
            0 => String::new(),
            1 => "1 question open".to_owned(),
            open => format!("{open} questions open"),
        };
        let most = usize::from(width);
        let mut text = String::from(" sayso");
        let named = |name: &str, value: &str| {
            if value.is_empty() {
                String::new()
            } else {
                format!("{name} {value}")
            }
        };
        let (mode, profile, agent) = (
            named("mode", &bar.mode),
            named("profile", &bar.profile),
            named("agent", &bar.agent),
        );
        for part in [
            &open,
            &mode,
            &profile,
            &agent,
            &bar.model,
            &bar.sandbox,
            &bar.usage,
        ] {
            // What counts most stands first; what has no room is in `/permissions`.
            if !part.is_empty() && fold::width(&text) + fold::width(part) + 4 <= most {
                text.push_str(&format!(" · {part}"));
            }
        }
        let gap = most.saturating_sub(fold::width(&text));
        text.push_str(&" ".repeat(gap));
        let tone = if self.banner.is_some() {
            Tone::BarDanger
        } else {
            Tone::Bar
        };
        fold::put(buffer, 0, y, most, &line(tone, text), self.theme);
    }
}

fn running(activity: &Activity, now: Instant, width: usize) -> Spans {
    let since = now.saturating_duration_since(activity.since);
    let at = usize::try_from(since.as_millis() / 250).unwrap_or_default() % SPINNER.len();
    let seconds = since.as_secs();
    let time = if seconds >= 60 {
        format!("{} min {} s", seconds / 60, seconds % 60)
    } else {
        format!("{seconds} s")
    };
    let end = format!(" · {time} · Ctrl-C stops");
    // What is done stands above in full; a long name must not push away how to stop it.
    let room = width.saturating_sub(fold::width(&end) + 3);
    let mut words = activity.words.clone();
    while fold::width(&words) > room {
        words.pop();
    }
    if words.len() < activity.words.len() {
        words.push('…');
    }
    let sign = SPINNER.get(at).copied().unwrap_or_default();
    vec![
        (Tone::Key, format!("{sign} ")),
        (Tone::Text, words),
        (Tone::Faint, end),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::item::Item;

    fn chat() -> Chat {
        Chat {
            transcript: Transcript::default(),
            input: Input::default(),
            bar: Bar {
                mode: "balanced".to_owned(),
                profile: "sayso".to_owned(),
                ..Bar::default()
            },
            banner: None,
            activity: None,
            notice: None,
            settings: None,
            theme: Theme::PLAIN,
        }
    }

    fn rows(chat: &mut Chat, width: u16, height: u16) -> Vec<String> {
        let buffer = chat.frame(None, width, height, Instant::now()).buffer;
        (0..height)
            .map(|y| {
                (0..width)
                    .map(|x| buffer[(x, y)].symbol().to_owned())
                    .collect::<String>()
                    .trim_end()
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn a_screen_has_its_parts() {
        let mut chat = chat();
        chat.transcript.add(Item::person("hello"));
        chat.banner = Some("[warn] everything runs".to_owned());
        chat.activity = Some(Activity {
            words: "thinking".to_owned(),
            since: Instant::now(),
        });
        let rows = rows(&mut chat, 60, 10);
        assert_eq!(rows[0], " [warn] everything runs");
        assert_eq!(rows[2], "› hello");
        assert!(
            rows[6].ends_with("thinking · 0 s · Ctrl-C stops"),
            "{rows:#?}"
        );
        assert_eq!(rows[8], "› ▏say something, or /help");
        assert_eq!(rows[9], " sayso · mode balanced · profile sayso");
    }

    #[test]
    fn a_long_name_pushes_nothing_away() {
        let mut chat = chat();
        chat.activity = Some(Activity {
            words: "writing a call of 世".repeat(20),
            since: Instant::now(),
        });
        assert!(rows(&mut chat, 60, 10)[6].ends_with("… · 0 s · Ctrl-C stops"));
    }

    #[test]
    fn any_size_is_drawn() {
        let mut chat = chat();
        chat.transcript.add(Item::person("hello"));
        chat.activity = Some(Activity {
            words: "thinking".to_owned(),
            since: Instant::now(),
        });
        chat.banner = Some("banner".to_owned());
        chat.notice = Some("a notice that is long".to_owned());
        for width in 1..40 {
            for height in 1..12 {
                rows(&mut chat, width, height);
            }
        }
    }
}
