//! Parts a stream of server-sent events, so that each can be looked at before it goes on.

/// A longer event goes on unseen.
const LONGEST: usize = 32 << 20;

/// The rest of a stream that is no whole event yet.
#[derive(Default)]
pub(super) struct Events {
    rest: Vec<u8>,
}

/// One event, as it came.
pub(super) struct Event {
    pub bytes: Vec<u8>,
}

impl Events {
    /// Takes a piece of the stream in, and gives the events that are whole now.
    pub(super) fn add(&mut self, piece: &[u8]) -> Vec<Event> {
        self.rest.extend_from_slice(piece);
        let mut out = Vec::new();
        while let Some(end) = end(&self.rest) {
            let rest = self.rest.split_off(end);
            out.push(Event { bytes: std::mem::replace(&mut self.rest, rest) });
        }
        if self.rest.len() > LONGEST {
            out.push(Event { bytes: std::mem::take(&mut self.rest) });
        }
        out
    }

    /// What is left at the end.
    pub(super) fn last(self) -> Vec<u8> {
        self.rest
    }
}

/// Where the first event ends: behind an empty line.
fn end(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        let line = bytes.get(start..at)?;
        if at > 0 && matches!(line, b"" | b"\r") {
            return Some(at + 1);
        }
        start = at + 1;
    }
    None
}

impl Event {
    /// The message in it.
    pub(super) fn data(&self) -> Vec<u8> {
        let mut out: Vec<u8> = Vec::new();
        for line in self.bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some(data) = line.strip_prefix(b"data:") {
                if !out.is_empty() {
                    out.push(b'\n');
                }
                out.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            }
        }
        out
    }

    /// The same event without its message: its id counts for going on after a break.
    pub(super) fn emptied(&self) -> Vec<u8> {
        let lines = self.bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.starts_with(b"id:"));
        let mut out: Vec<u8> = b": left out by sayso\n".to_vec();
        lines.for_each(|line| out.extend_from_slice(line));
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

    #[test]
    fn events_are_parted_wherever_the_pieces_end() {
        let stream = b": hi\n\nid: 7\nevent: message\ndata: {\"a\":\ndata: 1}\n\r\ndata:x\r\n\r\nhalf";
        for size in 1..stream.len() {
            let mut events = Events::default();
            let mut all = Vec::new();
            for piece in stream.chunks(size) {
                all.extend(events.add(piece));
            }
            let data: Vec<Vec<u8>> = all.iter().map(Event::data).collect();
            assert_eq!(data, [b"".to_vec(), b"{\"a\":\n1}".to_vec(), b"x".to_vec()]);
            let mut whole: Vec<u8> = all.iter().flat_map(|event| event.bytes.clone()).collect();
            whole.extend(events.last());
            assert_eq!(whole, stream);
            assert_eq!(all[1].emptied(), b": left out by sayso\nid: 7\n\n");
        }
        assert_eq!(event(b"{\n}\n"), b"event: message\ndata: {\ndata: }\n\n");
    }
}
