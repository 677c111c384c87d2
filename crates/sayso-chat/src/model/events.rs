//! Server-sent events out of bytes, as they come: any length of pieces, any line ends, and never without an end.

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name; empty where it has none.
    pub name: String,
    /// What goes with it.
    pub data: String,
}

/// The longest event, in bytes.
const LONGEST: usize = 20 << 20;

/// Reads events.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    name: String,
    data: String,
    /// A line ended with `\r`, and a `\n` behind it belongs to that end.
    carriage: bool,
}

impl Events {
    /// The events that are whole by now.
    ///
    /// # Errors
    /// When it is no text, or has no end.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, String> {
        let mut out = Vec::new();
        for byte in bytes {
            let follows = std::mem::take(&mut self.carriage);
            match byte {
                b'\n' if follows => {}
                b'\n' | b'\r' => {
                    self.carriage = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    out.extend(self.whole(&line)?);
                }
                _ => self.line.push(*byte),
            }
            if self.line.len() + self.data.len() > LONGEST {
                return Err(format!("an event is longer than {} MiB", LONGEST >> 20));
            }
        }
        Ok(out)
    }

    fn whole(&mut self, line: &[u8]) -> Result<Option<Event>, String> {
        let line = std::str::from_utf8(line).map_err(|_| "it is no UTF-8 text".to_owned())?;
        if line.is_empty() {
            let (name, data) = (
                std::mem::take(&mut self.name),
                std::mem::take(&mut self.data),
            );
            return Ok((!data.is_empty()).then_some(Event { name, data }));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.to_owned(),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut events = Events::default();
        pieces
            .iter()
            .flat_map(|piece| events.feed(piece).unwrap())
            .map(|event| (event.name, event.data))
            .collect()
    }

    #[test]
    fn events_are_read_in_any_pieces() {
        let text = b": hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: 1}\r\n\r\nid: 7\ndata:[DONE]\n\ndata: cut";
        let wanted = [
            ("a".to_owned(), "{\"x\":\n1}".to_owned()),
            (String::new(), "[DONE]".to_owned()),
        ];
        assert_eq!(all(&[text]), wanted);
        for at in 0..text.len() {
            assert_eq!(all(&[&text[..at], &text[at..]]), wanted, "{at}");
        }
        assert_eq!(all(&[b"data: a\r\rdata: b\r\r"]).len(), 2);
    }

    #[test]
    fn what_is_no_text_or_has_no_end_is_an_error() {
        assert!(Events::default().feed(b"data: \xff\n").is_err());
        assert!(
            Events::default()
                .feed(&vec![b'x'; LONGEST + 1])
                .unwrap_err()
                .contains("longer")
        );
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Events::default().feed(&bytes);
        }
    }
}
