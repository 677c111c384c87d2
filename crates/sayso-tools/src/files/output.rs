//! Output that cannot grow without end.

/// The most that one call gives back, in bytes.
pub(super) const MOST: usize = 256 * 1024;

/// Lines up to a limit, and how many there were beyond it.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    /// How many lines are in.
    pub count: usize,
    /// It is full: nothing more gets in.
    pub full: bool,
}

impl Lines {
    /// Adds a line if there is room. Line breaks in it would make two lines of one, so they are shown as pictures.
    pub fn add(&mut self, line: &str) {
        let line = line.replace('\n', "\u{240A}");
        if self.full || self.text.len() + line.len() + 1 > MOST {
            self.full = true;
            return;
        }
        self.text.push_str(&line);
        self.text.push('\n');
        self.count += 1;
    }

    /// The text with a note at its end.
    pub fn with_note(mut self, note: Option<String>) -> String {
        if let Some(note) = note {
            self.text.push_str(&format!("[{note}]\n"));
        }
        self.text
    }
}

/// What bytes are that are no text; none for text.
pub(super) fn binary_kind(start: &[u8]) -> Option<&'static str> {
    const SIGNS: &[(&[u8], &str)] = &[
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF-", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b", "data packed with gzip"),
        (b"\x28\xb5\x2f\xfd", "data packed with zstd"),
        (b"\xfd7zXZ\0", "data packed with xz"),
        (b"\x7fELF", "a program"),
        (b"SQLite format 3\0", "a SQLite database"),
    ];
    let sign = SIGNS
        .iter()
        .find(|(sign, _)| start.starts_with(sign))
        .map(|(_, what)| *what);
    sign.or_else(|| start.contains(&0).then_some("binary data"))
}
