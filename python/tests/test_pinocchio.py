"""The same numbers as Pinocchio (PyPI ``pin``), where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import tree

pin: Any = pytest.importorskip("pinocchio", reason="PyPI package `pin` is not installed: comparison skipped")

URDF = """<robot name="arm"><link name="base"/>
{links}</robot>"""
LINK = """<link name="l{k}"><inertial><origin xyz="{x} 0.02 {z}" rpy="0.1 0.2 0.3"/><mass value="{m}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial></link>
<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/>
<origin xyz="0.1 {x} 0.2" rpy="{x} 0.4 -0.3"/><axis xyz="{axis}"/>
<limit lower="-3" upper="3" effort="100" velocity="10"/></joint>
"""


def arm() -> str:
    kinds = ["revolute", "revolute", "prismatic", "revolute", "revolute", "revolute"]
    axes = ["0 0 1", "0 1 0", "1 0 0", "0.6 0 0.8", "0 -1 0", "1 0 0"]
    links = [
        LINK.format(
            k=k, parent="base" if k == 0 else f"l{k - 1}", kind=kinds[k], axis=axes[k], x=0.05 * k, z=0.1, m=1 + k
        )
        for k in range(6)
    ]
    return URDF.format(links="".join(links))


def test_operators_agree_with_pinocchio(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(arm())
    ours, theirs = bc.load(file), pin.buildModelFromUrdf(str(file))
    data = theirs.createData()
    assert list(tree.dof_names(ours)) == [f"j{k}" for k in range(6)]
    rng = np.random.default_rng(3)
    q, v, a = (rng.normal(size=(10, 6)) for _ in range(3))
    tau, mass, fk = tree.rnea(ours, q, v, a), tree.crba(ours, q), tree.fk(ours, q, "l5")
    J, d = tree.jacobian(ours, q, "l5"), tree.rnea_derivatives(ours, q, v, a)
    com, momentum = tree.centroidal(ours, q)
    for k in range(10):
        np.testing.assert_allclose(tau[k], pin.rnea(theirs, data, q[k], v[k], a[k]), rtol=1e-9, atol=1e-9)
        upper = pin.crba(theirs, data, q[k])
        full = np.triu(upper) + np.triu(upper, 1).T
        np.testing.assert_allclose(mass[k], full, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            tree.aba(ours, q[k], v[k], tau[k]), pin.aba(theirs, data, q[k], v[k], tau[k]), rtol=1e-8, atol=1e-8
        )
        pin.framesForwardKinematics(theirs, data, q[k])
        placement = data.oMf[theirs.getFrameId("l5")]
        np.testing.assert_allclose(fk[k, 0], placement.homogeneous[:3], atol=1e-12)
        expected = pin.computeFrameJacobian(
            theirs, data, q[k], theirs.getFrameId("l5"), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        np.testing.assert_allclose(J[k], expected, atol=1e-12)
        by_q, by_v, _ = pin.computeRNEADerivatives(theirs, data, q[k], v[k], a[k])
        np.testing.assert_allclose(d.tau_q[k], by_q, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(d.tau_v[k], by_v, rtol=1e-8, atol=1e-8)
        A_g = pin.computeCentroidalMap(theirs, data, q[k])
        np.testing.assert_allclose(momentum[k], A_g, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(com[k], data.com[0], atol=1e-12)
