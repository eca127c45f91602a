//! Connections at the same time: who is shown the door when there are too many.
//!
//! A connection that has become a WebSocket keeps its slot. Before that, a newcomer takes the slot of whoever has been asking for
//! the longest time: a browser asks within milliseconds, and one who drips its request byte by byte keeps nobody out.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Connections at the same time; a browser opens a few.
pub(super) const MOST_CONNECTIONS: usize = 64;
/// A page is answered in this time before a newcomer may end it.
const FAIR_ANSWER: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its request is being read.
    Asking,
    /// It is being sent a page.
    Answered,
    /// It looks on.
    Watching,
}

struct Entry {
    number: u64,
    /// Another handle of its socket, to end it.
    stream: TcpStream,
    phase: Phase,
    since: Instant,
}

#[derive(Default)]
struct Table {
    next: u64,
    entries: Vec<Entry>,
}

/// All slots.
#[derive(Clone, Default)]
pub(super) struct Slots(Arc<Mutex<Table>>);

/// A slot that is taken; given back when dropped, also by a thread that panics.
pub(super) struct Slot {
    slots: Slots,
    number: u64,
}

impl Slots {
    /// A slot for a newcomer; none where everybody else looks on or is being answered.
    pub fn admit(&self, stream: &TcpStream) -> Option<Slot> {
        let stream = stream.try_clone().ok()?;
        let mut table = self.lock();
        if table.entries.len() >= MOST_CONNECTIONS {
            let of = |phase: Phase, age: Duration| {
                // entries are in the order of their arrival
                table.entries.iter().position(|entry| entry.phase == phase && entry.since.elapsed() >= age)
            };
            let leaves = of(Phase::Asking, Duration::ZERO).or_else(|| of(Phase::Answered, FAIR_ANSWER))?;
            let _ = table.entries.remove(leaves).stream.shutdown(Shutdown::Both);
        }
        let number = table.next;
        table.next += 1;
        table.entries.push(Entry { number, stream, phase: Phase::Asking, since: Instant::now() });
        Some(Slot { slots: self.clone(), number })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    fn taken(&self) -> usize {
        self.lock().entries.len()
    }
}

impl Slot {
    /// The request was read and is answered.
    pub fn answer(&self) {
        self.enter(Phase::Answered);
    }

    /// The connection is a WebSocket from here on.
    pub fn watch(&self) {
        self.enter(Phase::Watching);
    }

    fn enter(&self, phase: Phase) {
        let mut table = self.slots.lock();
        if let Some(entry) = table.entries.iter_mut().find(|entry| entry.number == self.number) {
            (entry.phase, entry.since) = (phase, Instant::now());
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.lock().entries.retain(|entry| entry.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;

    fn pair(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        (client, listener.accept().expect("a client").0)
    }

    #[test]
    fn a_newcomer_takes_the_place_of_the_longest_asker_and_of_nobody_who_looks_on() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let slots = Slots::default();
        let mut held = Vec::new();
        for k in 0..MOST_CONNECTIONS {
            let (client, server) = pair(&listener);
            let slot = slots.admit(&server).expect("a free slot");
            if k != 5 {
                slot.watch();
            }
            held.push((client, server, slot));
        }
        let (_client, server) = pair(&listener);
        let newcomer = slots.admit(&server).expect("the asker's slot");
        assert_eq!(held[5].0.read(&mut [0]).expect("an end"), 0); // the asker was shown the door
        newcomer.watch();
        assert!(slots.admit(&server).is_none());
        drop(held.remove(0));
        assert!(slots.admit(&server).is_some());
    }

    #[test]
    fn a_slot_is_given_back_by_a_thread_that_panics() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let slots = Slots::default();
        let (_client, server) = pair(&listener);
        let slot = slots.admit(&server).expect("a free slot");
        assert_eq!(slots.taken(), 1);
        let thread = std::thread::spawn(move || {
            let _slot = slot;
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        assert!(thread.join().is_err());
        assert_eq!(slots.taken(), 0);
    }
}
