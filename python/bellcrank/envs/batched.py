"""The tasks that ship, as plain batches for training libraries that bring their own loop."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from bellcrank import _native
from bellcrank._arguments import whole
from bellcrank._native import Model
from bellcrank.batch import Batch
from bellcrank.envs._env import BatchedStep, Env

PathLike = Union[str, os.PathLike[str]]

__all__ = ["BatchedEnv", "BatchedStep", "tasks"]


def tasks() -> dict[str, str]:
    """The tasks by name, and a line about each."""
    return dict(_native.tasks_known())


class BatchedEnv(Env):
    """Worlds of a task that ships. Actions are between −1 and 1; what is beyond is cut.

    Worlds that end begin anew in the same step (unless ``autoreset=False``). All chance follows from the seed, a
    world's number and its episode's: a rollout is the same, bit for bit, for every number of ``threads`` (0: all).
    ``settings`` are numbers of the task by name, as in the ``[task]`` table of a training's config. ``model`` is the
    robot's file, for tasks whose robot does not ship (``dr_legs_walk``). With ``random_poses`` episodes begin in one of
    so many safe random poses, always the same ones, instead of the task's own: :func:`bellcrank.kinematics.sample`.
    """

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        *,
        threads: int = 0,
        precision: str = "f32",
        seed: int = 0,
        autoreset: bool = True,
        settings: Optional[Mapping[str, float]] = None,
        model: Optional[PathLike] = None,
        random_poses: int = 0,
    ) -> None:
        self.settings = {name: float(value) for name, value in (settings or {}).items()}
        """Numbers of the task that differ from its own, by name."""
        self.model_file = None if model is None else os.fspath(model)
        """The robot's file, for tasks whose robot does not ship."""
        self.random_poses = whole("random_poses", random_poses)
        """Episodes begin in one of so many safe random poses; 0 for the task's own."""
        how = threads, precision, autoreset, self.model_file, self.random_poses
        self._native = _native.Env(task, num_envs, how, list(self.settings.items()))
        self.task = task
        self.num_envs = num_envs
        self.autoreset = autoreset
        counts = self._native.observation_count, self._native.action_count
        self._make_room(counts, self._native.reward_term_names())
        self._model: Optional[Model] = None
        self._batch: Optional[Batch] = None
        self.reset(seed=seed)

    @property
    def episode_steps(self) -> int:
        """Actions until an episode is cut off."""
        return self._native.episode_steps

    @property
    def seconds_per_action(self) -> float:
        """Simulated time per action [s]."""
        return self._native.seconds_per_action

    @property
    def model(self) -> Model:
        """The robot."""
        if self._model is None:
            self._model = self._native.model()
        return self._model

    @property
    def batch(self) -> Batch:
        """The worlds: read and write them, record them, look at them. The environment steps and resets them."""
        if self._batch is None:
            self._batch = Batch._around(self._native.batch(), [self.model] * self.num_envs, self._native.dt)
        return self._batch

    def tell(self, command: Sequence[float], worlds: Optional[Sequence[int]] = None) -> None:
        """Gives robots a command: forward and sideways velocity [m/s], turning rate [rad/s]; seen from the next step.

        Tasks that change their commands by chance go on doing so; the setting ``command_interval=0`` ends that.
        """
        forward, sideways, turn = (float(x) for x in command)
        chosen = range(self.num_envs) if worlds is None else worlds
        told = [(int(world), (forward, sideways, turn)) for world in chosen]
        self._native.tell(told, self._observations)

    def _stagger(self) -> None:
        self._native.stagger()

    def _reset(self, seed: Optional[int], worlds: Optional[list[int]]) -> None:
        self._before()
        if worlds is None:
            self._native.reset(seed, self._observations)
        else:
            self._native.reset_worlds(worlds, self._observations)
        self._after()

    def _step(self) -> None:
        self._before()
        tables: list[Any] = [self._observations, self._final, self._terms]
        self._native.step(self._actions, tables, self._rewards, [self._terminated, self._truncated])
        self._after()

    def _before(self) -> None:
        """What was written into the batch's arrays gets in."""
        if self._batch is not None:
            self._batch._push()

    def _after(self) -> None:
        """Arrays of the batch that somebody holds follow."""
        if self._batch is not None:
            self._batch._pull()
