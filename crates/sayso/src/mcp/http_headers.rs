//! Headers that repeat what a message says: a server might go by them, so they must say the same.

use hyper::HeaderMap;
use sayso_core::node::Node;

/// Refuses headers that say something else than the body: a server might go by them.
pub(super) fn headers_fit(headers: &HeaderMap, method: &str, params: &Node) -> Result<(), String> {
    let named = params.get("name").or_else(|| params.get("uri")).and_then(Node::as_text);
    for (header, wanted) in [("mcp-method", Some(method)), ("mcp-name", named)] {
        let mut all = headers.get_all(header).iter();
        let Some(value) = all.next() else { continue };
        let value = value.to_str().map_err(|_| format!("`{header}` is no plain text"))?;
        let is_coded = value.starts_with("=?base64?");
        let coded = wanted.map(|wanted| format!("=?base64?{}?=", base64(wanted.as_bytes())));
        let fits = if is_coded { coded.as_deref() == Some(value) } else { wanted == Some(value) };
        if all.next().is_some() || !fits {
            return Err(format!("`{header}` says something else than the body"));
        }
    }
    Ok(())
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sign = SIGNS.get((number >> (18 - 6 * place) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if place <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;
    use crate::mcp::message::CALL;

    #[test]
    fn headers_say_what_the_body_says() {
        let params = Node::map([("name", Node::text("ü"))]);
        let fit = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, HeaderValue::from_static(value));
            }
            headers_fit(&headers, CALL, &params).is_ok()
        };
        assert!(fit(&[]) && fit(&[("mcp-method", "tools/call"), ("mcp-name", "=?base64?w7w=?=")]));
        assert!(!fit(&[("mcp-method", "ping")]) && !fit(&[("mcp-name", "other")]) && !fit(&[("mcp-name", "=?base64?b3RoZXI=?=")]));
        assert!(!fit(&[("mcp-method", "tools/call"), ("mcp-method", "tools/call")]));
        assert_eq!((base64(b"a"), base64(b"ab"), base64(b"abc")), ("YQ==".into(), "YWI=".into(), "YWJj".into()));
    }
}
