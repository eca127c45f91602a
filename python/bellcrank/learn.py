"""Policies that learn: proximal policy optimisation, as ``bellcrank train`` does it, and the same files.

>>> policy = bc.learn.train("biped_walk", minutes=15)
>>> policy.save("walk.safetensors")
>>> actions = bc.learn.Policy.load("walk.safetensors")(observations)
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._arguments import whole
from bellcrank.envs._env import Env
from bellcrank.envs.batched import BatchedEnv
from bellcrank.envs.task import BatchTask, TaskEnv, make
from bellcrank.errors import RunExists, WrongShape, WrongType, WrongValue

__all__ = ["Evaluation", "Policy", "evaluate", "train"]

PathLike = Union[str, os.PathLike[str]]
INTERVAL = 60.0
"""Between two checkpoints [s]."""


class Policy:
    """What acts: observations in, actions out. Made by :func:`train`, or read from a file by :meth:`load`."""

    def __init__(self, native: _native.Policy) -> None:
        self._native = native

    @classmethod
    def load(cls, path: PathLike) -> Policy:
        """Reads a file, or the policy of that name that ships (``"biped_walk"``)."""
        return cls(_native.Policy.open(os.fspath(path)))

    def save(self, path: PathLike) -> Path:
        """Writes it to a file, as the command line does; half a file is never left there."""
        self._native.save(os.fspath(path))
        return Path(path)

    def export_onnx(self, path: PathLike) -> Path:
        """Writes it as ONNX, normalisation and all: observations in, actions within −1 and 1 out."""
        self._native.export_onnx(os.fspath(path))
        return Path(path)

    def __call__(self, observations: Any) -> NDArray[np.float32]:
        """Actions within −1 and 1, without the noise of exploration.

        For ``(rows, observation_count)`` they are ``(rows, action_count)``, for a single row ``(action_count,)``.
        """
        seen = np.ascontiguousarray(observations, dtype=np.float32)
        if seen.ndim not in (1, 2) or seen.shape[-1] != self.observation_count:
            wanted = f"(rows, {self.observation_count}) or ({self.observation_count},)"
            raise WrongShape(f"observations have the shape {seen.shape}, expected: {wanted}")
        actions: NDArray[np.float32] = self._native.act(seen)
        return actions if seen.ndim == 2 else actions[0]

    @property
    def task(self) -> str:
        """Name of the task that it was trained on."""
        return self._native.task

    @property
    def observation_count(self) -> int:
        """Numbers per observation."""
        return self._native.ends[0]

    @property
    def action_count(self) -> int:
        """Numbers per action."""
        return self._native.ends[1]

    @property
    def seed(self) -> int:
        """Of its training."""
        return self._native.seed

    @property
    def transitions(self) -> int:
        """Actions that it has learned from."""
        return self._native.transitions

    @property
    def config(self) -> str:
        """How it was trained, as TOML: what ``train(config=…)`` and ``bellcrank train --config`` take."""
        return self._native.config

    @property
    def settings(self) -> dict[str, float]:
        """Numbers of the task that differed from the task's own."""
        return dict(self._native.settings())

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy.deepcopy."""
        return _unpacked, (self._native.to_bytes(),)

    def __repr__(self) -> str:
        return f"<bellcrank.learn.Policy: {self.task}, seed {self.seed}, {self.transitions:,} actions>"


def _unpacked(content: bytes) -> Policy:
    return Policy(_native.Policy.from_bytes(content))


@dataclass(frozen=True)
class Evaluation:
    """How good a policy is, over one episode per world. What a task has no commands for is ``None``."""

    episodes: int
    fall_fraction: float
    """Part of the episodes that ended by a fall."""
    forward_error_mps: Optional[float]
    """Mean absolute error of the velocity over one gait cycle [m/s]."""
    sideways_error_mps: Optional[float]
    turn_error_radps: Optional[float]
    instant_error: Optional[tuple[float, float, float]]
    """The same at every instant: forward, sideways [m/s], turning [rad/s]."""
    reward_mean: float
    """Per action."""
    return_mean: float
    """Per episode."""
    power_w: Optional[float]
    """Mean mechanical power of all motors [W]."""
    pushes: int
    pushes_survived_fraction: Optional[float]


def evaluate(
    policy: Policy,
    episodes: int = 1000,
    *,
    env: Optional[Union[BatchTask, Env]] = None,
    seed: int = 1_000_000,
    settings: Optional[Mapping[str, float]] = None,
    model: Optional[PathLike] = None,
    precision: str = "f32",
    threads: int = 0,
) -> Evaluation:
    """Lets a policy act for one episode per world, without exploration, as ``bellcrank evaluate`` does.

    Where it was trained on a task of your own, ``env`` is that task, or an environment of it, which has then as many
    episodes as worlds. ``settings`` (``push=0.6``, say) are numbers of a task that ships, by name; ``model`` is the
    robot's file where the robot does not ship. Ctrl-C interrupts.
    """
    count = whole("episodes", episodes)
    if isinstance(env, BatchTask):
        env = make(env, count, threads=threads, precision=precision)
    if isinstance(env, TaskEnv):
        _check_fit(policy, env)
        env.reset(seed=seed)
    elif env is not None:
        raise WrongType(
            "env is for tasks of your own: a BatchTask, or an environment that bellcrank.envs.make has made of one",
            hint="tasks that ship are evaluated by themselves; settings change them",
        )
    file = None if model is None else os.fspath(model)
    numbers = [(name, float(value)) for name, value in (settings or {}).items()]
    found = json.loads(policy._native.evaluate(env, count, (threads, precision, seed, file), numbers))
    instant = found["instant_error"]
    return Evaluation(**{**found, "instant_error": None if instant is None else tuple(instant)})


def _check_fit(policy: Policy, env: Env) -> None:
    if policy.task != env.task:
        raise WrongValue(f"the policy was trained on {policy.task!r}, not on {env.task!r}")
    found, wanted = policy._native.ends, (env.observation_count, env.action_count)
    if found != wanted:
        raise WrongShape(
            f"the policy has {found} observations and actions, {env.task!r} has {wanted}",
            hint="the task has changed since: train it anew",
        )


def train(
    task: Union[str, BatchTask, Env],
    *,
    minutes: float = 15.0,
    seed: int = 0,
    worlds: Optional[int] = None,
    updates: Optional[int] = None,
    model: Optional[PathLike] = None,
    config: Union[None, Mapping[str, Any], PathLike] = None,
    out: Optional[PathLike] = None,
    resume: bool = False,
    threads: int = 0,
    progress: Optional[Callable[[dict[str, Any]], Any]] = None,
) -> Policy:
    """Trains a policy and gives it.

    ``task`` is the name of one that ships, a :class:`bellcrank.envs.BatchTask` of your own, or an environment of
    either; ``model`` is the robot's file, for tasks whose robot does not ship. Training ends after so many ``minutes``
    or ``updates``, whichever comes first. The same seed and number of updates give the same policy, bit for bit, for
    every number of ``threads`` (0: all).

    ``config`` has settings that differ from those that suit the task: by name (``{"horizon": 24, "task": {"push":
    0.5}}``), or in a TOML file. With ``out`` the files of a run are written there, once a minute and at the end: the
    policy, curves, events for TensorBoard and, for tasks that ship, a checkpoint from which ``resume=True`` goes on.
    ``progress`` is called after every update with its figures, those of ``curve.json`` and the means of the last
    episodes (``return_mean``, ``length_mean``, ``fall_fraction``); where it gives ``False``, training ends.

    Ctrl-C interrupts; what was learned until then is in ``out``.
    """
    if isinstance(task, BatchTask):
        task = make(task, whole("worlds", worlds) if worlds else 1024, threads=threads)
    folder = None if out is None else Path(out)
    if folder is not None and not resume and _native.holds_run(folder):
        raise RunExists(f"{folder} holds a run already", hint="resume=True goes on with it, or name another folder")
    file = task.model_file if isinstance(task, BatchedEnv) else None if model is None else os.fspath(model)
    how = seed, threads
    native = _resumed(folder, task, file, threads) if resume else _begun(task, worlds, (config, file), how)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        native.tell_tensorboard(folder)
    try:
        _learn(native, (60.0 * float(minutes), updates), folder, progress)
    finally:
        if folder is not None:
            native.save(folder)
    return Policy(native.policy())


def _resumed(folder: Optional[Path], task: Union[str, Env], file: Optional[str], threads: int) -> _native.Trainer:
    """Goes on with the run in a folder."""
    if folder is None:
        raise WrongValue("resume needs the folder of the run", hint="out=…")
    if isinstance(task, TaskEnv):
        raise WrongValue("a run of a task of your own cannot be resumed", hint="only tasks that ship have checkpoints")
    trainer, name = _native.Trainer.resume(folder, file, threads), task if isinstance(task, str) else task.task
    if trainer.task() != name:
        raise WrongValue(f"{folder} holds a run of {trainer.task()!r}, not of {name!r}")
    return trainer


def _begun(
    task: Union[str, Env],
    worlds: Optional[int],
    given: tuple[Union[None, Mapping[str, Any], PathLike], Optional[str]],
    how: tuple[int, int],
) -> _native.Trainer:
    """A trainer that knows nothing yet, for a task that ships or for worlds that are stepped here."""
    config, file = given
    if not isinstance(task, (str, BatchedEnv, TaskEnv)):
        raise WrongType(f"a task is a name, a BatchTask or an environment, not {type(task).__name__}")
    text = settings_text(config)
    if isinstance(task, BatchedEnv) and task.random_poses:
        text = f"random_poses = {task.random_poses}\n{text}"  # names of the file itself come before its tables
    if isinstance(task, str):
        return _native.Trainer(task, None, (text, worlds, [], file), *how)
    settings = list(task.settings.items()) if isinstance(task, BatchedEnv) else []
    env = task if isinstance(task, TaskEnv) else None
    return _native.Trainer(task.task, env, (text, worlds or task.num_envs, settings, file), *how)


def settings_text(config: Union[None, Mapping[str, Any], PathLike]) -> str:
    """A config as TOML."""
    return _toml(config or {}) if config is None or isinstance(config, Mapping) else Path(config).read_text("utf-8")


def _toml(table: Mapping[str, Any]) -> str:
    """Numbers and lists of numbers, in TOML as in JSON; tables after them."""
    tables = {name: value for name, value in table.items() if isinstance(value, Mapping)}
    lines = [f"{name} = {json.dumps(value)}" for name, value in table.items() if name not in tables]
    for name, inner in tables.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(float(value))}" for key, value in inner.items())]
    return "\n".join(lines)


def _learn(
    native: _native.Trainer,
    ends: tuple[float, Optional[int]],
    folder: Optional[Path],
    progress: Optional[Callable[[dict[str, Any]], Any]],
) -> None:
    seconds, updates = ends
    saved = time.monotonic()
    while True:
        taken, done = native.so_far()
        if taken >= seconds or (updates is not None and done >= updates):
            return
        record = json.loads(native.update())
        if folder is not None and time.monotonic() - saved > INTERVAL:
            native.save(folder)
            saved = time.monotonic()
        if progress is not None:
            recent = native.recent() or (None, None, None)
            means = dict(zip(("return_mean", "length_mean", "fall_fraction"), recent))
            if progress({**record, **means}) is False:
                return
