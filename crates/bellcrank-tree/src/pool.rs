//! Threads that help with one call at a time.
//!
//! A call takes from some tens of microseconds to milliseconds, and a sleeping thread needs as long to begin. Hence a
//! helper that has nothing to do watches out for the next call for [`SPIN_TIME`] before it sleeps: in calls that follow each
//! other closely helpers begin at once, and when calls end they cost the processor those microseconds and no more.
//!
//! Nobody waits for a helper that has not begun: whoever comes late finds the call closed. A call that finds the helpers
//! busy with another one works alone. A process that was forked has none of its parent's helpers, and no lock that one of them held
//! is ever given back there: it gets a pool of its own.

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a helper looks for work before it sleeps, and a caller for the last helper's end.
const SPIN_TIME: Duration = Duration::from_micros(50);

type Job<'a> = &'a (dyn Fn() + Sync);

/// Forks of forks that get helpers of their own; beyond, calls work alone.
const GENERATIONS: usize = 8;

/// By process: a parent's pool stays as it was at the fork, and is not looked at again.
static POOLS: [OnceLock<Pool>; GENERATIONS] = [const { OnceLock::new() }; GENERATIONS];

/// All helpers of the process.
struct Pool {
    process: u32,
    /// Held by the call that is being helped.
    busy: Mutex<()>,
    shared: Mutex<Shared>,
    /// The number of the last call, for those who watch out without a lock.
    number: AtomicUsize,
    /// How many helpers are at work on it.
    inside: AtomicUsize,
    /// Wakes helpers.
    wakeup: Condvar,
    /// Wakes the caller when the last helper has left.
    empty: Condvar,
}

/// What changes hands under a lock.
struct Shared {
    job: Option<Job<'static>>,
    /// How many helpers may still come in.
    slots: usize,
    /// Threads that exist, and those of them that sleep.
    members: usize,
    asleep: usize,
    /// The caller sleeps until the last helper has left.
    waited_for: bool,
    panic: Option<Box<dyn Any + Send>>,
}

/// The pool of this process.
fn pool() -> Option<&'static Pool> {
    let process = std::process::id();
    let own = |pool: &&Pool| pool.process == process;
    POOLS.iter().map(|pool| pool.get_or_init(|| Pool::new(process))).find(own)
}

/// Runs `own` here and, at the same time, `job` on up to `helpers` other threads; at most so many of those that sleep
/// are woken. Returns when `own` has returned and every helper that had begun has ended.
pub(crate) fn work_together(helpers: usize, woken: usize, job: Job<'_>, own: impl FnOnce()) {
    let Some(pool) = pool() else { return own() };
    let _turn = match pool.busy.try_lock() {
        Ok(turn) => turn,
        Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        Err(TryLockError::WouldBlock) => return own(),
    };
    let open = Open::new(pool, helpers, woken, job);
    own();
    drop(open);
    let panic = pool.shared().panic.take();
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

/// A call that helpers may join; until it is dropped.
struct Open {
    pool: &'static Pool,
}

impl Open {
    fn new(pool: &'static Pool, helpers: usize, woken: usize, job: Job<'_>) -> Self {
        // SAFETY: `job` is called by helpers only, between here and the end of `Open::drop`, which lets nobody in any
        // more and waits for everybody inside. `work_together` owns the `Open` and drops it, also when it unwinds, before
        // the borrow of `job` ends.
        let job = unsafe { std::mem::transmute::<Job<'_>, Job<'static>>(job) };
        let mut shared = pool.shared();
        (shared.job, shared.slots, shared.panic) = (Some(job), helpers, None);
        pool.number.fetch_add(1, Ordering::Release);
        let woken = woken.min(helpers);
        while shared.members < woken && start_helper(pool, shared.members) {
            shared.members += 1;
        }
        let awake = shared.members - shared.asleep;
        for _ in 0..woken.saturating_sub(awake).min(shared.asleep) {
            pool.wakeup.notify_one();
        }
        Open { pool }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut shared = self.pool.shared();
        (shared.job, shared.slots) = (None, 0);
        drop(shared);
        let start = Instant::now();
        while self.pool.inside.load(Ordering::Acquire) > 0 {
            if start.elapsed() > SPIN_TIME {
                return self.pool.wait_until_empty();
            }
            spin_loop();
        }
    }
}

/// False where the system has no thread to give.
fn start_helper(pool: &'static Pool, index: usize) -> bool {
    let name = format!("bellcrank-{}", index + 1);
    thread::Builder::new().name(name).spawn(|| pool.help()).is_ok()
}

impl Pool {
    fn new(process: u32) -> Self {
        Pool {
            process,
            busy: Mutex::new(()),
            shared: Mutex::new(Shared {
                job: None,
                slots: 0,
                members: 0,
                asleep: 0,
                waited_for: false,
                panic: None,
            }),
            number: AtomicUsize::new(0),
            inside: AtomicUsize::new(0),
            wakeup: Condvar::new(),
            empty: Condvar::new(),
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until_empty(&self) {
        let mut shared = self.shared();
        while self.inside.load(Ordering::Acquire) > 0 {
            shared.waited_for = true;
            shared = self.empty.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
        shared.waited_for = false;
    }

    /// A helper's life: it never helps twice with the same call.
    fn help(&self) {
        let mut last = 0;
        loop {
            if let Some(job) = self.enter(&mut last) {
                let result = catch_unwind(AssertUnwindSafe(job));
                self.leave(result.err());
            }
            self.watch(last);
        }
    }

    fn enter(&self, last: &mut usize) -> Option<Job<'static>> {
        let mut shared = self.shared();
        let number = self.number.load(Ordering::Acquire);
        if number == *last || shared.slots == 0 {
            *last = number; // full, or over
            return None;
        }
        *last = number;
        shared.slots -= 1;
        self.inside.fetch_add(1, Ordering::AcqRel);
        shared.job
    }

    fn leave(&self, panic: Option<Box<dyn Any + Send>>) {
        let mut shared = self.shared();
        if panic.is_some() {
            shared.panic = panic;
        }
        let before = self.inside.fetch_sub(1, Ordering::AcqRel);
        if before == 1 && shared.waited_for {
            self.empty.notify_one();
        }
    }

    /// Returns when there is a call after the `last` one.
    fn watch(&self, last: usize) {
        let start = Instant::now();
        while start.elapsed() < SPIN_TIME {
            if self.number.load(Ordering::Acquire) != last {
                return;
            }
            spin_loop();
        }
        let mut shared = self.shared();
        shared.asleep += 1;
        while self.number.load(Ordering::Acquire) == last || shared.slots == 0 {
            shared = self.wakeup.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
        shared.asleep -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody else's test may take the pool meanwhile.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    #[test]
    fn every_piece_is_done_once_by_whoever_is_there() {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        for round in 0..2000 {
            let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let job = || {
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= 100 {
                        break;
                    }
                    sum.fetch_add(piece, Ordering::Relaxed);
                }
            };
            work_together(3, round % 4, &job, job);
            assert_eq!(sum.into_inner(), 99 * 100 / 2);
        }
    }

    #[test]
    fn a_helper_is_there_when_one_is_waited_for_and_its_panic_is_the_callers() {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let came = AtomicUsize::new(0);
        let job = || {
            came.fetch_add(1, Ordering::SeqCst);
            panic!("on purpose");
        };
        let wait = || {
            while came.load(Ordering::SeqCst) == 0 {
                thread::yield_now();
            }
        };
        let result = catch_unwind(AssertUnwindSafe(|| work_together(1, 1, &job, wait)));
        let message = result.expect_err("the helper's panic");
        assert_eq!(message.downcast_ref::<&str>(), Some(&"on purpose"));
    }

    #[test]
    fn a_call_within_a_call_works_alone() {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let done = AtomicUsize::new(0);
        let inner = || {
            work_together(1, 1, &|| (), || {
                done.fetch_add(1, Ordering::SeqCst);
            })
        };
        work_together(1, 1, &|| (), inner);
        assert_eq!(done.into_inner(), 1);
    }
}
