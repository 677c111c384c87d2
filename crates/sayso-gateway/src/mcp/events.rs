//! Parts a stream of server-sent events, so that each can be looked at before it goes on.

/// A longer event is none.
const LONGEST: usize = 64 << 20;
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The rest of a stream that is no whole event yet.
#[derive(Default)]
pub(super) struct Events {
    rest: Vec<u8>,
    /// So far it was looked at, and there the line begins.
    at: usize,
    line: usize,
    /// Something came already.
    has_begun: bool,
}

/// One event, as it came.
pub(super) struct Event {
    pub bytes: Vec<u8>,
    is_first: bool,
}

impl Events {
    /// Takes a piece of the stream in, and gives the events that are whole now.
    ///
    /// # Errors
    /// When one does not end: nobody could look at it.
    pub(super) fn add(&mut self, piece: &[u8]) -> Result<Vec<Event>, String> {
        self.rest.extend_from_slice(piece);
        let mut out = Vec::new();
        while let Some(end) = self.end() {
            let rest = self.rest.split_off(end);
            out.push(self.event(rest));
        }
        if self.rest.len() > LONGEST {
            return Err(format!(
                "an event of the server is longer than {} MiB",
                LONGEST >> 20
            ));
        }
        Ok(out)
    }

    /// What is left at the end, which some take for an event, too.
    pub(super) fn last(mut self) -> Option<Event> {
        (!self.rest.is_empty()).then(|| self.event(Vec::new()))
    }

    fn event(&mut self, rest: Vec<u8>) -> Event {
        (self.at, self.line) = (0, 0);
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        Event {
            bytes: std::mem::replace(&mut self.rest, rest),
            is_first,
        }
    }

    /// Where the first event ends: behind an empty line. Lines end with a line feed, a carriage return, or both.
    fn end(&mut self) -> Option<usize> {
        while let Some(byte) = self.rest.get(self.at).copied() {
            let is_empty = self.at == self.line;
            let more = match byte {
                b'\n' => 1,
                b'\r' if self.rest.get(self.at + 1) == Some(&b'\n') => 2,
                // What comes next may belong to it; and behind an empty line it does no harm in front of the next event.
                b'\r' if self.rest.len() == self.at + 1 && !is_empty => return None,
                b'\r' => 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            self.at += more;
            self.line = self.at;
            if is_empty {
                return Some(self.at);
            }
        }
        None
    }
}

impl Event {
    /// Its lines, as names with their values.
    fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let bytes = if self.is_first {
            self.bytes.strip_prefix(MARK).unwrap_or(&self.bytes)
        } else {
            &self.bytes
        };
        // Both line ends part lines; between the two of one pair there is an empty one, which says nothing.
        bytes
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .filter(|line| !line.is_empty())
            .map(|line| {
                let at = line
                    .iter()
                    .position(|byte| *byte == b':')
                    .unwrap_or(line.len());
                let (name, value) = line.split_at_checked(at).unwrap_or((line, b""));
                let value = value.strip_prefix(b":").unwrap_or(value);
                (name, value.strip_prefix(b" ").unwrap_or(value))
            })
    }

    /// The message in it.
    pub(super) fn data(&self) -> Vec<u8> {
        let lines: Vec<&[u8]> = self
            .fields()
            .filter(|(name, _)| *name == b"data")
            .map(|(_, value)| value)
            .collect();
        lines.join(&b'\n')
    }

    /// Whether it tells a client where to send its messages, as the oldest servers do: that is here, and nowhere else.
    pub(super) fn leads_elsewhere(&self) -> bool {
        self.fields()
            .any(|(name, value)| name == b"event" && value == b"endpoint")
    }

    /// The same event without its message: its id counts for going on after a break.
    pub(super) fn emptied(&self) -> Vec<u8> {
        let mut out: Vec<u8> = b": left out by sayso\n".to_vec();
        for (_, value) in self.fields().filter(|(name, _)| *name == b"id") {
            out.extend_from_slice(b"id: ");
            out.extend_from_slice(value);
            out.push(b'\n');
        }
        out.push(b'\n');
        out
    }
}

/// A message as an event.
pub(super) fn event(message: &[u8]) -> Vec<u8> {
    let mut out = b"event: message\n".to_vec();
    for line in message.trim_ascii_end().split(|byte| *byte == b'\n') {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(stream: &[u8], size: usize) -> (Vec<Event>, Vec<u8>) {
        let mut events = Events::default();
        let mut all: Vec<Event> = stream
            .chunks(size)
            .flat_map(|piece| events.add(piece).unwrap())
            .collect();
        all.extend(events.last());
        let whole = all.iter().flat_map(|event| event.bytes.clone()).collect();
        (all, whole)
    }

    #[test]
    fn events_are_parted_wherever_the_pieces_end() {
        let stream =
            b": hi\n\nid: 7\nevent: message\ndata: {\"a\":\ndata: 1}\n\r\ndata:x\r\n\r\ndata: half";
        for size in 1..stream.len() {
            let (all, whole) = parted(stream, size);
            let data: Vec<Vec<u8>> = all
                .iter()
                .map(Event::data)
                .filter(|data| !data.is_empty())
                .collect();
            assert_eq!(
                data,
                [b"{\"a\":\n1}".to_vec(), b"x".to_vec(), b"half".to_vec()],
                "{size}"
            );
            assert_eq!(whole, stream);
            let with_id = all
                .iter()
                .find(|event| event.bytes.starts_with(b"id"))
                .unwrap();
            assert_eq!(with_id.emptied(), b": left out by sayso\nid: 7\n\n");
        }
        assert_eq!(event(b"{\n}\n"), b"event: message\ndata: {\ndata: }\n\n");
    }

    #[test]
    fn every_way_to_end_a_line_and_a_mark_at_the_start_are_seen() {
        for (stream, wanted) in [
            ("data: a\r\rdata: b\r\r", vec!["a", "b"]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", vec!["a", "b"]),
            ("data: 1\rdata: 2\n\ndata: b\n\r", vec!["1\n2", "b"]),
            ("\u{feff}data: a\n\n", vec!["a"]),
            ("data\ndata:a\n\n", vec!["\na"]),
        ] {
            for size in 1..stream.len() {
                let (all, whole) = parted(stream.as_bytes(), size);
                let data: Vec<String> = all
                    .iter()
                    .map(|event| String::from_utf8(event.data()).unwrap())
                    .filter(|data| !data.is_empty())
                    .collect();
                assert_eq!(data, wanted, "{stream:?} {size}");
                assert_eq!(whole, stream.as_bytes());
            }
        }
        let mut events = Events::default();
        let all = events
            .add(b"event: endpoint\ndata: /elsewhere\n\n")
            .unwrap();
        assert!(all[0].leads_elsewhere());
    }

    #[test]
    fn one_that_does_not_end_is_none() {
        let mut events = Events::default();
        let piece = vec![b'x'; 1 << 20];
        assert!((0..70).any(|_| events.add(&piece).is_err()));
    }
}
