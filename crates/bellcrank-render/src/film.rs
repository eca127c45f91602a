//! Pictures one after the other, as a file; its ending says of which kind.

use crate::error::RenderError;
use crate::palette::{Palette, SAME};
use crate::picture::Picture;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What an ending stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmKind {
    /// The last picture alone.
    Png,
    /// 256 colours per picture; plays everywhere.
    Gif,
    /// All colours; plays in browsers.
    Apng,
    /// H.264, by ffmpeg.
    Mp4,
    /// No pictures: the scene itself, moving, as binary glTF.
    Glb,
    /// No pictures: where everything is, as a log for Foxglove.
    Mcap,
}

impl FilmKind {
    /// # Errors
    /// When the ending is of no kind.
    pub fn of(path: &Path) -> Result<Self, RenderError> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("png") => Ok(FilmKind::Png),
            Some("gif") => Ok(FilmKind::Gif),
            Some("apng") => Ok(FilmKind::Apng),
            Some("mp4") => Ok(FilmKind::Mp4),
            Some("glb") => Ok(FilmKind::Glb),
            Some("mcap") => Ok(FilmKind::Mcap),
            _ => Err(RenderError::UnknownKind { path: path.to_owned() }),
        }
    }
}

/// The kind of a file that is about to be written, if it can be.
pub(crate) fn check_place(path: &Path) -> Result<FilmKind, RenderError> {
    let refused = |why: &str| RenderError::Write { path: path.to_owned(), error: std::io::Error::other(why) };
    if path.is_dir() {
        return Err(refused("it is a directory"));
    }
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return Err(refused("it is not a regular file"));
    }
    let kind = FilmKind::of(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(refused("its folder is not there"));
    }
    Ok(kind)
}

/// A film that is being written. A file that stands at its place is replaced when it is finished, not before.
pub struct Film {
    kind: FilmKind,
    path: PathBuf,
    /// Pictures per second.
    rate: f64,
    /// Time that is shown but not yet written as a GIF's hundredths [s].
    owed: f64,
    pictures: Vec<Picture>,
    gif: Option<(gif::Encoder<BufWriter<File>>, Palette)>,
    ffmpeg: Option<Child>,
}

impl Film {
    /// What is unfit is found now, not after a long run.
    ///
    /// # Errors
    /// When the ending is of no kind, nothing can be written there, or ffmpeg is wanted and not there.
    pub fn new(path: &Path, rate: f64) -> Result<Self, RenderError> {
        let kind = check_place(path)?;
        if matches!(kind, FilmKind::Glb | FilmKind::Mcap) {
            return Err(RenderError::NoPictures { path: path.to_owned() });
        }
        if kind == FilmKind::Mp4 {
            let mut asked = Command::new("ffmpeg");
            asked.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            asked.status().map_err(RenderError::NoFfmpeg)?;
        }
        Ok(Film {
            kind,
            path: path.to_owned(),
            rate,
            owed: 0.0,
            pictures: Vec::new(),
            gif: None,
            ffmpeg: None,
        })
    }

    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, picture: Picture) -> Result<(), RenderError> {
        match self.kind {
            FilmKind::Png => self.pictures = vec![picture],
            FilmKind::Apng => self.pictures.push(picture), // its head says how many there are
            FilmKind::Gif => self.add_gif(picture)?,
            FilmKind::Mp4 => self.add_mp4(&picture)?,
            FilmKind::Glb | FilmKind::Mcap => {
                return Err(RenderError::NoPictures { path: self.path.clone() });
            }
        }
        Ok(())
    }

    /// Ends the file; gives its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<PathBuf, RenderError> {
        match self.kind {
            FilmKind::Png | FilmKind::Apng => self.write_png()?,
            FilmKind::Gif => drop(self.gif.take()), // writes the trailer
            FilmKind::Mp4 => self.end_mp4()?,
            FilmKind::Glb | FilmKind::Mcap => {
                return Err(RenderError::NoPictures { path: self.path.clone() });
            }
        }
        let half = self.half();
        std::fs::rename(&half, &self.path).map_err(|error| self.unwritten(error))?;
        Ok(self.path.clone())
    }

    /// What is written until the film is whole.
    fn half(&self) -> PathBuf {
        let mut name = self.path.file_stem().unwrap_or_default().to_os_string();
        name.push(".unfinished.");
        name.push(self.path.extension().unwrap_or_default());
        self.path.with_file_name(name)
    }

    fn unwritten(&self, error: std::io::Error) -> RenderError {
        RenderError::Write { path: self.path.clone(), error }
    }

    fn create(&self) -> Result<BufWriter<File>, RenderError> {
        File::create(self.half()).map(BufWriter::new).map_err(|error| self.unwritten(error))
    }

    fn add_gif(&mut self, picture: Picture) -> Result<(), RenderError> {
        let (width, height) = (picture.width as u16, picture.height as u16);
        let failed = |error: gif::EncodingError| std::io::Error::other(error.to_string());
        if self.gif.is_none() {
            let palette = Palette::of(&picture);
            let made = gif::Encoder::new(self.create()?, width, height, &palette.colors);
            let mut encoder = made.map_err(|error| self.unwritten(failed(error)))?;
            let endless = encoder.set_repeat(gif::Repeat::Infinite);
            endless.map_err(|error| self.unwritten(failed(error)))?;
            self.gif = Some((encoder, palette));
        }
        self.owed += 1.0 / self.rate;
        let hundredths = (100.0 * self.owed).round();
        self.owed -= hundredths / 100.0;
        let Some((encoder, palette)) = &mut self.gif else { return Ok(()) };
        let frame = gif::Frame {
            width,
            height,
            delay: hundredths as u16,
            transparent: Some(SAME),
            dispose: gif::DisposalMethod::Keep,
            buffer: palette.numbers(&picture).into(),
            ..gif::Frame::default()
        };
        let written = encoder.write_frame(&frame);
        written.map_err(|error| self.unwritten(failed(error)))
    }

    fn write_png(&self) -> Result<(), RenderError> {
        let failed = |error: png::EncodingError| self.unwritten(std::io::Error::other(error.to_string()));
        let Some(first) = self.pictures.first() else {
            return Err(self.unwritten(std::io::Error::other("there is no picture to write")));
        };
        let mut encoder = png::Encoder::new(self.create()?, first.width as u32, first.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        if self.kind == FilmKind::Apng {
            encoder.set_animated(self.pictures.len() as u32, 0).map_err(failed)?;
            let thousandths = (1000.0 / self.rate).round() as u16;
            encoder.set_frame_delay(thousandths, 1000).map_err(failed)?;
        }
        let mut writer = encoder.write_header().map_err(failed)?;
        for picture in &self.pictures {
            writer.write_image_data(&picture.rgb).map_err(failed)?;
        }
        writer.finish().map_err(failed)
    }

    fn add_mp4(&mut self, picture: &Picture) -> Result<(), RenderError> {
        if self.ffmpeg.is_none() {
            self.ffmpeg = Some(self.start_ffmpeg(picture).map_err(RenderError::NoFfmpeg)?);
        }
        let pipe = self.ffmpeg.as_mut().and_then(|child| child.stdin.as_mut());
        match pipe.map(|pipe| pipe.write_all(&picture.rgb)) {
            Some(Ok(())) => Ok(()),
            _ => self.end_mp4(), // it says why
        }
    }

    fn start_ffmpeg(&self, picture: &Picture) -> std::io::Result<Child> {
        let size = format!("{}x{}", picture.width, picture.height);
        let rate = format!("{}", self.rate);
        let mut command = Command::new("ffmpeg");
        command.args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
        command.args(["-s", &size, "-r", &rate, "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"]);
        command.args(["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart"]);
        command.arg(self.half()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
    }

    fn end_mp4(&mut self) -> Result<(), RenderError> {
        let Some(child) = self.ffmpeg.take() else {
            return Err(self.unwritten(std::io::Error::other("there is no picture to write")));
        };
        let ended = child.wait_with_output().map_err(|error| self.unwritten(error))?;
        if ended.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        Err(RenderError::Ffmpeg { path: self.path.clone(), said })
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        drop(self.gif.take());
        if let Some(mut child) = self.ffmpeg.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
        let _ = std::fs::remove_file(self.half()); // gone already where the film was finished
    }
}
