//! Where steps are computed, by name: `cpu`; in builds with the feature `wgpu` also `wgpu`, the first adapter that WebGPU finds; in
//! builds with the feature `cuda` also `cuda:0` (or another number), which was **never run on hardware**.
//!
//! On a device steps are made by a table ([what it knows](https://docs.rs/bellcrank-gpu)), in 32 bits, all steps of a call in one
//! submission; state and controls are the host's.

use bellcrank_model::Model;
use bellcrank_sim::{Batch, BatchError, BatchOptions};
use std::sync::Arc;

/// The kinds of devices that this build knows.
pub const NAMES: &[&str] = match (cfg!(feature = "cuda"), cfg!(feature = "wgpu")) {
    (false, false) => &["cpu"],
    (false, true) => &["cpu", "wgpu"],
    (true, false) => &["cpu", "cuda"],
    (true, true) => &["cpu", "cuda", "wgpu"],
};

/// A batch whose steps are computed on a device.
///
/// # Errors
/// Those of [`Batch::of`]; when this build does not know the device, the machine has none, or it cannot step one of the models.
pub fn batch_on(device: &str, worlds: &[Arc<Model>], options: BatchOptions) -> Result<Batch, BatchError> {
    let (kind, number) = device.split_once(':').unwrap_or((device, "0"));
    match (kind, number.parse::<usize>()) {
        ("cpu", Ok(0)) => Batch::of(worlds, options),
        #[cfg(feature = "wgpu")]
        ("wgpu", Ok(0)) => on_device(device, worlds, options, &bellcrank_gpu::webgpu::WebGpuSteps::make),
        #[cfg(feature = "cuda")]
        ("cuda", Ok(index)) => on_device(device, worlds, options, &|kernel, program, count| {
            bellcrank_gpu::cuda::CudaSteps::make(index, &kernel, program, count)
        }),
        _ => Err(BatchError::NotOnDevice(format!(
            "device is {device:?}, but this build knows {}\n  hint: leave the device out, or say \"cpu\"",
            NAMES.join(", ")
        ))),
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn on_device(
    device: &str,
    worlds: &[Arc<Model>],
    options: BatchOptions,
    make: bellcrank_gpu::step::MakeStepper<'_>,
) -> Result<Batch, BatchError> {
    use bellcrank_gpu::step::DeviceGroup;
    if options.precision != bellcrank_sim::Precision::F32 {
        return Err(BatchError::NotOnDevice(format!(
            "device {device:?} computes in 32 bits\n  hint: say so (precision f32), or leave the device out"
        )));
    }
    Batch::of_groups(worlds, options, &|model, count, (dt, settings)| {
        let group = DeviceGroup::new(model, count, (dt, &settings), make);
        group.map(|group| Box::new(group) as _).map_err(|why| why.to_string())
    })
}
