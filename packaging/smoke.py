"""What an installed package must be able to do, with nothing but numpy beside it; tells how long the import takes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import bellcrank as bc

MOST_SECONDS = 0.1


def import_seconds() -> float:
    """The package's share of a start, numpy left out: the least of five, of a fresh interpreter each."""
    code = "import numpy, time; t = time.process_time(); import bellcrank; print(time.process_time() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))


def main() -> None:
    batch = bc.Batch(bc.load("hybrid_biped"), worlds=16, precision="f32")
    with batch.record() as recording:
        report = batch.step(25)
    assert report.loop_gap.max() < 1e-5, report.loop_gap.max()
    assert batch.render(32, 24).shape == (16, 24, 32, 3)
    with tempfile.TemporaryDirectory() as folder:
        recording.save(Path(folder) / "biped.html")
    told = subprocess.check_output([sys.executable, "-m", "bellcrank", "check", "four_bar"], text=True)
    assert "four_bar" in told, told
    seconds = import_seconds()
    native = Path(bc._native.__file__)
    print(f"{native.name}: {native.stat().st_size / 1e6:.1f} MB; import bellcrank: {1e3 * seconds:.0f} ms beside numpy")
    assert seconds <= MOST_SECONDS, f"the import takes {seconds:.2f} s"


if __name__ == "__main__":
    main()
