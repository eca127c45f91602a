//! A film as a log: MCAP with Foxglove's messages in JSON, which Foxglove and its like show beside the logs of real robots.
//!
//! The file is a list of records without an index or compression, which readers take as they are
//! (MCAP's specification, "Records"). `/tf` has where every body is at every moment (`foxglove.FrameTransforms`), `/scene` once what they look like
//! (`foxglove.SceneUpdate`). Frames are called `world_0/pelvis`, their parent is `world`.

use crate::error::RenderError;
use crate::light::encoded;
use crate::moment::Moment;
use crate::stage::{Part, Stage};
use bellcrank_math::{Pose, Vec3};
use bellcrank_sim::Batch;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Corners of a circle.
const ROUND: usize = 16;
const MAGIC: &[u8] = b"\x89MCAP0\r\n";
/// Kinds of records.
const HEADER: u8 = 1;
const FOOTER: u8 = 2;
const SCHEMA: u8 = 3;
const CHANNEL: u8 = 4;
const MESSAGE: u8 = 5;
const DATA_END: u8 = 15;
/// Numbers of the channels, and of their schemas.
const SCENE: u16 = 1;
const TRANSFORMS: u16 = 2;

/// See the module.
pub(crate) struct Log {
    path: PathBuf,
    file: BufWriter<File>,
    stage: Stage,
    /// By shown world, of all bodies.
    frames: Vec<Vec<String>>,
    interval: f64,
    count: u32,
}

impl Log {
    /// Of these worlds of a batch, with a message every `interval` [s]; the place was found to be one that can be written.
    pub fn new(batch: &Batch, path: &Path, worlds: &[usize], interval: f64) -> Result<Self, RenderError> {
        let mut frames = Vec::new();
        for &world in worlds {
            let bodies = batch.model(world)?.bodies().iter();
            frames.push(bodies.map(|body| format!("world_{world}/{}", body.name)).collect());
        }
        let stage = Stage::new(batch, worlds, ROUND)?;
        let made =
            File::create(half(path)).map_err(|error| RenderError::Write { path: path.to_owned(), error })?;
        let file = BufWriter::new(made);
        let mut log = Log { path: path.to_owned(), file, stage, frames, interval, count: 0 };
        log.begin().map_err(|error| log.unwritten(error))?;
        Ok(log)
    }

    /// The file's head, and what its messages are.
    fn begin(&mut self) -> std::io::Result<()> {
        self.file.write_all(MAGIC)?;
        let library = concat!("bellcrank ", env!("CARGO_PKG_VERSION"));
        self.record(HEADER, &[text(""), text(library)])?;
        let list = json!({ "type": "array", "items": { "type": "object" } });
        let kinds = [
            (SCENE, "/scene", "foxglove.SceneUpdate", json!({ "deletions": list, "entities": list })),
            (TRANSFORMS, "/tf", "foxglove.FrameTransforms", json!({ "transforms": list })),
        ];
        for (number, topic, name, lists) in kinds {
            let number = number.to_le_bytes().to_vec();
            let schema = json!({ "type": "object", "properties": lists }).to_string();
            self.record(SCHEMA, &[number.clone(), text(name), text("jsonschema"), text(&schema)])?;
            let nothing_more = 0_u32.to_le_bytes().to_vec(); // a map of no entries
            self.record(CHANNEL, &[number.clone(), number, text(topic), text("json"), nothing_more])?;
        }
        Ok(())
    }

    fn record(&mut self, kind: u8, parts: &[Vec<u8>]) -> std::io::Result<()> {
        let length: usize = parts.iter().map(Vec::len).sum();
        self.file.write_all(&[kind])?;
        self.file.write_all(&(length as u64).to_le_bytes())?;
        parts.iter().try_for_each(|part| self.file.write_all(part))
    }

    fn unwritten(&self, error: std::io::Error) -> RenderError {
        RenderError::Write { path: self.path.clone(), error }
    }

    /// Writes where everything is.
    pub fn take(&mut self, moment: &Moment) -> Result<(), RenderError> {
        if self.count == 0 {
            self.write(SCENE, &self.look())?;
        }
        let mut all = Vec::new();
        for (place, names) in self.frames.iter().enumerate() {
            let offset = Vec3::from_array(self.stage.scene.offset(place));
            for (name, pose) in names.iter().zip(&moment.poses[place]) {
                all.push(json!({
                    "timestamp": stamp(self.nanoseconds()),
                    "parent_frame_id": "world",
                    "child_frame_id": name,
                    "translation": vector(pose.p + offset),
                    "rotation": turn(pose),
                }));
            }
        }
        self.write(TRANSFORMS, &json!({ "transforms": all }))?;
        self.count += 1;
        Ok(())
    }

    /// Ends the file; gives its path.
    pub fn finish(mut self) -> Result<PathBuf, RenderError> {
        self.end().map_err(|error| self.unwritten(error))?;
        Ok(self.path.clone())
    }

    /// Says that there is no summary, and puts the file to its place.
    fn end(&mut self) -> std::io::Result<()> {
        self.record(DATA_END, &[vec![0; 4]])?;
        self.record(FOOTER, &[vec![0; 20]])?;
        self.file.write_all(MAGIC)?;
        self.file.flush()?;
        std::fs::rename(half(&self.path), &self.path)
    }

    fn nanoseconds(&self) -> u64 {
        (1e9 * f64::from(self.count) * self.interval).round() as u64
    }

    fn write(&mut self, channel: u16, message: &Value) -> Result<(), RenderError> {
        let time = self.nanoseconds().to_le_bytes().to_vec();
        let head = [channel.to_le_bytes().to_vec(), self.count.to_le_bytes().to_vec(), time.clone(), time];
        let parts = [head.concat(), message.to_string().into_bytes()];
        self.record(MESSAGE, &parts).map_err(|error| self.unwritten(error))
    }

    /// The shapes of all bodies, fixed to their frames.
    fn look(&self) -> Value {
        let mut entities = Vec::new();
        for (place, names) in self.frames.iter().enumerate() {
            let parts = &self.stage.parts[self.stage.models[place]];
            for (body, name) in names.iter().enumerate() {
                let own: Vec<Value> = parts
                    .iter()
                    .filter(|part| part.body == Some(body))
                    .map(|part| self.triangles(part))
                    .collect();
                entities.push(json!({
                    "timestamp": stamp(0), "frame_id": name, "id": name, "lifetime": stamp(0), "frame_locked": true, "metadata": [],
                    "arrows": [], "cubes": [], "spheres": [], "cylinders": [], "lines": [], "triangles": own, "texts": [], "models": [],
                }));
            }
        }
        json!({ "deletions": [], "entities": entities })
    }

    fn triangles(&self, part: &Part) -> Value {
        let surface = &self.stage.surfaces[part.surface];
        let [r, g, b] = part.mean_color().to_array().map(|c| f64::from(encoded(c)) / 255.0);
        json!({
            "pose": { "position": vector(part.X_BG.p), "orientation": turn(&part.X_BG) },
            "points": surface.points.iter().map(|p| json!({ "x": p.x, "y": p.y, "z": p.z })).collect::<Vec<_>>(),
            "color": { "r": r, "g": g, "b": b, "a": part.opacity },
            "colors": [],
            "indices": surface.faces.iter().flatten().collect::<Vec<_>>(),
        })
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(half(&self.path)); // gone already where the log was finished
    }
}

fn half(path: &Path) -> PathBuf {
    path.with_extension("mcap.part")
}

/// Its length and its bytes.
fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

fn stamp(nanoseconds: u64) -> Value {
    json!({ "sec": nanoseconds / 1_000_000_000, "nsec": nanoseconds % 1_000_000_000 })
}

fn vector(p: Vec3) -> Value {
    json!({ "x": p.x, "y": p.y, "z": p.z })
}

fn turn(pose: &Pose) -> Value {
    let [w, x, y, z] = pose.R.to_wxyz();
    json!({ "x": x, "y": y, "z": z, "w": w })
}
