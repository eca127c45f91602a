//! Messages in the protocol buffers' format: a field is a key (number · 8 + kind) and a value; kinds 0 whole number in groups of
//! seven bits, 1 eight bytes, 2 length and bytes, 5 four bytes.

/// A message while it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message {
    pub bytes: Vec<u8>,
}

impl Message {
    fn whole(&mut self, mut x: u64) {
        while x >= 0x80 {
            self.bytes.push(x as u8 | 0x80);
            x >>= 7;
        }
        self.bytes.push(x as u8);
    }

    fn key(&mut self, field: u64, kind: u64) {
        self.whole(field << 3 | kind);
    }

    pub fn integer(&mut self, field: u64, x: u64) {
        self.key(field, 0);
        self.whole(x);
    }

    pub fn double(&mut self, field: u64, x: f64) {
        self.key(field, 1);
        self.bytes.extend(x.to_le_bytes());
    }

    pub fn float(&mut self, field: u64, x: f32) {
        self.key(field, 5);
        self.bytes.extend(x.to_le_bytes());
    }

    pub fn raw(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, 2);
        self.whole(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    pub fn text(&mut self, field: u64, text: &str) {
        self.raw(field, text.as_bytes());
    }

    pub fn message(&mut self, field: u64, inner: &Message) {
        self.raw(field, &inner.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's own documentation: field 1 with 150 is 08 96 01; field 2 with "testing" is 12 07 and the
    /// letters; a message with the first in its field 3 is 1a 03 08 96 01.
    #[test]
    fn messages_as_documented() {
        let mut inner = Message::default();
        inner.integer(1, 150);
        assert_eq!(inner.bytes, [0x08, 0x96, 0x01]);
        let mut outer = Message::default();
        outer.message(3, &inner);
        assert_eq!(outer.bytes, [0x1A, 0x03, 0x08, 0x96, 0x01]);
        let mut text = Message::default();
        text.text(2, "testing");
        assert_eq!(text.bytes, [&[0x12, 0x07], &b"testing"[..]].concat());
    }
}
