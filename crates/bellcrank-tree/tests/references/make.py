#!/usr/bin/env python3
"""Reference values of a random tree with every kind of joint, from Pinocchio (PyPI `pin`).

    python3 -m venv venv && venv/bin/pip install pin && venv/bin/python make.py

writes every_joint.json: the tree (bodies, joints), two states, and what Pinocchio makes of them, in the order of the
joints, quaternions wxyz. Read by tests/agrees_with_references.rs.
"""
import json
import pathlib

import numpy as np
import pinocchio as pin

rng = np.random.default_rng(20260101)
PITCH = 0.03
# kind: Pinocchio's joints in a row, from F to M
STEPS = {
    "revolute": [pin.JointModelRX],
    "prismatic": [pin.JointModelPX],
    "cylindrical": [pin.JointModelPX, pin.JointModelRX],
    "universal": [pin.JointModelRX, pin.JointModelRY],
    "spherical": [pin.JointModelSpherical],
    "gimbal": [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ],
    "planar": [pin.JointModelPY, pin.JointModelPZ, pin.JointModelRX],
    "cartesian": [pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ],
    "screw": [lambda: pin.JointModelHX(PITCH)],
    "free": [pin.JointModelFreeFlyer],
}
# (kind, parent body or -1): a tree three levels deep in which every kind carries something
TREE = [("free", -1), ("revolute", 0), ("spherical", 1), ("universal", 0), ("prismatic", 3), ("screw", 4),
        ("gimbal", 0), ("cylindrical", 6), ("planar", 7), ("cartesian", 0), ("revolute", 9), ("revolute", -1)]


def random_pose():
    quat = rng.normal(size=4)
    quat /= np.linalg.norm(quat)  # wxyz
    return quat, rng.normal(size=3) * 0.3


def se3(pose):
    (w, x, y, z), p = pose
    return pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(p))


def random_body():
    points = rng.normal(size=(4, 3)) * 0.1  # four equal masses: a possible body whatever they are
    mass = float(rng.uniform(0.5, 2.0))
    com = points.mean(axis=0)
    centred = points - com
    inertia = mass / 4 * sum(np.dot(r, r) * np.eye(3) - np.outer(r, r) for r in centred) + 1e-3 * np.eye(3)
    return mass, com, inertia


model, links, joints, bodies, places = pin.Model(), [], [], [], []
for number, (kind, parent) in enumerate(TREE):
    X_PF, X_SM = random_pose(), random_pose()
    mass, com, inertia = random_body()
    at, placement = (0, se3(X_PF)) if parent < 0 else (links[parent][0], links[parent][1] * se3(X_PF))
    place = []
    for step, make in enumerate(STEPS[kind]):
        at = model.addJoint(at, make(), placement, f"joint_{number}_{step}")
        placement = pin.SE3.Identity()
        place.append(at)
    X_ML = se3(X_SM).inverse()
    model.appendBodyToJoint(at, pin.Inertia(mass, com, inertia), X_ML)
    links.append((at, X_ML))
    places.append(place)
    bodies.append(dict(mass=mass, com=list(com), inertia=[inertia[0, 0], inertia[0, 1], inertia[0, 2], inertia[1, 1],
                                                          inertia[1, 2], inertia[2, 2]]))
    joints.append(dict(kind=kind, parent=parent, X_PF=[*X_PF[0], *X_PF[1]], X_SM=[*X_SM[0], *X_SM[1]], pitch=PITCH))

q_order, v_order = [], []  # Pinocchio's place of each of our numbers
for place in places:
    for j in place:
        jm = model.joints[j]
        indices = list(range(jm.idx_q, jm.idx_q + jm.nq))
        if jm.nq == 4:
            indices = [indices[i] for i in (3, 0, 1, 2)]
        if jm.nq == 7:
            indices = [indices[i] for i in (0, 1, 2, 6, 3, 4, 5)]
        q_order += indices
        v_order += range(jm.idx_v, jm.idx_v + jm.nv)

data, states = model.createData(), []
for _ in range(2):
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
    v, a, tau = (rng.normal(size=model.nv) for _ in range(3))
    mass = pin.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    dq, dv, _ = pin.computeRNEADerivatives(model, data, q, v, a)
    square = np.ix_(v_order, v_order)
    states.append(dict(
        q=list(q[q_order]), v=list(v[v_order]), a=list(a[v_order]), tau=list(tau[v_order]),
        rnea=list(pin.rnea(model, data, q, v, a)[v_order]), aba=list(pin.aba(model, data, q, v, tau)[v_order]),
        crba=list(mass[square].ravel()), rnea_dq=list(np.array(dq)[square].ravel()),
        rnea_dv=list(np.array(dv)[square].ravel()), com=list(pin.centerOfMass(model, data, q)),
        A_g=list(np.array(pin.ccrba(model, data, q, v))[:, v_order].ravel())))

out = dict(pinocchio=pin.__version__, bodies=bodies, joints=joints, states=states)
path = pathlib.Path(__file__).with_name("every_joint.json")
path.write_text(json.dumps(json.loads(json.dumps(out), parse_float=lambda x: float(f"{float(x):.17g}"))) + "\n")
print(path.stat().st_size, "bytes; nv", model.nv)
