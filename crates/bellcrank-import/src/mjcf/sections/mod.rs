//! Everything outside the tree of bodies, section by section.

pub(in crate::mjcf) mod actuators;
pub(in crate::mjcf) mod contact;
mod dc_motor;
pub(in crate::mjcf) mod drive;
pub(in crate::mjcf) mod equality;
pub(in crate::mjcf) mod keyframes;
mod muscle;
pub(in crate::mjcf) mod replicas;
pub(in crate::mjcf) mod sensors;
mod spatial;
pub(in crate::mjcf) mod tendons;
