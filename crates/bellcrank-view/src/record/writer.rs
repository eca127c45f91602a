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
}

impl Writer {
    pub fn start(mut store: Store, header: Vec<u8>, quanta: Quanta) -> io::Result<Self> {
        let (queue, frames) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new().name("recorder".into()).spawn(move || {
            store.write_all(&header)?;
            write_frames(&mut store, &frames, quanta)?;
            store.flush()?;
            Ok(store)
        })?;
        Ok(Writer { queue: Some(queue), thread: Some(thread) })
    }

    /// Hands a frame over. An error of the thread comes to light here or in [`Writer::finish`].
    pub fn push(&mut self, frame: Frame) -> io::Result<()> {
        let sent = self.queue.as_ref().is_some_and(|queue| queue.send(frame).is_ok());
        if sent { Ok(()) } else { self.finish().map(|_| ()) }
    }

    /// Waits until everything is stored.
    pub fn finish(&mut self) -> io::Result<Store> {
        self.queue = None;
        let thread = self.thread.take().ok_or_else(|| io::Error::other("the recording has ended"))?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the recorder's thread failed")))
    }
}

fn write_frames(store: &mut Store, frames: &Receiver<Frame>, quanta: Quanta) -> io::Result<()> {
    let mut encoder = BlockEncoder::new(quanta);
    while let Ok(frame) = frames.recv() {
        encoder.push(&frame);
        if encoder.frames == BLOCK_FRAMES {
            store.write_all(&encoder.take())?;
            store.flush()?; // what is written stays, whatever becomes of the program
        }
    }
    if encoder.frames > 0 {
        store.write_all(&encoder.take())?;
    }
    Ok(())
}
