//! Policy and grants as bytes, for processes that live too short to read text.
//!
//! Of a pattern only the words of its author are kept, and what the shell crate made of them: it is read again when it is needed, so no
//! bytes can make a pattern that no text could. Rules stay packed until a call comes that they could be about
//! ([`Shelf`](crate::policy::lazy_rules::Shelf)), and regular expressions are compiled when they are first asked.
//!
//! The form knows no versions: keep [`LAYOUT`], the version of the program and a digest beside it, and use nothing else.

use std::sync::Arc;

use crate::answer::grant::Grant;
use crate::packed::{Packed, Packer, Unpacker};
use crate::policy::Policy;

/// Changes with every change of the form.
pub const LAYOUT: u32 = 10;

/// Policy and grants as bytes; the same values are always the same bytes.
pub fn pack(policy: &Policy, grants: &[Grant]) -> Vec<u8> {
    let mut out = Packer::new();
    policy.pack(&mut out);
    out.list(grants);
    out.finish()
}

/// The policy and grants of bytes that [`pack`] made. The rules keep the bytes.
pub fn unpack(bytes: Vec<u8>) -> Option<(Policy, Vec<Grant>)> {
    let bytes = Arc::new(bytes);
    let mut from = Unpacker::new(&bytes);
    let both = (Policy::unpack(&mut from)?, Vec::unpack(&mut from)?);
    from.is_done().then_some(both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::risk::Risk;
    use crate::answer::grant::{GrantKey, Reach};
    use crate::call::tool::Kind;
    use crate::policy::Overrides;
    use crate::policy::command_pattern::tests::Blanks;
    use crate::policy::read::{Format, Origin, read};
    use crate::text::diagnostic::Source;
    use crate::text::digest::Digest;

    const TEXT: &str = r#"
safe_commands: ["a {b,c} *"]
safe_paths: ["docs/**"]
safe_path_regexes: ["x.*"]
protected_paths: [infra/prod]
shell.rules: [{pattern: a, allowed: false}]
sandbox.paths: {src: {root: src, mode: rw}}
agents: {rev: {mode: safe-only}}
rules:
  - {allow: {command: "a b *"}, except: {command: a}, when: {uses: 3, until: 2090-01-01, workspace: /ws}, match: ["a b"]}
  - {deny: {command_regex: "x"}, reason: why}
  - {deny: {read: x}}
  - {deny: {write: x}}
  - {deny: {delete: x}}
  - {deny: {fetch: x.org}}
  - {deny: {mcp: a/b}}
  - {deny: {tool: x}}
  - {deny: {delegate: x}}
"#;

    /// The same program may find bytes of an earlier build, and only [`LAYOUT`] tells it.
    #[test]
    fn another_form_has_another_layout() {
        let (layer, findings) = read(
            Source {
                name: "policy.yaml",
                text: TEXT,
            },
            Format::Yaml,
            Origin::User,
            &Blanks,
        );
        let layer = layer.unwrap_or_else(|| panic!("{findings:?}"));
        // No profile of this name: what the profiles say is no part of the form.
        let policy = Policy::assemble(
            vec![layer],
            &Overrides {
                profile: Some("none".to_owned()),
                ..Overrides::default()
            },
            &Blanks,
        );
        let digest = Digest::of_bytes(b"");
        let grant = Grant {
            id: "g".to_owned(),
            key: GrantKey::AnyContent {
                kind: Kind::Opaque,
                path: "/x".to_owned(),
            },
            reach: Reach::Always,
            agent: "a".to_owned(),
            expires: Some(1),
            uses_left: Some(1),
            risk: Risk::Unknown,
            seal: Some(digest),
        };
        let form = (
            LAYOUT,
            Digest::of_bytes(&pack(&policy, &[grant])).to_string(),
        );
        let known = (
            10,
            "sha256:821d1567f8393b2a9e93baed595d348a303ebbe9722d5f460bb8792d0dfb50ae".to_owned(),
        );
        assert_eq!(
            form, known,
            "if the form was changed, LAYOUT grows, and both stand here"
        );
    }
}
