"""Forward kinematics of a dumped model at a keyframe, for the comparison with MuJoCo."""

import numpy as np


def turn(axis, angle):
    quaternion = np.zeros(4)
    quaternion[0], quaternion[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return quaternion


def times(a, b):
    w, v = a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *v])


def rotate(q, v):
    return v + 2 * np.cross(q[1:], np.cross(q[1:], v) + q[0] * v)


def compose(a, b):
    return a[0] + rotate(a[1], b[0]), times(a[1], b[1])


def inverse(a):
    back = a[1] * [1, -1, -1, -1]
    return -rotate(back, a[0]), back


def joint_pose(kind, q):
    """X_FM: position and quaternion w, x, y, z."""
    zero, one = np.zeros(3), np.array([1.0, 0, 0, 0])
    return {
        "fixed": lambda: (zero, one),
        "revolute": lambda: (zero, turn(0, q[0])),
        "prismatic": lambda: (np.array([q[0], 0, 0]), one),
        "cylindrical": lambda: (np.array([q[0], 0, 0]), turn(0, q[1])),
        "universal": lambda: (zero, times(turn(0, q[0]), turn(1, q[1]))),
        "gimbal": lambda: (zero, times(times(turn(0, q[0]), turn(1, q[1])), turn(2, q[2]))),
        "spherical": lambda: (zero, np.array(q)),
        "planar": lambda: (np.array([0, q[0], q[1]]), turn(0, q[2])),
        "cartesian": lambda: (np.array(q), one),
        "free": lambda: (np.array(q[:3]), np.array(q[3:])),
    }[kind]()


def body_poses(model, key):
    """The pose of every body in the world."""
    coordinates = dict(map(tuple, key["joints"]))
    poses = {"world": (np.zeros(3), np.array([1.0, 0, 0, 0]))}
    for joint in model["joints"]:
        if joint["closes_loop"]:
            continue
        F, M = [(np.array(X[:3]), np.array(X[3:])) for X in (joint["X_PF"], joint["X_SM"])]
        # a joint's predecessor comes before its successor in the file's order
        on_joint = compose(F, joint_pose(joint["kind"], coordinates.get(joint["name"])))
        poses[joint["successor"]] = compose(compose(poses[joint["predecessor"]], on_joint), inverse(M))
    return poses
