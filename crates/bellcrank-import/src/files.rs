//! Which files may be opened.
//!
//! Names in a model are relative to the file that says them, or `package://name/...`, or `file://...`. Whatever
//! they are, the file must lie, after all links are followed, in one of the allowed folders:
//! 1. the model's own folder,
//! 2. the folder above it, where the model's own is one of `urdf`, `xml`, `mjcf`, `usd`, `robots`, `xacro`, `model`,
//!    `models` (meshes lie beside it then),
//! 3. the nearest folder above with a `package.xml`,
//! 4. packages and folders named in [`Options`], and packages found above the model by their name.

use crate::error::ImportFaultKind;
use crate::options::{Limits, Options};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// How far above the model packages are looked for.
const LEVELS_UP: usize = 6;
/// Folders whose neighbours usually hold the meshes.
const SUBFOLDERS: [&str; 8] = ["urdf", "xml", "mjcf", "usd", "robots", "xacro", "model", "models"];

/// A file's content and the name by which messages call it.
#[derive(Clone, Debug)]
pub struct File {
    /// As the user would say it.
    pub name: String,
    /// The folder that its own references are relative to; `None` in memory.
    pub folder: Option<PathBuf>,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl File {
    /// A file in memory.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        File { name: name.into(), folder: None, bytes }
    }
}

/// The files that a model may name.
#[derive(Debug)]
pub struct Files {
    folder: Option<PathBuf>,
    shown: PathBuf,
    allowed: Vec<PathBuf>,
    packages: BTreeMap<String, PathBuf>,
    memory: BTreeMap<String, Vec<u8>>,
    limits: Limits,
    bytes_read: Cell<u64>,
}

impl Files {
    /// Opens a model's file; its folder becomes the first that may be read.
    ///
    /// # Errors
    /// When the file is not there, cannot be read or is too large.
    pub fn open(path: &Path, options: &Options) -> Result<(Files, File), ImportFaultKind> {
        let shown = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let real = path.canonicalize().map_err(|e| unreadable(path, &e))?;
        let folder = real.parent().map(Path::to_path_buf);
        // the model may itself be a link: its neighbours are where the user sees it
        let seen_in = if shown.as_os_str().is_empty() { Path::new(".") } else { &shown };
        let folder = seen_in.canonicalize().ok().or(folder);
        let mut files = Files::in_memory(options);
        files.allowed = folder.as_deref().map(around).unwrap_or_default();
        files.allowed.extend(
            options.folders.iter().chain(options.packages.values()).filter_map(|f| f.canonicalize().ok()),
        );
        (files.folder, files.shown) = (folder.clone(), shown);
        let bytes = files.take(&real, options.limits.text_bytes)?;
        Ok((files, File { name: path.display().to_string(), folder, bytes }))
    }

    /// No files but those in [`Options::memory`].
    pub fn in_memory(options: &Options) -> Files {
        Files {
            folder: None,
            shown: PathBuf::new(),
            allowed: Vec::new(),
            packages: options.packages.clone(),
            memory: options.memory.clone(),
            limits: options.limits,
            bytes_read: Cell::new(0),
        }
    }

    /// The same files, and those of an archive before them.
    pub(crate) fn holding(&self, content: BTreeMap<String, Vec<u8>>) -> Files {
        let mut memory = self.memory.clone();
        memory.extend(content);
        Files {
            folder: self.folder.clone(),
            shown: self.shown.clone(),
            allowed: self.allowed.clone(),
            packages: self.packages.clone(),
            memory,
            limits: self.limits,
            bytes_read: Cell::new(self.bytes_read.get()),
        }
    }

    /// Reads another text file, named relative to the model's folder or, if `by` is given, to that file's.
    ///
    /// # Errors
    /// When it is not there, may not be read or is too large.
    pub fn text(&self, name: &str, by: Option<&File>) -> Result<File, ImportFaultKind> {
        self.read(name, by, self.limits.text_bytes)
    }

    /// Reads a mesh or another large file, named like [`Files::text`].
    ///
    /// # Errors
    /// When it is not there, may not be read or is too large.
    pub fn binary(&self, name: &str, by: Option<&File>) -> Result<File, ImportFaultKind> {
        self.read(name, by, self.limits.mesh_bytes)
    }

    /// A file of this import by the name that messages call it, without its content: to be relative to.
    pub fn called(&self, shown: &str) -> File {
        let path = Path::new(shown);
        let inside = path.strip_prefix(&self.shown).unwrap_or(path);
        let folder =
            self.folder.as_ref().and_then(|folder| folder.join(inside).parent().map(Path::to_path_buf));
        File { name: shown.to_owned(), folder, bytes: Vec::new() }
    }

    /// The bounds of this import.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    fn read(&self, name: &str, by: Option<&File>, limit: u64) -> Result<File, ImportFaultKind> {
        let beside = || self.memory.get(&beside(&by?.name, name));
        if let Some(bytes) = self.memory.get(name).or_else(|| self.memory.get(&plain(name))).or_else(beside) {
            self.count(bytes.len() as u64, limit)?;
            return Ok(File::new(name, bytes.clone()));
        }
        let (path, package) = self.find(name, by)?;
        let real = path.canonicalize().map_err(|_| ImportFaultKind::NoSuchFile(name.into()))?;
        if !self.allowed.iter().chain(&package).any(|folder| real.starts_with(folder)) {
            return Err(ImportFaultKind::OutsideFolder(name.into()));
        }
        let bytes = self.take(&real, limit)?;
        Ok(File { name: self.shown_name(&path), folder: path.parent().map(Path::to_path_buf), bytes })
    }

    /// Where a name points, whether or not there is such a file, and the package that it is in.
    fn find(&self, name: &str, by: Option<&File>) -> Result<(PathBuf, Option<PathBuf>), ImportFaultKind> {
        let none = || ImportFaultKind::NoSuchFile(name.into());
        if let Some(rest) = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://")) {
            let (package, rest) = rest.split_once('/').ok_or_else(none)?;
            let root = self.package(package).ok_or_else(|| ImportFaultKind::NoSuchPackage(package.into()))?;
            // a package is entered, never left
            let inside =
                Path::new(rest).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
            return match inside {
                true => Ok((root.join(rest), Some(root))),
                false => Err(ImportFaultKind::OutsideFolder(name.into())),
            };
        }
        let path = Path::new(name.strip_prefix("file://").unwrap_or(name));
        let folder = by.and_then(|file| file.folder.as_ref()).or(self.folder.as_ref()).ok_or_else(none)?;
        Ok((folder.join(path), None))
    }

    /// The folder of a package: named in the options, or found by its name above the model.
    fn package(&self, name: &str) -> Option<PathBuf> {
        if let Some(folder) = self.packages.get(name) {
            return folder.canonicalize().ok();
        }
        let above = self.folder.as_deref()?.ancestors().take(LEVELS_UP).enumerate();
        let found = above.filter(|_| is_plain(name)).find_map(|(level, folder)| {
            let is_package = |folder: &Path| folder.join("package.xml").is_file();
            let beside = folder.join(name);
            if folder.file_name().is_some_and(|n| n == name) && (level < 2 || is_package(folder)) {
                return Some(folder.to_path_buf());
            }
            // others count only if they say that they are packages: "package://etc" is none
            is_package(&beside).then_some(beside)
        })?;
        // a folder at the top of the disk holds more than a package
        let depth = found.components().filter(|c| matches!(c, Component::Normal(_))).count();
        if depth > 1 { found.canonicalize().ok() } else { None }
    }

    fn take(&self, path: &Path, limit: u64) -> Result<Vec<u8>, ImportFaultKind> {
        // asked before it is opened: opening a named pipe waits for somebody who writes to it
        let data = std::fs::metadata(path).map_err(|e| unreadable(path, &e))?;
        if !data.is_file() {
            return Err(ImportFaultKind::Unreadable("it is not a regular file".into()));
        }
        let file = std::fs::File::open(path).map_err(|e| unreadable(path, &e))?;
        self.count(data.len(), limit)?;
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes).map_err(|e| unreadable(path, &e))?;
        Ok(bytes)
    }

    fn count(&self, found: u64, limit: u64) -> Result<(), ImportFaultKind> {
        if found > limit {
            return Err(ImportFaultKind::TooLarge { what: "the file [bytes]".into(), found, limit });
        }
        let total = self.bytes_read.get().saturating_add(found);
        self.bytes_read.set(total);
        let limit = self.limits.total_bytes;
        if total > limit {
            return Err(ImportFaultKind::TooLarge {
                what: "all files together [bytes]".into(),
                found: total,
                limit,
            });
        }
        Ok(())
    }

    /// Relative to where the user called the model's file.
    fn shown_name(&self, path: &Path) -> String {
        let inside = self.folder.as_deref().and_then(|folder| path.strip_prefix(folder).ok());
        inside.map_or(path.to_path_buf(), |rest| self.shown.join(rest)).display().to_string()
    }
}

/// The model's folder and what belongs to it.
fn around(folder: &Path) -> Vec<PathBuf> {
    let mut allowed = vec![folder.to_path_buf()];
    let is_subfolder = folder.file_name().and_then(|n| n.to_str()).is_some_and(|n| SUBFOLDERS.contains(&n));
    if let (true, Some(parent)) = (is_subfolder, folder.parent()) {
        allowed.push(parent.to_path_buf());
    }
    let package = folder.ancestors().take(LEVELS_UP).find(|above| above.join("package.xml").is_file());
    allowed.extend(package.map(Path::to_path_buf));
    allowed
}

/// One folder's name, nothing that leads elsewhere.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|c| matches!(c, Component::Normal(_)))
}

/// A name without "./" in front.
fn plain(name: &str) -> String {
    name.trim_start_matches("./").to_owned()
}

/// A name relative to a file, both in memory: without folders that are left again.
fn beside(file: &str, name: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(name.split('/')).filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn unreadable(path: &Path, error: &std::io::Error) -> ImportFaultKind {
    match error.kind() {
        std::io::ErrorKind::NotFound => ImportFaultKind::NoSuchFile(path.display().to_string()),
        _ => ImportFaultKind::Unreadable(error.to_string()),
    }
}
