"""Poses from goals, poses that are safe, and how well motors hold them."""

from __future__ import annotations

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import kinematics
from bellcrank.kinematics import Goal, Retargeted, Samples, Solution, Step, Track, Trajectory, Workspace


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


def two_links_and_a_ball() -> bc.Model:
    """Links of 1 m in the x–z plane, a ball of 0.1 m at the tip; a ball of 0.2 m in the world at (1.2, 0, 0)."""
    builder = bc.ModelBuilder("two links")
    for name, x in (("upper", 0.0), ("lower", 1.0)):
        builder.body(name, mass=1.0, inertia=[0.1, 0.1, 0.1], position=[x, 0.0, 0.0])
    builder.joint("shoulder", "revolute", None, "upper", point=[0.0, 0.0, 0.0], axis=[0.0, 1.0, 0.0])
    builder.joint("elbow", "revolute", "upper", "lower", point=[1.0, 0.0, 0.0], axis=[0.0, 1.0, 0.0])
    builder.shape("tip", "lower", "sphere", radius=0.1, position=[1.0, 0.0, 0.0])
    builder.shape("obstacle", None, "sphere", radius=0.2, position=[1.2, 0.0, 0.0])
    return builder.build()


def test_distances_are_kept() -> None:
    """The goal is 0.18 m from the obstacle's centre, centres shall be 0.35 m apart: the goal is missed by the rest."""
    model = two_links_and_a_ball()
    goal = {"lower": Goal(position=[1.3, 0.0, -0.15], point=[1.0, 0.0, 0.0])}
    near = kinematics.solve(model, goal, [0.9, 0.9])
    assert near.solved and near.distance == np.inf
    kept = kinematics.solve(model, goal, [0.9, 0.9], clearance=0.05)
    assert kept.distance > 0.05 - 2e-6
    assert not kept.solved and abs(kept.error[0] - (0.35 - np.hypot(0.1, 0.15))) < 1e-3
    with pytest.raises(bc.errors.WrongValue, match="distance"):
        kinematics.solve(model, goal, clearance=np.nan)
    q, least = np.array([0.9, 0.9]), np.inf
    for _ in range(150):
        led = kinematics.step(model, goal, q, 0.01, speed=[2.0, 2.0], clearance=0.05)
        q, least = led.q, min(least, float(led.distance))
    assert least > 0.05 - 2e-6 and abs(led.error[0] - kept.error[0]) < 2e-3


def test_a_four_bar_is_assembled_in_two_ways_and_hands_its_force_on() -> None:
    """Law of cosines between coupler and rocker, from the places of the four hinges."""
    model = bc.load("four_bar")
    modes = kinematics.assembly_modes(model, kinematics.rest(model), starts=60)
    assert len(modes) == 2 and np.allclose(modes[0], kinematics.rest(model), atol=1e-6)
    rod = ("crank_pin", "rocker_pin")
    angles = [kinematics.transmission_angle(model, q, rod, "rocker_hinge") for q in modes]
    assert angles[0] == pytest.approx(angles[1], abs=1e-9) and 0.0 < angles[0] < np.pi / 2.0
    with pytest.raises(bc.errors.NoSuchJoint, match="rod"):
        kinematics.transmission_angle(model, modes[0], ("rod", "rocker_pin"), "rocker_hinge")


def test_what_motors_of_a_delta_robot_do_to_its_platform() -> None:
    model = bc.load("delta")
    q = kinematics.rest(model)
    forces = kinematics.mechanical_advantage(model, q, "platform", [0.0, 0.0, 1.0])
    assert list(forces) == ["shoulder_0", "shoulder_1", "shoulder_2"]
    lowered = kinematics.motor_jacobian(model, q, "platform")[2]
    assert np.allclose(list(forces.values()), 1.0 / np.abs(lowered))
    values = kinematics.frame_singular_values(model, q, "platform")
    assert values.shape == (3,) and (np.diff(values) <= 1e-12).all() and values[2] > 0.01


def marking_time(model: bc.Model, count: int, dt: float) -> np.ndarray:
    """Joint angles of the humanoid: hip, knee and ankle as sines, one leg after the other."""
    names, q = bc.tree.coordinate_names(model), np.tile(kinematics.rest(model), (count, 1))
    for side, shift in (("left", 0.0), ("right", 0.5)):
        phase = (np.arange(count) * dt / 1.5 + shift) % 1.0
        lift = np.where(phase < 0.5, np.sin(2.0 * np.pi * phase) ** 2, 0.0)
        for joint, amount in (("thigh_hinge", -0.5), ("shin_hinge", 1.0), ("ankle_hinge", -0.5)):
            q[:, names.index(f"{side}_{joint}")] += amount * lift
    return q


def test_a_humanoids_steps_are_done_by_the_hybrid_biped() -> None:
    """Feet stand where the humanoid's do, without slipping, and are lifted in between; motors are told the poses."""
    source, model, dt = bc.load("humanoid"), bc.load("hybrid_biped"), 0.01
    feet = ["left_foot", "right_foot"]
    pairs = {name: name for name in [*feet, "pelvis"]}
    tracks = kinematics.tracks_of(source, marking_time(source, 200, dt), model, pairs, scale=0.5)
    assert list(tracks) == [*feet, "pelvis"] and not tracks["left_foot"].foot
    tracks.update({name: Track(tracks[name].position, tracks[name].quat_wxyz, foot=True) for name in feet})
    done = kinematics.retarget(model, tracks, dt)
    assert isinstance(done, Retargeted) and done.feet == tuple(feet)
    assert done.solved.all() and done.contact.shape == (200, 2) and done.error.shape == (200, 3)
    for foot, name in enumerate(feet):
        place = tool(model, done.q, name)
        stands = done.contact[1:, foot] & done.contact[:-1, foot]
        assert np.abs(np.diff(place, axis=0)[stands]).max() < 3e-6 and stands.sum() > 60
        assert place[:, 2].max() - place[0, 2] > 0.02
    assert np.array_equal(done.joint_position, kinematics.joint_position(model, done.q))
    batch = bc.Batch(model, worlds=1, precision="f64")
    driven = [model.joint_names.index(name) for name in model.actuator_joints if name]
    assert np.array_equal(done.target_position, done.joint_position[:, driven])
    assert done.target_position.shape[1:] == batch.target_position.shape[1:]


def test_tracks_that_are_none_are_refused_and_gaps_in_them_leave_the_robot_as_it_was() -> None:
    model = bc.load("hybrid_biped")
    start = kinematics.keyframe(model, "stand")
    path = np.tile(tool(model, start, "left_foot"), (5, 1))
    with pytest.raises(bc.errors.NoSuchFrame, match="tail"):
        kinematics.retarget(model, {"tail": Track(path)}, 0.01)
    with pytest.raises(bc.errors.WrongValue, match="period"):
        kinematics.retarget(model, {"left_foot": Track(path)}, 0.0)
    with pytest.raises(bc.errors.WrongShape, match="left_foot.quat_wxyz"):
        kinematics.retarget(model, {"left_foot": Track(path, np.ones((3, 4)))}, 0.01)
    with pytest.raises(bc.errors.WrongShape, match="right_foot.position"):
        kinematics.retarget(model, {"left_foot": Track(path), "right_foot": Track(path[:2])}, 0.01)
    path[2] = np.nan
    gone = kinematics.retarget(model, {"left_foot": Track(path, foot=True)}, 0.01, start=start)
    assert gone.solved.tolist() == [True, True, False, True, True]
    assert np.isfinite(gone.q).all() and np.array_equal(gone.q[2], gone.q[1])
