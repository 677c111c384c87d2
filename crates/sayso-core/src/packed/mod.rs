//! A small binary form of values. A leaf: each type says beside its fields how it is packed.
//!
//! Bytes that do not fit are refused and never a panic, and what is made of them is at most a fixed number of times as large as they are.

mod basics;
mod bytes;

pub use bytes::{Packer, Unpacker};

/// What can be packed. A type's own module says how, next to its fields.
pub trait Packed: Sized {
    /// Adds the value.
    fn pack(&self, out: &mut Packer);
    /// Takes a value, or nothing where the bytes are none.
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
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
