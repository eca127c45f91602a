"""Worlds: stepping, arrays that behave like views, resets, snapshots, and what is refused."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import errors


@pytest.fixture
def four_bar() -> bc.Model:
    return bc.load("four_bar")


def falling_stone() -> bc.Model:
    b = bc.ModelBuilder("stone")
    b.body("stone", position=(0, 0, 10), mass=2.0, sphere=0.1)
    return b.build()


def test_a_stone_falls_as_galileo_says() -> None:
    # symplectic Euler: after n steps z = z0 − g dt² n (n + 1) / 2
    batch = bc.Batch(falling_stone(), worlds=3, dt=0.01)
    batch.step(50)
    np.testing.assert_allclose(batch.body_position[:, 0, 2], 10 - 9.81 * 1e-4 * 50 * 51 / 2, rtol=1e-12)
    np.testing.assert_allclose(batch.body_velocity[:, 0, 2], -9.81 * 0.5, rtol=1e-12)
    # energy of the explicit sum: kinetic + potential drifts by no more than m g dt v
    assert abs(batch.energy(0)[0] - 2.0 * 9.81 * 10) < 2.0 * 9.81 * 0.01 * 4.91


def test_shapes_and_types_follow_model_and_precision(four_bar: bc.Model) -> None:
    for precision, dtype in (("f32", np.float32), ("f64", np.float64)):
        batch = bc.Batch(four_bar, worlds=5, precision=precision)
        nb, nu = four_bar.body_count, four_bar.actuator_count
        shapes = {
            "joint_position": (5, four_bar.coordinate_count),
            "joint_velocity": (5, four_bar.dof_count),
            "body_position": (5, nb, 3),
            "body_quat_wxyz": (5, nb, 4),
            "body_velocity": (5, nb, 6),
            "body_wrench": (5, nb, 6),
            "target_position": (5, nu),
            "target_velocity": (5, nu),
            "effort": (5, nu),
        }
        for name, shape in shapes.items():
            array = getattr(batch, name)
            assert (array.shape, array.dtype) == (shape, dtype), name
            assert batch.shape(name) == shape
            assert array.ctypes.data % 64 == 0
            assert array.flags.c_contiguous
        assert (batch.precision, batch.worlds, len(batch)) == (precision, 5, 5)
        assert batch.dtype == dtype
        assert (batch.dt, batch.model, batch.models) == (0.004, four_bar, (four_bar,) * 5)
        assert batch.memory_bytes_per_world > 0


def test_loops_stay_closed_and_the_report_says_so(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=16)
    batch.target_position[:] += np.linspace(0, 1, 16)[:, None]
    report = batch.step(250)
    assert (report.status == bc.WorldStatus.OK).all()
    assert report.loop_gap.max() < 1e-6
    assert report.loop_gap_rad.max() < 1e-6
    assert report.status_counts() == {"ok": 16}
    assert (report.converged == 250).all()
    assert (report.frozen_body == -1).all()
    assert (report.frozen_step == -1).all()
    assert len(report) == 16
    assert isinstance(report, bc.StepReport)
    for array in (report.iterations, report.residual, report.penetration, report.contact_count):
        assert array.shape == (16,)
    assert "16 ok" in repr(report)


def test_reports_keep_their_figures_whatever_happens_next(four_bar: bc.Model) -> None:
    # figures are gathered when first asked for, or before they change
    batch, twin = (bc.Batch(four_bar, worlds=3) for _ in range(2))
    batch.target_position += 0.5
    twin.target_position += 0.5
    now = twin.step(5)
    expected = (now.loop_gap.copy(), now.residual.copy(), now.status_counts())
    reports = [batch.step(5)]
    reports.append(batch.step(7))
    batch.reset()
    batch.close()
    del batch
    np.testing.assert_array_equal(reports[0].loop_gap, expected[0])
    np.testing.assert_array_equal(reports[0].residual, expected[1])
    assert reports[0].status_counts() == expected[2]
    assert len(reports[1]) == 3


def test_the_midpoint_integrator_is_of_second_order() -> None:
    # a stone thrown up: the midpoint rule is exact for constant acceleration, symplectic Euler is off by g t dt / 2
    batch = bc.Batch(falling_stone(), dt=0.01, integrator="moreau_jean")
    batch.step(50)
    np.testing.assert_allclose(batch.body_position[0, 0, 2], 10 - 9.81 * 0.5**2 / 2, rtol=1e-12)
    with pytest.raises(errors.WrongValue, match="no integrator"):
        bc.Batch(falling_stone(), integrator="rk4")


def test_what_is_written_into_controls_reaches_the_next_step() -> None:
    model = bc.load("cartpole")
    batch = bc.Batch(model, worlds=4)
    still = bc.Batch(model, worlds=4)
    batch.effort[1] = 5.0
    batch.step(20)
    still.step(20)
    np.testing.assert_array_equal(batch.joint_position[[0, 2, 3]], still.joint_position[[0, 2, 3]])
    assert np.abs(batch.joint_position[1] - still.joint_position[1]).max() > 1e-3
    assert batch.effort[1, 0] == 5.0


def test_held_arrays_follow_the_batch_like_views(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=2)
    q = batch.joint_position
    before = q.copy()
    batch.target_position += 0.5
    batch.step(50)
    assert q is batch.joint_position
    assert not np.array_equal(q, before)
    np.testing.assert_array_equal(q, batch.read("joint_position"))
    batch.reset()
    np.testing.assert_array_equal(q, before)


def test_arrays_that_nobody_holds_cost_nothing(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=2)
    batch.body_velocity.sum()
    gc.collect()
    batch.step()
    assert batch._live == {}


def test_bodies_can_be_placed_and_thrown() -> None:
    batch = bc.Batch(falling_stone(), worlds=2, dt=0.01)
    batch.body_velocity[1, 0, :3] = (1, 0, 0)
    batch.body_position = [[0, 0, 5]]
    batch.step(10)
    np.testing.assert_allclose(batch.body_position[1, 0], [0.1, 0, 5 - 9.81 * 1e-4 * 55], rtol=1e-12)
    np.testing.assert_allclose(batch.body_position[0, 0, 0], 0.0)
    batch.write("body_quat_wxyz", (0, 1, 0, 0))
    np.testing.assert_array_equal(batch.body_quat_wxyz, np.tile([0.0, 1, 0, 0], (2, 1, 1)))


def test_a_wrench_lifts_a_body() -> None:
    batch = bc.Batch(falling_stone(), worlds=2, dt=0.01)
    batch.body_wrench[0, 0, 2] = 2.0 * 9.81  # its own weight
    batch.step(10)
    np.testing.assert_allclose(batch.body_velocity[0, 0], 0, atol=1e-12)
    np.testing.assert_allclose(batch.body_velocity[1, 0, 2], -0.981)


def test_joint_velocity_is_the_rate_of_joint_position() -> None:
    batch = bc.Batch(bc.load("double_pendulum"), worlds=1, dt=1e-5)
    batch.effort[:] = 1.0
    batch.step(100)
    before = batch.joint_position.copy()
    batch.step(1)
    np.testing.assert_allclose((batch.joint_position - before) / 1e-5, batch.joint_velocity, rtol=1e-4, atol=1e-6)


def test_numbers_go_into_buffers_of_the_caller(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=3, precision="f32")
    buffer = np.empty(batch.shape("body_position"), np.float64)
    assert batch.read("body_position", out=buffer) is buffer
    np.testing.assert_array_equal(buffer, batch.body_position)


def test_different_robots_share_a_batch(four_bar: bc.Model) -> None:
    pendulum = bc.load("pendulum")
    batch = bc.Batch([four_bar, pendulum, four_bar])
    assert batch.joint_position.shape == (3, four_bar.coordinate_count)
    assert (batch.joint_position[1, pendulum.coordinate_count :] == 0).all()
    report = batch.step(20)
    assert (report.status == bc.WorldStatus.OK).all()
    alone = bc.Batch(pendulum)
    alone.step(20)
    np.testing.assert_array_equal(batch.joint_position[1, :1], alone.joint_position[0])
    np.testing.assert_array_equal(batch.joint_position[0], batch.joint_position[2])


def test_assembly_closes_loops_at_the_asked_angle(four_bar: bc.Model) -> None:
    crank = four_bar.joint_names[0]
    at = four_bar.position_slice(crank)
    batch = bc.Batch(four_bar, worlds=6)
    reference = batch.joint_position.copy()
    mask = np.array([True, False, True, True, False, True])
    angles = reference[:, at][:, 0] + np.linspace(0.1, 0.3, 6)
    ok = batch.assemble({crank: angles}, worlds=mask)
    np.testing.assert_array_equal(ok, mask)
    np.testing.assert_allclose(batch.joint_position[mask][:, at][:, 0], angles[mask], atol=1e-6)
    np.testing.assert_array_equal(batch.joint_position[~mask], reference[~mask])
    assert batch.step().loop_gap.max() < 1e-6
    assert batch.assemble({crank: 0.2}, worlds=[1]).tolist() == [False, True, False, False, False, False]
    batch.reset(worlds=mask)
    np.testing.assert_array_equal(batch.joint_position[mask], reference[mask])


def test_snapshots_resume_bit_for_bit(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=9, precision="f32")
    batch.target_position[:] += np.linspace(-1, 1, 9, dtype=np.float32)[:, None]
    batch.step(30)
    blob = batch.snapshot()
    batch.step(30)
    first = batch.joint_position.copy()
    batch.restore(blob)
    batch.step(30)
    np.testing.assert_array_equal(batch.joint_position, first)
    assert isinstance(blob, bytes)


def test_threads_and_chunks_do_not_matter(four_bar: bc.Model) -> None:
    results = []
    for threads, pieces in ((1, [40]), (2, [40]), (2, [7, 33])):
        batch = bc.Batch(four_bar, worlds=40, threads=threads)
        batch.target_position[:] += np.linspace(-1, 1, 40)[:, None]
        for piece in pieces:
            batch.step(piece)
        results.append(batch.snapshot())
    assert results[0] == results[1] == results[2]


def test_solver_options_are_taken(four_bar: bc.Model) -> None:
    strict = bc.Batch(four_bar, solver=bc.Padmm(max_iterations=50, tolerance=1e-9, rounds=(2, 4)))
    assert strict.step(3).loop_gap.max() < 1e-6
    for name in (
        "tolerance",
        "pile_tolerance",
        "proximal",
        "penalty_share",
        "softness",
        "gap_tolerance",
        "contact_recovery",
        "limit_recovery",
        "recovery_speed",
        "bounce_speed",
    ):
        bc.Batch(four_bar, solver=bc.Padmm(**{name: 1e-3}))  # type: ignore[arg-type]
        with pytest.raises(errors.WrongValue, match=name):
            bc.Batch(four_bar, solver=bc.Padmm(**{name: -1.0}))  # type: ignore[arg-type]
    with pytest.raises(errors.WrongType, match="max_iterations"):
        bc.Batch(four_bar, solver=bc.Padmm(max_iterations="many"))  # type: ignore[arg-type]
    with pytest.raises(errors.WrongType, match="solver"):
        bc.Batch(four_bar, solver="padmm")  # type: ignore[arg-type]


def test_contacts_can_be_solved_in_closed_form() -> None:
    # a box that was dropped a little rests on the floor with its weight as the contacts' force
    model = bc.load("box")
    for solver in (bc.ComFree(), bc.ComFree(sweeps=8), bc.Padmm()):
        batch = bc.Batch(model, solver=solver, contact_capacity=16)
        batch.step(500)
        force = sum(contact.force for contact in batch.contacts())
        np.testing.assert_allclose(force, [0, 0, 9.81 * model.mass], atol=0.02 * 9.81 * model.mass)
    bc.Batch(model, solver=bc.ComFree(stiffness=0.2, damping=0.001)).step(10)
    bc.Batch(model, solver=bc.ComFree(variant="normalised", memory=0.5)).step(10)
    with pytest.raises(errors.WrongValue, match="stiffness"):
        bc.Batch(model, solver=bc.ComFree(stiffness=-1.0))
    with pytest.raises(errors.WrongValue, match="variant"):
        bc.Batch(model, solver=bc.ComFree(variant="new"))
    with pytest.warns(UserWarning, match="unstable at 0.02 s"):
        bc.Batch(model, dt=0.02, solver=bc.ComFree(variant="published"))
    with pytest.raises(errors.WrongValue, match="contact_capacity"):
        bc.Batch(model, contact_capacity=-1)


def test_closed_batches_raise(four_bar: bc.Model) -> None:
    with bc.Batch(four_bar) as batch:
        batch.step()
        assert not batch.closed
    assert batch.closed
    batch.close()  # twice is fine
    for use in (batch.step, batch.snapshot, batch.reset, lambda: batch.joint_position, lambda: batch.energy()):
        with pytest.raises(errors.BatchClosed):
            use()
    assert "closed" in repr(batch)


def test_wrong_arguments_are_told(four_bar: bc.Model) -> None:
    with pytest.raises(errors.NoWorlds):
        bc.Batch(four_bar, worlds=0)
    with pytest.raises(errors.NoWorlds):
        bc.Batch([])
    with pytest.raises(errors.BadTimeStep):
        bc.Batch(four_bar, dt=0.0)
    with pytest.raises(errors.BadTimeStep):
        bc.Batch(four_bar, dt=float("nan"))
    with pytest.raises(errors.WrongValue, match="precision"):
        bc.Batch(four_bar, precision="f16")
    with pytest.raises(errors.WrongType):
        bc.Batch(["four_bar"])  # type: ignore[list-item]
    with pytest.raises(errors.WrongValue):
        bc.Batch([four_bar], worlds=2)
    with pytest.raises(errors.WrongType):
        bc.Batch(four_bar, worlds=2.5)  # type: ignore[arg-type]
    batch = bc.Batch(four_bar, worlds=3)
    with pytest.raises(errors.WrongValue, match="negative"):
        batch.step(-1)
    with pytest.raises(errors.WrongShape, match=r"expected: \(3, 1\)"):
        batch.target_position = np.zeros((2, 1))
    with pytest.raises(errors.WrongType, match="real numbers"):
        batch.target_position = "far"
    with pytest.raises(errors.NoSuchName, match="no array"):
        batch.read("joint_postion")
    with pytest.raises(errors.WrongShape):
        batch.read("joint_position", out=np.zeros((3, 1)))
    with pytest.raises(errors.WrongType, match="float32 or float64"):
        batch.read("joint_position", out=np.zeros(batch.shape("joint_position"), np.int32))
    with pytest.raises(errors.WrongType):
        batch.read("joint_position", out=[0.0])  # type: ignore[arg-type]
    with pytest.raises(errors.WrongShape, match="contiguous"):
        batch.read("body_position", out=np.zeros(batch.shape("body_position"), order="F"))


def test_wrong_worlds_and_joints_are_told(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=3)
    crank = four_bar.joint_names[0]
    for worlds in (3, -1, [0, 5]):
        with pytest.raises(errors.NoSuchWorld):
            batch.reset(worlds=worlds)
    with pytest.raises(errors.WrongShape, match="mask"):
        batch.reset(worlds=np.array([True, False]))
    with pytest.raises(errors.WrongType):
        batch.reset(worlds=[0.5])  # type: ignore[list-item]
    with pytest.raises(errors.NoSuchJoint, match="knee"):
        batch.assemble({"knee": 0.3})
    with pytest.raises(errors.WrongShape):
        batch.assemble({crank: [0.1, 0.2]})
    with pytest.raises(errors.NotFinite):
        batch.assemble({crank: float("nan")})
    with pytest.raises(errors.BadSnapshot):
        batch.restore(b"rubbish")
    with pytest.raises(errors.BadSnapshot):
        batch.restore(bc.Batch(four_bar, worlds=2).snapshot())
    with pytest.raises(errors.WrongType):
        batch.restore("text")  # type: ignore[arg-type]
    batch.reset(worlds=[])
    assert batch.assemble({crank: 0.1}, worlds=[]).sum() == 0


def test_what_is_not_finite_is_refused_before_it_does_harm(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=3)
    before = batch.joint_position.copy()
    batch.target_position[1, 0] = np.nan
    with pytest.raises(errors.NotFinite, match="target_position: number 0 of world 1"):
        batch.step()
    batch.target_position[1, 0] = 0.0
    np.testing.assert_array_equal(batch.joint_position, before)
    batch.step()


def test_writing_what_follows_from_the_bodies_is_refused(four_bar: bc.Model) -> None:
    batch = bc.Batch(four_bar, worlds=2)
    q = batch.joint_position
    with pytest.raises(ValueError, match="read-only"):
        q[0, 0] = 1.0
    with pytest.raises(errors.WrongValue, match="follows from the bodies"):
        batch.joint_position = q + 1.0
    batch.step()


def test_a_batch_is_busy_while_another_thread_steps_it() -> None:
    batch = bc.Batch(bc.load("hybrid_biped"), worlds=64, threads=1)
    thread = threading.Thread(target=lambda: batch.step(200))
    thread.start()
    busy = 0
    while thread.is_alive():
        try:
            batch.energy(0)
        except errors.BatchBusy:
            busy += 1
        time.sleep(0.001)  # this thread runs at all: the interpreter is not held by the step
    thread.join()
    assert busy > 0


def test_joint_coordinates_follow_poses_that_are_written(four_bar: bc.Model) -> None:
    # an arm on a spring of 10 N·m/rad, turned by 0.5 rad about y: the spring must pull from the first step on
    b = bc.ModelBuilder("arm")
    b.body("arm", position=(0, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("hinge", "revolute", bc.WORLD, "arm", point=(0, 0, 0), axis=(0, 1, 0), spring=(10.0, 0.0))
    b.gravity((0, 0, 0))
    batch = bc.Batch(b.build(), dt=1e-3)
    batch.body_quat_wxyz = [np.cos(0.25), 0, np.sin(0.25), 0]
    np.testing.assert_allclose(batch.joint_position, 0.5)
    batch.step()
    # in the middle of the intervals: ω⁺ = −k q dt / (I + k dt²/4)
    np.testing.assert_allclose(batch.body_velocity[0, 0, 4], -10 * 0.5 * 1e-3 / (0.1 + 2.5 * 1e-6), rtol=1e-6)


def test_smoothing_of_the_interior_point_is_relative_or_absolute(four_bar: bc.Model) -> None:
    for smoothing in ("relative", "absolute"):
        batch = bc.Batch(four_bar, solver=bc.InteriorPoint(kappa=1e-6, smoothing=smoothing))
        assert (batch.step().status == bc.WorldStatus.OK).all()


def test_contact_gains_have_one_row_for_all_worlds() -> None:
    batch = bc.Batch(falling_stone(), worlds=3, solver=bc.ComFree(variant="published"))
    np.testing.assert_array_equal(batch.contact_gain, [[1.0, 1.0]])
    batch.spread("contact_gain")[1] = [0.5, 2.0]
    np.testing.assert_array_equal(batch.contact_gain[1], [0.5, 2.0])


def test_parameters_are_shared_until_spread() -> None:
    batch = bc.Batch(falling_stone(), worlds=3, dt=0.01)
    np.testing.assert_array_equal(batch.body_mass, [[2.0]])
    batch.gravity = (0.0, 0.0, -1.0)
    batch.step()
    np.testing.assert_allclose(batch.body_velocity[:, 0, 2], -0.01)
    gravity = batch.spread("gravity")
    assert gravity.shape == batch.gravity.shape == (3, 3)
    gravity[1] = 0.0
    batch.step()
    np.testing.assert_allclose(batch.body_velocity[:, 0, 2], [-0.02, -0.01, -0.02])


def test_every_parameter_can_be_read_spread_and_written() -> None:
    model = bc.load("hybrid_biped")
    batch = bc.Batch(model, worlds=2)
    nb, ns, nd, nu = model.body_count, len(model.shape_names), model.dof_count, model.actuator_count
    shapes: dict[str, tuple[int, ...]] = {
        "gravity": (3,),
        "body_mass": (nb,),
        "body_com": (nb, 3),
        "body_inertia": (nb, 3, 3),
        "friction": (ns,),
        "torsional_friction": (ns,),
        "rolling_friction": (ns,),
        "restitution": (ns,),
        "armature": (nd,),
        "damping": (nd,),
        "joint_friction": (nd,),
        "limits": (nd, 2),
        "gain": (nu,),
        "rate_gain": (nu,),
        "motor_effort_limit": (nu,),
    }
    for name, shape in shapes.items():
        shared = getattr(batch, name)
        # what belongs to the same parts is spread together
        assert shared.shape in ((1, *shape), (2, *shape)), name
        assert shared.dtype == np.float64
        values = batch.spread(name)
        np.testing.assert_array_equal(values, np.broadcast_to(shared, (2, *shape)))
        if name != "joint_friction":  # this model has none, and worlds cannot add rows to the step
            values[1] *= 0.9
            written = values.copy()
            del values
            setattr(batch, name, written)
            np.testing.assert_allclose(batch.read(name), written)
    np.testing.assert_allclose(batch.body_mass[0], model.body_mass)
    np.testing.assert_allclose(batch.gain[0], 60.0)
    np.testing.assert_allclose(batch.rate_gain[0], 2.0)
    assert batch.step().loop_gap.max() < 1e-5


def test_a_heavier_stone_needs_more_force() -> None:
    batch = bc.Batch(falling_stone(), worlds=2, dt=0.01)
    batch.gravity = (0, 0, 0)
    batch.spread("body_mass")[1] = 4.0
    batch.body_wrench[:, 0, 0] = 8.0
    batch.step()
    np.testing.assert_allclose(batch.body_velocity[:, 0, 0], [0.04, 0.02])


def test_bad_parameters_are_refused() -> None:
    batch = bc.Batch(falling_stone(), worlds=2)
    with pytest.raises(errors.BadParameter, match="above zero"):
        batch.body_mass = -1.0
    batch.body_mass = 2.0
    with pytest.raises(errors.NotFinite):
        batch.body_mass = np.nan
    batch.body_mass = 2.0
    with pytest.raises(errors.WrongValue, match="no parameter"):
        batch.spread("effort")
    with pytest.raises(errors.NoSuchName, match="body_mas") as caught:
        batch.spread("body_mas")
    assert caught.value.hint == 'did you mean "body_mass"?'


def test_randomised_worlds_follow_from_the_seed() -> None:
    model = bc.load("hybrid_biped")
    one, two = bc.Batch(model, worlds=4), bc.Batch(model, worlds=4)
    ranges = {"body_mass": (0.8, 1.2), "friction": (0.5, 1.0), "body_com": (-0.01, 0.01)}
    bc.randomize(one, 7, ranges)
    bc.randomize(two, 7, ranges)
    np.testing.assert_array_equal(one.body_mass, two.body_mass)
    factor = one.body_mass / model.body_mass
    assert factor.min() >= 0.8
    assert factor.max() <= 1.2
    assert len(np.unique(factor)) == factor.size
    np.testing.assert_allclose(one.body_inertia, model.body_inertia * factor[..., None, None], rtol=1e-12)
    before = one.friction.copy()
    bc.randomize(one, 8, {"friction": (0.5, 1.0)}, worlds=[2])
    np.testing.assert_array_equal(one.friction[[0, 1, 3]], before[[0, 1, 3]])
    assert not np.array_equal(one.friction[2], before[2])
    assert one.step(5).loop_gap.max() < 1e-5
    with pytest.raises(errors.WrongValue):
        bc.randomize(one, 0, {"friction": (1.0, 0.5)})


def test_contacts_sensors_and_momentum_are_told() -> None:
    model = bc.load("box")
    batch = bc.Batch(model, worlds=2)
    batch.step(100)
    contacts = batch.contacts(1)
    # a cube of 1 kg at rest on its four corners
    np.testing.assert_allclose(sum(contact.force for contact in contacts), [0, 0, 9.81], atol=1e-3)
    assert len(contacts) == 4
    for contact in contacts:
        np.testing.assert_allclose(contact.normal, [0, 0, 1], atol=1e-6)
        assert abs(contact.depth) < 1e-3
        assert {contact.shape_a, contact.shape_b} <= set(model.shape_names)
        assert isinstance(contact, bc.Contact)
        assert contact.point.shape == contact.moment.shape == (3,)
    np.testing.assert_allclose(batch.momentum(), np.zeros((2, 6)), atol=1e-4)
    biped = bc.Batch(bc.load("hybrid_biped"), worlds=2)
    biped.step(50)
    imu = biped.sensor("imu")
    assert imu.shape == (2, 6)
    np.testing.assert_allclose(imu[:, 2], 9.81, rtol=0.2)
    with pytest.raises(errors.NoSuchName):
        biped.sensor("nose")
    with pytest.raises(errors.NoSuchWorld):
        biped.contacts(2)


def test_keyframes_are_reset_to() -> None:
    model = bc.load("cartpole")
    batch = bc.Batch(model, worlds=3)
    ok = batch.reset_to_keyframe("hanging", worlds=[1])
    assert ok.tolist() == [False, True, False]
    np.testing.assert_allclose(np.cos(batch.joint_position[:, 1]), [1, -1, 1], atol=1e-6)
    with pytest.raises(errors.NoSuchName):
        batch.reset_to_keyframe("flying")


def test_assembled_worlds_can_move(four_bar: bc.Model) -> None:
    crank = four_bar.joint_names[0]
    batch = bc.Batch(four_bar, worlds=2)
    assert batch.assemble({crank: 0.1}, velocities={crank: [1.0, 2.0]}).all()
    at = four_bar.velocity_slice(crank).start
    np.testing.assert_allclose(batch.joint_velocity[:, at], [1.0, 2.0], rtol=1e-5)


def test_floating_robots_are_placed_as_a_whole() -> None:
    batch = bc.Batch(bc.load("hybrid_biped"), worlds=3)
    before, name = np.array(batch.joint_position), batch.model.body_names[0]
    batch.place(name, [[1, 2, 3], [4, 5, 6]], worlds=[0, 2])
    np.testing.assert_allclose(batch.body_position[[0, 2], 0], [[1, 2, 3], [4, 5, 6]], atol=1e-6)
    np.testing.assert_allclose(batch.body_quat_wxyz[:, 0], batch.body_quat_wxyz[[1], 0].repeat(3, 0), atol=1e-6)
    batch.place(name, (0, 0, 2), (0, 1, 0, 0))
    np.testing.assert_allclose(np.abs(batch.body_quat_wxyz[:, 0]), np.tile([0, 1, 0, 0], (3, 1)), atol=1e-6)
    np.testing.assert_allclose(batch.joint_position, before, atol=1e-5)
    with pytest.raises(errors.NoSuchName, match="did you mean"):
        batch.place(name + "x", (0, 0, 2))
    with pytest.raises(errors.BadPose):
        batch.place(name, (0, 0, 2), (0, 0, 0, 0))
    with pytest.raises(errors.WrongShape, match=r"expected: \(3,\) or \(3, 3\)"):
        batch.place(name, (0, 0))
    with pytest.raises(errors.Fastened, match="fastened to the world"):
        bc.Batch(bc.load("four_bar"), worlds=1).place("crank", (0, 0, 0))
