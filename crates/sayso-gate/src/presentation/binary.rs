//! Files that are no text: how they are told from text, and what they probably are.

use sayso_core::prompt::presentation::Body;
use sayso_core::text::visible::visible;

use super::{language, size};

/// How files of a type start.
const STARTS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
    (b"\xcf\xfa\xed\xfe", "application/x-executable"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"\x00asm", "application/wasm"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
];

/// What endings stand for, where the start tells nothing.
const ENDINGS: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("ico", "image/x-icon"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("tar", "application/x-tar"),
    ("wasm", "application/wasm"),
    ("so", "application/x-executable"),
    ("exe", "application/x-executable"),
    ("class", "application/java-vm"),
    ("db", "application/vnd.sqlite3"),
    ("sqlite", "application/vnd.sqlite3"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ttf", "font/ttf"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
];

/// The text of these bytes; none if they are no text.
pub fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
}

/// The media type, by how it starts, else by its name.
pub fn media(path: &str, bytes: &[u8]) -> &'static str {
    let by_start = STARTS
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
        .map(|(_, media)| *media);
    let inside = || match (bytes.get(..4)?, bytes.get(4..8)?, bytes.get(8..12)?) {
        (b"RIFF", _, b"WEBP") => Some("image/webp"),
        (b"RIFF", _, b"WAVE") => Some("audio/wav"),
        (_, b"ftyp", _) => Some("video/mp4"),
        _ => None,
    };
    let by_name = || {
        let name = path.rsplit('/').next()?.to_ascii_lowercase();
        let ending = language::ending(&name)?;
        ENDINGS
            .iter()
            .find(|(known, _)| *known == ending)
            .map(|(_, media)| *media)
    };
    by_start
        .or_else(inside)
        .or_else(by_name)
        .unwrap_or("application/octet-stream")
}

/// "Binary file: image/png (2.3 KB)".
pub fn words(media: &str, bytes: u64) -> String {
    format!("Binary file: {media} ({})", size::words(bytes))
}

/// Whether a text of a call is meant as bytes and not to be read: it starts as such files do, and much in it cannot be shown.
///
/// NULs alone do not hide a script from the person: shells run what stands before them.
pub(super) fn is_meant_as_bytes(text: &str) -> bool {
    if !text.contains('\0')
        || !STARTS
            .iter()
            .any(|(start, _)| text.as_bytes().starts_with(start))
    {
        return false;
    }
    let odd = |letter: &char| {
        letter.is_control() && !matches!(letter, '\n' | '\t' | '\r')
            || *letter == char::REPLACEMENT_CHARACTER
    };
    let (all, odd) = (text.chars().count(), text.chars().filter(odd).count());
    odd.saturating_mul(4) > all
}

/// The body for bytes that are no text.
pub(super) fn body(path: &str, bytes: &[u8], size: u64) -> Body {
    Body::Binary {
        path: visible(path).into_owned(),
        media: media(path, bytes),
        size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_types() {
        for (path, bytes, expected) in [
            ("a", &b"\x89PNG\r\n\x1a\n...."[..], "image/png"),
            ("a.txt", b"\x7fELF\x02", "application/x-executable"),
            ("a", b"RIFF....WEBPVP8 ", "image/webp"),
            ("a", b"....ftypisom", "video/mp4"),
            ("x/A.PNG", b"\0", "image/png"),
            ("png", b"\0", "application/octet-stream"),
            ("a.unknown", b"", "application/octet-stream"),
        ] {
            assert_eq!(media(path, bytes), expected, "{path}");
        }
        assert_eq!(words("image/png", 2400), "Binary file: image/png (2.3 KB)");
    }

    #[test]
    fn what_is_text() {
        assert_eq!(text("aä\n".as_bytes()), Some("aä\n"));
        assert_eq!(text(b"a\0b"), None);
        assert_eq!(text(b"\xff\xfe"), None);
        assert!(!is_meant_as_bytes("rm -rf ~ # \0"), "one NUL hides nothing");
        assert!(
            !is_meant_as_bytes("echo a\n\0\0\0\0\0\0\0\0"),
            "nor do many behind a script"
        );
        assert!(is_meant_as_bytes("\u{7f}ELF\0\u{1}\u{2}"));
        assert!(!is_meant_as_bytes("\u{1}\u{2}"));
    }
}
