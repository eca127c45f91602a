//! Commands of browsers that wait for the simulation. Whoever sends more than it can do loses its own oldest ones, and nobody else's.

use std::collections::{HashMap, VecDeque};

/// Commands of one browser that may wait; the page sends a few per frame.
const MOST_WAITING: usize = 256;
/// And their length together [bytes]; the newest one always has room.
const MOST_BYTES: usize = 256 << 10;

#[derive(Default)]
pub(crate) struct Queue {
    waiting: VecDeque<(u64, String)>,
    /// Number and bytes of what waits, by browser.
    sizes: HashMap<u64, (usize, usize)>,
}

impl Queue {
    pub fn push(&mut self, client: u64, command: String) {
        while self.is_full(client, command.len()) {
            let Some(oldest) = self.waiting.iter().position(|(owner, _)| *owner == client) else { break };
            self.remove(oldest);
        }
        let (count, bytes) = self.sizes.entry(client).or_default();
        (*count, *bytes) = (*count + 1, *bytes + command.len());
        self.waiting.push_back((client, command));
    }

    pub fn pop(&mut self) -> Option<String> {
        self.remove(0)
    }

    /// Whether a browser must lose something before so many bytes have room.
    fn is_full(&self, client: u64, more: usize) -> bool {
        let (count, bytes) = self.sizes.get(&client).copied().unwrap_or_default();
        count >= MOST_WAITING || count > 0 && bytes + more > MOST_BYTES
    }

    fn remove(&mut self, at: usize) -> Option<String> {
        let (client, command) = self.waiting.remove(at)?;
        if let Some((count, bytes)) = self.sizes.get_mut(&client) {
            (*count, *bytes) = (*count - 1, *bytes - command.len());
            if *count == 0 {
                self.sizes.remove(&client);
            }
        }
        Some(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(queue: &mut Queue) -> Vec<String> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn a_flood_loses_its_own_oldest_commands_and_nobody_elses() {
        let mut queue = Queue::default();
        queue.push(1, "pause".into());
        for k in 0..10_000_000_u32 {
            if k == 5_000_000 {
                queue.push(1, "play".into());
            }
            // ten million texts would be the allocator's test
            queue.push(2, if k < 9_999_000 { String::new() } else { k.to_string() });
        }
        let left = all(&mut queue);
        assert_eq!(left.len(), 2 + MOST_WAITING);
        assert_eq!((left[0].as_str(), left[1].as_str()), ("pause", "play"));
        assert_eq!(left[2], (10_000_000 - MOST_WAITING).to_string());
        assert_eq!(left.last().map(String::as_str), Some("9999999"));
    }

    #[test]
    fn long_commands_are_bounded_by_their_bytes() {
        let mut queue = Queue::default();
        for _ in 0..1_000 {
            queue.push(1, "x".repeat(64 << 10));
        }
        assert_eq!(all(&mut queue).len(), 4);
        queue.push(1, "x".repeat(1 << 20));
        assert_eq!(all(&mut queue).len(), 1);
    }
}
