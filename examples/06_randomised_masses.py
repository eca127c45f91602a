"""Randomised robots: every world has its own masses, frictions and gains, all from one seed."""

from __future__ import annotations

import numpy as np

import bellcrank as bc


def main() -> None:
    model = bc.load("hybrid_biped")
    batch = bc.Batch(model, worlds=64)
    bc.randomize(batch, seed=1, ranges={"body_mass": (0.8, 1.2), "friction": (0.6, 1.1), "gain": (0.9, 1.1)})

    masses = batch.body_mass.sum(axis=1)
    print(f"{masses.min():.2f} to {masses.max():.2f} kg; as designed {model.mass:.2f} kg")

    # by hand, for one body: spread gives one row per world
    pelvis = model.body_id("pelvis")
    batch.spread("body_mass")[:, pelvis] = np.linspace(1.2, 2.0, 64)

    report = batch.step(250)
    height = batch.body_position[:, pelvis, 2]
    print(f"after 1 s they stand {height.min():.3f} to {height.max():.3f} m tall")
    print(f"loops are closed to {report.loop_gap.max():.1e} m")
    assert report.loop_gap.max() < 1e-6
    assert len(np.unique(height)) == 64  # no two alike


if __name__ == "__main__":
    main()
