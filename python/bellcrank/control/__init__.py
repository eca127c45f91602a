"""Control by simulation: planners that try many controls in worlds of their own and keep what was cheap.

>>> import bellcrank as bc
>>> plant = bc.Batch(bc.load("linkage_hand"))
>>> cost = bc.control.Cost([bc.control.Posture({"first_flexion": 0.3}, weight=1.0)])
>>> planner = bc.control.Mppi(plant, cost, horizon=8, samples=32)
>>> planner.plan().shape
(12,)
"""

from __future__ import annotations

from bellcrank.control._costs import (
    Contact,
    Control,
    Cost,
    Fallen,
    JointRate,
    Orientation,
    Position,
    Posture,
    Term,
    Velocity,
    Worlds,
)
from bellcrank.control._follow import FOLLOW_WEIGHTS, Followed, Motion, follow
from bellcrank.control._gradient import Ilqr
from bellcrank.control._planners import CrossEntropy, Mppi, Plan, Planner, PredictiveSampling

__all__ = [
    "FOLLOW_WEIGHTS",
    "Contact",
    "Control",
    "Cost",
    "CrossEntropy",
    "Fallen",
    "Followed",
    "Ilqr",
    "JointRate",
    "Motion",
    "Mppi",
    "Orientation",
    "Plan",
    "Planner",
    "Position",
    "Posture",
    "PredictiveSampling",
    "Term",
    "Velocity",
    "Worlds",
    "follow",
]
