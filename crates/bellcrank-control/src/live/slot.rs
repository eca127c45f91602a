//! One value that two threads exchange: the newest counts, and the side that must not wait never does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, TryLockError};
use std::time::Duration;

/// The value, and whether nobody has taken it yet.
pub(super) struct Slot<T> {
    inner: Mutex<(bool, T)>,
    ready: Condvar,
}

impl<T> Slot<T> {
    pub fn new(value: T) -> Self {
        Slot { inner: Mutex::new((false, value)), ready: Condvar::new() }
    }

    /// Fills the slot, if nobody is at it at this moment.
    pub fn offer(&self, fill: impl FnOnce(&mut T)) {
        let mut inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(inner)) => inner.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        fill(&mut inner.1);
        inner.0 = true;
        self.ready.notify_one();
    }

    /// Fills the slot; waits for the moment in which the other side is at it.
    pub fn put(&self, fill: impl FnOnce(&mut T)) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        fill(&mut inner.1);
        inner.0 = true;
    }

    /// Exchanges a new value for `with`, if there is one and nobody is at it at this moment.
    pub fn take(&self, with: &mut T) -> bool {
        let mut inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(inner)) => inner.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let fresh = std::mem::take(&mut inner.0);
        if fresh {
            std::mem::swap(&mut inner.1, with);
        }
        fresh
    }

    /// Waits for a new value and exchanges it for `with`; false when told to stop.
    pub fn wait(&self, with: &mut T, stop: &AtomicBool) -> bool {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            if std::mem::take(&mut inner.0) {
                std::mem::swap(&mut inner.1, with);
                return true;
            }
            // looks again now and then, lest a wake between the look and the wait be missed
            let waited = self.ready.wait_timeout(inner, Duration::from_millis(50));
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Wakes who waits.
    pub fn wake(&self) {
        self.ready.notify_all();
    }
}
