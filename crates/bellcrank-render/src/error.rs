//! Why there is no picture.

use bellcrank_sim::BatchError;
use bellcrank_view::ViewError;
use std::path::PathBuf;

/// See the module.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A picture without pixels, or larger than anybody looks at.
    #[error("a picture of {width} × {height} pixels cannot be drawn: both must be between 1 and {most}")]
    Size {
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
        /// The most of either.
        most: usize,
    },
    /// A file name that says nothing about its form.
    #[error(
        "{}: this ending is no kind of picture or film\n  hint: .png (the last picture), .gif, .apng, .mp4 (with ffmpeg), .glb (a moving scene), .mcap (a log) or .html (a page that plays)",
        path.display()
    )]
    UnknownKind {
        /// As given.
        path: PathBuf,
    },
    /// A scene is no film.
    #[error("{}: .glb and .mcap hold no pictures but the scene itself\n  hint: film a batch with Shot", path.display())]
    NoPictures {
        /// As given.
        path: PathBuf,
    },
    /// Films of this kind are written by a program that is not there.
    #[error(
        "ffmpeg, which writes .mp4, could not be started: {0}\n  hint: install ffmpeg, or write .gif or .apng, which need nothing"
    )]
    NoFfmpeg(std::io::Error),
    /// It ended with an error.
    #[error("ffmpeg could not write {}: {said}", path.display())]
    Ffmpeg {
        /// Of the film.
        path: PathBuf,
        /// Its last words.
        said: String,
    },
    /// The disk, say.
    #[error("{}: {error}\n  hint: the folder must exist, have room, and be yours to write", path.display())]
    Write {
        /// Of the film.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A camera that sees nothing.
    #[error("the camera: {0}")]
    Camera(&'static str),
    /// A model has no camera of that name.
    #[error("the model {model:?} has no camera {name:?}\n  hint: {hint}")]
    NoSuchCamera {
        /// As asked for.
        name: String,
        /// Which has none.
        model: String,
        /// What it has.
        hint: String,
    },
    /// See there.
    #[error(transparent)]
    View(#[from] ViewError),
    /// See there.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
