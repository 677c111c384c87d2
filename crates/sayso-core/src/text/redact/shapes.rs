//! Secrets that are known by their shape, wherever they stand: tokens that services mark with a prefix, signed tokens, private keys.

use super::Place;

/// A kind of token.
struct Shape {
    start: &'static str,
    /// How many characters follow at least.
    least: usize,
    /// Whether a digit must be among them: the prefix alone says little.
    digit: bool,
}

const fn shape(start: &'static str, least: usize) -> Shape {
    Shape {
        start,
        least,
        digit: false,
    }
}

const fn unsure(start: &'static str, least: usize) -> Shape {
    Shape {
        start,
        least,
        digit: true,
    }
}

const SHAPES: &[Shape] = &[
    shape("ghp_", 20),
    shape("gho_", 20),
    shape("ghu_", 20),
    shape("ghs_", 20),
    shape("ghr_", 20),
    shape("github_pat_", 20),
    shape("glpat-", 16),
    shape("gldt-", 16),
    shape("glrt-", 16),
    shape("glsa_", 20),
    unsure("sk-", 16),
    shape("sk_live_", 16),
    shape("sk_test_", 16),
    shape("rk_live_", 16),
    shape("rk_test_", 16),
    shape("whsec_", 16),
    shape("xoxa-", 10),
    shape("xoxb-", 10),
    shape("xoxe-", 10),
    shape("xoxo-", 10),
    shape("xoxp-", 10),
    shape("xoxr-", 10),
    shape("xoxs-", 10),
    shape("xapp-", 10),
    unsure("AKIA", 16),
    unsure("ASIA", 16),
    shape("AIza", 30),
    shape("ya29.", 20),
    shape("GOCSPX-", 20),
    shape("npm_", 30),
    unsure("pypi-", 40),
    unsure("hf_", 24),
    unsure("gsk_", 24),
    unsure("r8_", 24),
    unsure("xai-", 24),
    shape("nvapi-", 24),
    shape("dop_v1_", 24),
    shape("doo_v1_", 24),
    shape("shpat_", 24),
    shape("shpss_", 24),
    shape("SG.", 30),
    shape("hvs.", 20),
    shape("hvb.", 20),
    shape("dckr_pat_", 16),
    shape("tskey-", 16),
    shape("figd_", 20),
    shape("lin_api_", 20),
    shape("ATATT3", 20),
    shape("PMAK-", 20),
    shape("sntrys_", 20),
    shape("rubygems_", 20),
    shape("AGE-SECRET-KEY-", 20),
];

/// Shortest part of a signed token.
const SIGNED: usize = 8;

fn is_body(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(super) fn find(text: &str, places: &mut Vec<Place>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut before = b' ';
    let mut dot = Dot::default();
    while let Some(byte) = bytes.get(at).copied() {
        let found = if byte == b'-' && before != b'-' {
            private_key(text, at)
        } else if !before.is_ascii_alphanumeric() && byte.is_ascii_alphabetic() {
            token(text, at).or_else(|| signed(text, at, &mut dot))
        } else {
            None
        };
        match found {
            Some(end) => {
                places.push((at, end));
                before = b' ';
                at = end.max(at + 1);
            }
            None => {
                before = byte;
                at += 1;
            }
        }
    }
}

/// Behind a token that starts here.
fn token(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let shape = SHAPES.iter().find(|shape| {
        rest.strip_prefix(shape.start).is_some_and(|body| {
            let mut body = body.bytes().take(shape.least);
            let digits = body.clone().any(|byte| byte.is_ascii_digit());
            body.len() == shape.least && body.all(is_body) && (digits || !shape.digit)
        })
    })?;
    let body = rest.get(shape.start.len()..)?;
    let length = body
        .bytes()
        .take_while(|byte| is_body(*byte) || *byte == b'.')
        .count();
    // The full stop of a sentence is none of the token.
    let token = body.get(..length)?.trim_end_matches(['.', '-']);
    Some(at + shape.start.len() + token.len())
}

/// The next full stop, and where the word before it starts; looked for once for all places before it.
#[derive(Default)]
struct Dot(Option<(usize, usize)>);

impl Dot {
    fn from(&mut self, text: &str, at: usize) -> Option<(usize, usize)> {
        if self.0.is_none_or(|(_, dot)| dot < at) {
            let distance = text.get(at..)?.find('.');
            self.0 = Some(distance.map_or((usize::MAX, usize::MAX), |distance| {
                let before = text.get(at..at + distance).unwrap_or_default();
                let word = before
                    .bytes()
                    .rev()
                    .take_while(|byte| is_body(*byte))
                    .count();
                (at + distance - word, at + distance)
            }));
        }
        self.0.filter(|(_, dot)| *dot != usize::MAX)
    }
}

/// Behind a signed token (`eyJ….….…`) that starts here.
fn signed(text: &str, at: usize, dot: &mut Dot) -> Option<usize> {
    if !text.get(at..)?.starts_with("eyJ") {
        return None;
    }
    let (word, dot) = dot.from(text, at)?;
    let body = text.get(dot + 1..)?;
    let enough = dot - at >= SIGNED
        && body
            .bytes()
            .take(SIGNED)
            .filter(|byte| is_body(*byte))
            .count()
            == SIGNED;
    if !enough || at < word {
        return None;
    }
    let length = body
        .bytes()
        .take_while(|byte| is_body(*byte) || *byte == b'.')
        .count();
    Some(dot + 1 + body.get(..length)?.trim_end_matches('.').len())
}

/// Behind a private key that starts here; one without an end goes on to the end of the text.
fn private_key(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let title = rest.strip_prefix("-----BEGIN ")?;
    let line = title.get(..title.bytes().take(80).position(|byte| byte == b'-')?)?;
    if !line.contains("PRIVATE KEY") {
        return None;
    }
    let end = match rest.find("-----END ") {
        Some(end) => {
            let behind = rest.get(end + "-----END ".len()..)?;
            let closing = behind
                .bytes()
                .take(80)
                .position(|byte| byte == b'-')
                .unwrap_or_default();
            let dashes = behind
                .get(closing..)?
                .bytes()
                .take_while(|byte| *byte == b'-')
                .count();
            end + "-----END ".len() + closing + dashes
        }
        None => rest.len(),
    };
    Some(at + end)
}
