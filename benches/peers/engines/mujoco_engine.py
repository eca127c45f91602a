"""Scenes in MuJoCo, one world after the other, which is how it fills a core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from worker import noise, serve


class Case:
    worlds = 1
    step = 0

    def __init__(self, scene: dict[str, Any], settings: str) -> None:
        self.scene = scene
        spec = mujoco.MjSpec.from_file(scene["mjcf"])
        self.model = spec.compile()
        self.model.opt.timestep = scene["dt"]
        choose(self.model, settings)
        self.data, self.copy = mujoco.MjData(self.model), mujoco.MjData(self.model)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_forward(self.model, self.data)
        names = [body["name"] for body in scene["bodies"]]
        self.bodies = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name) for name in names]
        if -1 in self.bodies:
            raise ValueError(f"there is no body {names[self.bodies.index(-1)]!r}")
        self.rest = self.data.actuator_length.copy()

    def order(self, step: int) -> None:
        motion, data = self.scene["motion"], self.data
        if motion == "random":
            turn = step // self.scene["stride"]
            data.ctrl[:] = [self.scene["value"] * noise(0, [turn, 0, a]) for a in range(self.model.nu)]
        elif step == 0 and motion == "speed":
            data.ctrl[:] = self.scene["value"]
        elif step == 0 and motion == "full":
            data.ctrl[:] = self.model.actuator_ctrlrange[:, 1]
        elif step == 0:
            holds = self.model.actuator_biastype == mujoco.mjtBias.mjBIAS_AFFINE
            data.ctrl[:] = np.where(holds, self.rest, 0.0)

    def advance(self, steps: int) -> None:
        mujoco.mj_step(self.model, self.data, steps)

    def states(self) -> list[list[float]]:
        # what a step leaves in `data` belongs to its start: work it out anew, without touching the warm start
        self.copy.qpos[:], self.copy.qvel[:] = self.data.qpos, self.data.qvel
        mujoco.mj_fwdPosition(self.model, self.copy)
        mujoco.mj_fwdVelocity(self.model, self.copy)
        found, twist = [], np.zeros(6)
        for number, body in zip(self.bodies, self.scene["bodies"]):
            mujoco.mj_objectVelocity(self.model, self.copy, mujoco.mjtObj.mjOBJ_BODY, number, twist, 0)
            # the description's centre of mass: of bodies whose mass follows from meshes MuJoCo's may differ a little
            centre = self.copy.xpos[number] + self.copy.xmat[number].reshape(3, 3) @ np.array(body["com"])
            found.append([float(x) for x in (*centre, *self.copy.xquat[number], *twist[3:], *twist[:3])])
        return found

    def throw(self, twists: list[list[float]]) -> None:
        """Coordinates' rates whose bodies move so: J q̇ = V, which has a solution where V opens no joint."""
        rows, model = [], self.model
        for number, body in zip(self.bodies, self.scene["bodies"]):
            linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            centre = self.data.xpos[number] + self.data.xmat[number].reshape(3, 3) @ np.array(body["com"])
            mujoco.mj_jac(model, self.data, linear, angular, centre, number)
            rows += [linear, angular]
        jacobian, wanted = np.vstack(rows), np.array(twists).ravel()
        self.data.qvel[:] = np.linalg.lstsq(jacobian, wanted, rcond=None)[0]
        off = float(np.abs(jacobian @ self.data.qvel - wanted).max())
        if off > 1e-6:
            raise ValueError(f"velocities of the bodies are off by {off:.1e}")
        mujoco.mj_forward(model, self.data)

    def figures(self) -> dict[str, Any]:
        data = self.data
        count = min(int(data.solver_niter[0]), len(data.solver.gradient))
        left = float(data.solver.gradient[count - 1]) if count else 0.0
        limit = self.model.opt.iterations
        warned = any(warning.number for warning in data.warning)
        converged = float(count < limit or left < self.model.opt.tolerance)
        return {
            "contacts": int(data.ncon),
            "iterations": float(np.sum(data.solver_niter)),
            "residual_max": left,
            "converged": converged,
            "warned_max": float(warned),
        }


def choose(model: Any, settings: str) -> None:
    """`default` is what the file and MuJoCo say. `accurate` follows its documentation: implicit velocities, elliptic
    cones with less slip, the stiffest references that the time step allows. `fast` follows the models that its authors
    tuned for throughput: few iterations, explicit damping."""
    dt, option = model.opt.timestep, model.opt
    if settings == "accurate":
        option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        option.impratio = 10.0
        for references in (model.eq_solref, model.geom_solref):
            references[:] = [2.0 * dt, 1.0]
        model.eq_solimp[:] = [0.99, 0.9999, 0.001, 0.5, 2.0]
    elif settings == "fast":
        option.iterations, option.ls_iterations = 2, 5
        option.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP


def load(scene: dict[str, Any], settings: str, worlds: int) -> Case:
    if not Path(scene["mjcf"]).exists():
        raise FileNotFoundError(scene["mjcf"])
    return Case(scene, settings)


if __name__ == "__main__":
    serve(load)
