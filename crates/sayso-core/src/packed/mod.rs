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
pub const LAYOUT: u32 = 1;

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
