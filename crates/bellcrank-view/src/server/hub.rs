//! Between the simulation and the browsers: the newest frame for all, everyone's commands for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
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
    commands: Mutex<Sender<String>>,
    clients: AtomicUsize,
    /// Someone has taken the newest frame.
    taken: AtomicBool,
}

impl Hub {
    pub fn new(scene: String) -> (Arc<Self>, Receiver<String>) {
        let (sender, receiver) = channel();
        let hub = Hub {
            scene,
            frame: Mutex::default(),
            state: Mutex::default(),
            commands: Mutex::new(sender),
            clients: AtomicUsize::new(0),
            taken: AtomicBool::new(true),
        };
        (Arc::new(hub), receiver)
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

    pub fn frame(&self) -> Numbered<Vec<u8>> {
        lock(&self.frame).clone()
    }

    pub fn state(&self) -> Numbered<String> {
        lock(&self.state).clone()
    }

    /// Passes a command on; the simulation may have ended, and then nobody needs it.
    pub fn command(&self, text: String) {
        let _ = lock(&self.commands).send(text);
    }

    pub fn watchers(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }

    pub fn come(&self) {
        self.clients.fetch_add(1, Ordering::Relaxed);
    }

    pub fn go(&self) {
        self.clients.fetch_sub(1, Ordering::Relaxed);
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
