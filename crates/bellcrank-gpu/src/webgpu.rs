//! Kernels through WebGPU: on Vulkan, Metal or Direct3D.
//!
//! Good to rounding, not to the bit: WGSL leaves it to the driver whether sums and products are contracted or exchanged.

use crate::blocks::{Instruction, TableKernel};
use crate::device::DeviceError;
use crate::emit::Language;
use crate::step::{StepKernel, StepProgram, Stepper};
use crate::straight::{ArrayError, StraightKernel, THREADS};
use std::ops::Range;
use wgpu::{BufferUsages, util::DeviceExt};

/// A device that WebGPU has found.
#[derive(Debug)]
pub struct WebGpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
}

/// A kernel that has been compiled for it.
#[derive(Debug)]
pub struct WebGpuKernel {
    kernel: StraightKernel,
    pipeline: wgpu::ComputePipeline,
}

/// The kernel of block tables, compiled.
#[derive(Debug)]
pub struct WebGpuTables {
    pipeline: wgpu::ComputePipeline,
}

impl WebGpu {
    /// The first adapter that can compute.
    ///
    /// # Errors
    /// When there is none.
    pub fn new() -> Result<Self, DeviceError> {
        let none = |why: String| DeviceError::NoAdapter(why);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .map_err(|error| none(error.to_string()))?;
        let info = adapter.get_info();
        let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| none(error.to_string()))?;
        let name = format!("{} ({:?}, {} {})", info.name, info.backend, info.driver, info.driver_info);
        Ok(WebGpu { device, queue, name })
    }

    /// Its name and driver.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compiles a kernel of one piece.
    ///
    /// # Errors
    /// When the driver does not take it.
    pub fn compile(&self, kernel: &StraightKernel) -> Result<WebGpuKernel, DeviceError> {
        let pipeline = self.pipeline(&kernel.text(Language::Wgsl), &kernel.name)?;
        Ok(WebGpuKernel { kernel: kernel.clone(), pipeline })
    }

    /// Compiles the kernel of block tables.
    ///
    /// # Errors
    /// When the driver does not take it.
    pub fn compile_tables(&self, kernel: &TableKernel) -> Result<WebGpuTables, DeviceError> {
        Ok(WebGpuTables { pipeline: self.pipeline(&kernel.text(Language::Wgsl, THREADS), "blocks")? })
    }

    fn failed(&self, what: &'static str, why: impl ToString) -> DeviceError {
        DeviceError::Failed { device: self.name.clone(), what, why: why.to_string() }
    }

    fn pipeline(&self, text: &str, entry: &str) -> Result<wgpu::ComputePipeline, DeviceError> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(entry),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: None,
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(self.failed("compile a kernel", error)),
            None => Ok(pipeline),
        }
    }

    /// Runs a kernel on arrays of the host; number k of world w stands at `k · worlds + w`.
    ///
    /// # Errors
    /// When arrays do not fit, there are too many worlds, or the device fails.
    pub fn run(
        &self,
        compiled: &WebGpuKernel,
        worlds: usize,
        inputs: &[&[f32]],
        outputs: &mut [&mut [f32]],
    ) -> Result<(), DeviceError> {
        let kernel = &compiled.kernel;
        let read: Vec<usize> = inputs.iter().map(|array| array.len()).collect();
        let written: Vec<usize> = outputs.iter().map(|array| array.len()).collect();
        kernel.check(worlds, &read, &written)?;
        self.check_size(&kernel.name, worlds, read.iter().chain(&written).copied().max().unwrap_or(0))?;
        let size = self.buffer(&bytes_of_words([worlds as u32, 0, 0, 0]), BufferUsages::UNIFORM);
        let mut buffers = vec![size];
        buffers.extend(inputs.iter().map(|array| self.storage(array)));
        buffers.extend(outputs.iter().map(|array| self.storage(&vec![0.0; array.len()])));
        self.dispatch(&compiled.pipeline, &buffers, worlds);
        for (array, buffer) in outputs.iter_mut().zip(&buffers[1 + inputs.len()..]) {
            self.read(buffer, array)?;
        }
        Ok(())
    }

    /// Does the lines of a table in many worlds, in an array of the host that has `size` numbers for each.
    ///
    /// # Errors
    /// When the memory has another length, a line leads out of it, there are too many worlds, or the device fails.
    pub fn run_table(
        &self,
        compiled: &WebGpuTables,
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
        self.check_size("blocks", worlds, memory.len())?;
        let table: Vec<u8> = TableKernel::table(lines).into_iter().flat_map(bytes_of_words).collect();
        let size = bytes_of_words([worlds as u32, lines.len() as u32, 0, 0]);
        let buffers = [
            self.buffer(&size, BufferUsages::UNIFORM),
            self.buffer(&table, BufferUsages::STORAGE),
            self.storage(memory),
        ];
        self.dispatch(&compiled.pipeline, &buffers, worlds);
        self.read(&buffers[2], memory)
    }

    /// Groups along one side, and bytes of one array, are limited.
    fn check_size(&self, kernel: &str, worlds: usize, numbers: usize) -> Result<(), DeviceError> {
        let limits = self.device.limits();
        let by_groups = limits.max_compute_workgroups_per_dimension as usize * THREADS;
        let per_world = 4 * (numbers / worlds.max(1)).max(1);
        let by_bytes = limits.max_storage_buffer_binding_size as usize / per_world;
        let most = by_groups.min(by_bytes);
        match worlds <= most {
            true => Ok(()),
            false => Err(DeviceError::TooManyWorlds { kernel: kernel.to_owned(), worlds, most }),
        }
    }

    fn buffer(&self, contents: &[u8], usage: BufferUsages) -> wgpu::Buffer {
        // no buffer may be empty
        let contents = if contents.is_empty() { &[0; 16] } else { contents };
        let usage = usage | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    }

    fn storage(&self, numbers: &[f32]) -> wgpu::Buffer {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.buffer(&bytes, BufferUsages::STORAGE)
    }

    fn bind(&self, pipeline: &wgpu::ComputePipeline, buffers: &[wgpu::Buffer]) -> wgpu::BindGroup {
        let entry = |(binding, buffer): (usize, &wgpu::Buffer)| (binding as u32, buffer.clone());
        let bound: Vec<(u32, wgpu::Buffer)> = buffers.iter().enumerate().map(entry).collect();
        let entries: Vec<wgpu::BindGroupEntry<'_>> = bound
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let layout = pipeline.get_bind_group_layout(0);
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        })
    }

    fn dispatch(&self, pipeline: &wgpu::ComputePipeline, buffers: &[wgpu::Buffer], worlds: usize) {
        let group = self.bind(pipeline, buffers);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(worlds.div_ceil(THREADS) as u32, 1, 1);
        }
        self.queue.submit([encoder.finish()]);
    }

    /// Memory from which the host reads.
    fn staging(&self, size: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn read(&self, buffer: &wgpu::Buffer, numbers: &mut [f32]) -> Result<(), DeviceError> {
        let staging = self.staging(buffer.size());
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        self.read_staging(&staging, numbers)
    }

    fn read_staging(&self, staging: &wgpu::Buffer, numbers: &mut [f32]) -> Result<(), DeviceError> {
        let (send, receive) = std::sync::mpsc::channel();
        staging.slice(..).map_async(wgpu::MapMode::Read, move |mapped| _ = send.send(mapped));
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| self.failed("finish", error))?;
        let mapped = receive.recv().map_err(|error| self.failed("answer", error))?;
        mapped.map_err(|error| self.failed("give back results", error))?;
        let view =
            staging.slice(..).get_mapped_range().map_err(|error| self.failed("give back results", error))?;
        for (x, bytes) in numbers.iter_mut().zip(view.chunks_exact(4)) {
            *x = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Ok(())
    }
}

/// Worlds on a device, stepped by a table.
#[derive(Debug)]
pub struct WebGpuSteps {
    device: WebGpu,
    pipeline: wgpu::ComputePipeline,
    table: wgpu::Buffer,
    memory: wgpu::Buffer,
    worlds: usize,
    lines: usize,
}

impl WebGpuSteps {
    /// So many worlds of a program on the first adapter.
    ///
    /// # Errors
    /// When there is none, it does not take the kernel, or there are too many worlds.
    pub fn make(
        kernel: StepKernel,
        program: &StepProgram,
        worlds: usize,
    ) -> Result<Box<dyn Stepper>, DeviceError> {
        let device = WebGpu::new()?;
        device.check_size("step", worlds, worlds * program.memory())?;
        let pipeline = device.pipeline(&kernel.text(Language::Wgsl, THREADS), "step_worlds")?;
        let words = program.lines().iter().flatten();
        let table =
            device.buffer(&words.flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(), BufferUsages::STORAGE);
        let start = program.start().iter().flat_map(|x| std::iter::repeat_n(*x, worlds));
        let memory = device.storage(&start.collect::<Vec<f32>>());
        let lines = program.lines().len();
        Ok(Box::new(WebGpuSteps { device, pipeline, table, memory, worlds, lines }))
    }

    /// A pass of so many steps.
    fn pass(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        let size = bytes_of_words([self.worlds as u32, self.lines as u32, steps, 0]);
        let size = self.device.buffer(&size, BufferUsages::UNIFORM);
        let group = self.device.bind(&self.pipeline, &[size, self.table.clone(), self.memory.clone()]);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(self.worlds.div_ceil(THREADS) as u32, 1, 1);
    }

    /// Copies of some ranges of the memory, one after the other.
    fn copy(&self, encoder: &mut wgpu::CommandEncoder, ranges: &[Range<usize>]) -> wgpu::Buffer {
        let size = ranges.iter().map(|range| 4 * range.len() as u64).sum();
        let staging = self.device.staging(size);
        let mut at = 0;
        for range in ranges {
            let length = 4 * range.len() as u64;
            encoder.copy_buffer_to_buffer(&self.memory, 4 * range.start as u64, &staging, at, length);
            at += length;
        }
        staging
    }
}

impl Stepper for WebGpuSteps {
    fn run(
        &mut self,
        memory: &mut [f32],
        before: &mut [f32],
        [given, told]: [&[Range<usize>]; 2],
        steps: u32,
    ) -> Result<(), DeviceError> {
        for range in given {
            let bytes: Vec<u8> = memory[range.clone()].iter().flat_map(|x| x.to_le_bytes()).collect();
            self.device.queue.write_buffer(&self.memory, 4 * range.start as u64, &bytes);
        }
        let mut encoder =
            self.device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if steps > 1 {
            self.pass(&mut encoder, steps - 1);
        }
        let old = self.copy(&mut encoder, told);
        self.pass(&mut encoder, 1);
        let new = self.copy(&mut encoder, told);
        self.device.queue.submit([encoder.finish()]);
        for (staging, array) in [(old, before), (new, memory)] {
            let mut numbers = vec![0.0; told.iter().map(Range::len).sum()];
            self.device.read_staging(&staging, &mut numbers)?;
            let mut rest = numbers.as_slice();
            for range in told {
                let (own, others) = rest.split_at(range.len());
                array[range.clone()].copy_from_slice(own);
                rest = others;
            }
        }
        Ok(())
    }
}

fn bytes_of_words(words: [u32; 4]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
