//! A film as a scene that moves: binary glTF (`.glb`), which Blender, three.js and most viewers of robots read.
//!
//! Every world is a node with its bodies under it, every body a node with its shapes; bodies are moved by one animation. glTF has y up,
//! so that the root turns z up to y up.

use crate::error::RenderError;
use crate::moment::Moment;
use crate::stage::{Part, Stage};
use crate::triangles::{Triangles, V};
use bellcrank_math::Pose;
use bellcrank_model::Texture;
use bellcrank_sim::Batch;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Corners of a circle.
const ROUND: usize = 24;
/// A quarter turn about −x, as glTF has quaternions: x, y, z, w.
const UPRIGHT: [f64; 4] = [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];
/// glTF's extension for pictures that are laid side by side.
const SCALING: &str = "KHR_texture_transform";
/// glTF's names of kinds of numbers.
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// See the module.
pub(crate) struct Animation {
    path: PathBuf,
    stage: Stage,
    worlds: Vec<usize>,
    names: Vec<Vec<String>>,
    interval: f64,
    moments: Vec<Moment>,
}

impl Animation {
    /// Of these worlds of a batch, with a key frame every `interval` [s]; the place was found to be one that can be written.
    pub fn new(batch: &Batch, path: &Path, worlds: &[usize], interval: f64) -> Result<Self, RenderError> {
        let mut names = Vec::new();
        for &world in worlds {
            names.push(batch.model(world)?.bodies().iter().map(|body| body.name.clone()).collect());
        }
        Ok(Animation {
            path: path.to_owned(),
            stage: Stage::new(batch, worlds, ROUND)?,
            worlds: worlds.to_vec(),
            names,
            interval,
            moments: Vec::new(),
        })
    }

    /// Takes a key frame.
    pub fn take(&mut self, moment: Moment) {
        self.moments.push(moment);
    }

    /// Writes the file; gives its path.
    pub fn finish(self) -> Result<PathBuf, RenderError> {
        let bytes = self.bytes();
        let unwritten = |error| RenderError::Write { path: self.path.clone(), error };
        let half = self.path.with_extension("glb.part");
        let written = std::fs::write(&half, bytes).and_then(|()| std::fs::rename(&half, &self.path));
        written.inspect_err(|_| drop(std::fs::remove_file(&half))).map_err(unwritten)?;
        Ok(self.path)
    }

    /// The file: its head, a chunk of JSON, a chunk of numbers.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut scene = Document::default();
        let meshes: Vec<Option<Value>> =
            self.stage.surfaces.iter().map(|surface| scene.surface(surface)).collect();
        let times: Vec<f32> = (0..self.moments.len()).map(|k| (k as f64 * self.interval) as f32).collect();
        let clock = (!times.is_empty()).then(|| scene.clock(&times));
        let worlds: Vec<usize> = (0..self.stage.models.len())
            .map(|place| self.add_world(&mut scene, place, clock, &meshes))
            .collect();
        let root = scene.node(json!({ "name": "bellcrank", "rotation": UPRIGHT, "children": worlds }));
        scene.into_bytes(root)
    }

    /// Adds a world with its bodies; gives the number of its node.
    fn add_world(
        &self,
        scene: &mut Document,
        place: usize,
        clock: Option<usize>,
        meshes: &[Option<Value>],
    ) -> usize {
        let parts = &self.stage.parts[self.stage.models[place]];
        let mut under: Vec<Vec<usize>> = vec![Vec::new(); self.names[place].len() + 1];
        for part in parts {
            let Some(surface) = &meshes[part.surface] else { continue };
            let mesh = scene.mesh(surface, part);
            let node = scene.posed(json!({ "mesh": mesh }), &part.X_BG);
            under[part.body.unwrap_or(self.names[place].len())].push(node);
        }
        let mut children = under.pop().unwrap_or_default();
        for (body, (name, shapes)) in self.names[place].iter().zip(under).enumerate() {
            let track: Vec<Pose> = self.moments.iter().map(|moment| moment.poses[place][body]).collect();
            let mut told = json!({ "name": name });
            if !shapes.is_empty() {
                told["children"] = json!(shapes);
            }
            let node = scene.posed(told, track.first().unwrap_or(&Pose::identity()));
            if let Some(clock) = clock {
                scene.animate(node, clock, &track);
            }
            children.push(node);
        }
        let mut told = json!({ "name": format!("world_{}", self.worlds[place]), "translation": self.stage.scene.offset(place) });
        if !children.is_empty() {
            told["children"] = json!(children); // an empty list is not allowed
        }
        scene.node(told)
    }
}

/// What the JSON says, and the numbers that it points at.
#[derive(Default)]
struct Document {
    numbers: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// By number of texture.
    pictures: Vec<Arc<Texture>>,
    images: Vec<Value>,
    textures: Vec<Value>,
}

impl Document {
    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn posed(&mut self, mut node: Value, pose: &Pose) -> usize {
        node["translation"] = json!(pose.p.to_array());
        node["rotation"] = json!(xyzw(pose));
        self.node(node)
    }

    /// Adds numbers of four bytes each, `count` entries of the kind; gives the number of their accessor.
    fn accessor(
        &mut self,
        bytes: impl IntoIterator<Item = [u8; 4]>,
        component: u32,
        kind: &str,
        count: usize,
    ) -> usize {
        let start = self.numbers.len();
        self.numbers.extend(bytes.into_iter().flatten());
        self.views
            .push(json!({ "buffer": 0, "byteOffset": start, "byteLength": self.numbers.len() - start }));
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }));
        self.accessors.len() - 1
    }

    fn bound(&mut self, accessor: usize, low: Value, high: Value) {
        self.accessors[accessor]["min"] = low;
        self.accessors[accessor]["max"] = high;
    }

    /// The numbers of a surface: what a mesh says of it, without a material. Nothing for one without triangles.
    fn surface(&mut self, surface: &Triangles) -> Option<Value> {
        if surface.faces.is_empty() {
            return None;
        }
        let vectors =
            |list: &[V]| list.iter().flat_map(|v| v.to_array()).map(f32::to_le_bytes).collect::<Vec<_>>();
        let points = self.accessor(vectors(&surface.points), FLOAT, "VEC3", surface.points.len());
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for point in &surface.points {
            for (k, x) in point.to_array().into_iter().enumerate() {
                (low[k], high[k]) = (low[k].min(x), high[k].max(x));
            }
        }
        self.bound(points, json!(low), json!(high));
        let normals = self.accessor(vectors(&surface.normals), FLOAT, "VEC3", surface.normals.len());
        let corners = surface.faces.iter().flatten().map(|corner| corner.to_le_bytes());
        let indices = self.accessor(corners, UNSIGNED, "SCALAR", 3 * surface.faces.len());
        let mut attributes = json!({ "POSITION": points, "NORMAL": normals });
        if !surface.uvs.is_empty() {
            let uvs = surface.uvs.iter().flatten().map(|x| x.to_le_bytes()).collect::<Vec<_>>();
            attributes["TEXCOORD_0"] = json!(self.accessor(uvs, FLOAT, "VEC2", surface.uvs.len()));
        }
        Some(json!({ "attributes": attributes, "indices": indices }))
    }

    /// A mesh of a surface in a colour or under a picture; gives its number, the same for the same.
    fn mesh(&mut self, surface: &Value, part: &Part) -> usize {
        let ([r, g, b], opacity) = (part.color.to_array(), part.opacity);
        let mut material = json!({
            "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, opacity], "metallicFactor": 0.05, "roughnessFactor": 0.5 },
        });
        if let Some(picture) = &part.texture {
            let texture = self.texture(picture);
            let mut laid = json!({ "index": texture });
            if picture.repeat != [1.0; 2] {
                laid["extensions"] = json!({ SCALING: { "scale": picture.repeat } });
            }
            material["pbrMetallicRoughness"]["baseColorTexture"] = laid;
        }
        if opacity < 1.0 {
            material["alphaMode"] = json!("BLEND");
        }
        let material = number(&mut self.materials, material);
        let mut primitive = surface.clone();
        primitive["material"] = json!(material);
        number(&mut self.meshes, json!({ "primitives": [primitive] }))
    }

    /// The number of a picture, the same for the same. Places in it go on beyond its edges, as glTF has them unless told otherwise.
    fn texture(&mut self, picture: &Arc<Texture>) -> usize {
        let known = self.pictures.iter().position(|other| Arc::ptr_eq(other, picture));
        known.unwrap_or_else(|| {
            let (start, png) = (self.numbers.len(), bellcrank_view::png(picture));
            self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": png.len() }));
            self.numbers.extend(png);
            self.numbers.resize(self.numbers.len().next_multiple_of(4), 0); // numbers after it begin at a multiple of four
            self.images.push(json!({ "bufferView": self.views.len() - 1, "mimeType": "image/png" }));
            self.textures.push(json!({ "source": self.images.len() - 1 }));
            self.pictures.push(picture.clone());
            self.pictures.len() - 1
        })
    }

    /// When key frames are [s].
    fn clock(&mut self, times: &[f32]) -> usize {
        let clock = self.accessor(times.iter().map(|t| t.to_le_bytes()), FLOAT, "SCALAR", times.len());
        self.bound(clock, json!([times[0]]), json!([times[times.len() - 1]]));
        clock
    }

    /// Moves a node along these poses.
    fn animate(&mut self, node: usize, clock: usize, track: &[Pose]) {
        let single = |x: f64| (x as f32).to_le_bytes();
        let places = track.iter().flat_map(|pose| pose.p.to_array().map(single));
        let places = self.accessor(places, FLOAT, "VEC3", track.len());
        let mut before = [0.0; 4];
        let turns = track.iter().flat_map(|pose| {
            let q = xyzw(pose); // q and −q are the same; between neighbours the short way is meant
            let dot: f64 = q.iter().zip(before).map(|(a, b)| a * b).sum();
            before = if dot < 0.0 { q.map(|x| -x) } else { q };
            before.map(single)
        });
        let turns: Vec<[u8; 4]> = turns.collect();
        let turns = self.accessor(turns, FLOAT, "VEC4", track.len());
        for (path, output) in [("translation", places), ("rotation", turns)] {
            self.samplers.push(json!({ "input": clock, "output": output }));
            let sampler = self.samplers.len() - 1;
            self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
        }
    }

    fn into_bytes(self, root: usize) -> Vec<u8> {
        let mut told = json!({
            "asset": { "version": "2.0", "generator": concat!("bellcrank ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [root] }],
            "nodes": self.nodes,
        });
        if self.pictures.iter().any(|picture| picture.repeat != [1.0; 2]) {
            told["extensionsUsed"] = json!([SCALING]);
        }
        let lists = [
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("textures", self.textures),
            ("images", self.images),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            told[name] = json!(list);
        }
        if !self.channels.is_empty() {
            told["animations"] =
                json!([{ "name": "run", "channels": self.channels, "samplers": self.samplers }]);
        }
        if !self.numbers.is_empty() {
            told["buffers"] = json!([{ "byteLength": self.numbers.len() }]);
        }
        let mut text = told.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut out = Vec::with_capacity(28 + text.len() + self.numbers.len());
        let whole = 12 + 8 + text.len() + if self.numbers.is_empty() { 0 } else { 8 + self.numbers.len() };
        let word = |out: &mut Vec<u8>, x: usize| out.extend((x as u32).to_le_bytes());
        out.extend(*b"glTF");
        word(&mut out, 2);
        word(&mut out, whole);
        word(&mut out, text.len());
        out.extend(*b"JSON");
        out.extend(text);
        if !self.numbers.is_empty() {
            word(&mut out, self.numbers.len());
            out.extend(*b"BIN\0");
            out.extend(self.numbers);
        }
        out
    }
}

/// Place in a list, at the end where it is new.
fn number(list: &mut Vec<Value>, wanted: Value) -> usize {
    list.iter().position(|known| *known == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    })
}

fn xyzw(pose: &Pose) -> [f64; 4] {
    let [w, x, y, z] = pose.R.to_wxyz();
    [x, y, z, w]
}
