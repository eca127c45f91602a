//! What outsiders can reach of the viewer, as functions of bytes: for fuzzing.

use crate::live::{Live, LiveOptions};
use crate::server;
use bellcrank_sim::Batch;
use serde_json::json;
use std::io::{self, Cursor, Read, Write};

/// A viewer whose connections are bytes in memory.
#[doc(hidden)]
pub struct Probe {
    live: Live,
    batch: Batch,
}

/// Answers go nowhere.
struct Wire<'a>(Cursor<&'a [u8]>);

impl Read for Wire<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Probe {
    /// # Panics
    /// Where no port of this machine is free.
    pub fn new(batch: Batch) -> Self {
        let live = Live::start(&batch, LiveOptions::default()).expect("a free port");
        Probe { live, batch }
    }

    /// Reads the head of a request.
    pub fn request(bytes: &[u8]) {
        server::judge_request(&mut Wire(Cursor::new(bytes)));
    }

    /// Reads frames of a WebSocket and obeys the commands in them.
    pub fn frames(&mut self, bytes: &[u8]) {
        for text in server::read_messages(Wire(Cursor::new(bytes))) {
            self.live.hear(text);
            let attended = self.live.attend(&mut self.batch);
            debug_assert!(attended.is_ok());
        }
        let shown = self.live.publish(&self.batch);
        debug_assert!(shown.is_ok());
    }

    /// Frames as a browser sends them, masked with zeros: a few commands.
    pub fn sample_frames() -> Vec<u8> {
        let commands = [
            json!({ "type": "play" }),
            json!({ "type": "step", "count": 3 }),
            json!({ "type": "reset", "worlds": [0] }),
            json!({ "type": "keyframe", "worlds": [0], "name": "home" }),
            json!({ "type": "speed", "value": 0.5 }),
            json!({ "type": "program", "on": true }),
            json!({ "type": "target", "worlds": [0], "actuator": 1, "value": 0.1 }),
            json!({ "type": "joint", "world": 0, "joint": 1, "value": 0.2 }),
            json!({ "type": "drag", "world": 0, "body": 0, "anchor": [0, 0, 0.1], "target": [0, 0, 1] }),
            json!({ "type": "release" }),
            json!({ "type": "focus", "world": 0 }),
        ];
        let mut bytes = Vec::new();
        for command in commands {
            let text = command.to_string();
            match u8::try_from(text.len()) {
                Ok(short) if short < 126 => bytes.extend([0x81, 0x80 | short]),
                _ => {
                    bytes.extend([0x81, 0x80 | 126]);
                    bytes.extend((text.len() as u16).to_be_bytes());
                }
            }
            bytes.extend([0; 4]);
            bytes.extend(text.as_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::library;
    use bellcrank_sim::BatchOptions;

    /// The sample is understood to its end: the probe tries what it should.
    #[test]
    fn the_sample_is_what_a_browser_sends() {
        let texts = server::read_messages(Wire(Cursor::new(&Probe::sample_frames())));
        assert_eq!(texts.len(), 11);
        assert!(texts[8].contains("drag") && texts[10].contains("focus"));
        let model = library::four_bar().build().expect("sound");
        let mut probe = Probe::new(Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch"));
        probe.frames(&Probe::sample_frames());
        assert_eq!(probe.live.speed(), 0.5);
    }
}
