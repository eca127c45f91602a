"""Kinematics of mechanisms with loops: say what a hand or foot does, and the whole linkage follows.

A pose is a configuration ``q`` of the spanning tree, in the order of :func:`bellcrank.tree.coordinate_names`;
joints that close loops follow from it. Everything is computed in float64.
"""

from __future__ import annotations

from bellcrank.kinematics._analysis import (
    Workspace,
    assembly_modes,
    branch,
    frame_singular_values,
    holds,
    mechanical_advantage,
    motor_jacobian,
    transmission_angle,
    workspace,
)
from bellcrank.kinematics._goals import Goal
from bellcrank.kinematics._mechanism import body_poses, joint_position, keyframe, rest
from bellcrank.kinematics._retarget import Retargeted, Track, retarget, tracks_of
from bellcrank.kinematics._sample import Samples, sample
from bellcrank.kinematics._solve import Solution, Step, Trajectory, follow, solve, step

__all__ = [
    "Goal",
    "Retargeted",
    "Samples",
    "Solution",
    "Step",
    "Track",
    "Trajectory",
    "Workspace",
    "assembly_modes",
    "body_poses",
    "branch",
    "follow",
    "frame_singular_values",
    "holds",
    "joint_position",
    "keyframe",
    "mechanical_advantage",
    "motor_jacobian",
    "rest",
    "retarget",
    "sample",
    "solve",
    "step",
    "tracks_of",
    "transmission_angle",
    "workspace",
]
