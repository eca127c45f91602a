//! Without a driver there is an error, and no panic.

use bellcrank_gpu::DeviceError;
use bellcrank_gpu::cuda::Cuda;

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
