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


if __name__ == "__main__":
    answer_all(respond)
