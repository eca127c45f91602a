"""Recording: what a batch does becomes one HTML page that plays in any browser, and shows itself in a notebook."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import bellcrank as bc


def main() -> None:
    model = bc.load("jansen_leg")
    batch = bc.Batch(model, worlds=4)
    batch.target_velocity[:] = 2.0 + np.arange(4)[:, None]  # each world its own speed [rad/s]

    with batch.record() as recording:  # 30 frames per second, the first sixteen worlds
        batch.step(250)
    # In a notebook, `recording` as the last line of a cell plays it; `batch.view()` shows the batch live.

    with tempfile.TemporaryDirectory() as folder:
        path = recording.save(Path(folder) / "leg.html")
        print(f"1 s in {path.stat().st_size // 1024} kB")
        assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "<iframe" in recording._repr_html_()


if __name__ == "__main__":
    main()
