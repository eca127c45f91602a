"""Tasks of your own, on arrays of all worlds at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank._native import Model
from bellcrank.batch import Batch
from bellcrank.envs._env import Env, Floats
from bellcrank.envs.batched import BatchedEnv, PathLike
from bellcrank.errors import NoSuchWorld, NotFinite, WrongShape, WrongType, WrongValue
from bellcrank.results import WorldStatus


class BatchTask(ABC):
    """A learning task: what a policy sees, what it is rewarded for, when it has failed, and how episodes begin.

    Methods get the batch and work on its arrays, one row per world; nothing is done world by world. Whatever else a
    task remembers (commands, the last actions) it keeps in arrays of its own, made in :meth:`setup`.
    """

    model: Model
    """The robot."""
    dt: Optional[float] = None
    """Step of the simulation [s]; the model's own unless given."""
    decimation: int = 1
    """Simulation steps per action."""
    episode_steps: int = 1000
    """Actions until an episode is cut off."""
    action_count: Optional[int] = None
    """Numbers per action; one per actuator unless given."""

    @property
    def name(self) -> str:
        """Under which policies are saved: the name of the class."""
        return type(self).__name__

    def setup(self, batch: Batch) -> None:  # noqa: B027 (not every task has something to set up)
        """Called once, before anything else."""

    @abstractmethod
    def act(self, batch: Batch, actions: Floats) -> None:
        """Turns actions ``(worlds, action_count)``, within −1 and 1, into controls of the batch."""

    @abstractmethod
    def observe(self, batch: Batch) -> Any:
        """What the policy sees: ``(worlds, numbers)``."""

    @abstractmethod
    def reward(self, batch: Batch) -> Any:
        """What the last action has earned: ``(worlds,)``, or several such by name, added and logged one by one."""

    def terminated(self, batch: Batch) -> Any:
        """``(worlds,)``: the robot has failed, or finished. None has unless told."""
        return np.zeros(batch.worlds, dtype=np.bool_)

    def reset(self, batch: Batch, worlds: NDArray[np.intp], random: np.random.Generator) -> None:
        """Begins new episodes in some worlds; all chance comes from ``random``. At the reference pose unless told."""
        batch.reset(worlds)


def make(
    task: Union[str, BatchTask],
    num_envs: int = 1,
    *,
    threads: int = 0,
    precision: str = "f32",
    seed: int = 0,
    autoreset: bool = True,
    settings: Optional[Mapping[str, float]] = None,
    model: Optional[PathLike] = None,
    random_poses: int = 0,
) -> Env:
    """Worlds of a task of your own, or of one that ships, by its name.

    The same seed gives the same rollout. ``settings`` are for tasks that ship: one of your own has attributes. So is
    ``model``, the robot's file, for those whose robot does not ship (``dr_legs_walk``), and ``random_poses``: episodes
    begin in one of so many safe random poses. (Your own task calls ``batch.sample_poses`` in its ``reset``.)
    """
    if isinstance(task, str):
        how: dict[str, Any] = {"threads": threads, "precision": precision, "seed": seed, "autoreset": autoreset}
        return BatchedEnv(task, num_envs, **how, settings=settings, model=model, random_poses=random_poses)
    if not isinstance(task, BatchTask):
        raise WrongType(f"a task is a name or a bellcrank.envs.BatchTask, not {type(task).__name__}")
    if settings or model is not None or random_poses:
        text = "settings, model and random_poses belong to tasks that ship"
        raise WrongValue(text, hint="give your task attributes, and call batch.sample_poses in its reset")
    batch = Batch(task.model, worlds=num_envs, dt=task.dt, precision=precision, threads=threads)
    return TaskEnv(task, batch, seed=seed, autoreset=autoreset)


class TaskEnv(Env):
    """Worlds of a task of your own; see :func:`make`."""

    def __init__(self, task: BatchTask, batch: Batch, *, seed: int = 0, autoreset: bool = True) -> None:
        self.task = task.name
        self.num_envs = batch.worlds
        self.batch_task = task
        """The task itself."""
        self._batch = batch
        self.autoreset = autoreset
        self._ages = np.zeros(batch.worlds, dtype=np.int64)
        self._random = np.random.default_rng(seed)
        self._everywhere: NDArray[np.intp] = np.arange(batch.worlds)
        task.setup(batch)
        self._try_out(task)
        self.reset(seed=seed)

    def _try_out(self, task: BatchTask) -> None:
        """One action, to see how many numbers there are and what terms are called; whatever is wrong is found here."""
        motors = self.model.actuator_count
        task.reset(self._batch, self._everywhere, np.random.default_rng(0))
        width = _table("observe", task.observe(self._batch), self.num_envs).shape[1]
        self._make_room((width, motors if task.action_count is None else task.action_count), ["reward"])
        task.act(self._batch, self._actions)
        self._batch.step()
        self._make_room((self.observation_count, self.action_count), list(_terms(task.reward(self._batch))))

    @property
    def episode_steps(self) -> int:
        """Actions until an episode is cut off."""
        return self.batch_task.episode_steps

    @property
    def seconds_per_action(self) -> float:
        """Simulated time per action [s]."""
        return self._batch.dt * self.batch_task.decimation

    @property
    def model(self) -> Model:
        """The robot."""
        return self._batch.model

    @property
    def batch(self) -> Batch:
        """The worlds: read and write them, record them, look at them. The environment steps and resets them."""
        return self._batch

    def _reset(self, seed: Optional[int], worlds: Optional[list[int]]) -> None:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        chosen = self._everywhere if worlds is None else np.array(worlds, dtype=np.intp)
        if ((chosen < 0) | (chosen >= self.num_envs)).any():
            raise NoSuchWorld(f"there is no world {int(chosen.max())}; there are {self.num_envs}")
        self._begin_anew(chosen)

    def _begin_anew(self, worlds: NDArray[np.intp]) -> None:
        self.batch_task.reset(self._batch, worlds, self._random)
        self._ages[worlds] = 0
        self._observations[worlds] = self._observe()[worlds]

    def _observe(self) -> Floats:
        seen = _table("observe", self.batch_task.observe(self._batch), self.num_envs)
        if seen.shape[1] != self.observation_count:
            raise WrongShape(
                f"observe gave {seen.shape[1]} numbers per world, but {self.observation_count} when the task was made"
            )
        return seen

    def _step(self) -> None:
        task, batch = self.batch_task, self._batch
        bad = ~np.isfinite(self._actions)
        if bad.any():
            world, number = np.argwhere(bad)[0]
            raise NotFinite(f"actions: number {number} of world {world} is not finite")
        task.act(batch, np.clip(self._actions, -1.0, 1.0))
        report = batch.step(task.decimation)
        self._judge(task)
        self._terminated |= np.asarray(report.status) == WorldStatus.FROZEN
        self._ages += 1
        np.logical_and(self._ages >= task.episode_steps, ~self._terminated, out=self._truncated)
        self._observations[...] = self._observe()
        self._final[...] = self._observations
        ended = np.flatnonzero(self._terminated | self._truncated)
        if self.autoreset and len(ended):
            self._begin_anew(ended)

    def _judge(self, task: BatchTask) -> None:
        terms = _terms(task.reward(self._batch))
        if tuple(terms) != self._term_names:
            raise WrongValue(
                f"reward gave the terms {list(terms)}, but {list(self._term_names)} when the task was made"
            )
        for k, (name, values) in enumerate(terms.items()):
            self._terms[:, k] = _column(f"reward {name!r}", values, self.num_envs)
        bad = ~np.isfinite(self._terms)
        if bad.any():
            world, k = np.argwhere(bad)[0]
            raise NotFinite(f"reward {self._term_names[k]!r} of world {world} is not finite")
        self._terms.sum(axis=1, out=self._rewards)
        self._terminated[...] = _column("terminated", task.terminated(self._batch), self.num_envs)

    # -- as the learner sees it

    def _figures(self) -> tuple[float, int, int, int, int, list[str]]:
        counts = self.observation_count, self.action_count
        return (self._batch.dt, self.batch_task.decimation, self.episode_steps, *counts, list(self._term_names))

    def _begin(self, seed: int) -> Floats:
        return self.reset(seed=seed)

    def _stagger(self) -> None:
        self._ages[...] = self._random.integers(0, self.episode_steps, self.num_envs)

    def _act(self, actions: Floats) -> tuple[Any, ...]:
        done = self.step(actions)
        return (done.observations, done.final_observations, done.rewards, self._terms, done.terminated, done.truncated)


def _terms(reward: Any) -> dict[str, Any]:
    return dict(reward) if isinstance(reward, Mapping) else {"reward": reward}


def _table(what: str, given: Any, worlds: int) -> Floats:
    rows = np.asarray(given, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[0] != worlds or rows.shape[1] == 0:
        raise WrongShape(f"{what} gave an array of the shape {rows.shape}, expected: ({worlds}, numbers)")
    if not np.isfinite(rows).all():
        world, number = np.argwhere(~np.isfinite(rows))[0]
        raise NotFinite(f"{what}: number {number} of world {world} is not finite")
    return rows


def _column(what: str, given: Any, worlds: int) -> NDArray[Any]:
    column = np.asarray(given)
    if column.shape not in ((worlds,), ()):
        raise WrongShape(f"{what} gave an array of the shape {column.shape}, expected: ({worlds},)")
    return column
