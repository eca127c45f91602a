//! One target per reader.

use bellcrank::import::{
    File, Format, Limits, Options, load, loads, meshes, pack, to_mjcf, to_urdf, to_usd, unpack,
};
use bellcrank::learn::Policy;
use bellcrank::model::{Checksum, Model, library};
use bellcrank::sim::{Batch, BatchOptions, Kind, Quantity};
use bellcrank::view::{Probe, read_recording};
use std::cell::RefCell;
use std::sync::Arc;

/// Robots with more bodies or shapes are read and written, but not stepped: the reader is what is tried here.
const MOST_STEPPED: usize = 40;

/// Something that reads bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // formats by their names
pub enum Target {
    Urdf,
    Mjcf,
    Usda,
    /// Binary USD, told by its first bytes.
    Usdc,
    Usdz,
    Stl,
    Obj,
    Dae,
    Gltf,
    Glb,
    /// MuJoCo's own meshes.
    Msh,
    /// Terrain as a picture or as MuJoCo's own numbers, told by its first bytes.
    Terrain,
    /// A model as bytes; the checksum is put right, so that what is behind it is tried.
    PackedModel,
    /// A batch's state; the checksum is put right.
    Snapshot,
    /// The same with whatever checksum it has: only the snapshot itself may be taken.
    DamagedSnapshot,
    Policy,
    Recording,
    /// The head of an HTTP request.
    ViewerRequest,
    /// Frames of a WebSocket after the handshake, and the commands in them.
    ViewerFrames,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 19] = [
        Target::Urdf,
        Target::Mjcf,
        Target::Usda,
        Target::Usdc,
        Target::Usdz,
        Target::Stl,
        Target::Obj,
        Target::Dae,
        Target::Gltf,
        Target::Glb,
        Target::Msh,
        Target::Terrain,
        Target::PackedModel,
        Target::Snapshot,
        Target::DamagedSnapshot,
        Target::Policy,
        Target::Recording,
        Target::ViewerRequest,
        Target::ViewerFrames,
    ];

    /// As the command line and the folders of the corpus name it.
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.extend(letter.to_lowercase());
        }
        name
    }

    /// Reads the bytes; comes back whatever they are.
    ///
    /// # Panics
    /// Where the reader, or what it made, is not as it should be.
    pub fn feed(self, bytes: &[u8]) {
        match self {
            Target::Urdf => robot(bytes, Format::Urdf),
            Target::Mjcf => robot(bytes, Format::Mjcf),
            Target::Usda => robot(bytes, Format::Usd),
            Target::Usdc => layer("a.usdc", bytes),
            Target::Usdz => archive(bytes),
            Target::Stl => mesh("a.stl", bytes),
            Target::Obj => mesh("a.obj", bytes),
            Target::Dae => mesh("a.dae", bytes),
            Target::Gltf => mesh("a.gltf", bytes),
            Target::Glb => mesh("a.glb", bytes),
            Target::Msh => asset("mesh", "a.msh", bytes),
            Target::Terrain => asset("hfield", "a.png", bytes),
            Target::PackedModel => packed(bytes),
            Target::Snapshot => snapshot(&with_checksum(bytes)),
            Target::DamagedSnapshot => damaged_snapshot(bytes),
            Target::Policy => policy(bytes),
            Target::Recording => {
                let _ = read_recording(bytes);
            }
            Target::ViewerRequest => Probe::request(bytes),
            Target::ViewerFrames => frames(bytes),
        }
    }
}

fn robot(bytes: &[u8], format: Format) {
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let options = Options::default().file("package://p/t.obj", tetrahedron);
    match loads(&String::from_utf8_lossy(bytes), format, &options) {
        Ok(model) => made(model),
        Err(error) => assert!(!error.to_string().is_empty(), "an error says what is wrong"),
    }
}

/// A layer that a text refers to: that is how binary files are read from memory.
fn layer(name: &str, bytes: &[u8]) {
    let options = Options::default().file(name, bytes);
    let text = format!("#usda 1.0\ndef \"r\" (references = @{name}@) {{}}\n");
    if let Ok(model) = loads(&text, Format::Usd, &options) {
        made(model);
    }
}

/// An archive is opened where it lies on the disk, never from within another layer.
fn archive(bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("bellcrank_fuzz_{}.usdz", std::process::id()));
    if std::fs::write(&path, bytes).is_ok() {
        let read = load(&path, &Options::default());
        let _ = std::fs::remove_file(&path);
        if let Ok(model) = read {
            made(model);
        }
    }
}

/// A file that only MJCF names, as a mesh or a height field (`tag`); a ball lies above what it holds.
fn asset(tag: &str, name: &str, bytes: &[u8]) {
    let size = if tag == "hfield" { r#"size="1 1 1 1""# } else { "" };
    let text = format!(
        r#"<mujoco><asset><{tag} name="a" file="{name}" {size}/></asset><worldbody><geom type="{tag}" {tag}="a"/>
           <body pos="0 0 1.5"><freejoint/><geom size="0.6"/></body></worldbody></mujoco>"#
    );
    match loads(&text, Format::Mjcf, &Options::default().file(name, bytes)) {
        Ok(model) => made(model),
        Err(error) => assert!(!error.to_string().is_empty(), "an error says what is wrong"),
    }
}

/// Whatever could be read can be written, packed and stepped, and shows numbers.
fn made(model: Model) {
    assert!(to_mjcf(&model).text.len() + to_urdf(&model).text.len() + to_usd(&model).text.len() > 0);
    let back = unpack(&pack(&model));
    assert!(back.is_ok(), "what was packed is unpacked: {:?}", back.err());
    if model.bodies().len() <= MOST_STEPPED && model.shapes().len() <= MOST_STEPPED {
        step(&Arc::new(model));
    }
}

fn step(model: &Arc<Model>) {
    let Ok(mut batch) = Batch::new(model.clone(), 1, BatchOptions::default()) else { return };
    batch.step(2);
    assert_numbers(&batch);
    let blob = batch.snapshot();
    assert!(batch.restore(&blob).is_ok(), "a batch takes its own snapshot back");
}

fn assert_numbers(batch: &Batch) {
    for quantity in Quantity::of_kind(Kind::State) {
        let mut values = vec![0.0_f64; batch.shape(quantity).iter().product()];
        if batch.read(quantity, &mut values).is_ok() {
            assert!(values.iter().all(|x| x.is_finite()), "{} is no number", quantity.name());
        }
    }
}

fn mesh(name: &str, bytes: &[u8]) {
    if let Ok(mesh) = meshes::read(&File::new(name, bytes.to_vec()), &Limits::default()) {
        let count = mesh.vertices.len();
        assert!(mesh.vertices.iter().all(|v| v.is_finite()));
        assert!(mesh.triangles.iter().flatten().all(|&k| (k as usize) < count));
    }
}

fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    let mut content = bytes[..bytes.len().saturating_sub(8)].to_vec();
    let mut sum = Checksum::default();
    sum.bytes(&content);
    content.extend(sum.finish().to_le_bytes());
    content
}

fn packed(bytes: &[u8]) {
    if let Ok(model) = unpack(&with_checksum(bytes)) {
        made(model);
    }
}

/// The batch whose snapshots are spoilt: a loop, a motor, a floor to hit.
pub(crate) fn sample_batch() -> Batch {
    let model = library::by_name("five_bar_quadruped").and_then(|builder| builder.build().ok());
    let batch = model.and_then(|model| Batch::new(Arc::new(model), 1, BatchOptions::default()).ok());
    let Some(mut batch) = batch else { unreachable!("a shipped model is sound") };
    batch.step(3);
    batch
}

thread_local! {
    static SAMPLE: RefCell<(Batch, Vec<u8>)> = RefCell::new({
        let batch = sample_batch();
        let blob = batch.snapshot();
        (batch, blob)
    });
    static PROBE: RefCell<Probe> = RefCell::new(Probe::new(sample_batch()));
}

/// A forged snapshot may say anything, also what is no number; it does not make a step panic.
fn snapshot(bytes: &[u8]) {
    SAMPLE.with_borrow_mut(|(batch, own)| {
        if batch.restore(bytes).is_ok() {
            batch.step(1);
        }
        assert!(batch.restore(own).is_ok());
    });
}

fn damaged_snapshot(bytes: &[u8]) {
    SAMPLE.with_borrow_mut(|(batch, own)| {
        let taken = batch.restore(bytes).is_ok() || batch.adopt(bytes).is_ok();
        assert!(!taken || bytes == own.as_slice(), "a damaged snapshot was taken");
    });
}

fn policy(bytes: &[u8]) {
    if let Ok(policy) = Policy::from_bytes(bytes) {
        let _ = policy.act(&[0.0; 64]);
        let _ = policy.to_onnx();
    }
}

fn frames(bytes: &[u8]) {
    PROBE.with_borrow_mut(|probe| probe.frames(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{Dice, mutated};
    use crate::seeds;

    #[test]
    fn targets_are_named_by_what_they_are() {
        assert_eq!(Target::DamagedSnapshot.name(), "damaged_snapshot");
        assert!(Target::ALL.iter().all(|target| !seeds(*target).is_empty()));
    }

    /// A few spoilt inputs each; the program of this crate does it for as long as wanted.
    #[test]
    fn spoilt_bytes_are_survived() {
        let mut dice = Dice(7);
        for target in Target::ALL {
            for seed in seeds(target) {
                target.feed(&seed);
                (0..20).for_each(|_| target.feed(&mutated(&seed, &mut dice)));
            }
        }
    }
}
