//! The thread that encodes, compresses and stores, so that the batch need not wait.

use super::encode::BlockEncoder;
use super::{BLOCK_FRAMES, Quanta};
use crate::frame::Frame;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Frames that may wait; a batch that is faster than the disk waits too rather than filling the memory.
const QUEUE: usize = 32;

/// Where the bytes go while running.
pub(crate) enum Store {
    Memory(Vec<u8>),
    File(BufWriter<File>),
}

impl Store {
    /// Takes away what was half-written, so that the rest plays.
    fn cut(self, whole: u64) {
        if let Store::File(file) = self {
            let (file, _unwritten) = file.into_parts();
            let _ = file.set_len(whole); // where even that fails, whoever reads it says so
        }
    }
}

impl Write for Store {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Store::Memory(all) => all.write(bytes),
            Store::File(file) => file.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Store::Memory(_) => Ok(()),
            Store::File(file) => file.flush(),
        }
    }
}

pub(crate) struct Writer {
    queue: Option<SyncSender<Frame>>,
    thread: Option<JoinHandle<io::Result<Store>>>,
    /// The process whose thread it is: a forked child has none, and would wait for it for ever.
    process: u32,
}

impl Writer {
    pub fn start(mut store: Store, header: Vec<u8>, quanta: Quanta) -> io::Result<Self> {
        let (queue, frames) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new().name("recorder".into()).spawn(move || {
            let mut whole = 0;
            match write_all(&mut store, (&header, &frames), quanta, &mut whole) {
                Ok(()) => Ok(store),
                Err(error) => {
                    store.cut(whole);
                    Err(error)
                }
            }
        })?;
        Ok(Writer { queue: Some(queue), thread: Some(thread), process: std::process::id() })
    }

    /// Hands a frame over. An error of the thread comes to light here or in [`Writer::finish`].
    pub fn push(&mut self, frame: Frame) -> io::Result<()> {
        self.check_process()?;
        let sent = self.queue.as_ref().is_some_and(|queue| queue.send(frame).is_ok());
        if sent { Ok(()) } else { self.finish().map(|_| ()) }
    }

    /// Waits until everything is stored.
    pub fn finish(&mut self) -> io::Result<Store> {
        self.check_process()?;
        self.queue = None;
        let thread = self.thread.take().ok_or_else(|| io::Error::other("the recording has ended"))?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the recorder's thread failed")))
    }

    fn check_process(&mut self) -> io::Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        // what hangs on the lost thread is left alone: taking it apart may wait for locks that it held
        std::mem::forget(self.queue.take());
        std::mem::forget(self.thread.take());
        Err(io::Error::other("it belongs to the process that this one was forked from; begin a new one here"))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.thread.is_some() {
            let _ = self.finish(); // what was handed over is stored, also when an error ends the run
        }
    }
}

/// Header and frames; `whole` counts the bytes of what is complete on the disk.
fn write_all(
    store: &mut Store,
    (header, frames): (&[u8], &Receiver<Frame>),
    quanta: Quanta,
    whole: &mut u64,
) -> io::Result<()> {
    let mut put = |bytes: &[u8]| {
        store.write_all(bytes)?;
        store.flush()?; // what is written stays, whatever becomes of the program
        *whole += bytes.len() as u64;
        Ok(())
    };
    put(header)?;
    let mut encoder = BlockEncoder::new(quanta);
    while let Ok(frame) = frames.recv() {
        encoder.push(&frame);
        if encoder.frames == BLOCK_FRAMES {
            put(&encoder.take())?;
        }
    }
    if encoder.frames > 0 { put(&encoder.take()) } else { Ok(()) }
}
