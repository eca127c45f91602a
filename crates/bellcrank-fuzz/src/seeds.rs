//! What each reader understands, to be spoilt: made here, and the files of the corpus.

use crate::mutate::{self, Parser};
use crate::targets::{Target, sample_batch};
use bellcrank::import::{pack, to_urdf};
use bellcrank::model::library;
use bellcrank::view::{Probe, RecordOptions, Recorder};
use std::path::Path;

/// Seeds of a target.
pub fn seeds(target: Target) -> Vec<Vec<u8>> {
    let mut all = made(target);
    all.extend(corpus(target));
    all
}

/// Files in `fuzz/corpus`, where the repository is at hand.
fn corpus(target: Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name());
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

fn made(target: Target) -> Vec<Vec<u8>> {
    let of_import = |wanted: &str| -> Vec<Vec<u8>> {
        let fits = |parser: &Parser| match parser {
            Parser::Robot(format) => format.name().eq_ignore_ascii_case(wanted),
            Parser::Mesh(name) => name.ends_with(wanted),
        };
        mutate::seeds().into_iter().filter(|(parser, _)| fits(parser)).map(|(_, bytes)| bytes).collect()
    };
    match target {
        Target::Urdf => {
            let mut all = of_import("urdf");
            all.extend(shipped("stewart").map(|model| to_urdf(&model).text.into_bytes()));
            all
        }
        Target::Usda => of_import("usd"),
        Target::Mjcf | Target::Stl | Target::Obj | Target::Dae | Target::Gltf => {
            of_import(&target.name())
        }
        Target::Usdc => vec![include_bytes!("../../bellcrank-import/tests/usd/robot.usdc").to_vec()],
        Target::Usdz => vec![include_bytes!("../../bellcrank-import/tests/usd/robot.usdz").to_vec()],
        Target::Glb => vec![glb()],
        Target::Msh => vec![msh()],
        Target::Terrain => vec![terrain()],
        Target::PackedModel => {
            ["four_bar", "hybrid_biped"].into_iter().filter_map(shipped).map(|model| pack(&model)).collect()
        }
        Target::Snapshot | Target::DamagedSnapshot => vec![sample_batch().snapshot()],
        Target::Policy => vec![include_bytes!("../../bellcrank-learn/policies/biped_walk.safetensors").to_vec()],
        Target::Recording => recording().into_iter().collect(),
        Target::ViewerRequest => vec![
            b"GET /live?token=0123456789abcdef HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nOrigin: http://127.0.0.1:8000\r\n\
              Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \
              dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                .to_vec(),
        ],
        Target::ViewerFrames => vec![Probe::sample_frames()],
    }
}

fn shipped(name: &str) -> Option<bellcrank::model::Model> {
    library::by_name(name)?.build().ok()
}

/// The glTF of one triangle, with its points in the binary part.
fn glb() -> Vec<u8> {
    let mut json = br#"{"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36}]}"#.to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let points: Vec<u8> =
        [0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut bytes = b"glTF\x02\x00\x00\x00".to_vec();
    bytes.extend(((12 + 8 + json.len() + 8 + points.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &points)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

/// A tetrahedron: four counts, points, faces.
fn msh() -> Vec<u8> {
    let points = [0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.];
    let mut bytes = words([4, 0, 0, 4]);
    bytes.extend(points.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(words([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]));
    bytes
}

/// Three rows and four columns; a picture is in the corpus.
fn terrain() -> Vec<u8> {
    let mut bytes = words([3, 4]);
    bytes.extend((0..12_u8).flat_map(|k| (f32::from(k) * 0.1).to_le_bytes()));
    bytes
}

fn words<const N: usize>(all: [i32; N]) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn recording() -> Option<Vec<u8>> {
    let mut batch = sample_batch();
    let mut recorder = Recorder::in_memory(&batch, RecordOptions::default()).ok()?;
    for step in 0..30 {
        batch.step(5);
        recorder.observe(&batch, f64::from(step) * 0.02).ok()?;
    }
    recorder.finish_bare().ok()
}
