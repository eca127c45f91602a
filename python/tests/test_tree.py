"""Tree operators: shapes, types, laws, and agreement with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import errors, tree

RNG = np.random.default_rng(7)


def states(model: bc.Model, batch: int) -> tuple[Any, Any, Any]:
    q = tree.neutral(model, batch)
    n = len(tree.dof_names(model))
    q = tree.integrate(model, q, RNG.normal(size=(batch, n)) * 0.3)
    return q, RNG.normal(size=(batch, n)), RNG.normal(size=(batch, n))


@pytest.fixture(params=["double_pendulum", "hybrid_biped", "all_joints"])
def model(request: pytest.FixtureRequest) -> bc.Model:
    return bc.load(str(request.param))


def test_a_pendulum_is_what_the_book_says() -> None:
    # a bar of 2 kg and 1 m on a hinge about y, mass at 0.5 m: τ = (m l² + I) a + m g l sin q
    b = bc.ModelBuilder("pendulum")
    b.body("bar", position=(0, 0, -0.5), mass=2.0, inertia=(0.1, 0.1, 0.1))
    b.joint("hinge", "revolute", None, "bar", point=(0, 0, 0), axis=(0, 1, 0))
    model = b.build()
    q, a = 0.3, 1.7
    tau = tree.rnea(model, [q], [2.0], [a])
    expected = (2.0 * 0.25 + 0.1) * a + 2.0 * 9.81 * 0.5 * np.sin(q)
    np.testing.assert_allclose(tau, [expected], rtol=1e-12)
    np.testing.assert_allclose(tree.crba(model, [q]), [[0.6]], rtol=1e-12)
    np.testing.assert_allclose(tree.aba(model, [q], [2.0], tau), [a], rtol=1e-12)
    energy = tree.energies(model, [q], [2.0])
    np.testing.assert_allclose(energy.kinetic, 0.5 * 0.6 * 4.0, rtol=1e-12)
    np.testing.assert_allclose(energy.potential, -2.0 * 9.81 * 0.5 * np.cos(q), rtol=1e-12)
    pose = tree.fk(model, [q], "bar")  # the link frame is at the bar's middle, turned about y
    np.testing.assert_allclose(pose[0, :, 3], [-0.5 * np.sin(q), 0, -0.5 * np.cos(q)], atol=1e-12)


def test_forward_and_inverse_dynamics_undo_each_other(model: bc.Model) -> None:
    q, v, a = states(model, 33)
    tau = tree.rnea(model, q, v, a)
    np.testing.assert_allclose(tree.aba(model, q, v, tau), a, rtol=1e-7, atol=1e-7)
    mass, inverse = tree.crba(model, q), tree.mass_inverse(model, q)
    np.testing.assert_allclose(mass @ inverse, np.broadcast_to(np.eye(v.shape[1]), mass.shape), atol=1e-7)
    bias = tree.bias(model, q, v)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", mass, a) + bias, tau, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(tree.bias(model, q, 0 * v), tree.gravity(model, q), atol=1e-10)


def test_jacobians_are_the_derivatives_of_poses(model: bc.Model) -> None:
    q, v, _ = states(model, 3)
    frame, h = tree.frame_names(model)[-1], 1e-6
    ahead, behind = (tree.fk(model, tree.integrate(model, q, s * h * v), frame)[:, 0, :, 3] for s in (1, -1))
    J = tree.jacobian(model, q, frame)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", J, v)[:, :3], (ahead - behind) / (2 * h), atol=1e-7)
    motion = tree.frame_motion(model, q, v, 0 * v, frame)
    np.testing.assert_allclose(motion.velocity, np.einsum("bij,bj->bi", J, v), atol=1e-10)
    rate = tree.jacobian_rate(model, q, v, frame)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", rate, v)[:, :3], motion.classical_acceleration[:, :3], atol=1e-7)
    assert motion.spatial_acceleration.shape == (3, 6)
    derivatives = tree.frame_motion_derivatives(model, q, v, 0 * v, frame)
    assert all(d.shape == J.shape for d in derivatives)
    for reference in ("local", "world"):
        assert tree.jacobian(model, q, frame, reference).shape == J.shape


def test_derivatives_agree_with_differences(model: bc.Model) -> None:
    q, v, a = states(model, 2)
    n, h = v.shape[1], 1e-6
    tau = tree.rnea(model, q, v, a)
    by_q, by_v = tree.rnea_derivatives(model, q, v, a)
    forward = tree.aba_derivatives(model, q, v, tau)
    for k in range(n):
        e = np.zeros((2, n))
        e[:, k] = h
        ahead, behind = (tree.rnea(model, tree.integrate(model, q, s * e), v, a) for s in (1, -1))
        np.testing.assert_allclose(by_q[:, :, k], (ahead - behind) / (2 * h), rtol=1e-4, atol=1e-4)
        ahead, behind = (tree.rnea(model, q, v + s * e, a) for s in (1, -1))
        np.testing.assert_allclose(by_v[:, :, k], (ahead - behind) / (2 * h), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(forward.a_tau, tree.mass_inverse(model, q), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(forward.a_q, -forward.a_tau @ by_q, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(forward.a_v, -forward.a_tau @ by_v, rtol=1e-5, atol=1e-5)


def test_vector_products_agree_with_jacobians(model: bc.Model) -> None:
    q, v, a = states(model, 4)
    w = RNG.normal(size=v.shape)
    by_q, by_v = tree.rnea_derivatives(model, q, v, a)
    gradients = tree.rnea_vjp(model, q, v, a, w)
    np.testing.assert_allclose(gradients.q, np.einsum("bi,bij->bj", w, by_q), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(gradients.v, np.einsum("bi,bij->bj", w, by_v), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(gradients.a, np.einsum("bi,bij->bj", w, tree.crba(model, q)), rtol=1e-6, atol=1e-6)
    regressor = tree.torque_regressor(model, q, v, a)
    flat = gradients.parameters.reshape(4, -1)
    np.testing.assert_allclose(flat, np.einsum("bi,bij->bj", w, regressor), rtol=1e-6, atol=1e-6)
    tau = tree.rnea(model, q, v, a)
    forward, full = tree.aba_vjp(model, q, v, tau, w), tree.aba_derivatives(model, q, v, tau)
    np.testing.assert_allclose(forward.a, a, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(forward.q, np.einsum("bi,bij->bj", w, full.a_q), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(forward.tau, np.einsum("bi,bij->bj", w, full.a_tau), rtol=1e-5, atol=1e-5)


def test_moving_and_comparing_configurations_undo_each_other(model: bc.Model) -> None:
    q, v, _ = states(model, 5)
    moved = tree.integrate(model, q, 0.2 * v)
    np.testing.assert_allclose(tree.difference(model, q, moved), 0.2 * v, atol=1e-9)


def test_momentum_and_centre_of_mass_agree(model: bc.Model) -> None:
    q, v, _ = states(model, 3)
    com, matrix = tree.centroidal(model, q)
    same, jacobian = tree.center_of_mass(model, q)
    np.testing.assert_allclose(com, same, atol=1e-12)
    # a body that is welded to the world does not move and is not counted
    welded = [pair[1] for pair, kind in zip(model.joint_bodies, model.joint_kinds) if kind == "fixed"]
    moving = [mass for name, mass in zip(model.body_names, model.body_mass) if name not in welded]
    total = sum(moving)
    np.testing.assert_allclose(matrix[:, :3], total * jacobian, rtol=1e-6, atol=1e-8)


def test_loops_close_and_stay_closed() -> None:
    model = bc.load("four_bar")
    slot = tree.slots(model)[0]
    q = np.tile(tree.neutral(model), (8, 1))
    q[:, slot.q] = np.linspace(0.1, 0.4, 8)[:, None]
    closed, gap = tree.constraint_consistent(model, q, held=[slot.name])
    assert gap.max() < 1e-10
    np.testing.assert_array_equal(closed[:, slot.q], q[:, slot.q])
    c, G = tree.loop_closure(model, closed)
    assert np.abs(c).max() < 1e-10
    v, tau = np.zeros_like(G[:, 0]), RNG.normal(size=(8, G.shape[2]))
    a, reactions = tree.constrained_forward_dynamics(model, closed, v, tau)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", G, a) + tree.loop_drift(model, closed, v), 0, atol=1e-7)
    missing = tree.crba(model, closed) @ a[..., None] + tree.bias(model, closed, v)[..., None]
    pulled = tau + np.einsum("bij,bi->bj", G, reactions)
    np.testing.assert_allclose(missing[..., 0], pulled, atol=1e-6)
    driven = tree.actuated_inverse_dynamics(model, closed, v, a)
    assert driven.tau.shape == a.shape
    assert driven.missing.shape == (8,)
    assert tree.loop_row_count(model) == c.shape[1]


def test_a_push_on_a_frame_is_felt_through_its_jacobian() -> None:
    model = bc.load("double_pendulum")
    q, v, a = states(model, 4)
    frame, wrench = tree.frame_names(model)[-1], RNG.normal(size=(4, 6))
    J = tree.jacobian(model, q, frame, "local")
    pushed = tree.rnea(model, q, v, a, {frame: wrench})
    np.testing.assert_allclose(
        pushed, tree.rnea(model, q, v, a) - np.einsum("bij,bi->bj", J, wrench), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(tree.aba(model, q, v, pushed, {frame: wrench}), a, rtol=1e-8, atol=1e-8)


def test_types_and_shapes_follow_the_input() -> None:
    model = bc.load("double_pendulum")
    q, v, a = states(model, 6)
    single = tree.rnea(model, q.astype(np.float32), v.astype(np.float32), a.astype(np.float32))
    double = tree.rnea(model, q, v, a)
    assert single.dtype == np.float32
    assert double.dtype == np.float64
    np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-4)
    assert tree.rnea(model, q.astype(np.float32), v, a).dtype == np.float64
    np.testing.assert_array_equal(tree.rnea(model, q[2], v[2], a[2]), double[2])
    np.testing.assert_array_equal(tree.rnea(model, list(q), v, a), double)
    np.testing.assert_array_equal(tree.rnea(model, np.asfortranarray(q), v[::1], a), double)
    np.testing.assert_array_equal(tree.rnea(model, q, v, a, threads=1), tree.rnea(model, q, v, a, threads=2))
    assert tree.fk(model, q[:0]).shape == (0, len(tree.frame_names(model)), 3, 4)


def test_wrong_arrays_are_told() -> None:
    model = bc.load("double_pendulum")
    q, v, a = states(model, 6)
    with pytest.raises(errors.WrongShape, match=r"q has the shape \(6, 1\), expected: \(6, 2\)"):
        tree.crba(model, q[:, :1])
    with pytest.raises(errors.WrongShape, match=r"v has the shape \(5, 2\), expected: \(6, 2\)"):
        tree.rnea(model, q, v[:5], a)
    with pytest.raises(errors.WrongShape):
        tree.crba(model, 1.0)
    with pytest.raises(errors.WrongShape):
        tree.crba(model, q[None])
    with pytest.raises(errors.WrongType, match="real numbers"):
        tree.crba(model, [["a", "b"]])
    with pytest.raises(errors.NoSuchFrame, match="nose"):
        tree.jacobian(model, q, "nose")
    with pytest.raises(errors.WrongValue, match="no reference"):
        tree.jacobian(model, q, tree.frame_names(model)[0], "sideways")
    with pytest.raises(errors.NoSuchName):
        tree.rnea(model, q, v, a, {"nose": np.zeros((6, 6))})
    with pytest.raises(errors.WrongShape):
        tree.rnea(model, q, v, a, {tree.frame_names(model)[0]: np.zeros((6, 5))})
    with pytest.raises(errors.NoSuchName):
        tree.constraint_consistent(model, q, held=["nose"])


def test_names_are_told(model: bc.Model) -> None:
    assert len(tree.coordinate_names(model)) == tree.neutral(model).shape[0]
    assert set(model.body_names) <= set(tree.frame_names(model))
    for slot in tree.slots(model):
        assert slot.q.stop - slot.q.start >= slot.v.stop - slot.v.start
        assert isinstance(slot.reversed, bool)
        assert slot.kind


def test_results_with_several_parts_have_names(model: bc.Model) -> None:
    q, v, a = states(model, 2)
    frame = tree.frame_names(model)[-1]
    results: dict[type, tuple[Any, ...]] = {
        tree.FrameMotion: tree.frame_motion(model, q, v, a, frame),
        tree.FrameMotionDerivatives: tree.frame_motion_derivatives(model, q, v, a, frame),
        tree.RneaDerivatives: tree.rnea_derivatives(model, q, v, a),
        tree.AbaDerivatives: tree.aba_derivatives(model, q, v, a),
        tree.RneaGradients: tree.rnea_vjp(model, q, v, a, v),
        tree.AbaGradients: tree.aba_vjp(model, q, v, a, v),
        tree.LoopClosure: tree.loop_closure(model, q),
        tree.ConstrainedForwardDynamics: tree.constrained_forward_dynamics(model, q, v, a),
        tree.ActuatedInverseDynamics: tree.actuated_inverse_dynamics(model, q, v, a),
        tree.Consistent: tree.constraint_consistent(model, q, iterations=1),
        tree.Centroidal: tree.centroidal(model, q),
        tree.CenterOfMass: tree.center_of_mass(model, q),
        tree.Energies: tree.energies(model, q, v),
    }
    for kind, result in results.items():
        assert type(result) is kind
        assert all(part.shape[0] == 2 for part in result), kind
        assert kind.__doc__
    assert all(isinstance(slot, tree.Slot) for slot in tree.slots(model))


def test_pieces_do_not_matter() -> None:
    # more states than are run at once
    model = bc.load("double_pendulum")
    q, v, a = states(model, 10_001)
    whole = tree.rnea(model, q, v, a)
    np.testing.assert_array_equal(whole[9_000:], tree.rnea(model, q[9_000:], v[9_000:], a[9_000:]))
    assert tree.rnea(model, q[:0], v[:0], a[:0]).shape == (0, 2)
