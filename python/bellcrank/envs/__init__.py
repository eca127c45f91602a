"""Learning tasks: thousands of worlds per call, nothing per world in Python.

:class:`BatchedEnv` is the plain interface, with numpy arrays that torch and JAX take without copying. With Gymnasium
installed, importing this module also registers ``bellcrank/CartpoleSwingUp-v0``, ``bellcrank/Ant-v0``,
``bellcrank/Hopper-v0``, ``bellcrank/BipedStand-v0`` and ``bellcrank/BipedWalk-v0``:

>>> import bellcrank.envs, gymnasium
>>> envs = gymnasium.make_vec("bellcrank/BipedWalk-v0", num_envs=64)
"""

from __future__ import annotations

from importlib.util import find_spec

from bellcrank.envs.batched import BatchedEnv, BatchedStep, tasks

__all__ = ["BatchedEnv", "BatchedStep", "register", "tasks"]


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
