"""Piles in MuJoCo: the whole fall, timed, and once more for the depth of its contacts."""

from __future__ import annotations

import time
from typing import Any

import mujoco
import numpy as np
from worker import answer_all

DT = 0.002


def start(path: str, settings: str) -> tuple[Any, Any]:
    spec = mujoco.MjSpec.from_file(path)
    spec.memory = 1 << 28
    model = spec.compile()
    model.opt.timestep = DT
    if settings == "elliptic":  # what its documentation recommends against slip
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        model.opt.impratio = 10.0
    data = mujoco.MjData(model)
    push = 0.05 * np.random.default_rng(0).uniform(-1, 1, (model.nbody, 2))
    for body in range(1, model.nbody):
        at = model.body_dofadr[body]
        data.qvel[at : at + 2] = push[body]
    return model, data


def respond(question: dict[str, Any]) -> dict[str, Any]:
    model, data = start(question["mjcf"], question["settings"])
    if question["do"] == "adrift":
        return drift(model, data, question)
    steps = question["steps"]
    if question["do"] == "clock":
        before = time.process_time()
        mujoco.mj_step(model, data, steps)
        return {"rate": steps / (time.process_time() - before)}
    found, contacts = [], []
    for step in range(steps):
        mujoco.mj_step(model, data)
        contacts.append(data.ncon)
        if step % 10 == 9 and data.ncon:
            found.append(np.maximum(0.0, -data.contact.dist[: data.ncon]))
    depth = np.concatenate(found)
    return {
        "contacts_mean": float(np.mean(contacts)),
        "penetration_mean_um": 1e6 * float(depth.mean()),
        "penetration_max_um": 1e6 * float(depth.max()),
    }


def drift(model: Any, data: Any, question: dict[str, Any]) -> dict[str, Any]:
    """Weightless, thrown up and gathering: solids hit each other and nothing else."""
    model.opt.gravity[:] = 0.0
    bodies = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name) for name in question["names"]]
    own = np.zeros(3)
    for body, twist in zip(bodies, question["twists"]):
        q, v = coordinates(model, data, body)
        # a free joint turns in the body's own axes
        mujoco.mju_rotVecQuat(own, np.array(twist[3:]), q[3:] * np.array([1.0, -1.0, -1.0, -1.0]))
        v[:3], v[3:] = twist[:3], own
    steps = round(question["duration"] / DT)
    every = max(1, steps // 100)
    samples = [states(model, data, bodies)]
    for step in range(steps):
        mujoco.mj_step(model, data)
        if (step + 1) % every == 0:
            samples.append(states(model, data, bodies))
    return {"samples": samples}


def coordinates(model: Any, data: Any, body: int) -> tuple[Any, Any]:
    """Coordinates and rates of a solid that floats, where they are."""
    joint, rate = model.body_jntadr[body], model.body_dofadr[body]
    at = model.jnt_qposadr[joint]
    return data.qpos[at : at + 7], data.qvel[rate : rate + 6]


def states(model: Any, data: Any, bodies: list[int]) -> list[list[float]]:
    """Position, quaternion and velocities of all solids, whose centres of mass are their origins."""
    found, turned = [], np.zeros(3)
    for body in bodies:
        q, v = coordinates(model, data, body)
        mujoco.mju_rotVecQuat(turned, v[3:], q[3:])
        found.append([float(x) for x in (*q, *v[:3], *turned)])
    return found


if __name__ == "__main__":
    answer_all(respond)
