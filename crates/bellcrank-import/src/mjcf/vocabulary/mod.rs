//! What the format knows, what is listed once, what nobody read, and from names to what they mean.

pub(in crate::mjcf) mod known;
pub(in crate::mjcf) mod notes;
pub(in crate::mjcf) mod references;
pub(in crate::mjcf) mod schema;
