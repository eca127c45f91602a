//! What `--record` writes: a page that plays, or a film; the file's ending says which.

use super::Error;
use bellcrank::render::{Shot, ShotOptions, Size};
use bellcrank::sim::Batch;
use bellcrank::view::{RecordOptions, Recorder};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Clone)]
pub struct Record {
    /// Write a page that plays anywhere (.html), a film (.gif, .apng, .mp4 with ffmpeg), the last picture (.png), a moving scene (.glb) or a log (.mcap)
    #[arg(long = "record", value_name = "FILE")]
    pub path: Option<PathBuf>,
    /// Frames per simulated second
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = rate)]
    pub fps: f64,
    /// Pixels of a film or picture
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "640x360", value_parser = size)]
    pub size: Size,
    /// The camera stays where it is instead of going along
    #[arg(long)]
    pub still: bool,
    /// Film through this camera of the robot's file
    #[arg(long, value_name = "NAME")]
    pub camera: Option<String>,
}

impl Default for Record {
    fn default() -> Self {
        let ShotOptions { size, frames_per_second: fps, .. } = ShotOptions::default();
        Record { path: None, fps, size, still: false, camera: None }
    }
}

impl Record {
    /// Begins, where it was asked for; of these worlds, or of some when none are given.
    pub fn start(&self, batch: &Batch, worlds: Vec<usize>) -> Result<Option<Recording>, Error> {
        let Some(path) = &self.path else { return Ok(None) };
        let page = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
        Ok(Some(if page {
            let options = RecordOptions { frames_per_second: self.fps, worlds };
            Recording::Page(Box::new(Recorder::to_file(batch, options, path).map_err(Error::View)?))
        } else {
            let options = ShotOptions {
                size: self.size,
                frames_per_second: self.fps,
                worlds,
                follows: !self.still,
                camera: self.camera.clone(),
            };
            Recording::Film(Box::new(Shot::new(batch, path, options).map_err(Error::Render)?))
        }))
    }
}

pub enum Recording {
    Page(Box<Recorder>),
    Film(Box<Shot>),
}

impl Recording {
    pub fn observe(&mut self, batch: &Batch, time: f64) -> Result<(), Error> {
        match self {
            Recording::Page(recorder) => recorder.observe(batch, time).map_err(Error::View),
            Recording::Film(shot) => shot.observe(batch, time).map_err(Error::Render),
        }
    }

    /// Ends the file and says where it is.
    pub fn finish(self) -> Result<(), Error> {
        let (frames, path) = match self {
            Recording::Page(recorder) => (recorder.frame_count(), recorder.finish().map_err(Error::View)?),
            Recording::Film(shot) => (shot.frame_count(), shot.finish().map_err(Error::Render)?),
        };
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        eprintln!("recorded: {} ({frames} frames, {:.1} MB)", path.display(), bytes as f64 / 1e6);
        Ok(())
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let wrong = || "expected: a number above 0 and at most 1000".to_owned();
    let rate: f64 = text.parse().map_err(|_| wrong())?;
    (rate > 0.0 && rate <= 1000.0).then_some(rate).ok_or_else(wrong)
}

fn size(text: &str) -> Result<Size, String> {
    let wrong = || "expected: two whole numbers, as in 640x360".to_owned();
    let (width, height) = text.split_once(['x', '×']).ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
    Ok(Size { width: number(width)?, height: number(height)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_rates_are_read_or_refused() {
        assert_eq!(size("640x360"), Ok(Size { width: 640, height: 360 }));
        assert!(size("640").is_err() && size("axb").is_err() && size("-1x3").is_err());
        assert!(rate("0").is_err() && rate("nan").is_err() && rate("30").is_ok());
    }
}
