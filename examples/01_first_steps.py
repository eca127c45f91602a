"""First steps: load a robot, step a thousand worlds of it, read numpy arrays."""

from __future__ import annotations

import bellcrank as bc


def main() -> None:
    model = bc.load("hybrid_biped")  # a shipped robot; or robot.urdf, robot.xml (MJCF), robot.usda
    print(model)
    print(f"  {model.mass:.1f} kg, {model.mobility} freedoms, {model.loop_count} loops")

    batch = bc.Batch(model, worlds=64, dt=0.004, precision="f32")
    report = batch.step(50)  # all worlds, 0.2 s; the motors hold the reference pose

    print("joint positions", batch.joint_position.shape, "body positions", batch.body_position.shape)
    print(f"loops are closed to {report.loop_gap.max():.1e} m; {report.status_counts()}")

    pelvis = model.body_id("pelvis")
    height = batch.body_position[:, pelvis, 2]
    assert report.loop_gap.max() < 1e-4
    assert (height == height[0]).all()  # equal worlds stay equal, bit for bit


if __name__ == "__main__":
    main()
