"""Learning tasks: thousands of worlds per call, nothing per world in Python.

:func:`make` gives worlds of a task of your own (a :class:`BatchTask`) or of one that ships; :class:`BatchedEnv` is the
latter, with numpy arrays that torch and JAX take without copying. With Gymnasium installed, importing this module also
registers every task that ships, as ``bellcrank/CartpoleSwingUp-v0`` or ``bellcrank/BipedWalk-v0``:

>>> import bellcrank.envs, gymnasium
>>> envs = gymnasium.make_vec("bellcrank/BipedWalk-v0", num_envs=64)

Adapters for other libraries are in ``bellcrank.envs.stable_baselines3``, ``.rsl_rl`` and ``.skrl``; each needs its
library.
"""

from __future__ import annotations

from importlib.util import find_spec

from bellcrank.envs._env import BatchedStep, Env
from bellcrank.envs.air_time import AirTime
from bellcrank.envs.batched import BatchedEnv, tasks
from bellcrank.envs.task import BatchTask, TaskEnv, make

__all__ = ["AirTime", "BatchTask", "BatchedEnv", "BatchedStep", "Env", "TaskEnv", "make", "register", "tasks"]


def register() -> None:
    """Registers all tasks with Gymnasium; done already where it is installed."""
    from gymnasium.envs.registration import register as add
    from gymnasium.envs.registration import registry

    for task in tasks():
        name = "bellcrank/" + "".join(word.capitalize() for word in task.split("_")) + "-v0"
        if name not in registry:
            add(
                name,
                entry_point="bellcrank.envs.gymnasium:SingleEnv",
                vector_entry_point="bellcrank.envs.gymnasium:VectorEnv",
                kwargs={"task": task},
                disable_env_checker=True,
            )


if find_spec("gymnasium") is not None:
    register()
