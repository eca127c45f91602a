"""A finger goes where a cost wants it: controls are tried in worlds of the planner's own, and the cheap ones kept."""

from __future__ import annotations

import bellcrank as bc


def main() -> None:
    plant = bc.Batch(bc.load("linkage_hand"))
    goal = {"first_flexion": 0.4, "thumb_flexion": 0.4}
    cost = bc.control.Cost([bc.control.Posture(goal, weight=1.0)])
    planner = bc.control.Mppi(plant, cost, horizon=24, samples=128, sigma=0.02, increment=0.1)
    for _ in range(50):
        plant.target_position[0] = planner.plan()
        plant.step()
    for joint, wanted in goal.items():
        found = float(plant.joint_position[0, plant.model.joint_names.index(joint)])
        print(f"{joint}: {found:.3f} rad, wanted {wanted} rad")
        assert abs(found - wanted) < 0.1
    print(f"a plan took {1e3 * planner.report.seconds:.1f} ms; {planner.report.usable} of 128 samples were usable")


if __name__ == "__main__":
    main()
