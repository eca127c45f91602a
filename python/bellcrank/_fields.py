"""The arrays of a batch as attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bellcrank._arrays import FloatArray


class ArrayField:
    """Reading gives the batch's live array; assigning writes numbers into it, broadcast to its shape."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, batch: Fields, owner: type) -> FloatArray:
        if batch is None:  # asked of the class, for its documentation
            return self
        return batch._array(self._name)

    def __set__(self, batch: Fields, value: Any) -> None:
        batch._set(self._name, value)


CONTROLS = frozenset({"target_position", "target_velocity", "effort", "body_wrench"})
"""What a step leaves alone."""
COMPUTED = frozenset({"joint_position", "joint_velocity"})
"""What follows from the bodies."""


class Fields(ABC):
    """State and controls ``(worlds, …)``; masses, frictions and gains in one row for all worlds, or one each after
    ``spread``."""

    @abstractmethod
    def _array(self, name: str) -> FloatArray: ...

    @abstractmethod
    def _set(self, name: str, values: Any) -> None: ...

    joint_position = ArrayField(
        "``(worlds, coordinates)`` [rad or m], joint after joint. Follows from the bodies: see :meth:`Batch.assemble`."
    )
    joint_velocity = ArrayField("``(worlds, dofs)`` [rad/s or m/s], joint after joint. Follows from the bodies.")
    body_position = ArrayField("``(worlds, bodies, 3)`` centres of mass in the world [m].")
    body_quat_wxyz = ArrayField("``(worlds, bodies, 4)`` orientations.")
    body_velocity = ArrayField(
        "``(worlds, bodies, 6)`` twists of the centres of mass, world axes, linear part first [m/s, rad/s]."
    )
    body_wrench = ArrayField(
        "``(worlds, bodies, 6)`` force and moment from outside at the centres of mass, world axes [N, N·m]."
    )
    target_position = ArrayField(
        "``(worlds, actuators)`` targets of position motors [rad or m]; at first those of the reference pose."
    )
    target_velocity = ArrayField("``(worlds, actuators)`` targets of velocity [rad/s or m/s].")
    effort = ArrayField("``(worlds, actuators)`` efforts, or feed-forward of motors that hold something [N·m or N].")

    gravity = ArrayField("``(1, 3)`` acceleration of free fall [m/s²].")
    contact_gain = ArrayField(
        '``(1, 2)`` factors on stiffness and damping of contacts as `ComFree(variant="published")` has them.'
    )
    body_mass = ArrayField("``(1, bodies)`` [kg].")
    body_com = ArrayField("``(1, bodies, 3)`` centres of mass in the link frames [m].")
    body_inertia = ArrayField("``(1, bodies, 3, 3)`` about the centres of mass, in the link frames' axes [kg·m²].")
    friction = ArrayField("``(1, shapes)`` coefficients of sliding friction.")
    torsional_friction = ArrayField("``(1, shapes)`` moment about the normal per normal force [m].")
    rolling_friction = ArrayField("``(1, shapes)`` moment about the tangents per normal force [m].")
    restitution = ArrayField("``(1, shapes)`` coefficients of restitution.")
    shape_position = ArrayField("``(1, shapes, 3)`` origins of the shapes in the link frames [m].")
    predecessor_anchor = ArrayField("``(1, joints, 3)`` where the joints sit on their predecessors' links [m].")
    successor_anchor = ArrayField("``(1, joints, 3)`` where the joints sit on their successors' links [m].")
    armature = ArrayField("``(1, dofs)`` rotor inertia [kg·m² or kg].")
    damping = ArrayField("``(1, dofs)`` viscous damping [N·m·s/rad or N·s/m].")
    joint_friction = ArrayField("``(1, dofs)`` dry friction [N·m or N].")
    spring_stiffness = ArrayField("``(1, dofs)`` of the joints' springs [N·m/rad or N/m]; zero where there is none.")
    spring_rest = ArrayField("``(1, dofs)`` coordinates at which the springs are at rest [rad or m].")
    limits = ArrayField("``(1, dofs, 2)`` lower and upper bound [rad or m]; infinite for none.")
    gain = ArrayField(
        "``(1, actuators)`` kp of position motors, gain of affine ones [N·m/rad or N/m]; zero where there is none."
    )
    rate_gain = ArrayField("``(1, actuators)`` kd of position and velocity motors [N·m·s/rad or N·s/m].")
    gear = ArrayField("``(1, actuators)`` motor coordinate per joint coordinate.")
    motor_effort_limit = ArrayField("``(1, actuators)`` largest effort of a motor [N·m or N]; infinite for none.")
