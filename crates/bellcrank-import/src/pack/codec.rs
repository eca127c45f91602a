//! Numbers, texts, lists and choices as bytes.

use bellcrank_math::{Pose, Quat, Sym3, Twist, Vec3};
use std::sync::Arc;

/// What can be written as bytes and read again.
pub(super) trait Pack: Sized {
    fn pack(&self, out: &mut Vec<u8>);
    /// `None` where the bytes are not such a thing.
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self>;
}

/// What is left to read.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Reader { rest }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(count)?;
        self.rest = tail;
        Some(head)
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }

    /// A number of things, each of at least one byte: not more than there are bytes.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::unpack(self)?).ok().filter(|count| *count <= self.rest.len())
    }
}

macro_rules! numbers {
    ($($number:ty as $through:ty),*) => {
        $(impl Pack for $number {
            fn pack(&self, out: &mut Vec<u8>) {
                out.extend((*self as $through).to_le_bytes());
            }
            fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
                <$number>::try_from(<$through>::from_le_bytes(bytes.eight()?)).ok()
            }
        })*
    };
}
numbers!(u64 as u64, usize as u64, u32 as u64, i32 as i64);

impl Pack for f64 {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        Some(f64::from_le_bytes(bytes.eight()?))
    }
}

impl Pack for f32 {
    fn pack(&self, out: &mut Vec<u8>) {
        f64::from(*self).pack(out);
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        Some(f64::unpack(bytes)? as f32)
    }
}

impl Pack for u8 {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        bytes.take(1).map(|byte| byte[0])
    }
}

impl Pack for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        u8::from(*self).pack(out);
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        match u8::unpack(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Pack for String {
    fn pack(&self, out: &mut Vec<u8>) {
        self.len().pack(out);
        out.extend(self.as_bytes());
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        let count = bytes.count()?;
        String::from_utf8(bytes.take(count)?.to_vec()).ok()
    }
}

impl Pack for Arc<str> {
    fn pack(&self, out: &mut Vec<u8>) {
        (**self).to_owned().pack(out);
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        Some(String::unpack(bytes)?.into())
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.len().pack(out);
        self.iter().for_each(|item| item.pack(out));
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        (0..bytes.count()?).map(|_| T::unpack(bytes)).collect()
    }
}

impl<T: Pack, const N: usize> Pack for [T; N] {
    fn pack(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.pack(out));
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        let items: Vec<T> = (0..N).map(|_| T::unpack(bytes)).collect::<Option<_>>()?;
        items.try_into().ok()
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        self.iter().for_each(|item| item.pack(out));
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        if bool::unpack(bytes)? { T::unpack(bytes).map(Some) } else { Some(None) }
    }
}

impl<T: Pack> Pack for Arc<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        (**self).pack(out);
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        T::unpack(bytes).map(Arc::new)
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }
    fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
        Some((A::unpack(bytes)?, B::unpack(bytes)?))
    }
}

/// The fields of a structure, one after the other.
macro_rules! fields {
    ($($name:ident { $($field:ident),* $(,)? })*) => {
        $(impl Pack for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                $(self.$field.pack(out);)*
            }
            fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
                Some($name { $($field: Pack::unpack(bytes)?),* })
            }
        })*
    };
}
pub(super) use fields;

/// The number of a variant and its fields. Numbers stay what they are: new variants come last.
macro_rules! choices {
    ($($name:ident { $($number:literal = $variant:ident $({ $($field:ident),* })? $(( $($item:ident),* ))?),* $(,)? })*) => {
        $(impl Pack for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                match self {
                    $($name::$variant $({ $($field),* })? $(( $($item),* ))? => {
                        out.push($number);
                        $($($field.pack(out);)*)?
                        $($($item.pack(out);)*)?
                    })*
                }
            }
            fn unpack(bytes: &mut Reader<'_>) -> Option<Self> {
                Some(match u8::unpack(bytes)? {
                    $($number => {
                        $($(let $field = Pack::unpack(bytes)?;)*)?
                        $($(let $item = Pack::unpack(bytes)?;)*)?
                        $name::$variant $({ $($field),* })? $(( $($item),* ))?
                    })*
                    _ => return None,
                })
            }
        })*
    };
}
pub(super) use choices;

fields! {
    Vec3 { x, y, z }
    Quat { w, x, y, z }
    Pose { R, p }
    Sym3 { xx, xy, xz, yy, yz, zz }
    Twist { linear, angular }
}
