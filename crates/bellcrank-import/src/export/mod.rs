//! A model as URDF, MJCF or USD text, so that it can move on.
//!
//! ```
//! let model = bellcrank_model::library::by_name("four_bar").unwrap().build()?;
//! let exported = bellcrank_import::to_urdf(&model);
//! assert!(exported.text.contains("<loop_joint name=\"rocker_"));
//! # Ok::<(), bellcrank_model::Faults>(())
//! ```
//! What a format cannot say is listed in [`Exported::left_out`], never dropped silently. Meshes become OBJ files
//! that the text names.

mod equality;
mod mjcf;
mod mjcf_drives;
mod mjcf_joints;
mod mjcf_keyframes;
mod mjcf_parts;
mod mjcf_sensors;
mod softness;
mod tree;
mod urdf;
mod urdf_parts;
mod usd;
mod usd_names;
mod usd_parts;
mod write;

pub use mjcf::to_mjcf;
pub use urdf::to_urdf;
pub use usd::to_usd;

use std::collections::BTreeMap;

/// A model in another format.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The main file.
    pub text: String,
    /// Other files by the names that the text uses, relative to it.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What the format cannot say.
    pub left_out: Vec<String>,
}
