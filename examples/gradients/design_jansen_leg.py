"""Link lengths of a Jansen leg so that its foot follows a curve while it walks on the ground.

The leg hangs on a carriage that slides up and down; its foot carries the weight for half of every turn. Eleven lengths
begin several per cent off. Each turn is simulated, every step differentiated with respect to the joints' anchors, and
Gauss–Newton moves the lengths until the foot's path, seen from the carriage, is the curve of Jansen's own lengths.

    python examples/gradients/design_jansen_leg.py [--plot docs/images/gradients]
"""

from __future__ import annotations

import time

import _states as states
import numpy as np
from _plots import Panel, plot_folder, save
from _states import Floats

import bellcrank as bc

UNIT = 0.004
"""Jansen's unit [m]."""
NAMES = "bcdefghijkm"
JANSEN = UNIT * np.array([41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 15.0])
"""b to k and the crank m [m], as Theo Jansen published them."""
FRAME = UNIT * np.array([-38.0, -7.8])
"""The second hinge of the frame, seen from the crank's [m]."""
SPEED, DT, KAPPA, FOOT = 2 * np.pi, 0.02, 1e-5, 0.012
"""Of the crank [rad/s], step [s], smoothing [N·s·m], radius of the foot [m]."""
SETTLE, STEPS = 10, 60
"""Steps until the foot stands, and in all: one turn is fifty."""

Points = dict[str, Floats]
JOINTS = {
    "crank": ("carriage", "m", "O"),
    "upper_hinge": ("carriage", "upper", "P"),
    "inner_hinge": ("carriage", "c", "P"),
    "upper_crank_pin": ("m", "j", "C"),
    "lower_crank_pin": ("m", "k", "C"),
    "top_pin": ("j", "upper", "T"),
    "outer_pin": ("upper", "f", "D"),
    "knee_pin": ("f", "shin", "F"),
    "inner_pin": ("c", "shin", "L"),
    "lower_pin": ("k", "shin", "L"),
}
"""Predecessor, successor and place: crank hinge O, frame hinge P, crank pin C, top T, outer D, lower L, knee F."""
LINKS = {"m": "OC", "j": "CT", "k": "CL", "c": "PL", "f": "DF", "upper": "PTD", "shin": "LFX"}
"""The points of each link; X is the foot."""


def meet(a: Floats, ra: float, b: Floats, rb: float, side: float) -> Floats:
    """Where circles about a and b meet, left (1) or right (−1) of the way from a to b."""
    way = b - a
    d = float(np.hypot(*way))
    along = (d * d + ra * ra - rb * rb) / (2 * d)
    across = np.array([-way[1], way[0]])
    found: Floats = a + (along * way + side * np.sqrt(ra * ra - along * along) * across) / d
    return found


def points(lengths: Floats, angle: float = 5.75) -> Points:
    """All points in the plane (x, z), the crank's hinge at the origin."""
    b, c, d, e, f, g, h, i, j, k, m = lengths
    P = FRAME
    C = m * np.array([np.cos(angle), np.sin(angle)])
    T = meet(C, j, P, b, -1)
    D = meet(P, d, T, e, 1)
    L = meet(C, k, P, c, 1)
    F = meet(D, f, L, g, -1)
    return {"O": np.zeros(2), "P": P, "C": C, "T": T, "D": D, "L": L, "F": F, "X": meet(F, h, L, i, -1)}


def shapes(lengths: Floats, reference: Points) -> dict[str, Points]:
    """The points of every link in its own frame: its first point stays, its second moves along the line between."""
    b, c, d, e, f, g, h, i, j, k, m = lengths
    sides = {"m": (m,), "j": (j,), "k": (k,), "c": (c,), "f": (f,), "upper": (b, d, e), "shin": (g, i, h)}
    out = {}
    for link, names in LINKS.items():
        corner = [reference[name] for name in names]
        middle = sum(corner) / len(corner)
        first, second = corner[0] - middle, corner[1] - middle
        way = (second - first) / np.hypot(*(second - first))
        own = {names[0]: first, names[1]: first + sides[link][0] * way}
        if len(names) == 3:
            over = corner[2] - corner[0]
            side = np.sign(way[0] * over[1] - way[1] * over[0])
            own[names[2]] = meet(first, sides[link][1], own[names[1]], sides[link][2], float(side))
        out[link] = own
    return out


def flat(p: Floats) -> Floats:
    """A point of the plane in space."""
    return np.array([p[0], 0.0, p[1]])


def leg() -> bc.Model:
    """The leg as Jansen drew it, on a carriage of 2 kg."""
    p = points(JANSEN)
    lift = np.array([0.0, FOOT + 0.002 - p["X"][1]])
    b = bc.ModelBuilder("leg on a carriage")
    b.shape("ground", bc.WORLD, "plane", friction=0.1)
    b.body("carriage", position=flat(lift), mass=2.0, sphere=0.05)
    b.joint(
        "guide", "prismatic", bc.WORLD, "carriage", point=flat(lift), axis=(0, 0, 1), damping=20.0, limits=(-0.015, 0.1)
    )
    for link, names in LINKS.items():
        middle = sum(p[name] for name in names) / len(names)
        b.body(link, position=flat(middle + lift), mass=0.05 * len(names), sphere=0.06)
    for name, (parent, child, at) in JOINTS.items():
        b.joint(name, "revolute", parent, child, point=flat(p[at] + lift), axis=(0, -1, 0), damping=1e-3)
    b.actuator("motor", "crank", "velocity", kd=3.0)
    middle = sum(p[name] for name in LINKS["shin"]) / 3
    b.shape("foot", "shin", "sphere", radius=FOOT, position=flat(p["X"] - middle), friction=0.1, group=2)
    return b.build()


class Leg:
    """Simulates legs of any lengths, and differentiates their paths."""

    def __init__(self) -> None:
        self.model, self.reference = leg(), points(JANSEN)
        solver = bc.InteriorPoint(kappa=KAPPA)
        self._one = bc.Batch(self.model, dt=DT, solver=solver, integrator="variational")
        self._all = bc.Batch(self.model, STEPS, dt=DT, solver=solver, integrator="variational")
        self._carriage, self._shin = self.model.body_id("carriage"), self.model.body_id("shin")
        self._foot = self.model.shape_id("foot")

    def anchors(self, lengths: Floats) -> tuple[Floats, Floats, Floats]:
        """Of all joints on predecessors and successors, and where the foot sits on the shin."""
        own = shapes(lengths, self.reference)
        own["carriage"] = {"O": self.reference["O"], "P": self.reference["P"]}
        before, after = self.model_anchors
        for name, (parent, child, at) in JOINTS.items():
            k = self.model.joint_id(name)
            before[k], after[k] = flat(own[parent][at]), flat(own[child][at])
        return before, after, flat(own["shin"]["X"])

    @property
    def model_anchors(self) -> tuple[Floats, Floats]:
        fresh = bc.Batch(self.model)
        return fresh.predecessor_anchor[0].copy(), fresh.successor_anchor[0].copy()

    def build(self, batch: bc.Batch, lengths: Floats) -> None:
        before, after, foot = self.anchors(lengths)
        batch.predecessor_anchor, batch.successor_anchor = before, after
        place = batch.shape_position.copy()
        place[:, self._foot] = foot
        batch.shape_position = place
        batch.target_velocity[:] = SPEED

    def walk(self, lengths: Floats) -> tuple[bc.Motion, Floats, Floats]:
        """States of a turn, the foot seen from the carriage ``(steps, 2)``, and its height over the ground."""
        batch = self._one
        batch.reset()
        self.build(batch, lengths)
        assert batch.assemble({"crank": 0.0, "guide": 0.0}).all(), "these lengths do not close"
        nodes = [states.pick(states.read(batch), 0)]
        for _ in range(STEPS):
            batch.step()
            nodes.append(states.pick(states.read(batch), 0))
        motion = states.stack(nodes)
        foot = self._foot_of(motion, lengths)
        path = foot - motion.position[:, self._carriage]
        return motion, path[1:, [0, 2]], foot[1:, 2] - FOOT

    def _foot_of(self, motion: bc.Motion, lengths: Floats) -> Floats:
        arm = states.rotate(motion.quat_wxyz[:, self._shin], self.anchors(lengths)[2])
        foot: Floats = motion.position[:, self._shin] + arm
        return foot

    def slopes(self, lengths: Floats, motion: bc.Motion) -> Floats:
        """∂path/∂lengths ``(steps, 2, 11)``: sensitivities of the state go from step to step."""
        batch = self._all
        self.build(batch, lengths)
        states.write(batch, states.pick(motion, slice(0, STEPS)))
        jacobian = batch.step_jacobian(("state", "predecessor_anchor", "successor_anchor", "shape_position"))
        moved = [self.anchors(lengths + d) for d in 1e-6 * np.eye(len(lengths))]
        back = [self.anchors(lengths - d) for d in 1e-6 * np.eye(len(lengths))]
        by = [np.stack([(a[n] - b[n]).reshape(-1) / 2e-6 for a, b in zip(moved, back)], axis=-1) for n in range(3)]
        foot = slice(3 * self._foot, 3 * self._foot + 3)
        direct = jacobian["predecessor_anchor"] @ by[0] + jacobian["successor_anchor"] @ by[1]
        direct += jacobian["shape_position"][:, :, foot] @ by[2]
        out, S = [], np.zeros((12 * self.model.body_count, len(lengths)))
        arm = self.anchors(lengths)[2]
        for k in range(STEPS):
            S = jacobian["state"][k] @ S + direct[k]
            body = S.reshape(-1, 12, len(lengths))
            quat = motion.quat_wxyz[k + 1, self._shin]
            turned = np.cross(body[self._shin, 3:6].T, states.rotate(quat, arm)).T
            grown = states.rotate(np.broadcast_to(quat, (len(lengths), 4)), by[2].T).T
            out.append((body[self._shin, :3] + turned + grown - body[self._carriage, :3])[[0, 2]])
        return np.array(out)


def design(leg: Leg, target: Floats, lengths: Floats) -> tuple[Floats, list[float]]:
    """Gauss–Newton with Levenberg's damping; gives lengths and the rms error after every step [m]."""
    damping = 1e-4
    motion, path, _ = leg.walk(lengths)
    history = [rms(path - target)]
    for _ in range(15):
        J = leg.slopes(lengths, motion)[SETTLE:].reshape(-1, len(lengths))
        rest = (path - target)[SETTLE:].reshape(-1)
        H = J.T @ J
        for _ in range(8):
            step = -np.linalg.solve(H + damping * np.trace(H) / len(H) * np.eye(len(H)), J.T @ rest)
            tried = lengths + np.clip(step, -0.04 * lengths, 0.04 * lengths)
            try:
                motion_tried, path_tried, _ = leg.walk(tried)
            except AssertionError:
                damping *= 10
                continue
            if rms(path_tried - target) < history[-1]:
                break
            damping *= 10
        else:
            break
        lengths, motion, path, damping = tried, motion_tried, path_tried, damping / 10
        history.append(rms(path - target))
        if history[-1] < 1e-4 or history[-1] > 0.99 * history[-2]:
            break
    return lengths, history


def rms(off: Floats) -> float:
    return float(np.sqrt((off[SETTLE:] ** 2).sum(-1).mean()))


def main() -> None:
    _, folder = plot_folder()
    begin = time.perf_counter()
    leg = Leg()
    target = leg.walk(JANSEN)[1]
    start = JANSEN * (1 + 0.05 * np.random.default_rng(4).uniform(-1, 1, len(JANSEN)))
    before = leg.walk(start)[1]
    lengths, history = design(leg, target, start)
    _, path, height = leg.walk(lengths)
    standing = float((height[SETTLE:] < 1e-3).mean())
    for name, first, last, true in zip(NAMES, start, lengths, JANSEN):
        print(f"  {name}: {1e3 * first:6.1f} -> {1e3 * last:6.1f} mm (Jansen: {1e3 * true:.1f})")
    print(
        f"the foot was off its curve by {1e3 * history[0]:.1f} mm, now by {1e3 * history[-1]:.2f} mm "
        f"after {len(history) - 1} steps, and stands for {100 * standing:.0f} % of the turn; "
        f"{time.perf_counter() - begin:.1f} s"
    )
    assert history[0] > 4e-3
    assert history[-1] < 5e-4
    assert 0.3 < standing < 0.9
    if folder:
        curve = Panel("the foot, seen from the carriage", "x [m]", "z [m]", equal=True)
        for name, way, style in (("at first", before, "line"), ("designed", path, "line"), ("curve", target, "dots")):
            curve.add(name, way[SETTLE:, 0], way[SETTLE:, 1], style)
        error = Panel("off the curve", "Gauss–Newton step", "rms [m]", log=True)
        error.add("", np.arange(len(history)), history)
        touch = Panel("the foot over the ground", "step", "height [m]")
        touch.add("", np.arange(STEPS), height)
        save(folder / "jansen.svg", [curve, touch, error])


if __name__ == "__main__":
    main()
