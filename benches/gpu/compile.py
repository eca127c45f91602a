#!/usr/bin/env python3
"""Compiles kernels for NVIDIA's processors without one: NVRTC to PTX, ptxas to machine code.

    python3 -m venv cuda && cuda/bin/pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12
    cargo run -p bellcrank-gpu --example kernels -- target/kernels
    cuda/bin/python benches/gpu/compile.py target/kernels

Prints registers, spills and times; fails where PTX has an approximate operation or one that flushes small numbers to
zero, where the block kernel spills, or where it has more than 64 registers.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OPTIONS = ["--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"]


def package_folder(name: str) -> Path:
    """Where a package of NVIDIA's is installed."""
    found = importlib.util.find_spec(f"nvidia.{name}")
    if found is None or not found.submodule_search_locations:
        wheels = "nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12"
        sys.exit(f"the package nvidia.{name} is missing: pip install {wheels}")
    return Path(next(iter(found.submodule_search_locations)))


class Nvrtc:
    """NVIDIA's run-time compiler."""

    def __init__(self) -> None:
        folder = package_folder("cuda_nvrtc") / "lib"
        ctypes.CDLL(str(next(folder.glob("libnvrtc-builtins.so*"))), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(folder / "libnvrtc.so.12"))

    def compile(self, source: str, target: str) -> str:
        """CUDA C to PTX."""
        program = ctypes.c_void_p()
        text = source.encode()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None)
        options = [f"--gpu-architecture=compute_{target}".encode(), *(option.encode() for option in OPTIONS)]
        array = (ctypes.c_char_p * len(options))(*options)
        failed = self.library.nvrtcCompileProgram(program, len(options), array)
        size = ctypes.c_size_t()
        if failed:
            self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            self.library.nvrtcGetProgramLog(program, log)
            sys.exit(log.value.decode())
        self.library.nvrtcGetPTXSize(program, ctypes.byref(size))
        ptx = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetPTX(program, ptx)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return ptx.value.decode()


def assemble(ptx: str, target: str) -> tuple[int, int, int]:
    """PTX to machine code: registers, bytes of spills stored and loaded."""
    ptxas = package_folder("cuda_nvcc") / "bin" / "ptxas"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx)
        command = [str(ptxas), "-v", f"-arch=sm_{target}", "-o", str(Path(folder) / "kernel.cubin"), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    said = done.stderr
    registers = re.search(r"Used (\d+) registers", said)
    spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
    if registers is None or spills is None:
        sys.exit(f"ptxas says nothing of registers:\n{said}")
    return int(registers[1]), int(spills[1]), int(spills[2])


def inexact(ptx: str) -> list[str]:
    """Instructions that are not what IEEE 754 says."""
    lines = (line.strip() for line in ptx.splitlines())
    return [line for line in lines if re.match(r"[a-z.0-9@%]+\.(approx|ftz|full)\b", line) or ".ftz" in line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="what the example `kernels` has written")
    parser.add_argument("--targets", default="80,89,120", help="compute capabilities without the dot")
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    arguments = parser.parse_args()
    nvrtc, faults = Nvrtc(), []
    print("| kernel | target | registers | spilled, stored + loaded | NVRTC | ptxas |\n|---|---|---|---|---|---|")
    for path in sorted(arguments.folder.glob("*.cu")):
        if arguments.only not in path.stem:
            continue
        for target in arguments.targets.split(","):
            start = time.process_time()
            ptx = nvrtc.compile(path.read_text(), target)
            compiled, begun = time.process_time() - start, time.perf_counter()
            registers, stored, loaded = assemble(ptx, target)
            assembled = time.perf_counter() - begun
            faults += [f"{path.stem}, sm_{target}: {line}" for line in inexact(ptx)]
            if path.stem.startswith("blocks") and (stored or loaded or registers > 64):
                faults.append(f"{path.stem}, sm_{target}: {registers} registers, {stored} + {loaded} bytes spilled")
            spills = f"{stored} + {loaded} B"
            print(
                f"| {path.stem} | sm_{target} | {registers} | {spills} | {compiled:.1f} s | {assembled:.1f} s |",
                flush=True,
            )
    if faults:
        sys.exit("\n".join(faults))
    print("\nno approximate operation, none that flushes to zero; the block kernel spills nothing")


if __name__ == "__main__":
    main()
