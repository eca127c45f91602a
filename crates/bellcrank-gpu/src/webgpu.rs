//! Kernels through WebGPU: on Vulkan, Metal or Direct3D.
//!
//! Good to rounding, not to the bit: WGSL leaves it to the driver whether sums and products are contracted or exchanged.

use crate::blocks::{Instruction, TableKernel};
use crate::device::DeviceError;
use crate::emit::Language;
use crate::straight::{ArrayError, StraightKernel, THREADS};
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

    fn dispatch(&self, pipeline: &wgpu::ComputePipeline, buffers: &[wgpu::Buffer], worlds: usize) {
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
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(worlds.div_ceil(THREADS) as u32, 1, 1);
        }
        self.queue.submit([encoder.finish()]);
    }

    fn read(&self, buffer: &wgpu::Buffer, numbers: &mut [f32]) -> Result<(), DeviceError> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
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

fn bytes_of_words(words: [u32; 4]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
