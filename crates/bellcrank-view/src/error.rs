//! What can go wrong on the way to the screen.

use bellcrank_sim::BatchError;
use std::io;
use std::path::PathBuf;

/// Why nothing can be shown.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ViewError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}\n  hint: {}", path.display(), way_out(source))]
    CannotWrite { path: PathBuf, source: io::Error },
    #[error("the viewer cannot listen on {address}: {source}\n  hint: --port 0 takes any free port")]
    Listen { address: String, source: io::Error },
    #[error("the recording could not be written: {0}")]
    Write(#[from] io::Error),
    #[error("this is no recording: {0}")]
    BadRecording(&'static str),
    #[error(
        "{}: a recording is an HTML page that plays anywhere\n  hint: name it {}; films and pictures are drawn by bellcrank-render",
        path.display(), path.with_extension("html").display()
    )]
    NotAPage { path: PathBuf },
    #[error("cannot write {}: {source}\n  hint: what was recorded until then is in {}; `bellcrank view` plays it", path.display(), part.display())]
    HalfWritten { path: PathBuf, part: PathBuf, source: io::Error },
    #[error(
        "the viewer belongs to the process that this one was forked from\n  hint: start another one here"
    )]
    Forked,
    #[error("no world was chosen to be shown")]
    NothingToShow,
    #[error("frames per second must be a number above zero, not {0}")]
    BadRate(f64),
    #[error(transparent)]
    Batch(#[from] BatchError),
}

fn way_out(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "the folder must exist",
        io::ErrorKind::PermissionDenied => "choose a folder that you may write to",
        io::ErrorKind::StorageFull => "the disk is full; a recording needs a few megabytes",
        io::ErrorKind::IsADirectory => "name a file in it",
        _ => "choose another place",
    }
}
