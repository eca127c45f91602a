//! CUDA text, compiled for the processor.

use bellcrank_gpu::HOST_PRELUDE;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program that reads all inputs from its standard input and writes all outputs, both as numbers of 32 bits.
pub struct HostProgram(PathBuf);

impl HostProgram {
    /// `call` is C: it has `in` and `out`, and calls the kernel once for every thread.
    pub fn compile(name: &str, text: &str, [read, written]: [usize; 2], call: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
        let main = format!(
            "#include <stdio.h>\nstatic float in[{read} + 1], out[{written} + 1];\n\
             int main(void) {{\nif (fread(in, 4, {read}, stdin) != {read}) return 1;\n{call}\n\
             return fwrite(out, 4, {written}, stdout) != {written};\n}}\n"
        );
        std::fs::write(&source, format!("{HOST_PRELUDE}{text}{main}")).expect("a folder to write to");
        // without -mfma `fmaf` is a call of the mathematical library: the same bits
        let mut compiler = Command::new("cc");
        compiler.args(["-std=gnu11", "-O1", "-ffp-contract=off", "-o"]).arg(&program).arg(&source).arg("-lm");
        let done = compiler.output().expect("a C compiler, which test.sh asks for");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        HostProgram(program)
    }

    pub fn run(&self, inputs: &[f32]) -> Vec<f32> {
        let mut child = Command::new(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program that was compiled");
        let bytes: Vec<u8> = inputs.iter().flat_map(|x| x.to_le_bytes()).collect();
        let mut pipe = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || pipe.write_all(&bytes));
        let output = child.wait_with_output().expect("the program's output");
        writer.join().expect("a thread that ends").expect("a program that reads all");
        assert!(output.status.success());
        output.stdout.chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect()
    }
}
