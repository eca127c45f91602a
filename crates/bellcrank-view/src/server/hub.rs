//! Between the simulation and the browsers: the newest frame for all, everyone's commands for one.

use super::queue::Queue;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A message and its number; numbers grow.
#[derive(Clone, Default)]
pub(crate) struct Numbered<T: ?Sized> {
    pub number: u64,
    pub message: Arc<T>,
}

pub(crate) struct Hub {
    /// Sent once to everyone, as text.
    pub scene: String,
    frame: Mutex<Numbered<Vec<u8>>>,
    state: Mutex<Numbered<String>>,
    lines: Mutex<Numbered<String>>,
    commands: Mutex<Queue>,
    clients: AtomicUsize,
    /// Numbers of browsers: no two are alike.
    next: AtomicU64,
    /// Someone has taken the newest frame.
    taken: AtomicBool,
}

impl Hub {
    pub fn new(scene: String) -> Arc<Self> {
        Arc::new(Hub {
            scene,
            frame: Mutex::default(),
            state: Mutex::default(),
            lines: Mutex::default(),
            commands: Mutex::default(),
            clients: AtomicUsize::new(0),
            next: AtomicU64::new(0),
            taken: AtomicBool::new(true),
        })
    }

    pub fn publish_frame(&self, message: Vec<u8>) {
        self.taken.store(false, Ordering::Relaxed);
        replace(&self.frame, message);
    }

    /// Notes that a browser has been sent the newest frame: the next one is wanted.
    pub fn take(&self) {
        self.taken.store(true, Ordering::Relaxed);
    }

    pub fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    pub fn publish_state(&self, json: String) {
        replace(&self.state, json);
    }

    pub fn publish_lines(&self, json: String) {
        replace(&self.lines, json);
    }

    pub fn frame(&self) -> Numbered<Vec<u8>> {
        lock(&self.frame).clone()
    }

    pub fn state(&self) -> Numbered<String> {
        lock(&self.state).clone()
    }

    pub fn lines(&self) -> Numbered<String> {
        lock(&self.lines).clone()
    }

    /// Keeps a command until the simulation has time for it.
    pub fn command(&self, from: &Watcher<'_>, text: String) {
        lock(&self.commands).push(from.number, text);
    }

    /// The oldest command that waits.
    pub fn next_command(&self) -> Option<String> {
        lock(&self.commands).pop()
    }

    pub fn watchers(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }

    /// Someone looks on, until the answer is dropped.
    pub fn come(&self) -> Watcher<'_> {
        self.clients.fetch_add(1, Ordering::Relaxed);
        Watcher { hub: self, number: self.next.fetch_add(1, Ordering::Relaxed) }
    }
}

/// A browser that looks on; gone when dropped, also by a thread that panics.
pub(crate) struct Watcher<'a> {
    hub: &'a Hub,
    number: u64,
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        self.hub.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

fn replace<T>(slot: &Mutex<Numbered<T>>, message: T) {
    let mut slot = lock(slot);
    *slot = Numbered { number: slot.number + 1, message: Arc::new(message) };
}

/// Values here are whole at every moment, so that a thread which died while holding the lock did no harm.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
