"""Standalone operators on a thousand states: kinematics, dynamics and their derivatives, numpy in and out."""

from __future__ import annotations

import numpy as np

import bellcrank as bc
from bellcrank import tree


def main() -> None:
    model = bc.load("double_pendulum")
    print("coordinates:", tree.coordinate_names(model), "frames:", tree.frame_names(model))
    rng = np.random.default_rng(0)
    q, v, a = (rng.normal(size=(1000, len(tree.dof_names(model)))) for _ in range(3))

    tau = tree.rnea(model, q, v, a)  # inverse dynamics, (1000, 2)
    np.testing.assert_allclose(tree.aba(model, q, v, tau), a, atol=1e-9)  # and forward again

    tip = tree.frame_names(model)[-1]
    pose, J = tree.fk(model, q, tip), tree.jacobian(model, q, tip)
    print("pose", pose.shape, "Jacobian", J.shape)

    # one step of gradient descent on the tip's height, by the Jacobian's third row
    down = tree.integrate(model, q, -0.01 * J[:, 2])
    assert (tree.fk(model, down, tip)[:, 0, 2, 3] <= pose[:, 0, 2, 3] + 1e-4).all()

    # derivatives of forward dynamics: what the accelerations would be with a little more effort
    d = tree.aba_derivatives(model, q, v, tau)
    more = tree.aba(model, q, v, tau + 1e-3)
    np.testing.assert_allclose(more - a, 1e-3 * d.a_tau.sum(axis=2), atol=1e-9)
    print("inverse, forward and differentiated dynamics agree for 1000 states")


if __name__ == "__main__":
    main()
