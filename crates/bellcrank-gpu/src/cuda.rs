//! Kernels on NVIDIA's processors: compiled by NVRTC when they are first needed, and run by the driver.
//!
//! Driver and compiler are libraries that a program looks for when it runs; a machine without them gets an error. **This has not been
//! run on a device yet**: what is tested is the text that it compiles and the errors that it gives.
#![allow(unsafe_code)] // asking for a library and starting a kernel

use crate::blocks::{Instruction, TableKernel};
use crate::device::DeviceError;
use crate::emit::Language;
use crate::step::{StepKernel, StepProgram, Stepper};
use crate::straight::{ArrayError, StraightKernel, THREADS};
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
use std::ops::Range;
use std::sync::Arc;

/// A device of this machine.
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    name: String,
}

/// A kernel that has been compiled for it.
pub struct CudaKernel {
    kernel: StraightKernel,
    function: CudaFunction,
}

/// The kernel of block tables, compiled.
pub struct CudaTables {
    function: CudaFunction,
}

impl Cuda {
    /// The device of that number.
    ///
    /// # Errors
    /// When there is no driver, no compiler or no such device.
    pub fn new(index: usize) -> Result<Self, DeviceError> {
        // SAFETY: both load a library, whose own start-up code is trusted as that of every library is
        let (driver, compiler) =
            unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) };
        if !driver {
            let hint = "install NVIDIA's driver, or compute on the processor (device \"cpu\")";
            return Err(DeviceError::NoLibrary { what: "driver", library: "libcuda.so.1", hint });
        }
        if !compiler {
            let hint = "pip install nvidia-cuda-nvrtc-cu12 and put its lib folder into LD_LIBRARY_PATH, or install the CUDA toolkit";
            return Err(DeviceError::NoLibrary { what: "run-time compiler", library: "libnvrtc.so", hint });
        }
        let failed = |what| {
            move |why: cudarc::driver::DriverError| DeviceError::Failed {
                device: format!("cuda:{index}"),
                what,
                why: why.to_string(),
            }
        };
        let count = CudaContext::device_count().map_err(failed("count devices"))?;
        let count = usize::try_from(count).unwrap_or(0);
        if index >= count {
            return Err(DeviceError::NoSuchDevice { index, count });
        }
        let context = CudaContext::new(index).map_err(failed("start"))?;
        let name = context.name().map_err(failed("tell its name"))?;
        Ok(Cuda { stream: context.default_stream(), context, name: format!("cuda:{index} ({name})") })
    }

    /// Its number and name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn failed(&self, what: &'static str) -> impl Fn(cudarc::driver::DriverError) -> DeviceError + use<> {
        let device = self.name.clone();
        move |why| DeviceError::Failed { device: device.clone(), what, why: why.to_string() }
    }

    /// Compiles a kernel of one piece.
    ///
    /// # Errors
    /// When NVIDIA's compiler or the driver does not take it.
    pub fn compile(&self, kernel: &StraightKernel) -> Result<CudaKernel, DeviceError> {
        let function = self.function(&kernel.text(Language::Cuda), &kernel.name)?;
        Ok(CudaKernel { kernel: kernel.clone(), function })
    }

    /// Compiles the kernel of block tables.
    ///
    /// # Errors
    /// When NVIDIA's compiler or the driver does not take it.
    pub fn compile_tables(&self, kernel: &TableKernel) -> Result<CudaTables, DeviceError> {
        Ok(CudaTables { function: self.function(&kernel.text(Language::Cuda, THREADS), "blocks")? })
    }

    fn function(&self, text: &str, entry: &str) -> Result<CudaFunction, DeviceError> {
        let (major, minor) = self.context.compute_capability().map_err(self.failed("tell its kind"))?;
        let options = CompileOptions {
            ftz: Some(false),
            prec_div: Some(true),
            prec_sqrt: Some(true),
            fmad: Some(false),
            options: vec![format!("--gpu-architecture=compute_{major}{minor}")],
            ..CompileOptions::default()
        };
        let ptx = compile_ptx_with_opts(text, options).map_err(|why| DeviceError::Failed {
            device: self.name.clone(),
            what: "compile a kernel",
            why: format!("{why:?}"),
        })?;
        let module = self.context.load_module(ptx).map_err(self.failed("load a kernel"))?;
        module.load_function(entry).map_err(self.failed("load a kernel"))
    }

    /// Runs a kernel on arrays of the host; number k of world w stands at `k · worlds + w`.
    ///
    /// # Errors
    /// When arrays do not fit, or the device fails.
    pub fn run(
        &self,
        compiled: &CudaKernel,
        worlds: usize,
        inputs: &[&[f32]],
        outputs: &mut [&mut [f32]],
    ) -> Result<(), DeviceError> {
        let read: Vec<usize> = inputs.iter().map(|array| array.len()).collect();
        let written: Vec<usize> = outputs.iter().map(|array| array.len()).collect();
        compiled.kernel.check(worlds, &read, &written)?;
        let count = count_of(&compiled.kernel.name, worlds)?;
        if worlds == 0 {
            return Ok(());
        }
        let up = self.failed("take arrays");
        let sent: Result<Vec<CudaSlice<f32>>, _> =
            inputs.iter().map(|array| self.stream.clone_htod(*array)).collect();
        let sent = sent.map_err(&up)?;
        let room: Result<Vec<CudaSlice<f32>>, _> =
            written.iter().map(|length| self.stream.alloc_zeros::<f32>((*length).max(1))).collect();
        let mut room = room.map_err(&up)?;
        let mut launch = self.stream.launch_builder(&compiled.function);
        sent.iter().for_each(|array| _ = launch.arg(array));
        room.iter_mut().for_each(|array| _ = launch.arg(array));
        launch.arg(&count);
        // SAFETY: the kernel has these arguments, and reads and writes `worlds` numbers of each of its arrays' columns, which
        // `check` has counted
        unsafe { launch.launch(grid(count)) }.map_err(self.failed("start a kernel"))?;
        for (array, own) in outputs.iter_mut().zip(&room) {
            let given = self.stream.clone_dtoh(own).map_err(self.failed("give back results"))?;
            array.copy_from_slice(&given[..array.len()]);
        }
        Ok(())
    }

    /// Does the lines of a table in many worlds, in an array of the host that has `size` numbers for each.
    ///
    /// # Errors
    /// When the memory has another length, a line leads out of it, or the device fails.
    pub fn run_table(
        &self,
        compiled: &CudaTables,
        lines: &[Instruction],
        memory: &mut [f32],
        (worlds, size): (usize, usize),
    ) -> Result<(), DeviceError> {
        let end = lines.iter().map(Instruction::end).max().unwrap_or(0);
        if memory.len() != worlds * size || end > size {
            let (kernel, array) = ("blocks".to_owned(), "memory".to_owned());
            let (found, width) = (memory.len(), size.max(end));
            return Err(ArrayError::Size { kernel, array, found, worlds, width }.into());
        }
        let (count, length) = (count_of("blocks", worlds)?, lines.len() as u32);
        if worlds == 0 || lines.is_empty() {
            return Ok(());
        }
        let table: Vec<u32> = TableKernel::table(lines).concat();
        let up = self.failed("take arrays");
        let (table, mut own) =
            (self.stream.clone_htod(&table).map_err(&up)?, self.stream.clone_htod(memory).map_err(&up)?);
        let mut launch = self.stream.launch_builder(&compiled.function);
        launch.arg(&mut own).arg(&table).arg(&count).arg(&length);
        // SAFETY: no line leads out of a world's memory, of which there are `worlds`
        unsafe { launch.launch(grid(count)) }.map_err(self.failed("start a kernel"))?;
        let given = self.stream.clone_dtoh(&own).map_err(self.failed("give back results"))?;
        memory.copy_from_slice(&given);
        Ok(())
    }
}

/// Worlds on a device, stepped by a table.
pub struct CudaSteps {
    device: Cuda,
    function: CudaFunction,
    table: CudaSlice<u32>,
    memory: CudaSlice<f32>,
    /// What of the memory is wanted back as it was before the last step.
    before: CudaSlice<f32>,
    worlds: u32,
    lines: u32,
}

impl CudaSteps {
    /// So many worlds of a program on the device of that number.
    ///
    /// # Errors
    /// When there is no driver, no compiler or no such device, or it has no room for so many worlds.
    pub fn make(
        index: usize,
        kernel: &StepKernel,
        program: &StepProgram,
        worlds: usize,
    ) -> Result<Box<dyn Stepper>, DeviceError> {
        let device = Cuda::new(index)?;
        let (count, lines) = (count_of("step", worlds)?, program.lines().len() as u32);
        let function = device.function(&kernel.text(Language::Cuda, THREADS), "step")?;
        let up = device.failed("take worlds");
        let start = program.start().iter().flat_map(|x| std::iter::repeat_n(*x, worlds));
        let memory = device.stream.clone_htod(&start.collect::<Vec<f32>>()).map_err(&up)?;
        let before = device.stream.alloc_zeros(program.start().len() * worlds).map_err(&up)?;
        let table = device.stream.clone_htod(&program.lines().concat()).map_err(&up)?;
        Ok(Box::new(CudaSteps { device, function, table, memory, before, worlds: count, lines }))
    }

    fn pass(&mut self, steps: u32) -> Result<(), DeviceError> {
        let mut launch = self.device.stream.launch_builder(&self.function);
        launch.arg(&mut self.memory).arg(&self.table).arg(&self.worlds).arg(&self.lines).arg(&steps);
        // SAFETY: the kernel has these arguments, and no line of the table leads out of a world's memory, of which there are `worlds`
        let started = unsafe { launch.launch(grid(self.worlds)) };
        started.map(|_| ()).map_err(self.device.failed("start a kernel"))
    }
}

impl Stepper for CudaSteps {
    fn run(
        &mut self,
        memory: &mut [f32],
        before: &mut [f32],
        [given, told]: [&[Range<usize>]; 2],
        steps: u32,
    ) -> Result<(), DeviceError> {
        let (up, down) = (self.device.failed("take worlds"), self.device.failed("give back worlds"));
        let stream = self.device.stream.clone();
        for range in given {
            let own = &mut self.memory.slice_mut(range.clone());
            stream.memcpy_htod(&memory[range.clone()], own).map_err(&up)?;
        }
        if steps > 1 {
            self.pass(steps - 1)?;
        }
        for range in told {
            let old = &mut self.before.slice_mut(range.clone());
            stream.memcpy_dtod(&self.memory.slice(range.clone()), old).map_err(&down)?;
        }
        self.pass(1)?;
        for range in told {
            let old = &mut before[range.clone()];
            stream.memcpy_dtoh(&self.before.slice(range.clone()), old).map_err(&down)?;
            stream
                .memcpy_dtoh(&self.memory.slice(range.clone()), &mut memory[range.clone()])
                .map_err(&down)?;
        }
        stream.synchronize().map_err(&down)
    }
}

/// A thread per world.
fn grid(worlds: u32) -> LaunchConfig {
    let threads = THREADS as u32;
    LaunchConfig {
        grid_dim: (worlds.div_ceil(threads), 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    }
}

fn count_of(kernel: &str, worlds: usize) -> Result<u32, DeviceError> {
    let most = u32::MAX as usize / 2;
    match u32::try_from(worlds) {
        Ok(count) if worlds <= most => Ok(count),
        _ => Err(DeviceError::TooManyWorlds { kernel: kernel.to_owned(), worlds, most }),
    }
}
