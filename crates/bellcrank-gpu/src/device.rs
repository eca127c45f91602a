//! Where kernels run, and why they cannot.

/// Why a device cannot be used; every text says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A library of the system is missing.
    #[error("no NVIDIA {what} on this machine: {library} was not found\n  hint: {hint}")]
    NoLibrary {
        /// What it is.
        what: &'static str,
        /// Its file.
        library: &'static str,
        /// Where to get it.
        hint: &'static str,
    },
    /// There is no device of that number.
    #[error(
        "there is no CUDA device {index}: this machine has {count}\n  hint: numbers begin at 0, and CUDA_VISIBLE_DEVICES may hide devices"
    )]
    NoSuchDevice {
        /// The number that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// WebGPU finds nothing to run on.
    #[error(
        "no WebGPU adapter on this machine: {0}\n  hint: install a Vulkan driver (on Debian or Ubuntu, mesa-vulkan-drivers has one for the \
         processor itself)"
    )]
    NoAdapter(String),
    /// The device refused.
    #[error("{device} failed to {what}: {why}")]
    Failed {
        /// Which device.
        device: String,
        /// What it was asked to do.
        what: &'static str,
        /// What it says.
        why: String,
    },
    /// Arrays do not fit the kernel.
    #[error(transparent)]
    Arrays(#[from] crate::straight::ArrayError),
    /// More worlds than a device takes at a time.
    #[error(
        "{worlds} worlds are too many for one call of {kernel}: at most {most}\n  hint: call it for some of them at a time"
    )]
    TooManyWorlds {
        /// The kernel.
        kernel: String,
        /// Worlds that were asked for.
        worlds: usize,
        /// As many as it takes.
        most: usize,
    },
}
