"""Poses from goals, poses that are safe, and how well motors hold them."""

from __future__ import annotations

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import kinematics
from bellcrank.kinematics import Goal, Samples, Solution, Step, Trajectory, Workspace


def tool(model: bc.Model, q: np.ndarray, frame: str) -> np.ndarray:
    """Where a frame is, by the operators of the tree."""
    return np.asarray(bc.tree.fk(model, q, frames=[frame]))[..., 0, :3, 3]


def test_a_delta_robot_draws_a_circle() -> None:
    model = bc.load("delta")
    angle = np.linspace(0.0, 2.0 * np.pi, 50, endpoint=False)
    home = tool(model, kinematics.rest(model), "tool")
    circle = home + 0.05 * np.stack([np.cos(angle), np.sin(angle), np.zeros(50)], axis=1)
    found = kinematics.solve(model, {"tool": Goal(position=circle)})
    assert isinstance(found, Solution)
    assert found.solved.all() and found.goals == ("tool.position",)
    assert found.q.shape == (50, len(kinematics.rest(model))) and found.error.shape == (50, 1)
    assert np.abs(tool(model, found.q, "tool") - circle).max() < 1e-6
    assert found.loop_gap.max() < 1e-9 and (found.iterations > 0).all()
    shoulders = [model.joint_names.index(f"shoulder_{arm}") for arm in range(3)]
    assert len(shoulders) == 3
    assert np.array_equal(found.joint_position, kinematics.joint_position(model, found.q))


def test_one_pose_has_no_batch_axis_and_a_goal_out_of_reach_is_missed() -> None:
    model = bc.load("delta")
    home = tool(model, kinematics.rest(model), "tool")
    found = kinematics.solve(model, {"tool": Goal(position=home - [0.0, 0.0, 1.0])}, restarts=0)
    assert found.q.ndim == 1 and not found.solved and 0.5 < found.error[0] < 1.0 and found.loop_gap < 1e-9
    nan = kinematics.solve(model, {"tool": Goal(position=[np.nan, 0.0, 0.0])})
    assert not nan.solved and np.isfinite(nan.q).all()


def test_the_biped_squats_by_its_centre_of_mass() -> None:
    model = bc.load("hybrid_biped")
    start = kinematics.keyframe(model, "stand")
    center = bc.tree.center_of_mass(model, start).com
    feet = {
        name: Goal(position=tool(model, start, name), quat_wxyz=[1.0, 0.0, 0.0, 0.0])
        for name in ("left_foot", "right_foot")
    }
    found = kinematics.solve(model, feet, start, center_of_mass=center - [0.0, 0.0, 0.04], free_base=True)
    assert found.solved
    assert np.abs(bc.tree.center_of_mass(model, found.q).com - center + [0.0, 0.0, 0.04]).max() < 1e-6


def test_joints_are_asked_and_heads_look() -> None:
    model = bc.load("humanoid")
    goals = {
        "head": Goal(look_at=[2.0, 0.5, 1.5]),
        "left_hand": Goal(position=[0.2, 0.1, 0.0], relative_to="right_hand"),
    }
    found = kinematics.solve(model, goals, joints={model.joint_names[0]: 0.1}, stay=1e-3)
    assert found.solved, found.error
    assert "head.look_at" in found.goals and f"{model.joint_names[0]}.joint" in found.goals


def test_a_goal_of_second_priority_gives_way() -> None:
    model = bc.load("arm")
    start = np.array([0.3, 0.4, -0.2, -0.8, 0.1, 0.9, 0.0, 0.0, 0.0])
    here = tool(model, start, "tool")
    goals = {"tool": Goal(position=here + [0.05, 0.0, 0.0]), "link4": Goal(position=[5.0, 0.0, 0.0], second=True)}
    found = kinematics.solve(model, goals, start)
    assert found.solved and found.error[0] < 1e-6 and found.error[1] > 1.0


def test_wrong_goals_are_refused() -> None:
    model = bc.load("arm")
    with pytest.raises(bc.errors.NoSuchFrame, match="tail"):
        kinematics.solve(model, {"tail": Goal(position=[0.0, 0.0, 0.0])})
    with pytest.raises(bc.errors.NoSuchJoint, match="tail"):
        kinematics.solve(model, {}, joints={"tail": 0.0})
    with pytest.raises(bc.errors.WrongShape, match="position"):
        kinematics.solve(model, {"tool": Goal(position=[0.0, 0.0])})
    with pytest.raises(bc.errors.WrongShape, match="different numbers"):
        kinematics.solve(model, {"tool": Goal(position=np.zeros((3, 3)), quat_wxyz=np.ones((2, 4)))})
    with pytest.raises(bc.errors.WrongValue, match="no goal"):
        kinematics.solve(model, {})
    with pytest.raises(bc.errors.WrongValue, match="says nothing"):
        kinematics.solve(model, {"tool": Goal()})
    with pytest.raises(bc.errors.WrongValue, match="weight"):
        kinematics.solve(model, {"tool": Goal(position=[0.0, 0.0, 0.0], weight=-1.0)})


def test_motors_hold_the_delta_robot() -> None:
    model = bc.load("delta")
    q = kinematics.rest(model)
    smallest, mobility = kinematics.holds(model, q)
    assert mobility.tolist() == [3] and 0.1 < smallest[0] <= 1.0
    jacobian = kinematics.motor_jacobian(model, q, "platform")
    # all three arms down by the same rate lower the platform and do not turn it
    motion = jacobian @ np.ones(3)
    assert motion[2] < 0.0 and np.abs(np.delete(motion, 2)).max() < 1e-9
    assert set(np.abs(kinematics.branch(model, q))) <= {0, 1}


def test_sampled_poses_are_the_same_in_every_call() -> None:
    model = bc.load("hybrid_biped")
    many = kinematics.sample(model, 20, singular_margin=0.05)
    assert isinstance(many, Samples)
    assert many.found.all() and many.q.shape[0] == 20
    few = kinematics.sample(model, [3, 17], singular_margin=0.05)
    assert np.array_equal(few.q, many.q[[3, 17]])
    smallest, _ = kinematics.holds(model, many.q)
    assert smallest.min() >= 0.05


def test_a_batch_stands_in_sampled_poses() -> None:
    model = bc.load("hybrid_biped")
    batch = bc.Batch(model, worlds=6, precision="f64")
    before = batch.joint_position[5].copy()
    done = batch.sample_poses(worlds=[0, 2, 4], singular_margin=0.05, seed=3)
    assert done.tolist() == [True, False, True, False, True, False]
    wanted = kinematics.sample(model, [0, 2, 4], singular_margin=0.05, seed=3)
    report = batch.step(1)
    assert report.loop_gap.max() < 1e-6
    angles = kinematics.joint_position(model, wanted.q)
    # one step of 4 ms later joints have hardly moved
    assert np.abs(batch.joint_position[[0, 2, 4]] - angles).max() < 0.05
    assert np.abs(batch.joint_position[5] - before).max() < 0.05
    position, quat = kinematics.body_poses(model, wanted.q)
    assert position.shape == (3, 31, 3) and quat.shape == (3, 31, 4)
    mixed = bc.Batch([model, bc.load("delta")])
    with pytest.raises(bc.errors.MixedModels):
        mixed.sample_poses()


def test_a_robot_that_is_led_by_hand_keeps_its_speeds_and_arrives() -> None:
    """2 rad/s in periods of 1 ms: no shoulder turns by more than 2 mrad in one, and 5 cm take some hundred."""
    model = bc.load("delta")
    q, shoulders = kinematics.rest(model), [model.joint_names.index(f"shoulder_{arm}") for arm in range(3)]
    goal = {"tool": Goal(position=tool(model, q, "tool") + [0.03, -0.02, -0.03])}
    periods = 0
    while periods < 400:
        periods += 1
        stepped = kinematics.step(model, goal, q, 0.001, speed=2.0)
        assert isinstance(stepped, Step)
        before, now = (kinematics.joint_position(model, pose)[0, shoulders] for pose in (q, stepped.q))
        assert np.abs(now - before).max() < 0.002 + 1e-9
        q = stepped.q
        if stepped.solved:
            break
    assert stepped.solved and periods > 30 and stepped.error.max() < 1e-6
    assert stepped.velocity.ndim == 1 and np.isfinite(stepped.velocity).all()


def test_a_path_is_followed_within_bounds_from_standing_to_standing() -> None:
    model = bc.load("delta")
    angle = np.linspace(0.0, 2.0 * np.pi, 60)
    home = tool(model, kinematics.rest(model), "tool")
    circle = home + 0.04 * np.stack([np.cos(angle) - 1.0, np.sin(angle), np.zeros(60)], axis=1)
    path = kinematics.follow(model, {"tool": Goal(position=circle)}, speed=3.0, acceleration=20.0)
    assert isinstance(path, Trajectory) and path.solved.all() and path.error.max() < 1e-6
    assert path.times[0] == 0.0 and (np.diff(path.times) > 0.0).all()
    assert np.abs(path.velocity[[0, -1]]).max() < 1e-9
    assert np.abs(tool(model, path.q, "tool") - circle).max() < 1e-6
    slow = kinematics.follow(model, {"tool": Goal(position=circle)}, speed=0.3, acceleration=20.0)
    assert slow.times[-1] > 2.0 * path.times[-1]


def test_a_workspace_is_where_the_tool_gets_to() -> None:
    model = bc.load("delta")
    space = kinematics.workspace(model, "tool", count=200, seed=3)
    assert isinstance(space, Workspace)
    assert space.points.shape == (len(space.smallest), 3) and len(space.points) > 100
    assert (space.smallest >= 0.0).all() and space.svg.startswith("<svg")
    found = kinematics.solve(model, {"tool": Goal(position=space.points[:50])})
    assert found.solved.all()  # every place can be had again
