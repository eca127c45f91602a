//! The tree of bodies as the file has it, and where its elements say they are.

pub(in crate::mjcf) mod cameras;
pub(in crate::mjcf) mod census;
pub(in crate::mjcf) mod geoms;
pub(in crate::mjcf) mod joints;
pub(in crate::mjcf) mod placement;
pub(in crate::mjcf) mod softness;
pub(in crate::mjcf) mod spec;
pub(in crate::mjcf) mod tree;
