//! A small binary form of policy and grants, for processes that live too short to read text.
//!
//! Of a pattern only the words of its author are kept, and what the shell crate made of them: it is read again when it is needed, so no
//! bytes can make a pattern that no text could. Rules stay packed until a call comes that they could be about
//! ([`Shelf`](crate::policy::shelf::Shelf)), and regular expressions are compiled when they are first asked.
//!
//! The form knows no versions: who keeps it keeps [`LAYOUT`] and the version of the program beside it, and a digest, and uses nothing else.
//! Bytes that do not fit are refused and never a panic, and what is made of them is at most a fixed number of times as large as they are.

mod basics;
mod bytes;

use std::sync::Arc;

use crate::grant::Grant;
use crate::policy::Policy;

pub use bytes::{Packer, Unpacker};

/// Changes with every change of the form.
pub const LAYOUT: u32 = 9;

/// What can be packed. A type's own module says how, next to its fields.
pub trait Packed: Sized {
    /// Adds the value.
    fn pack(&self, out: &mut Packer);
    /// Takes a value, or nothing where the bytes are none.
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
}

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

/// Makes a struct or an enum [`Packed`]: the fields one after the other, and before those of a variant its number.
macro_rules! packed {
    (struct $name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::packed::Packed for $name {
            fn pack(&self, out: &mut $crate::packed::Packer) {
                let $name { $($field),* } = self;
                $( $crate::packed::Packed::pack($field, out); )*
            }

            fn unpack(from: &mut $crate::packed::Unpacker<'_>) -> Option<Self> {
                Some($name { $($field: $crate::packed::Packed::unpack(from)?),* })
            }
        }
    };
    (enum $name:ident { $($variant:ident $(($item:ident))? $({ $($field:ident),* })?),* $(,)? }) => {
        impl $crate::packed::Packed for $name {
            fn pack(&self, out: &mut $crate::packed::Packer) {
                enum Number { $($variant),* }
                match self {
                    $( $name::$variant $(($item))? $({ $($field),* })? => {
                        out.byte(Number::$variant as u8);
                        $( $crate::packed::Packed::pack($item, out); )?
                        $( $( $crate::packed::Packed::pack($field, out); )* )?
                    } )*
                }
            }

            fn unpack(from: &mut $crate::packed::Unpacker<'_>) -> Option<Self> {
                enum Number { $($variant),* }
                match from.byte()? {
                    $( number if number == Number::$variant as u8 => {
                        $( let $item = $crate::packed::Packed::unpack(from)?; )?
                        Some($name::$variant $(($item))? $({ $($field: $crate::packed::Packed::unpack(from)?),* })?)
                    } )*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use packed;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::digest::Digest;
    use crate::grant::{GrantKey, Reach};
    use crate::policy::Overrides;
    use crate::policy::command::tests::Blanks;
    use crate::policy::read::{Format, Origin, read};
    use crate::tool::Kind;
    use crate::verdict::Risk;

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
            9,
            "sha256:6d84039dfb255d13a324d508faf61abf63a4891ed2ca4946eac1ba0e288266b7".to_owned(),
        );
        assert_eq!(
            form, known,
            "if the form was changed, LAYOUT grows, and both stand here"
        );
    }
}
