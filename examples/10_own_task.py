"""A task of one's own, on arrays of all worlds: a pole is balanced by a policy that is trained in seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

import bellcrank as bc


class Balance(bc.envs.BatchTask):
    """Keep a pole on a cart upright; one for every action, 250 of them."""

    dt = 0.01
    decimation = 2
    episode_steps = 250

    def __init__(self) -> None:
        self.model = bc.load("cartpole")

    def reset(self, batch: bc.Batch, worlds: Any, random: np.random.Generator) -> None:
        start = random.uniform(-0.1, 0.1, (2, len(worlds)))
        batch.assemble({"slide": start[0], "hinge": start[1]}, worlds=worlds)

    def act(self, batch: bc.Batch, actions: Any) -> None:
        batch.effort = 10.0 * actions

    def observe(self, batch: bc.Batch) -> Any:
        return np.hstack([batch.joint_position, batch.joint_velocity])

    def reward(self, batch: bc.Batch) -> Any:
        return {"alive": np.ones(batch.worlds), "effort": -1e-4 * np.abs(batch.applied_effort[:, 0])}

    def terminated(self, batch: bc.Batch) -> Any:
        slide, hinge = batch.joint_position.T
        return (np.abs(hinge) > 0.3) | (np.abs(slide) > 1.0)


def main() -> None:
    env = bc.envs.make(Balance(), num_envs=64)
    policy = bc.learn.train(env, updates=100, seed=2, config={"horizon": 32, "hidden": [32, 32], "deviation": 0.5})
    found = bc.learn.evaluate(policy, 64, env=Balance())
    print(f"{policy}: {100 * found.fall_fraction:.0f} % fell, return {found.return_mean:.1f} of 250")
    assert found.fall_fraction == 0.0
    with env.record() as recording:
        for _ in range(100):
            env.step(policy(env.observations))
    assert "<html" in recording.html


if __name__ == "__main__":
    main()
