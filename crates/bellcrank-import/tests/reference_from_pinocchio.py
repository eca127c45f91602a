"""Prints what Pinocchio makes of URDF files, one JSON object per line. Needs the package `pin`.

Without arguments, prints the paths of all URDF files of the package `example-robot-data`, if it is installed.
"""

import json
import pathlib
import sys

import pinocchio as pin


def installed_robots():
    for folder in map(pathlib.Path, sys.path):
        yield from sorted(folder.glob("cmeel.prefix/share/example-robot-data/robots/**/*.urdf"))


def reference(path):
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q = pin.neutral(model)
    pin.framesForwardKinematics(model, data, q)
    joints = {}
    for name, joint in zip(model.names[1:], model.joints[1:]):
        bounds = None
        if joint.nq == 1:
            bounds = [model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q]]
            bounds = [b if abs(b) < 1e300 else None for b in bounds]
        joints[name] = {"dofs": joint.nv, "limits": bounds}
    links = {}
    for frame, placement in zip(model.frames, data.oMf):
        if frame.type == pin.FrameType.BODY:
            links[frame.name] = placement.homogeneous[:3].tolist()
    mass = sum(inertia.mass for inertia in model.inertias)
    return {"mass": mass, "joints": joints, "links": links}


if len(sys.argv) == 1:
    for path in installed_robots():
        print(path)
for path in sys.argv[1:]:
    try:
        print(json.dumps(reference(path)))
    except (ValueError, RuntimeError, OSError) as error:  # a file that Pinocchio itself refuses
        print(json.dumps({"error": str(error)}))
