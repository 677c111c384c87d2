//! Server-sent events out of bytes as they come: in pieces of any length, with any line ends, and each event with the bytes that it came in.

use thiserror::Error;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// An event is longer than it may be, or does not end.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("an event is longer than {} MiB", .0 >> 20)]
pub struct TooLong(pub usize);

/// Parts a stream into events.
#[derive(Debug)]
pub struct Events {
    longest: usize,
    /// The start of an event that is not complete yet.
    rest: Vec<u8>,
    /// So far it was looked at, and there the line begins.
    at: usize,
    line: usize,
    /// An event came already.
    has_begun: bool,
}

/// One event, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// All of it, with its line ends.
    pub bytes: Vec<u8>,
    is_first: bool,
}

impl Events {
    /// A stream whose events have no more bytes than that.
    pub fn new(longest: usize) -> Events {
        Events {
            longest,
            rest: Vec::new(),
            at: 0,
            line: 0,
            has_begun: false,
        }
    }

    /// Takes a piece of the stream in, and gives the events that are whole now.
    ///
    /// # Errors
    /// When one is too long.
    pub fn add(&mut self, piece: &[u8]) -> Result<Vec<Event>, TooLong> {
        self.rest.extend_from_slice(piece);
        let (mut out, mut start) = (Vec::new(), 0);
        while let Some(end) = self.end() {
            let bytes = self.rest.get(start..end).unwrap_or_default().to_vec();
            out.push(self.event(bytes)?);
            start = end;
        }
        self.rest.drain(..start);
        (self.at, self.line) = (self.at - start, self.line - start);
        match self.rest.len() > self.longest {
            true => Err(TooLong(self.longest)),
            false => Ok(out),
        }
    }

    /// What is left at the end, which some take for an event, too.
    pub fn last(mut self) -> Option<Event> {
        let rest = std::mem::take(&mut self.rest);
        self.event(rest)
            .ok()
            .filter(|event| !event.bytes.is_empty())
    }

    fn event(&mut self, bytes: Vec<u8>) -> Result<Event, TooLong> {
        if bytes.len() > self.longest {
            return Err(TooLong(self.longest));
        }
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        Ok(Event { bytes, is_first })
    }

    /// Where the next event ends: behind an empty line. Lines end with a line feed, a carriage return, or both.
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
        let bytes = match self.is_first {
            true => self.bytes.strip_prefix(MARK).unwrap_or(&self.bytes),
            false => &self.bytes,
        };
        // Both line ends part lines; between the two of one pair there is an empty one, which says nothing.
        bytes
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .filter(|line| !line.is_empty())
            .map(|line| {
                let colon = line.iter().position(|byte| *byte == b':');
                let (name, value) = line
                    .split_at_checked(colon.unwrap_or(line.len()))
                    .unwrap_or((line, b""));
                let value = value.strip_prefix(b":").unwrap_or(value);
                (name, value.strip_prefix(b" ").unwrap_or(value))
            })
    }

    /// The values of a field.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.fields()
            .filter(move |(field, _)| *field == name.as_bytes())
            .map(|(_, value)| value)
    }

    /// The message in it.
    pub fn data(&self) -> Vec<u8> {
        self.values("data").collect::<Vec<_>>().join(&b'\n')
    }
}

/// A message as an event.
pub fn event(message: &[u8]) -> Vec<u8> {
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

    /// The events of a stream in pieces of this size. Together they have all of its bytes.
    fn parted(stream: &[u8], size: usize) -> Vec<Event> {
        let mut events = Events::new(1 << 20);
        let mut all: Vec<Event> = stream
            .chunks(size)
            .flat_map(|piece| events.add(piece).unwrap())
            .collect();
        all.extend(events.last());
        let whole: Vec<u8> = all.iter().flat_map(|event| event.bytes.clone()).collect();
        assert_eq!(whole, stream, "{size}");
        all
    }

    fn data(events: &[Event]) -> Vec<Vec<u8>> {
        let all = events.iter().map(Event::data);
        all.filter(|data| !data.is_empty()).collect()
    }

    #[test]
    fn events_are_parted_wherever_the_pieces_end() {
        let stream = b": hi\n\nid: 7\r\nevent: message\ndata: {\"a\":\ndata: 1}\n\r\ndata:x\r\n\r\ndata:[DONE]\n\ndata: half";
        let wanted = [&b"{\"a\":\n1}"[..], b"x", b"[DONE]", b"half"];
        for size in 1..=stream.len() {
            let all = parted(stream, size);
            assert_eq!(data(&all), wanted, "{size}");
            let with_id = all.iter().find(|event| event.bytes.starts_with(b"id"));
            let with_id = with_id.unwrap();
            assert_eq!(with_id.values("id").collect::<Vec<_>>(), [b"7"]);
            assert_eq!(with_id.values("event").next(), Some(&b"message"[..]));
        }
        // Also in two pieces, at each byte.
        for at in 0..stream.len() {
            let mut events = Events::new(1 << 20);
            let (one, two) = stream.split_at(at);
            let mut all = events.add(one).unwrap();
            all.extend(events.add(two).unwrap());
            assert_eq!(data(&all), wanted[..3], "what is cut off is no event: {at}");
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
            ("data: a\n\n\u{feff}data: b\n\n", vec!["a"]),
            ("data\ndata:a\n\n", vec!["\na"]),
            ("data:  a : b\ndatabase: x\n\n", vec![" a : b"]),
        ] {
            for size in 1..=stream.len() {
                let data = data(&parted(stream.as_bytes(), size));
                let wanted: Vec<&[u8]> = wanted.iter().map(|text| text.as_bytes()).collect();
                assert_eq!(data, wanted, "{stream:?} {size}");
            }
        }
    }

    #[test]
    fn one_that_is_too_long_is_none() {
        let piece = vec![b'x'; 1 << 10];
        let mut events = Events::new(64 << 10);
        assert!((0..64).all(|_| events.add(&piece).is_ok()));
        assert_eq!(events.add(b"x").unwrap_err(), TooLong(64 << 10));
        assert!(Events::new(8).add(b"data: 1\n\ndata: 2\n\n").is_err());
        assert_eq!(
            TooLong(20 << 20).to_string(),
            "an event is longer than 20 MiB"
        );
        // Many short ones are not one long one.
        let mut events = Events::new(9);
        assert_eq!(
            events.add(&b"data: 1\n\n".repeat(9999)).unwrap().len(),
            9999
        );
    }

    #[test]
    fn bytes_that_are_no_text_come_through_as_they_are() {
        let stream = b"data: \xff\xfe\n\n\xf0\x9f\n\ndata: \xe2\x82\xac\n\n";
        for size in 1..=stream.len() {
            assert_eq!(
                data(&parted(stream, size)),
                [&b"\xff\xfe"[..], b"\xe2\x82\xac"]
            );
        }
        let mut seed = 1u64;
        for _ in 0..400 {
            let noise: Vec<u8> = (0..64)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    b"\r\n:a \xffdt"[(seed >> 61) as usize]
                })
                .collect();
            let whole = data(&parted(&noise, noise.len()));
            for size in [1, 2, 3, 7] {
                assert_eq!(data(&parted(&noise, size)), whole, "{noise:?}");
            }
        }
    }
}
