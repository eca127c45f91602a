"""A thousand different linkages in one batch: which crank makes its rocker swing furthest?"""

from __future__ import annotations

import numpy as np

import bellcrank as bc

GROUND, COUPLER, ROCKER = 0.45, 0.50, 0.40  # [m]


def linkage(crank: float) -> bc.Model:
    """A four-bar with this crank length [m]."""
    elbow = np.array([0.0, 0.0, crank])
    far = np.array([GROUND, 0.0, 0.0])
    d = float(np.hypot(GROUND, crank))
    x = (d**2 + COUPLER**2 - ROCKER**2) / (2 * d)
    along = (far - elbow) / d
    knee = elbow + along * x + np.array([-along[2], 0.0, along[0]]) * np.sqrt(COUPLER**2 - x**2)
    b = bc.ModelBuilder(f"crank {crank:.3f} m")
    for name, middle in (("crank", elbow / 2), ("coupler", (elbow + knee) / 2), ("rocker", (far + knee) / 2)):
        b.body(name, position=middle, mass=0.2, sphere=0.1)
    b.joint("motor", "revolute", bc.WORLD, "crank", point=(0, 0, 0), axis=(0, 1, 0))
    b.joint("elbow", "revolute", "crank", "coupler", point=elbow, axis=(0, 1, 0))
    b.joint("knee", "revolute", "coupler", "rocker", point=knee, axis=(0, 1, 0))
    b.joint("ground", "revolute", bc.WORLD, "rocker", point=far, axis=(0, 1, 0))
    b.actuator("drive", "motor", "velocity", kd=20.0)
    return b.build()


def swing(crank: float) -> float:
    """What geometry says about the rocker's swing [rad]: its angle where crank and coupler are in line, twice."""

    def angle(reach: float) -> float:
        return float(np.arccos((GROUND**2 + ROCKER**2 - reach**2) / (2 * GROUND * ROCKER)))

    return angle(COUPLER + crank) - angle(COUPLER - crank)


def main() -> None:
    cranks = np.linspace(0.05, 0.30, 1000)
    batch = bc.Batch([linkage(float(crank)) for crank in cranks], dt=0.004)
    batch.target_velocity[:] = 4 * np.pi  # two turns per second
    ground = batch.model.position_slice("ground").start
    lowest, highest, worst = np.full(1000, np.inf), np.full(1000, -np.inf), 0.0
    for _ in range(150):
        worst = max(worst, float(batch.step().loop_gap.max()))
        rocker = batch.joint_position[:, ground]
        lowest, highest = np.minimum(lowest, rocker), np.maximum(highest, rocker)
    measured, expected = highest - lowest, np.array([swing(float(crank)) for crank in cranks])
    best = int(np.argmax(measured))
    print(f"crank {cranks[best]:.3f} m swings its rocker by {np.degrees(measured[best]):.1f}°")
    print(
        f"largest loop gap {worst:.1e} m, largest difference from geometry {np.abs(measured - expected).max():.1e} rad"
    )
    assert worst < 1e-6
    assert np.abs(measured - expected).max() < 0.02  # sampled every 4 ms


if __name__ == "__main__":
    main()
