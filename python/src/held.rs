//! Worlds behind a lock, together with what looks on: the last report, a recording, a viewer.
//!
//! One thread at a time. The viewer's thread is the exception: it gives the worlds up as soon as Python wants them, and
//! takes them again when Python has left them alone for a while.

use crate::error::{Problem, broken, said};
use bellcrank::sim::{self, StepReport as Figures};
use bellcrank::tasks::Env;
use bellcrank::view::{Live, RecordOptions, Recorder, ViewError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, TryLockError, Weak};
use std::time::{Duration, Instant};

/// A viewer gives the worlds up within a frame's time and its stepping, about 50 ms.
const VIEWER_YIELDS: Duration = Duration::from_secs(5);
/// The viewer takes the worlds again when Python has not used them for so long.
const QUIET: Duration = Duration::from_millis(50);

/// The worlds of a batch, for Python and for the viewer's thread.
pub struct Shared {
    /// `None` once closed.
    held: Mutex<Option<Held>>,
    /// Python wants the worlds from the viewer.
    wanted: AtomicBool,
    /// The viewer has them, or may take them.
    viewed: AtomicBool,
    /// How often the viewer had them: arrays must be read afresh after that.
    turns: AtomicU64,
    used: Mutex<Instant>,
}

impl Shared {
    pub fn new(batch: sim::Batch) -> Arc<Self> {
        let held = Held { batch, report: Weak::new(), recording: None, live: None, trouble: None, pace: 1 };
        Arc::new(Shared {
            held: Mutex::new(Some(held)),
            wanted: AtomicBool::new(false),
            viewed: AtomicBool::new(false),
            turns: AtomicU64::new(0),
            used: Mutex::new(Instant::now()),
        })
    }

    /// The open worlds, or why not.
    pub fn lock(&self, py: Python<'_>) -> PyResult<Guard<'_>> {
        let begin = Instant::now();
        let guard = loop {
            match self.held.try_lock() {
                Ok(guard) => break guard,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if self.is_viewed() && begin.elapsed() < VIEWER_YIELDS => {
                    self.wanted.store(true, Ordering::Relaxed);
                    py.detach(|| std::thread::sleep(Duration::from_millis(1)));
                    py.check_signals()?;
                }
                Err(TryLockError::WouldBlock) => {
                    let hint = "one thread at a time: give each thread a batch of its own";
                    return Err(said("BatchBusy", "another thread is using this batch", hint));
                }
            }
        };
        if guard.is_none() {
            return Err(said("BatchClosed", "the batch is closed", "make a new one"));
        }
        Ok(Guard { held: guard, shared: self })
    }

    /// The open worlds, for a thread that Python does not wait for; `None` where they are closed.
    pub fn wait<T>(&self, work: impl FnOnce(&mut Held) -> T) -> Option<T> {
        loop {
            match self.held.try_lock() {
                Ok(mut held) => return held.as_mut().map(work),
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner().as_mut().map(work),
                Err(TryLockError::WouldBlock) => {
                    self.wanted.store(true, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }

    pub fn is_closed(&self) -> bool {
        self.held.try_lock().is_ok_and(|held| held.is_none())
    }

    /// How often the viewer had the worlds.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// Whether there is a viewer.
    pub fn is_viewed(&self) -> bool {
        self.viewed.load(Ordering::Relaxed)
    }

    fn idle(&self) -> Duration {
        self.used.lock().map_or(Duration::ZERO, |used| used.elapsed())
    }

    /// Lets the viewer have the worlds until Python wants them; says whether it may come again.
    fn viewer_turn(&self) -> bool {
        let Ok(mut held) = self.held.try_lock() else { return true };
        let Some(held) = held.as_mut() else { return false };
        let Some(mut live) = held.live.take() else { return false };
        held.settle_report();
        self.wanted.store(false, Ordering::Relaxed);
        let ran = live.run(&mut held.batch, None, &self.wanted);
        self.turns.fetch_add(1, Ordering::Relaxed);
        match ran {
            Ok(()) => held.live = Some(live),
            Err(error) => held.trouble = Some(error),
        }
        held.live.is_some()
    }
}

/// Shows the worlds from a thread of its own until the viewer is taken away or the batch is gone.
pub fn show(shared: &Arc<Shared>) -> Result<(), ViewError> {
    shared.viewed.store(true, Ordering::Relaxed);
    let batch = Arc::downgrade(shared);
    let work = move || {
        while let Some(shared) = batch.upgrade() {
            if shared.idle() >= QUIET && !shared.viewer_turn() {
                shared.viewed.store(false, Ordering::Relaxed);
                return;
            }
            drop(shared);
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    std::thread::Builder::new().name("show".into()).spawn(work)?;
    Ok(())
}

/// Locked worlds that are open.
pub struct Guard<'a> {
    held: MutexGuard<'a, Option<Held>>,
    shared: &'a Shared,
}

impl Guard<'_> {
    pub fn get(&mut self) -> PyResult<&mut Held> {
        self.held.as_mut().ok_or_else(|| broken("a closed batch was used"))
    }

    pub fn batch(&mut self) -> PyResult<&mut sim::Batch> {
        Ok(&mut self.get()?.batch)
    }

    /// Before something that changes what a report tells.
    pub fn batch_to_change(&mut self) -> PyResult<&mut sim::Batch> {
        let held = self.get()?;
        held.settle_report();
        Ok(&mut held.batch)
    }

    pub fn close(mut self) {
        *self.held = None;
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Ok(mut used) = self.shared.used.lock() {
            *used = Instant::now();
        }
    }
}

/// Worlds and what looks on.
pub struct Held {
    pub batch: sim::Batch,
    report: Weak<OnceLock<Figures>>,
    recording: Option<Recording>,
    pub live: Option<Live>,
    /// Why the viewer has ended.
    pub trouble: Option<ViewError>,
    /// Steps that take about as long as Ctrl-C may wait.
    pub pace: usize,
}

struct Recording {
    recorder: Recorder,
    /// Steps from frame to frame, and steps so far.
    stride: usize,
    steps: usize,
}

impl Held {
    /// Advances by at most so many steps and says by how many; recorded frames are not stepped over.
    pub fn advance(&mut self, most: usize) -> Result<usize, ViewError> {
        let mut onlookers = Onlookers { recording: &mut self.recording, live: &mut self.live };
        onlookers.advance(&mut self.batch, most)
    }

    /// Lends the worlds to an environment for one piece of work; whoever looks on goes on looking.
    pub fn lend<T>(&mut self, env: &mut Env, work: impl FnOnce(&mut Env, &mut Onlookers<'_>) -> T) -> T {
        self.settle_report();
        env.exchange_worlds(&mut self.batch);
        let mut onlookers = Onlookers { recording: &mut self.recording, live: &mut self.live };
        let done = work(env, &mut onlookers);
        env.exchange_worlds(&mut self.batch);
        done
    }

    /// A report of the last steps, which gathers its figures when asked, or when they are about to change.
    pub fn lazy_report(&mut self) -> Arc<OnceLock<Figures>> {
        let report = Arc::new(OnceLock::new());
        self.report = Arc::downgrade(&report);
        report
    }

    /// Gathers the figures of the last report, if somebody still holds it.
    pub fn settle_report(&mut self) {
        if let Some(report) = std::mem::take(&mut self.report).upgrade() {
            report.get_or_init(|| self.batch.report());
        }
    }

    pub fn record(&mut self, frames_per_second: f64, worlds: Vec<usize>) -> Result<(), Problem> {
        if self.recording.is_some() {
            let text = "the batch is being recorded already".to_owned();
            return Err(Problem::Said("WrongValue", text, "stop the other recording first".to_owned()));
        }
        let mut recorder = Recorder::in_memory(&self.batch, RecordOptions { frames_per_second, worlds })?;
        recorder.observe(&self.batch, 0.0)?;
        let stride = (1.0 / (frames_per_second * self.batch.dt())).round().max(1.0) as usize;
        self.recording = Some(Recording { recorder, stride, steps: 0 });
        Ok(())
    }

    /// Ends a recording and gives the page.
    pub fn finish_recording(&mut self) -> Result<Vec<u8>, Problem> {
        let missing = || Problem::Said("WrongValue", "nothing is being recorded".to_owned(), String::new());
        Ok(self.recording.take().ok_or_else(missing)?.recorder.finish_html()?)
    }
}

/// Who looks on while worlds are stepped.
pub struct Onlookers<'a> {
    recording: &'a mut Option<Recording>,
    live: &'a mut Option<Live>,
}

impl Onlookers<'_> {
    /// As [`Held::advance`], of worlds that are in somebody's hands.
    pub fn advance(&mut self, batch: &mut sim::Batch, most: usize) -> Result<usize, ViewError> {
        let most = self.recording.as_ref().map_or(most, |r| most.min(r.stride - r.steps % r.stride));
        match self.live {
            None => batch.advance(most),
            Some(live) => {
                live.attend(batch)?;
                live.advance(batch, most)?;
                live.publish(batch)?;
            }
        }
        if let Some(recording) = self.recording {
            recording.steps += most;
            recording.recorder.observe(batch, recording.steps as f64 * batch.dt())?;
        }
        Ok(most)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.settle_report();
    }
}
