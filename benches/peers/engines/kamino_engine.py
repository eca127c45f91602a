"""Scenes in Newton with its solver Kamino on the processor, built body by body and joint by joint from the description:
loops are closed by the joints that close them."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import warp as wp
from worker import noise, serve

wp.config.quiet = True
logging.disable(logging.INFO)

import newton  # noqa: E402  (Warp must be told to be quiet before)

Kamino = newton.solvers.SolverKamino
Mode = newton.JointTargetMode
CONTACTS = 32
"""Room for contacts in a world that has shapes; without this Kamino reserves a thousand."""


class Case:
    step = 0

    def __init__(self, scene: dict[str, Any], settings: str, worlds: int) -> None:
        self.scene, self.worlds = scene, worlds
        refuse(scene)
        one = builder()
        self.dofs = fill(one, scene)
        many = builder()
        for _ in range(worlds):
            many.add_world(one)
        touches = add_ground(many, scene)
        self.model = many.finalize(skip_validation_joints=True)
        self.model.set_gravity(tuple(scene["gravity"]))
        self.model.rigid_contact_max = (CONTACTS if touches else 1) * worlds
        self.solver = Kamino(self.model, config=configure(settings))
        self.now, self.next = self.model.state(), self.model.state()
        self.control = self.model.control()
        self.pipeline = newton.CollisionPipeline(self.model) if touches else None
        self.contacts = self.pipeline.contacts() if self.pipeline else None
        self.solver.reset(self.now)
        self.rates = self.model.joint_qd_start.numpy()
        # targets come by coordinates or by rates: that depends on the version
        by_rates = len(self.control.joint_target_q) == self.model.joint_dof_count
        self.targets = self.rates if by_rates else self.model.joint_q_start.numpy()

    def order(self, step: int) -> None:
        motion, joints = self.scene["motion"], len(self.scene["joints"]) + self.extra()
        if motion == "random":
            targets, turn = self.control.joint_target_q.numpy(), step // self.scene["stride"]
            for world in range(self.worlds):
                for a, actuator in enumerate(self.scene["actuators"]):
                    joint = world * joints + self.dofs[actuator["joint"]]
                    targets[self.targets[joint]] = self.scene["value"] * noise(0, [turn, world, a])
            self.control.joint_target_q.assign(targets)
        elif motion == "speed" and step == 0:
            speeds = self.control.joint_target_qd.numpy()
            for world in range(self.worlds):
                for actuator in self.scene["actuators"]:
                    speeds[self.rates[world * joints + self.dofs[actuator["joint"]]]] = self.scene["value"]
            self.control.joint_target_qd.assign(speeds)

    def extra(self) -> int:
        """Joints that are not in the description: those of floating bases."""
        return self.model.joint_count // self.worlds - len(self.scene["joints"])

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            if self.pipeline:
                self.pipeline.collide(self.now, self.contacts)
            self.solver.step(self.now, self.next, self.control, self.contacts, self.scene["dt"])
            self.now, self.next = self.next, self.now

    def states(self) -> list[list[float]]:
        count = len(self.scene["bodies"])
        poses = self.now.body_q.numpy()[:count].astype(float)
        twists = self.now.body_qd.numpy()[:count].astype(float)
        found = []
        for body, (x, y, z, qx, qy, qz, qw), twist in zip(self.scene["bodies"], poses, twists):
            com = np.array(body["com"])
            u = np.array([qx, qy, qz])
            t = 2.0 * np.cross(u, com)
            p = np.array([x, y, z]) + com + qw * t + np.cross(u, t)
            found.append([float(v) for v in (*p, qw, qx, qy, qz, *twist)])
        return found

    def throw(self, twists: list[list[float]]) -> None:
        self.now.body_qd.assign(np.array(twists, dtype=np.float32))

    def figures(self) -> dict[str, Any]:
        status = self.solver.status.numpy()
        return {
            "contacts": float(self.contacts.rigid_contact_count.numpy()[0]) if self.contacts else 0.0,
            "iterations": float(status["iterations"].mean()),
            "residual_max": float(max(status[key].max() for key in ("r_p", "r_d", "r_c"))),
            "converged": float(status["converged"].mean()),
        }


def refuse(scene: dict[str, Any]) -> None:
    """What it would drop without a word is a reason not to compare."""
    kinds = {"revolute", "prismatic", "spherical", "fixed", "free"}
    others = sorted({joint["kind"] for joint in scene["joints"]} - kinds)
    if others:
        raise ValueError(f"joints of kind {', '.join(others)}")
    if any(actuator["joint"] is None or actuator["control"] == "affine" for actuator in scene["actuators"]):
        raise ValueError("Kamino has no tendons, and drops them without a word")
    if any(dof["spring"] for joint in scene["joints"] for dof in joint["dofs"]):
        raise ValueError("Kamino has no springs in joints, and drops them without a word")
    if any(shape["kind"] == "other" for shape in scene["shapes"]):
        raise ValueError("it has meshes, which are not part of the description")


def builder() -> Any:
    made = newton.ModelBuilder(up_axis=newton.Axis.Z)
    Kamino.register_custom_attributes(made)
    made.default_shape_cfg.margin = 0.0
    made.default_shape_cfg.gap = 0.01
    return made


def transform(numbers: list[float]) -> Any:
    x, y, z, qw, qx, qy, qz = numbers
    return wp.transformf((x, y, z), wp.quatf(qx, qy, qz, qw))


def fill(made: Any, scene: dict[str, Any]) -> list[int]:
    """Bodies, joints and shapes of one world; gives the number of each joint in it."""
    for body in scene["bodies"]:
        xx, yy, zz, xy, xz, yz = body["inertia"]
        made.add_link(
            xform=transform(body["pose"]),
            com=tuple(body["com"]),
            mass=body["mass"],
            inertia=wp.mat33(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            lock_inertia=True,
            label=body["name"],
        )
    carried = {joint["successor"] for joint in scene["joints"]}
    tree = []
    for index in range(len(scene["bodies"])):
        if index not in carried:
            tree.append(made.add_joint_free(child=index))
    numbers = [-1] * len(scene["joints"])
    for closing in (False, True):  # the joints of the tree must stand together
        for index, joint in enumerate(scene["joints"]):
            if joint["closes_loop"] == closing:
                motors = [actuator for actuator in scene["actuators"] if actuator["joint"] == index]
                numbers[index] = add_joint(made, joint, motors)
                tree += [] if closing else [numbers[index]]
    made.add_articulation(sorted(tree))
    for shape in scene["shapes"]:
        if shape["kind"] != "plane":
            add_shape(made, shape)
    return numbers


def add_joint(made: Any, joint: dict[str, Any], motors: list[dict[str, Any]]) -> int:
    ends: dict[str, Any] = {
        "parent": joint["predecessor"],
        "child": joint["successor"],
        "parent_xform": transform(joint["X_PF"]),
        "child_xform": transform(joint["X_SM"]),
        "label": joint["name"],
    }
    if joint["kind"] == "fixed":
        return made.add_joint_fixed(**ends)
    dof = joint["dofs"][0]
    ends.update(armature=dof["armature"], friction=dof["friction"], damping=dof["damping"])
    if joint["kind"] == "spherical":
        return made.add_joint_ball(**ends, actuator_mode=Mode.NONE)
    low, high = dof["limits"]
    ends.update(axis=(1.0, 0.0, 0.0), limit_lower=low, limit_upper=high, actuator_mode=Mode.NONE)
    ends.update({key: bound for key, bound in (("limit_lower", -1e6), ("limit_upper", 1e6)) if ends[key] is None})
    for motor in motors:
        modes = {"position": Mode.POSITION, "velocity": Mode.VELOCITY, "effort": Mode.EFFORT}
        ends.update(target_ke=motor["kp"], target_kd=motor["kd"], actuator_mode=modes[motor["control"]])
        if motor["effort"][1] is not None:
            ends.update(effort_limit=motor["effort"][1])
    kind = made.add_joint_revolute if joint["kind"] == "revolute" else made.add_joint_prismatic
    return kind(**ends)


def material(made: Any, friction: float) -> Any:
    config = made.default_shape_cfg.copy()
    config.mu, config.restitution, config.density = friction, 0.0, 0.0
    return config


def add_shape(made: Any, shape: dict[str, Any]) -> None:
    placed = {"body": shape["body"], "xform": transform(shape["pose"]), "cfg": material(made, shape["friction"])}
    size = shape["size"]
    if shape["kind"] == "sphere":
        made.add_shape_sphere(radius=size[0], **placed)
    elif shape["kind"] == "capsule":
        made.add_shape_capsule(radius=size[0], half_height=size[1], **placed)
    elif shape["kind"] == "box":
        made.add_shape_box(hx=size[0], hy=size[1], hz=size[2], **placed)
    elif shape["kind"] == "cylinder":
        made.add_shape_cylinder(radius=size[0], half_height=size[1], **placed)
    else:
        raise ValueError(f"a shape of kind {shape['kind']}")


def add_ground(made: Any, scene: dict[str, Any]) -> bool:
    """The planes of the world; says whether anything can touch."""
    planes = [shape for shape in scene["shapes"] if shape["kind"] == "plane"]
    for plane in planes:
        made.add_ground_plane(height=plane["pose"][2], cfg=material(made, plane["friction"]))
    return bool(planes) and len(scene["shapes"]) > len(planes)


def configure(settings: str) -> Any:
    """`default` is the package's. `tuned` is what its examples of closed loops take, with ten times the correction of
    joints, which our own trials found best. `dvi` is its other solver, which its robot examples take."""
    if settings == "dvi":
        return Kamino.Config(dynamics_solver="dvi")
    config = Kamino.Config()
    if settings == "tuned":
        for key in ("primal_tolerance", "dual_tolerance", "compl_tolerance"):
            setattr(config.padmm, key, 1e-4)
        config.padmm.rho_0 = 0.1
        config.constraints.alpha = 0.1
    return config


if __name__ == "__main__":
    serve(Case)
