"""Loads exported robots with MuJoCo and Pinocchio, and compares masses and centres of mass with what was exported.

Usage: exports_compare.py FOLDER. Each FILE.json there tells of the file FILE beside it: name, mass and centre of mass
of every body in the world at the reference pose, and the mass of the whole.
"""

import json
import sys
from pathlib import Path

import mujoco
import numpy as np
import pinocchio

TOLERANCE = 1e-9


def mujoco_faults(path: Path, said: dict) -> list:
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    faults = []
    for name, mass, centre in said["bodies"]:
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        if number < 0:
            faults.append(f"body {name} is missing")
            continue
        if abs(model.body_mass[number] - mass) > TOLERANCE * max(mass, 1.0):
            faults.append(f"mass of {name}: {model.body_mass[number]} instead of {mass}")
        apart = np.abs(data.xipos[number] - centre).max()
        if apart > TOLERANCE:
            faults.append(f"centre of {name}: {apart} m away")
    if model.nbody != len(said["bodies"]) + 1:
        faults.append(f"{model.nbody - 1} bodies instead of {len(said['bodies'])}")
    return faults


def pinocchio_faults(path: Path, said: dict) -> list:
    # what floats on its own is read with the free joint that URDF cannot say
    free = [pinocchio.JointModelFreeFlyer()] if said["floats"] else []
    model = pinocchio.buildModelFromUrdf(str(path), *free)
    mass = sum(inertia.mass for inertia in model.inertias)
    if abs(mass - said["mass"]) > TOLERANCE * said["mass"]:
        return [f"mass {mass} instead of {said['mass']}"]
    # Pinocchio's workspace of a pile of free bodies takes gigabytes
    if not said["at_zero"] or model.nv > 300:
        return []
    data = model.createData()
    pinocchio.forwardKinematics(model, data, pinocchio.neutral(model))
    # what is fixed to the world is the inertia of joint 0, which Pinocchio's own centre of mass leaves out
    lever = sum(i.mass * data.oMi[k].act(i.lever) for k, i in enumerate(model.inertias))
    expected = sum(m * np.array(centre) for _, m, centre in said["bodies"])
    apart = np.abs(lever - expected).max() / mass
    return [] if apart < TOLERANCE else [f"the centre of mass is {apart} m away"]


def main() -> int:
    count, bad = 0, 0
    for about in sorted(Path(sys.argv[1]).glob("*.json")):
        said = json.loads(about.read_text())
        path = about.with_suffix("")
        judge = pinocchio_faults if path.suffix == ".urdf" else mujoco_faults
        try:
            faults = judge(path, said)
        except Exception as error:  # whatever the other engine says is the fault
            faults = [str(error)[:300]]
        count += 1
        if faults:
            bad += 1
            print(f"{path.name}: {'; '.join(faults[:4])}")
    print(f"{count} exports, {bad} wrong")
    return 1 if bad or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
