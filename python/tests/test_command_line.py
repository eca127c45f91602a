"""``python -m bellcrank`` is the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

ELSEWHERE = tempfile.gettempdir()
"""Not here, where the sources would be found instead of what was installed."""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bellcrank", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ELSEWHERE)


def test_check_prints_json() -> None:
    done = run("check", "hybrid_biped", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["loops"] == 6


def test_faults_go_to_standard_error_with_an_exit_code() -> None:
    done = run("check", "nosuchfile.urdf")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    wrong = run("fly")
    assert wrong.returncode == 2
    assert "fly" in wrong.stderr


def test_help_is_printed() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "Usage: bellcrank" in done.stdout


def test_importing_takes_less_than_0_3_s_beyond_numpy() -> None:
    def seconds(program: str) -> float:
        best = 10.0
        for _ in range(5):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True, cwd=ELSEWHERE)
            best = min(best, time.perf_counter() - begin)
        return best

    assert seconds("import bellcrank") - seconds("import numpy") < 0.3


def test_the_first_step_comes_within_a_second_of_the_import() -> None:
    program = (
        "import bellcrank as bc, time; begin = time.perf_counter(); "
        "bc.Batch(bc.load('hybrid_biped'), worlds=16).step(); print(time.perf_counter() - begin)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ELSEWHERE)
    assert float(done.stdout) < 1.0


@pytest.mark.parametrize("file", ["README.md", "python/README.md"])
def test_the_programs_in_the_read_me_run(file: str) -> None:
    text = (Path(__file__).parents[2] / file).read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert programs
    for program in programs:
        fewer = program.replace("1024", "16")  # the same, but sooner
        assert fewer != program
        done = subprocess.run([sys.executable, "-c", fewer], capture_output=True, text=True, cwd=ELSEWHERE)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("(16, 36)")
