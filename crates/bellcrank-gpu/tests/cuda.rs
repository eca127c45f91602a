//! Without a driver there is an error, and no panic.

use bellcrank_gpu::DeviceError;
use bellcrank_gpu::cuda::{Cuda, CudaSteps};
use bellcrank_gpu::step::{DeviceGroup, NoDeviceGroup};
use bellcrank_model::library;
use bellcrank_solve::ComFree;
use bellcrank_step::settings::{Settings, Solver};
use std::sync::Arc;

#[test]
fn a_machine_without_a_device_is_told_what_is_missing() {
    match Cuda::new(99) {
        Ok(device) => panic!("{} is more than any machine has", device.name()),
        Err(error @ DeviceError::NoLibrary { .. }) => {
            let text = error.to_string();
            assert!(text.contains("was not found") && text.contains("hint: "), "{text}");
        }
        Err(DeviceError::NoSuchDevice { index, .. }) => assert_eq!(index, 99),
        Err(error) => assert!(matches!(error, DeviceError::Failed { .. }), "{error}"),
    }
}

/// So do worlds that were to be stepped there.
#[test]
fn worlds_on_a_machine_without_a_device_are_refused() {
    let model = library::by_name("box").expect("a model").build().expect("valid");
    let settings = Settings { solver: Solver::ComFree(ComFree::default()), ..Settings::single() };
    let made = DeviceGroup::new(&Arc::new(model), 2, (0.004, &settings), &|kernel, program, worlds| {
        CudaSteps::make(99, &kernel, program, worlds)
    });
    match made {
        Err(NoDeviceGroup::Device(error)) => assert!(error.to_string().contains("hint: "), "{error}"),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("no machine has a hundred devices"),
    }
}
