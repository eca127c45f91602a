//! Viewers that run beside the program.

use super::session::{Live, LiveOptions, Program};
use crate::error::ViewError;
use crate::record::read_recording;
use crate::server::{self, Address, Content};
use bellcrank_sim::Batch;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A batch that runs and is shown on a thread of its own.
pub struct Running {
    /// Where the page is.
    pub address: Address,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Batch, ViewError>>,
    /// The process whose thread it is.
    process: u32,
}

impl Running {
    /// Ends the show and gives the batch back.
    ///
    /// # Errors
    /// When the program failed on the way, or runs in the process that this one was forked from.
    pub fn stop(self) -> Result<Batch, ViewError> {
        if self.process != std::process::id() {
            std::mem::forget(self); // its thread is not here, and would be waited for
            return Err(ViewError::Forked);
        }
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(Err(ViewError::NothingToShow))
    }
}

/// Shows a batch from another thread until [`Running::stop`].
///
/// # Errors
/// When a world does not exist or the address is taken.
pub fn spawn(batch: Batch, program: Option<Program>, options: LiveOptions) -> Result<Running, ViewError> {
    let mut live = Live::start(&batch, options)?;
    let (address, stop) = (live.address().clone(), Arc::new(AtomicBool::new(false)));
    let until = stop.clone();
    let mut batch = batch;
    let thread = std::thread::Builder::new().name("live".into()).spawn(move || {
        live.run(&mut batch, program, &until)?;
        Ok(batch)
    })?;
    Ok(Running { address, stop, thread, process: std::process::id() })
}

/// Serves a recording (`.html`, or the bare one that an interrupted program left behind) and says where.
///
/// # Errors
/// When the file cannot be read, is no recording, or the address is taken.
pub fn serve_recording(path: &Path, bind: IpAddr, port: u16) -> Result<Address, ViewError> {
    let fault = |source| ViewError::File { path: path.to_owned(), source };
    // a pipe would be waited for
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return Err(fault(std::io::Error::other("it is not a regular file")));
    }
    let bytes = std::fs::read(path).map_err(fault)?;
    read_recording(&bytes)?;
    let html = if bytes.starts_with(crate::record::MAGIC) {
        let mut html = Vec::new();
        crate::page::write_recorded(&bytes[..], &mut html)?;
        html
    } else {
        bytes
    };
    server::start(bind, port, Content::Recording(html.into()))
}
