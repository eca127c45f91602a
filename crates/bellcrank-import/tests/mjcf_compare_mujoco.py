"""Compares loaded MJCF files with MuJoCo itself, number by number.

    python mjcf_compare_mujoco.py DUMP [FILE_OR_FOLDER ...]

DUMP is the built example `mjcf_dump`. Without further arguments the models in `mjcf/`, the robots in the shared data folder next to the
repository and the models of the packages gymnasium and dm_control are compared, as far as they are there.
Compared to 1e-9 (relative, or absolute below one): total mass; mass, centre of mass, inertia and pose at the
reference configuration of every body; range, armature, damping, friction, stiffness and rest of every joint; gain,
bias, gear and ranges of every actuator that is not listed as left out; weights, range, spring and resistance of
every fixed tendon; the share of every body's weight that is carried from outside; the pose of every body at every keyframe. Prints one line per file and a table.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys

TOLERANCE = 1e-9
# MuJoCo turns every part to principal axes before it adds them up, and stops at an angle of about 1e-4: moments are wrong
# by its square, and so is what follows from them (dampings from a ratio, springs from a time)
AXES = 100.0
# kinds of transmission
JOINT, TENDON, SITE = 0, 3, 4


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if importlib.util.find_spec("mujoco") is None:
        sys.exit("the package mujoco is not installed")
    dump = sys.argv[1]
    # with --all, files that MuJoCo itself refuses are failures and not fragments of others
    strict = "--all" in sys.argv
    named = [pathlib.Path(p) for p in sys.argv[2:] if p != "--all"]
    files = [f for p in named for f in files_of(p)] if named else default_files()
    if not files:
        sys.exit("there are no models to compare")
    print("| model | loads | bodies | joints | loops | mass [kg] | mass error | worst error | ignored |")
    print("|---|---|---|---|---|---|---|---|---|")
    failures = [line for path in files for line in compare(dump, path, strict)]
    print("\n".join(failures) or "all agree", flush=True)
    sys.exit(1 if failures else 0)


def files_of(path):
    return sorted(path.rglob("*.xml")) if path.is_dir() else [path]


def default_files():
    root = pathlib.Path(__file__).resolve().parents[3]
    shared = root.parent / "shared" / "data" / "menagerie"
    files = files_of(pathlib.Path(__file__).parent / "mjcf")
    if shared.is_dir():
        files += files_of(shared)
    else:
        print("skipped: the shared robots are not there")
    for package, folders in [("gymnasium", ["envs/mujoco/assets"]), ("dm_control", ["suite", "locomotion", "entities"])]:
        spec = importlib.util.find_spec(package)
        if spec is None:
            print(f"skipped: the package {package} is not installed")
            continue
        base = pathlib.Path(spec.submodule_search_locations[0])
        files += [f for folder in folders for f in files_of(base / folder)]
    return files


def compare(dump, path, strict):
    import mujoco

    try:
        spec = mujoco.MjSpec.from_file(str(path))
        # these change what is there, not what it means
        spec.compiler.fusestatic = 0
        spec.compiler.discardvisual = 0
        reference = spec.compile()
    except (ValueError, RuntimeError, OSError) as error:  # fragments to be included elsewhere
        return [f"{path}: MuJoCo refuses it: {error}"] if strict else []
    if reference.nbody == 1:
        return []
    # some models name meshes of a neighbouring folder
    around = next((p for p in path.parents if (p / "__init__.py").is_file() and p.name == "dm_control"), path.parent)
    result = subprocess.run([dump, str(path), f"--folder={around}"], capture_output=True, text=True, check=False)
    name = f"{path.parent.name}/{path.name}"
    if result.returncode != 0:
        print(f"| {name} | **no** | | | | | | | |")
        return [f"{path}: does not load:\n{result.stderr[:2000]}"]
    ours = json.loads(result.stdout)
    check = Check(path)
    compare_bodies(check, reference, ours)
    compare_joints(check, reference, ours)
    compare_actuators(check, reference, ours)
    compare_tendons(check, reference, ours)
    compare_keyframes(check, reference, ours)
    mass = sum(reference.body_mass)
    joints = [j for j in ours["joints"] if j["kind"] != "fixed"]
    print(
        f"| {name} | yes | {len(ours['bodies'])} | {len(joints)} | {len(ours['loops'])} | {ours['mass']:.6g} "
        f"| {abs(ours['mass'] - mass):.1e} | {check.worst:.1e} | {len(ours['ignored'])} |"
    )
    return check.failures


class Check:
    def __init__(self, path):
        self.path, self.worst, self.failures = path, 0.0, []

    def equal(self, what, ours, theirs, slack=1.0):
        scale = slack * max([1.0] + [abs(x) for x in theirs])
        error = max([abs(a - b) for a, b in zip(ours, theirs)] + [0.0]) / scale
        self.worst = max(self.worst, error)
        if not error <= TOLERANCE or len(ours) != len(theirs):
            self.failures.append(f"{self.path}: {what}: {list(ours)} here, {list(theirs)} in MuJoCo")

    def fail(self, what):
        self.failures.append(f"{self.path}: {what}")


def compare_bodies(check, reference, ours):
    import mujoco
    import numpy as np

    data = mujoco.MjData(reference)
    mujoco.mj_kinematics(reference, data)
    bodies = {}
    for body in ours["bodies"]:
        bodies.setdefault(body["name"].split("_carrier_")[0], []).append(body)
    sites = {site["name"] for site in ours["sites"]}
    check.equal("total mass", [ours["mass"]], [float(sum(reference.body_mass))])
    for b in range(1, reference.nbody):
        name = mujoco.mj_id2name(reference, mujoco.mjtObj.mjOBJ_BODY, b) or f"body_{b}"
        parts = bodies.get(name)
        mass = float(reference.body_mass[b])
        if parts is None:
            # a body without mass, or one that gave its mass to a parent without, is a site here
            if name not in sites:
                check.fail(f"body {name!r} is missing")
            continue
        if mass == 0:
            continue
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, reference.body_iquat[b])
        axes = axes.reshape(3, 3)
        inertia = axes @ np.diag(reference.body_inertia[b]) @ axes.T
        carried = [parts[-1]["gravity_compensation"]]
        check.equal(f"gravity compensation of {name}", carried, [float(reference.body_gravcomp[b])])
        check.equal(f"mass of {name}", [sum(p["mass"] for p in parts)], [mass])
        check.equal(f"centre of mass of {name}", parts[-1]["com"], list(reference.body_ipos[b]))
        mine = np.sum([p["inertia"] for p in parts], axis=0)
        theirs = [inertia[i] for i in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]]
        # heavy bodies by their size, and not beyond the accuracy of MuJoCo's own principal axes
        size = max(1.0, 20 * max(reference.body_inertia[b])) if max(reference.body_inertia[b]) > 1 else 1.0
        check.equal(
            f"principal moments of {name}",
            [x / size for x in principal(mine)],
            [x / size for x in sorted(reference.body_inertia[b])],
            AXES,
        )
        # more coarsely: MuJoCo stops turning to principal axes at an angle of about 1e-8
        size = max(abs(x) for x in theirs)
        if max(abs(mine - theirs)) > 1e-6 * size + 1e-11:
            check.fail(f"inertia of {name}: {list(mine)} here, {theirs} in MuJoCo")
        for part in parts:
            position, quaternion = part["pose"][:3], part["pose"][3:]
            sign = 1 if np.dot(quaternion, data.xquat[b]) > 0 else -1
            check.equal(f"position of {name}", position, list(data.xpos[b]))
            # where the frame is the principal axes (align), it is as exact as MuJoCo finds these
            aligned = reference.body_sameframe[b] == 1 and reference.body_jntnum[b] == 1
            slack = 10 * AXES if aligned else 1.0
            check.equal(f"rotation of {name}", [sign * x for x in quaternion], list(data.xquat[b]), slack)


def principal(inertia):
    import numpy as np

    xx, yy, zz, xy, xz, yz = inertia
    return list(np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def coordinates(ours):
    """Every degree of freedom by the name of the file's joint."""
    found = {}
    for joint in ours["joints"]:
        names = joint["name"].rstrip("_").split("+") if joint["kind"] in MERGED else [joint["name"]]
        for k, name in enumerate(names):
            found[name] = (joint, k)
    return found


MERGED = ["cylindrical", "universal", "gimbal", "planar", "cartesian"]


def compare_joints(check, reference, ours):
    import mujoco

    found = coordinates(ours)
    tree = [j for j in ours["joints"] if not j["closes_loop"] and j["kind"] != "fixed"]
    freedoms = sum(len(j["dofs"]) for j in tree)
    check.equal("number of degrees of freedom", [freedoms], [reference.nv])
    for j in range(reference.njnt):
        name = mujoco.mj_id2name(reference, mujoco.mjtObj.mjOBJ_JOINT, j) or f"joint_{j}"
        if name not in found:
            check.fail(f"joint {name!r} is missing")
            continue
        joint, k = found[name]
        v = reference.jnt_dofadr[j]
        dof = joint["dofs"][k]
        for key, theirs in [
            ("armature", reference.dof_armature[v]),
            ("damping", reference.dof_damping.reshape(reference.nv, -1)[v][0]),
            ("friction", reference.dof_frictionloss[v]),
        ]:
            check.equal(f"{key} of {name}", [dof[key]], [float(theirs)], AXES)
        if reference.jnt_type[j] in (2, 3):
            compare_scalar(check, reference, j, name, dof)


def compare_scalar(check, reference, j, name, dof):
    stiffness = float(reference.jnt_stiffness.reshape(reference.njnt, -1)[j][0])
    check.equal(f"stiffness of {name}", [dof["stiffness"]], [stiffness], AXES)
    limits = [x for x in dof["limits"] if x is not None]
    theirs = list(reference.jnt_range[j]) if reference.jnt_limited[j] else []
    flipped = sorted(-x for x in limits)
    rest = reference.qpos_spring[reference.jnt_qposadr[j]]
    if stiffness > 0 and abs(abs(dof["rest"]) - abs(rest)) > TOLERANCE:
        check.fail(f"rest of {name}: {dof['rest']} here, {rest} in MuJoCo")
    if len(limits) == 2 and theirs and abs(flipped[0] - theirs[0]) < abs(limits[0] - theirs[0]):
        limits = flipped
    check.equal(f"range of {name}", limits, theirs)


def compare_actuators(check, reference, ours):
    import mujoco

    mine = {a["name"]: a for a in ours["actuators"]}
    left_out = sum("actuator" in line or "muscle" in line or "adhesion" in line for line in ours["ignored"])
    if len(mine) + left_out < reference.nu:
        check.fail(f"{reference.nu - len(mine)} actuators are missing, {left_out} of them listed")
    for a in range(reference.nu):
        name = mujoco.mj_id2name(reference, mujoco.mjtObj.mjOBJ_ACTUATOR, a) or f"actuator_{a}"
        actuator = mine.get(name)
        kind = reference.actuator_trntype[a]
        if actuator is None or kind not in (JOINT, TENDON, SITE):
            continue
        if kind == TENDON and actuator["tendon"] is None:
            continue  # a tendon over joints that follow one another: a gear on their leader
        if kind == SITE:
            check.equal(f"wrench of {name}", actuator["site"]["wrench"], list(reference.actuator_gear[a]))
        check.equal(f"gain of {name}", [actuator["gain"]], [float(reference.actuator_gainprm[a][0])])
        bias = list(reference.actuator_biasprm[a][:3]) if reference.actuator_biastype[a] != 0 else [0.0] * 3
        check.equal(f"bias of {name}", actuator["bias"], bias, AXES)
        if kind != SITE:
            check.equal(f"gear of {name}", [abs(actuator["gear"])], [abs(float(reference.actuator_gear[a][0]))])
        controls = [x for x in actuator["control_range"] if x is not None]
        theirs = list(reference.actuator_ctrlrange[a]) if reference.actuator_ctrllimited[a] else []
        check.equal(f"control range of {name}", controls, theirs)
        efforts = [x for x in actuator["effort_range"] if x is not None]
        theirs = list(reference.actuator_forcerange[a]) if reference.actuator_forcelimited[a] else []
        check.equal(f"effort range of {name}", efforts, theirs)


def compare_tendons(check, reference, ours):
    import mujoco

    found = {tendon["name"]: tendon for tendon in ours["tendons"]}
    for t in range(reference.ntendon):
        start, count = reference.tendon_adr[t], reference.tendon_num[t]
        if any(reference.wrap_type[start + k] != mujoco.mjtWrap.mjWRAP_JOINT for k in range(count)):
            continue
        name = mujoco.mj_id2name(reference, mujoco.mjtObj.mjOBJ_TENDON, t) or f"tendon_{t}"
        if name not in found:
            check.fail(f"tendon {name!r} is missing")
            continue
        weights = {}
        for k in range(count):
            j = int(reference.wrap_objid[start + k])
            joint = mujoco.mj_id2name(reference, mujoco.mjtObj.mjOBJ_JOINT, j) or f"joint_{j}"
            weights[joint] = weights.get(joint, 0.0) + float(reference.wrap_prm[start + k])
        terms = found[name]["terms"]
        # a joint may count the other way round here, which the joints' ranges are checked for
        mine = sorted(abs(c) for _, _, c in terms)
        check.equal(f"weights of {name}", mine, sorted(abs(c) for c in weights.values() if c != 0))
        dof = found[name]["dof"]
        limits = [x for x in dof["limits"] if x is not None]
        check.equal(f"range of {name}", limits, list(reference.tendon_range[t]) if reference.tendon_limited[t] else [])
        for key, theirs in [
            ("armature", reference.tendon_armature[t]),
            ("friction", reference.tendon_frictionloss[t]),
            ("damping", reference.tendon_damping.reshape(reference.ntendon, -1)[t][0]),
            ("stiffness", reference.tendon_stiffness.reshape(reference.ntendon, -1)[t][0]),
        ]:
            check.equal(f"{key} of {name}", [dof[key]], [float(theirs)])
        if dof["stiffness"] > 0:
            check.equal(f"rest of {name}", [dof["rest"]], [float(reference.tendon_lengthspring[t][0])])


def compare_keyframes(check, reference, ours):
    import mujoco
    import numpy as np
    from mjcf_kinematics import body_poses

    data = mujoco.MjData(reference)
    keys = {key["name"]: key for key in ours["keyframes"]}
    for k in range(reference.nkey):
        name = mujoco.mj_id2name(reference, mujoco.mjtObj.mjOBJ_KEY, k) or f"key_{k}"
        if name not in keys:
            # places that <size nkey="..."> only reserves have no name
            if not name.startswith("key_"):
                check.fail(f"keyframe {name!r} is missing")
            continue
        mujoco.mj_resetDataKeyframe(reference, data, k)
        mujoco.mj_kinematics(reference, data)
        poses = body_poses(ours, keys[name]) if keys[name]["joints"] else {}
        for b in range(1, reference.nbody):
            body = mujoco.mj_id2name(reference, mujoco.mjtObj.mjOBJ_BODY, b) or f"body_{b}"
            if body in poses:
                position, quaternion = poses[body]
                sign = 1 if np.dot(quaternion, data.xquat[b]) > 0 else -1
                check.equal(f"position of {body} at {name}", list(position), list(data.xpos[b]))
                check.equal(f"rotation of {body} at {name}", list(sign * quaternion), list(data.xquat[b]))


if __name__ == "__main__":
    main()
