"""Planners try controls in worlds of their own; costs are terms or functions of arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import control
from bellcrank.control import (
    FOLLOW_WEIGHTS,
    Contact,
    Control,
    Cost,
    CrossEntropy,
    Fallen,
    Followed,
    Ilqr,
    JointRate,
    Motion,
    Mppi,
    Orientation,
    Plan,
    Planner,
    Position,
    Posture,
    PredictiveSampling,
    Velocity,
    Worlds,
    follow,
)
from bellcrank.errors import NoSuchName, PlanError, WrongCount, WrongShape, WrongType, WrongValue

SMALL: dict[str, Any] = {"horizon": 10, "samples": 32, "sigma": 0.05, "increment": 0.1, "threads": 1}


def plant() -> bc.Batch:
    return bc.Batch(bc.load("linkage_hand"), threads=1)


def closer(worlds: Worlds) -> np.ndarray:
    """One joint to 0.4 rad, as a function."""
    assert worlds.control.shape == (32, 12) and worlds.time > 0.0 and worlds.last == (worlds.step == 9)
    return (worlds.joint_position[:, 1] - 0.4) ** 2


@pytest.mark.parametrize("method", [Mppi, PredictiveSampling, CrossEntropy])
def test_a_finger_goes_where_the_cost_wants_it(method: type[Planner]) -> None:
    batch = plant()
    assert batch.model.joint_names[1] == "first_flexion"
    planner = method(batch, Cost([Posture({"first_flexion": 0.4}, weight=1.0)]), **SMALL)
    before = abs(batch.joint_position[0, 1] - 0.4)
    for _ in range(40):
        batch.target_position[0] = planner.plan()
        batch.step()
    assert abs(batch.joint_position[0, 1] - 0.4) < 0.5 * before
    report = planner.report
    assert isinstance(report, Plan) and report.usable == 32 and report.best_cost <= report.nominal_cost
    assert planner.sequence.shape == (10, 12) and planner.costs.shape == (32,)
    assert np.abs(np.diff(planner.sequence, axis=0)).max() <= 0.1 + 1e-12


def test_a_function_costs_the_same_as_the_terms() -> None:
    terms = Cost([Posture({"first_flexion": 0.4}, weight=1.0)])
    by_terms, by_function = Mppi(plant(), terms, **SMALL), Mppi(plant(), closer, **SMALL)
    a, b = by_terms.plan(), by_function.plan()
    assert np.array_equal(by_terms.costs, by_function.costs) and np.array_equal(a, b)
    other = Mppi(plant(), terms, seed=1, **SMALL)
    assert not np.array_equal(a, other.plan())


def test_all_terms_are_understood() -> None:
    terms: list[control.Term] = [
        Position("first_far", [0.0, 0.0, 0.1], weight=[1.0, 2.0, 3.0]),
        Position("first_far", [0.0, 0.0, 0.1], weight=2.0, squared=True),
        Orientation("first_far", [2.0, 0.0, 0.0, 0.0], weight=1.0),
        Velocity("first_far", weight=0.1),
        JointRate(["first_flexion"], weight=0.01),
        Control([0.0] * 12, weight=0.1),
        Contact("thumb_far", {"first_far": [0.0, 0.0, 0.04]}, weight=1.0),
        Fallen("first_far", height=-1.0, weight=100.0),
    ]
    planner = Mppi(plant(), Cost(terms, terminal=terms[:1]), temperature=0.1, relative=True, **SMALL)
    assert planner.plan().shape == (12,) and planner.report.best_cost < 100.0
    planner.rest()
    assert set(control.__all__) >= {"Mppi", "Cost"}


def test_what_is_wrong_is_named() -> None:
    batch = plant()
    cost = Cost([Posture({"first_flexion": 0.4})])
    with pytest.raises(NoSuchName, match="first_flexion"):
        Mppi(batch, Cost([Posture({"first_flexon": 0.4})]), **SMALL)
    with pytest.raises(NoSuchName, match="first_far"):
        Mppi(batch, Cost([Fallen("first_fra", 0.0)]), **SMALL)
    with pytest.raises(WrongValue, match="temperature"):
        Mppi(batch, cost, temperature=0.0, **SMALL)
    with pytest.raises(WrongValue, match="spline"):
        Mppi(batch, cost, spline="quintic", **SMALL)
    with pytest.raises(WrongShape):
        Mppi(batch, Cost([Position("first_far", [0.0])]), **SMALL)
    with pytest.raises(WrongType, match="cost"):
        Mppi(batch, 3, **SMALL)  # type: ignore[arg-type]
    with pytest.raises(WrongValue, match="no plan"):
        _ = Mppi(batch, cost, **SMALL).report


def test_an_exception_of_a_cost_comes_out_and_the_planner_lives_on() -> None:
    moods = {"broken": True}

    def moody(worlds: Worlds) -> np.ndarray:
        if moods["broken"]:
            raise ZeroDivisionError("not today")
        return closer(worlds)

    planner = Mppi(plant(), moody, **SMALL)
    with pytest.raises(ZeroDivisionError, match="not today"):
        planner.plan()
    moods["broken"] = False
    assert np.isfinite(planner.plan()).all()
    with pytest.raises(AttributeError, match="needs"):
        Mppi(plant(), lambda worlds: worlds.link_position[:, 0, 0], **SMALL).plan()
    with pytest.raises(WrongShape, match="one per world"):
        Mppi(plant(), lambda worlds: np.zeros(3), **SMALL).plan()


def test_a_cost_that_is_no_number_is_named_and_the_plan_at_hand_stays() -> None:
    planner = Mppi(plant(), lambda worlds: np.full(32, np.nan), **SMALL)
    with pytest.raises(PlanError, match="32 costs are not finite"):
        planner.plan()
    assert np.isfinite(planner.sequence).all()


def swinging() -> tuple[bc.Batch, Cost]:
    """A pendulum, to be held at its side, and what that costs."""
    batch = bc.Batch(bc.load("pendulum"), dt=0.01, threads=1)
    posture = Posture({"hinge": 0.3}, weight=1.0)
    return batch, Cost([posture, JointRate(["hinge"], weight=0.05), Control([0.0], weight=1e-3)])


def test_ilqr_holds_a_pendulum_aside_within_its_limit() -> None:
    batch, cost = swinging()
    planner = Ilqr(batch, cost, horizon=40, iterations=5, lengths=6, threads=1)
    with pytest.raises(WrongValue, match="no plan yet"):
        _ = planner.report
    for _ in range(150):
        batch.effort[0] = planner.plan()
        batch.step()
    # the weight asks for 1 kg · 9.81 m/s² · 0.5 m · sin 0.3 = 1.45 N·m of the motor's 2, for which a little is given up
    assert abs(batch.joint_position[0, 0] - 0.3) < 0.03
    assert abs(batch.effort[0, 0] - 1.45) < 0.1
    report = planner.report
    assert report.best_cost <= report.nominal_cost and report.frozen == 0
    assert planner.sequence.shape == (40, 1) and np.abs(planner.sequence).max() <= 2.0
    assert planner.feedback.shape == (1, 2)
    planner.adopt(np.zeros((40, 1)))
    assert (planner.sequence == 0.0).all()
    planner.rest()


def test_ilqr_refines_what_a_sampler_found() -> None:
    batch, cost = swinging()
    sampler = Mppi(batch, cost, horizon=30, samples=16, sigma=0.3, threads=1, relative=True, temperature=0.2)
    both = Ilqr(batch, cost, horizon=30, iterations=3, sampler=sampler, threads=1)
    now = both.plan()
    assert both.report.best_cost < both.report.nominal_cost
    assert np.array_equal(sampler.sequence, both.sequence) and now.shape == (1,)
    both.plan()
    both.rest()


def test_what_ilqr_cannot_follow_is_named() -> None:
    batch, cost = swinging()
    with pytest.raises(WrongType, match="a cost with slopes is a bellcrank.control.Cost"):
        Ilqr(batch, closer)  # type: ignore[arg-type]
    with pytest.raises(WrongValue, match="horizon"):
        Ilqr(batch, cost, horizon=0)
    planner = Ilqr(batch, cost, horizon=10, threads=1)
    with pytest.raises(WrongShape, match="controls"):
        planner.adopt([0.0])
    linkage = bc.Batch(bc.load("four_bar"), threads=1)
    stuck = Ilqr(linkage, Cost([Posture({"rocker_hinge": 0.0})]), horizon=3, iterations=1, threads=1)
    with pytest.raises(PlanError, match="follows from others"):
        stuck.plan()


def test_offsets_are_added_to_a_reference() -> None:
    batch = plant()
    cost = Cost([Posture({"first_flexion": 0.4}, weight=1.0)])
    options = {**SMALL, "increment": None, "offset": True}
    planner = Mppi(batch, cost, **options)
    reference = np.tile(batch.target_position[0] + 0.1, (10, 1))
    planner.set_reference(reference)
    planner.plan()
    assert np.abs(planner.sequence - reference).max() < 0.05 * 3.5 + 1e-12
    with pytest.raises(WrongShape, match="reference"):
        planner.set_reference(reference[:3])
    with pytest.raises(PlanError, match="no offsets"):
        Mppi(batch, cost, **SMALL).set_reference(reference)


def standing(model: bc.Model, frames: int) -> Motion:
    batch = bc.Batch(model, precision="f64", threads=1)
    arrays = (batch.body_position, batch.body_quat_wxyz, batch.joint_position, batch.target_position)
    position, quat, joints, targets = (
        np.repeat(np.asarray(array, dtype=np.float64), frames, axis=0) for array in arrays
    )
    return Motion(0.05, position, quat, joints, targets)


def test_a_motion_is_followed_and_replays_by_itself() -> None:
    model = bc.load("hybrid_biped")
    motion = standing(model, 9)
    done = follow(model, motion, "pelvis", ["left_foot"], samples=8, horizon=10, window=0.1, threads=1)
    assert isinstance(done, Followed) and "bodies" in FOLLOW_WEIGHTS
    assert done.control.shape == (40, 12) and done.position_error.shape == (40,) and done.seconds.shape == (4,)
    assert not done.lost and done.failed == 0 and done.position_error.max() < 0.02
    assert np.array_equal(done.replayed_position_error, done.position_error)
    with pytest.raises(NoSuchName, match="pelvis"):
        follow(model, motion, "pelvs")
    with pytest.raises(WrongValue, match="there is no weight 'place'"):
        follow(model, motion, "pelvis", weights={"place": 1.0})
    with pytest.raises(WrongShape, match="joint_position"):
        follow(model, replace(motion, joint_position=motion.joint_position[:2]), "pelvis")


def test_samples_that_are_given_up_are_seen_no_more() -> None:
    seen: list[np.ndarray] = []

    def cost(worlds: Worlds) -> np.ndarray:
        assert worlds.sample.shape == worlds.joint_position.shape[:1] == worlds.control.shape[:1]
        seen.append(worlds.sample)
        return (worlds.joint_position[:, 1] - 0.4) ** 2

    planner = Mppi(plant(), cost, survivors=0.25, **SMALL)
    planner.plan()
    assert planner.report.hopeless == 32 - planner.report.usable and planner.report.usable in (8, 9)
    assert [len(samples) for samples in seen] == [32] * 5 + [planner.report.usable] * 5
    assert sorted(seen[-1]) == list(np.flatnonzero(np.isfinite(planner.costs)))
    with pytest.raises(WrongValue, match="survivors"):
        Mppi(plant(), closer, survivors=0.0, **SMALL)


def test_worlds_of_a_planner_become_what_the_plant_is_like() -> None:
    """Motors that are told to go away from where they are go less far where everything is a hundred times as heavy."""
    batch = plant()
    planner = Mppi(batch, Cost([Posture({"first_flexion": 0.4}, weight=1.0)]), **SMALL)
    planner.plan()
    light = planner.costs
    heavy = Mppi(batch, Cost([Posture({"first_flexion": 0.4}, weight=1.0)]), **SMALL)
    heavy.set_parameters(body_mass=100.0 * batch.read("body_mass")[0])
    heavy.plan()
    assert not np.array_equal(light, heavy.costs)
    with pytest.raises(WrongCount, match="expected: 20"):
        heavy.set_parameters(body_mass=[1.0])
