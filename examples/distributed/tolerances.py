"""A million four-bars, each with its own errors of manufacture: how far does the rocker miss?

Every hinge sits up to some hundredths of a millimetre beside its place. The rocker's angle is worked out at eight
angles of the crank, in pieces of 4,096 linkages, and goes to Parquet files. Killed, the same command goes on; nothing
is done twice, nothing is lost.

    python examples/distributed/tolerances.py runs/tolerances [--worlds 1000000]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import bellcrank as bc

ANGLES = np.arange(8) * np.pi / 4
"""Of the crank [rad]."""
DEVIATION = 5e-5
"""Of every hinge, along x and z [m]."""


def work(batch: bc.Batch, piece: bc.distributed.Piece) -> dict[str, Any]:
    """Poses of a piece's linkages, and how they differ from those of the drawing."""
    anchors = batch.spread("predecessor_anchor")
    errors = piece.normal("anchors", 0.0, DEVIATION, anchors[0].size).reshape(anchors.shape)
    anchors[..., 0] += errors[..., 0]
    anchors[..., 2] += errors[..., 2]
    rocker = batch.model.joint_names.index("rocker_hinge")
    closed, angles = np.ones(batch.worlds, bool), []
    for angle in ANGLES:
        closed &= batch.assemble({"crank_hinge": angle})
        angles.append(batch.joint_position[:, rocker].copy())
    return {"closed": closed, "rocker": np.stack(angles, axis=1).astype(np.float32)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--worlds", type=int, default=1_000_000)
    parser.add_argument("--piece", type=int, default=4096)
    parser.add_argument("--ray", default="auto")
    given = parser.parse_args()
    model = bc.load("four_bar")
    rows = bc.distributed.map(
        model, given.worlds, work, out=given.out, piece=given.piece, seed=1, address=given.ray, precision="f64"
    )
    table = rows.table()
    rocker = np.stack(table.column("rocker").to_numpy())
    spread = np.rad2deg(rocker.std(axis=0, dtype=np.float64))
    print(f"{table.num_rows:,} linkages in {rows.seconds:.1f} s, {rows.done_before} pieces were there already")
    print("deviation of the rocker [deg]:", " ".join(f"{value:.4f}" for value in spread))
    assert table.column("closed").to_numpy().all()
    assert (table.column("world").to_numpy() == np.arange(given.worlds)).all()


if __name__ == "__main__":
    main()
