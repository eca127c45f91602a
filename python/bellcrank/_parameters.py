"""The physical parameters of a batch, as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bellcrank._arrays import FloatArray


class Parameters(ABC):
    """Masses, frictions, gains: one row for all worlds, or one each after ``spread``."""

    @abstractmethod
    def _array(self, name: str) -> FloatArray: ...

    @abstractmethod
    def _set(self, name: str, values: Any) -> None: ...

    @property
    def gravity(self) -> FloatArray:
        """``(1, 3)`` acceleration of free fall [m/s²]."""
        return self._array("gravity")

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._set("gravity", value)

    @property
    def body_mass(self) -> FloatArray:
        """``(1, bodies)`` [kg]."""
        return self._array("body_mass")

    @body_mass.setter
    def body_mass(self, value: Any) -> None:
        self._set("body_mass", value)

    @property
    def body_com(self) -> FloatArray:
        """``(1, bodies, 3)`` centres of mass in the link frames [m]."""
        return self._array("body_com")

    @body_com.setter
    def body_com(self, value: Any) -> None:
        self._set("body_com", value)

    @property
    def body_inertia(self) -> FloatArray:
        """``(1, bodies, 3, 3)`` about the centres of mass, in the link frames' axes [kg·m²]."""
        return self._array("body_inertia")

    @body_inertia.setter
    def body_inertia(self, value: Any) -> None:
        self._set("body_inertia", value)

    @property
    def friction(self) -> FloatArray:
        """``(1, shapes)`` coefficients of sliding friction."""
        return self._array("friction")

    @friction.setter
    def friction(self, value: Any) -> None:
        self._set("friction", value)

    @property
    def torsional_friction(self) -> FloatArray:
        """``(1, shapes)`` moment about the normal per normal force [m]."""
        return self._array("torsional_friction")

    @torsional_friction.setter
    def torsional_friction(self, value: Any) -> None:
        self._set("torsional_friction", value)

    @property
    def rolling_friction(self) -> FloatArray:
        """``(1, shapes)`` moment about the tangents per normal force [m]."""
        return self._array("rolling_friction")

    @rolling_friction.setter
    def rolling_friction(self, value: Any) -> None:
        self._set("rolling_friction", value)

    @property
    def restitution(self) -> FloatArray:
        """``(1, shapes)`` coefficients of restitution."""
        return self._array("restitution")

    @restitution.setter
    def restitution(self, value: Any) -> None:
        self._set("restitution", value)

    @property
    def armature(self) -> FloatArray:
        """``(1, dofs)`` rotor inertia [kg·m² or kg]."""
        return self._array("armature")

    @armature.setter
    def armature(self, value: Any) -> None:
        self._set("armature", value)

    @property
    def damping(self) -> FloatArray:
        """``(1, dofs)`` viscous damping [N·m·s/rad or N·s/m]."""
        return self._array("damping")

    @damping.setter
    def damping(self, value: Any) -> None:
        self._set("damping", value)

    @property
    def joint_friction(self) -> FloatArray:
        """``(1, dofs)`` dry friction [N·m or N]."""
        return self._array("joint_friction")

    @joint_friction.setter
    def joint_friction(self, value: Any) -> None:
        self._set("joint_friction", value)

    @property
    def limits(self) -> FloatArray:
        """``(1, dofs, 2)`` lower and upper bound [rad or m]; infinite for none."""
        return self._array("limits")

    @limits.setter
    def limits(self, value: Any) -> None:
        self._set("limits", value)

    @property
    def gain(self) -> FloatArray:
        """``(1, actuators)`` kp of position motors, gain of affine ones [N·m/rad or N/m]; zero where there is none."""
        return self._array("gain")

    @gain.setter
    def gain(self, value: Any) -> None:
        self._set("gain", value)

    @property
    def rate_gain(self) -> FloatArray:
        """``(1, actuators)`` kd of position and velocity motors [N·m·s/rad or N·s/m]."""
        return self._array("rate_gain")

    @rate_gain.setter
    def rate_gain(self, value: Any) -> None:
        self._set("rate_gain", value)

    @property
    def motor_effort_limit(self) -> FloatArray:
        """``(1, actuators)`` largest effort of a motor [N·m or N]; infinite for none."""
        return self._array("motor_effort_limit")

    @motor_effort_limit.setter
    def motor_effort_limit(self, value: Any) -> None:
        self._set("motor_effort_limit", value)
