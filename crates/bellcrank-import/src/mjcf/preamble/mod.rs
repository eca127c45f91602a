//! How the file is to be understood: included files, the compiler's options, classes, assets, and the whole world's options.

pub(in crate::mjcf) mod assets;
pub(in crate::mjcf) mod compiler;
pub(in crate::mjcf) mod defaults;
pub(in crate::mjcf) mod include;
mod looks;
pub(in crate::mjcf) mod msh;
pub(in crate::mjcf) mod option;
pub(in crate::mjcf) mod source;
mod terrain;
