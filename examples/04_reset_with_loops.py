"""Resets that really close: some worlds are put to random poses, loops included, the others go on undisturbed."""

from __future__ import annotations

import numpy as np

import bellcrank as bc


def main() -> None:
    model = bc.load("four_bar")
    crank = model.joint_names[0]
    at = model.position_slice(crank).start
    rng = np.random.default_rng(0)

    batch = bc.Batch(model, worlds=256)
    batch.step(25)
    before = batch.joint_position.copy()

    done = rng.random(256) < 0.25  # the episodes that ended
    angles = batch.joint_position[:, at] + rng.uniform(-0.6, 0.6, 256)
    ok = batch.assemble({crank: angles}, worlds=done)
    print(f"{ok.sum()} of {done.sum()} worlds were assembled at random crank angles")

    assert ok.sum() == done.sum()
    np.testing.assert_allclose(batch.joint_position[ok, at], angles[ok], atol=1e-6)
    np.testing.assert_array_equal(batch.joint_position[~done], before[~done])

    blob = batch.snapshot()
    gap = batch.step(100).loop_gap.max()
    first = batch.joint_position.copy()
    batch.restore(blob)
    batch.step(100)
    np.testing.assert_array_equal(batch.joint_position, first)
    print(f"loops closed to {gap:.1e} m afterwards; the replay from the snapshot is the same bit for bit")
    assert gap < 1e-6


if __name__ == "__main__":
    main()
