//! Where steps are computed, by name: `cpu`; in builds with the feature `wgpu` also `wgpu`, the first adapter that WebGPU finds.
//!
//! On a device steps are made by a table ([what it knows](https://docs.rs/bellcrank-gpu)), in 32 bits, all steps of a call in one
//! submission; state and controls are the host's.

use bellcrank_model::Model;
use bellcrank_sim::{Batch, BatchError, BatchOptions};
use std::sync::Arc;

/// The devices that this build knows.
pub const NAMES: &[&str] = if cfg!(feature = "wgpu") { &["cpu", "wgpu"] } else { &["cpu"] };

/// A batch whose steps are computed on a device.
///
/// # Errors
/// Those of [`Batch::of`]; when this build does not know the device, the machine has none, or it cannot step one of the models.
pub fn batch_on(device: &str, worlds: &[Arc<Model>], options: BatchOptions) -> Result<Batch, BatchError> {
    match device {
        "cpu" => Batch::of(worlds, options),
        #[cfg(feature = "wgpu")]
        "wgpu" => on_webgpu(worlds, options),
        _ => Err(BatchError::NotOnDevice(format!(
            "device is {device:?}, but this build knows {}\n  hint: leave the device out, or say \"cpu\"",
            NAMES.join(", ")
        ))),
    }
}

#[cfg(feature = "wgpu")]
fn on_webgpu(worlds: &[Arc<Model>], options: BatchOptions) -> Result<Batch, BatchError> {
    use bellcrank_gpu::{step::DeviceGroup, webgpu::WebGpuSteps};
    use bellcrank_sim::Precision;
    if options.precision != Precision::F32 {
        let why =
            "device \"wgpu\" computes in 32 bits\n  hint: say so (precision f32), or leave the device out";
        return Err(BatchError::NotOnDevice(why.to_owned()));
    }
    Batch::of_groups(worlds, options, &|model, count, (dt, settings)| {
        let group = DeviceGroup::new(model, count, (dt, &settings), &WebGpuSteps::make);
        group.map(|group| Box::new(group) as _).map_err(|why| why.to_string())
    })
}
