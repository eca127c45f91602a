//! Masses: of shapes, of meshes and of whole bodies; and how much coordinates resist.

pub(in crate::mjcf) mod effective_inertia;
pub(in crate::mjcf) mod mass_of_mesh;
pub(in crate::mjcf) mod masses;
pub(in crate::mjcf) mod principal;
pub(in crate::mjcf) mod solids;
