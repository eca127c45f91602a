//! The files of a recording: found unfit before the run, and nothing but a page or a bare recording that plays is left of them.

use crate::error::ViewError;
use crate::page;
use crate::record::read_recording;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Endings of films and pictures, which a page is not.
const FILMS: [&str; 12] =
    ["mp4", "gif", "png", "webm", "mov", "avi", "mkv", "apng", "webp", "jpg", "jpeg", "svg"];

/// As much of a recording as tells whether it plays [bytes].
const ENOUGH: u64 = 64 << 20;

/// The bare recording while it grows, and the page that it becomes.
pub(super) struct Files {
    pub part: PathBuf,
    pub page: PathBuf,
    /// The process that records: a forked child leaves its parent's files alone.
    process: u32,
}

/// A name beside another: `run.html` becomes `run.html.part`.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Opens the file that grows, after it was shown that there is room for so many bytes and that the page can take its place.
pub(super) fn try_out(path: &Path, part: &Path, room: usize) -> Result<File, ViewError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    if FILMS.contains(&ending.as_str()) {
        return Err(ViewError::NotAPage { path: path.to_owned() });
    }
    let fault = |source| ViewError::CannotWrite { path: path.to_owned(), source };
    if path.is_dir() {
        return Err(fault(io::ErrorKind::IsADirectory.into()));
    }
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return Err(fault(io::Error::other("it is not a regular file")));
    }
    let mut file = File::create(part).map_err(fault)?;
    let block = vec![0; room];
    file.write_all(&block).and_then(|()| file.set_len(0)).and_then(|()| file.rewind()).map_err(|source| {
        let _ = std::fs::remove_file(part);
        fault(source)
    })?;
    Ok(file)
}

impl Files {
    pub fn new(part: PathBuf, page: PathBuf) -> Self {
        Files { part, page, process: std::process::id() }
    }

    /// Packs the recording into a page, which takes its name only when it is whole.
    pub fn become_page(&self) -> io::Result<()> {
        let new = beside(&self.page, ".new");
        let packed = self.pack(&new).and_then(|()| std::fs::rename(&new, &self.page));
        if packed.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        packed.and_then(|()| std::fs::remove_file(&self.part))
    }

    fn pack(&self, new: &Path) -> io::Result<()> {
        let recording = BufReader::new(File::open(&self.part)?);
        let mut out = BufWriter::new(File::create(new)?);
        page::write_recorded(recording, &mut out)?;
        out.flush()
    }

    /// What is left of a recording that could not go on.
    pub fn half_written(&self, source: io::Error) -> ViewError {
        let path = self.page.clone();
        match self.part.exists() && self.plays() {
            true => ViewError::HalfWritten { path, part: self.part.clone(), source },
            false => ViewError::CannotWrite { path, source },
        }
    }

    fn plays(&self) -> bool {
        let mut bytes = Vec::new();
        let start = File::open(&self.part).map(|file| file.take(ENOUGH).read_to_end(&mut bytes));
        start.is_ok() && read_recording(&bytes).is_ok_and(|recording| !recording.frames.is_empty())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // a bare recording that plays is worth keeping, whatever ended the run
        if self.process == std::process::id() && self.part.exists() && !self.plays() {
            let _ = std::fs::remove_file(&self.part);
        }
    }
}
