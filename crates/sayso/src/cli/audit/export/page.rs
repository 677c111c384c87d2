//! The frame of the page: text that stays text, and a rule for browsers that lets nothing in but this page's own style and script.

use sayso_core::text::digest::Digest;
use sayso_core::text::visible::{visible, visible_again, visible_block};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Everything up to the content.
pub(super) fn opening(title: &str) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        base64(Digest::of_bytes(STYLE.as_bytes()).bytes()),
        base64(Digest::of_bytes(SCRIPT.as_bytes()).bytes())
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        escaped(title)
    )
}

/// Everything behind the content.
pub(super) fn closing() -> String {
    format!("<script>{SCRIPT}</script>\n</body>\n</html>\n")
}

/// Text on one line: nothing in it is hidden, and nothing in it is markup.
pub(super) fn escaped(text: &str) -> String {
    escape(&visible(text))
}

/// The same for text that was made visible before.
pub(super) fn escaped_again(text: &str) -> String {
    escape(&visible_again(text))
}

/// The same for text of several lines.
pub(super) fn escaped_block(text: &str) -> String {
    escape(&visible_block(text))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for piece in bytes.chunks(3) {
        let byte = |index: usize| u32::from(piece.get(index).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS
                .get((all >> (18 - 6 * place) & 63) as usize)
                .copied()
                .unwrap_or(b'=');
            out.push(if place <= piece.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_everybody_writes_it() {
        for (text, written) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("\u{ff}>", "w78+"),
        ] {
            assert_eq!(base64(text.as_bytes()), written, "{text}");
        }
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(
            escaped("</script><img src=x onerror='a(\"&\")'>"),
            "&lt;/script&gt;&lt;img src=x onerror=&#39;a(&quot;&amp;&quot;)&#39;&gt;"
        );
        assert_eq!(escaped("a\nb\u{202e}"), "a␊b‹U+202E›");
        assert_eq!(escaped_block("a\nb\0"), "a\nb␀");
    }

    /// Were one of these in them, the browser would end them early and the digests would not fit.
    #[test]
    fn style_and_script_hold_no_markup() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("eval("));
    }
}
