//! Which bodies and joints of the model the file's tree becomes.

pub(in crate::mjcf) mod assembly;
pub(in crate::mjcf) mod joint_groups;
pub(in crate::mjcf) mod lumps;
pub(in crate::mjcf) mod names;
