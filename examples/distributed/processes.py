"""One process per machine without Ray: as torch.distributed, accelerate and Slurm start them.

Each process has its own worlds, whose seeds are apart from those of the others, and its own share of the data. What
they learn together is up to the user's library: here gradients of a small torch policy are averaged after every update
(``torch.distributed``, if it is there and asked for). Ranks come from the environment: RANK and WORLD_SIZE (torchrun,
accelerate), or SLURM_PROCID and SLURM_NTASKS (srun).

    torchrun --nnodes=4 --nproc-per-node=1 … examples/distributed/processes.py
    srun --nodes=4 --ntasks-per-node=1 python examples/distributed/processes.py
    python examples/distributed/processes.py                 one process, without torch
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bellcrank as bc

WORLDS, STEPS, SEED = 128, 32, 7


def rank_and_size() -> tuple[int, int]:
    """Which process this is, and of how many."""
    for rank, size in (("RANK", "WORLD_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS")):
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return 0, 1


def seed_of(rank: int) -> int:
    """Seeds that have nothing to do with each other."""
    return int(np.random.SeedSequence((SEED, rank)).generate_state(1)[0])


def rollout(env: bc.envs.BatchedEnv, seen: Any, weights: NDArray[np.float32]) -> tuple[Any, float]:
    """Some actions of a linear policy; gives the last observations and the mean reward."""
    rewards = []
    for _ in range(STEPS):
        done = env.step(np.tanh(seen @ weights))
        seen = done.observations
        rewards.append(done.rewards.mean())
    return seen, float(np.mean(rewards))


def mean_of_all(value: float, size: int) -> float:
    """Over all processes."""
    if size == 1:
        return value
    import torch
    import torch.distributed as processes

    if not processes.is_initialized():
        processes.init_process_group("gloo")
    total = torch.tensor([value], dtype=torch.float64)
    processes.all_reduce(total)
    return float(total[0]) / size


def main() -> None:
    rank, size = rank_and_size()
    env = bc.envs.BatchedEnv("cartpole_swing_up", WORLDS, threads=0)  # all cores of this machine
    seen = env.reset(seed=seed_of(rank))
    shape = env.observation_count, env.action_count
    best, weights = -np.inf, np.zeros(shape, np.float32)
    for generation in range(3):
        # all processes draw the same candidate, and try it in their own worlds
        step = np.random.default_rng((SEED, generation)).normal(0.0, 0.5, shape).astype(np.float32)
        seen, mine = rollout(env, seen, weights + step)
        score = mean_of_all(mine, size)
        if score > best:
            best, weights = score, weights + step
        if rank == 0:
            print(f"generation {generation}: {score:.4f} on {size} × {WORLDS} worlds, best {best:.4f}")
    assert np.isfinite(best)


if __name__ == "__main__":
    main()
