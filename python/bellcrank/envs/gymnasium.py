"""Environments as Gymnasium knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from bellcrank.envs._env import BatchedStep, Env
from bellcrank.envs.batched import PathLike
from bellcrank.envs.task import BatchTask, make
from bellcrank.errors import WrongValue

Array = NDArray[np.float32]
_Step = tuple[Array, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


def _spaces(env: Env) -> tuple[Any, Any]:
    """Spaces of one world's observations and actions."""
    observation = Box(-np.inf, np.inf, (env.observation_count,), np.float32)
    return observation, Box(-1.0, 1.0, (env.action_count,), np.float32)


def _check_render_mode(render_mode: Optional[str]) -> None:
    if render_mode not in (None, "rgb_array"):
        raise WrongValue(
            f"render_mode is {render_mode!r}, but only pictures are made: 'rgb_array'",
            hint="env.unwrapped.env.view() shows the worlds in a browser, .record() makes a page that plays anywhere",
        )


def _metadata(env: Env) -> dict[str, Any]:
    return {"render_modes": ["rgb_array"], "render_fps": round(1.0 / env.seconds_per_action)}


class VectorEnv(gymnasium.vector.VectorEnv[Array, Array, NDArray[Any]]):
    """All worlds of a task in one call.

    ``task`` is the name of one that ships, a :class:`bellcrank.envs.BatchTask`, or an environment that is made already.
    A world that has ended begins anew as ``autoreset_mode`` says. ``NEXT_STEP`` (Gymnasium's own default, which its
    wrappers expect): the next step ignores its action and gives the first observation of the new episode and no
    reward. ``SAME_STEP``: in the same step; ``info["final_obs"]`` has the observation that ended the episode for each
    such world and ``None`` for the others, ``info["final_info"]`` what was told with it (nothing), and
    ``info["_final_obs"]`` and ``info["_final_info"]`` tell where. ``info["reward_terms"]`` has what the rewards are
    the sums of, by name. ``settings``, ``model`` and ``random_poses`` as in :func:`bellcrank.envs.make`.
    """

    def __init__(
        self,
        task: Union[str, BatchTask, Env],
        num_envs: int = 1,
        *,
        threads: int = 0,
        precision: str = "f32",
        settings: Optional[Mapping[str, float]] = None,
        model: Optional[PathLike] = None,
        random_poses: int = 0,
        autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
        render_mode: Optional[str] = None,
    ) -> None:
        _check_render_mode(render_mode)
        if isinstance(task, Env):
            self.env = task
            mode = AutoresetMode.SAME_STEP if task.autoreset else AutoresetMode.NEXT_STEP
        else:
            mode = _mode(autoreset_mode)
            how: dict[str, Any] = {"threads": threads, "precision": precision, "settings": settings}
            how.update(model=model, random_poses=random_poses)
            self.env = make(task, num_envs, autoreset=mode is AutoresetMode.SAME_STEP, **how)
        self.metadata = {"autoreset_mode": mode, **_metadata(self.env)}
        self._anew = np.zeros(self.env.num_envs, dtype=np.bool_)  # worlds that begin anew in the next step
        self.num_envs = self.env.num_envs
        self.render_mode = render_mode
        self.single_observation_space, self.single_action_space = _spaces(self.env)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: Optional[Any] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Array, dict[str, Any]]:
        """New episodes everywhere, or where ``options["reset_mask"]`` says; ``seed`` is one number for all worlds. A
        list of numbers is made into one that depends on all of them."""
        if isinstance(seed, (list, tuple)):
            seed = _one_seed(seed)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            self._anew[...] = False
            return self.env.reset(seed).copy(), {}
        self._anew[mask] = False
        return self.env.reset(worlds=np.flatnonzero(mask).tolist()).copy(), {}

    def step(self, actions: Array) -> _Step:
        """Acts in all worlds."""
        done = self.env.step(actions)
        info: dict[str, Any] = {name: values.copy() for name, values in self.env.reward_terms.items()}
        info = {"reward_terms": info}
        if self.env.autoreset:
            info.update(_final(done))
        else:
            self._begin_anew(done, info)
        observations, rewards = done.observations.copy(), done.rewards.copy()
        return observations, rewards, done.terminated.copy(), done.truncated.copy(), info

    def render(self) -> Optional[tuple[NDArray[np.uint8], ...]]:
        """A picture of every world, with ``render_mode="rgb_array"``; see :meth:`bellcrank.Batch.render` for others."""
        return None if self.render_mode is None else tuple(self.env.batch.render())

    def _begin_anew(self, done: BatchedStep, info: dict[str, Any]) -> None:
        """Worlds that ended before this step begin anew: their action did nothing and earned nothing."""
        anew = self._anew
        if anew.any():
            self.env.reset(worlds=np.flatnonzero(anew).tolist())
            done.rewards[anew] = 0.0
            done.terminated[anew] = False
            done.truncated[anew] = False
            for values in info["reward_terms"].values():
                values[anew] = 0.0
        self._anew = done.terminated | done.truncated


class SingleEnv(gymnasium.Env[Array, Array]):
    """One world of a task, for tools that know only those."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        task: Union[str, BatchTask],
        *,
        precision: str = "f32",
        settings: Optional[Mapping[str, float]] = None,
        model: Optional[PathLike] = None,
        random_poses: int = 0,
        render_mode: Optional[str] = None,
    ) -> None:
        _check_render_mode(render_mode)
        how: dict[str, Any] = {"settings": settings, "model": model, "random_poses": random_poses}
        self.env = make(task, 1, threads=1, precision=precision, autoreset=False, **how)
        self.metadata = _metadata(self.env)
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.env)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Array, dict[str, Any]]:
        """A new episode."""
        super().reset(seed=seed)
        return self.env.reset(seed)[0].copy(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Acts; ``info["reward_terms"]`` has what the reward is the sum of, by name."""
        done = self.env.step(np.asarray(action)[None])
        ended = bool(done.terminated[0]), bool(done.truncated[0])
        terms = {name: float(values[0]) for name, values in self.env.reward_terms.items()}
        return done.observations[0].copy(), float(done.rewards[0]), *ended, {"reward_terms": terms}

    def render(self) -> Optional[NDArray[np.uint8]]:
        """A picture, with ``render_mode="rgb_array"``; see :meth:`bellcrank.Batch.render` for others."""
        return None if self.render_mode is None else self.env.batch.render(worlds=0)


def _mode(given: Union[str, AutoresetMode]) -> AutoresetMode:
    names = {"next_step": AutoresetMode.NEXT_STEP, "same_step": AutoresetMode.SAME_STEP}
    mode = names.get(given.lower()) if isinstance(given, str) else given
    if mode not in names.values():
        raise WrongValue(f"autoreset_mode is {given!r}, but must be one of {sorted(names)}")
    assert mode is not None
    return mode


def _final(done: BatchedStep) -> dict[str, Any]:
    """How episodes ended, for those worlds in which one did."""
    ended = done.terminated | done.truncated
    if not ended.any():
        return {}
    last = np.full(len(ended), None, dtype=object)
    for world in np.flatnonzero(ended):
        last[world] = done.final_observations[world].copy()
    return {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended.copy()}


def _one_seed(seeds: Sequence[Optional[int]]) -> Optional[int]:
    """One number below 2**64 that every entry has a part in (a linear congruential step per entry)."""
    if all(seed is None for seed in seeds):
        return None
    mixed = 0
    for seed in seeds:
        mixed = (mixed * 6364136223846793005 + (0 if seed is None else seed + 1)) % 2**64
    return mixed
