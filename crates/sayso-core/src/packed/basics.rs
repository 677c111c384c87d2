//! How values without fields of their own are packed: numbers, texts, lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::packed::{Packed, Packer, Unpacker};

impl Packed for bool {
    fn pack(&self, out: &mut Packer) {
        out.byte(u8::from(*self));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Packed for u32 {
    fn pack(&self, out: &mut Packer) {
        out.number(u64::from(*self));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.number()?.try_into().ok()
    }
}

impl Packed for u64 {
    fn pack(&self, out: &mut Packer) {
        out.number(*self);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.number()
    }
}

impl Packed for i64 {
    fn pack(&self, out: &mut Packer) {
        out.raw(&self.to_le_bytes());
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(i64::from_le_bytes(*from.raw(8)?.as_array()?))
    }
}

impl Packed for String {
    fn pack(&self, out: &mut Packer) {
        out.text(self);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.text()
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, out: &mut Packer) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(if bool::unpack(from)? {
            Some(T::unpack(from)?)
        } else {
            None
        })
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, out: &mut Packer) {
        out.list(self);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.list()
    }
}

impl<T: Packed> Packed for Arc<T> {
    fn pack(&self, out: &mut Packer) {
        T::pack(self, out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        T::unpack(from).map(Arc::new)
    }
}

impl<One: Packed, Other: Packed> Packed for (One, Other) {
    fn pack(&self, out: &mut Packer) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some((One::unpack(from)?, Other::unpack(from)?))
    }
}

impl<T: Packed> Packed for BTreeMap<String, T> {
    fn pack(&self, out: &mut Packer) {
        out.number(self.len() as u64);
        for (key, value) in self {
            key.pack(out);
            value.pack(out);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        (0..from.count()?).map(|_| Packed::unpack(from)).collect()
    }
}
