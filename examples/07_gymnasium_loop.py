"""A Gymnasium loop: 64 bipeds with six loops each, a random policy, resets in the same step."""

from __future__ import annotations

import gymnasium
import numpy as np

import bellcrank.envs  # registers the tasks


def main() -> None:
    print("tasks:", ", ".join(bellcrank.envs.tasks()))
    envs = gymnasium.make_vec("bellcrank/BipedWalk-v0", num_envs=64, autoreset_mode="same_step")
    observations, _ = envs.reset(seed=0)
    envs.action_space.seed(0)
    total, episodes = np.zeros(64), 0
    for _ in range(100):  # 2 s
        actions = 0.3 * envs.action_space.sample()
        observations, rewards, terminated, truncated, info = envs.step(actions)
        total += rewards
        if "final_obs" in info:
            episodes += int(info["_final_obs"].sum())
    envs.close()
    print(f"observations {observations.shape}, {episodes} falls, mean reward per step {total.mean() / 100:.2f}")
    assert observations.shape == (64, 94)
    assert np.isfinite(observations).all()
    assert np.isfinite(total).all()


if __name__ == "__main__":
    main()
