"""What runs in an actor: worlds, and the policy that acts in them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from bellcrank import _native
from bellcrank.envs._env import Env
from bellcrank.envs.task import BatchTask, make

Config = tuple[str, Optional[int], list[tuple[str, float]], Optional[str]]


@dataclass(frozen=True)
class Job:
    """What all actors of a run have in common."""

    task: Union[str, BatchTask]
    """The name of one that ships, or one of your own."""
    name: str
    config: Config
    seed: int


class Worlds:
    """Some of a run's worlds."""

    def __init__(
        self,
        job: Job,
        worlds: tuple[int, int],
        threads: int,
        cores: Optional[list[int]],
        again: tuple[int, Optional[bytes]],
    ) -> None:
        self._given = job, worlds, threads, cores, again
        self._made: Optional[_native.Sampler] = None

    def ready(self) -> int:
        """Puts the worlds there; gives the process. An actor that fails when it is made dies; here it tells why."""
        job, worlds, threads, cores, (anew, snapshot) = self._given
        if cores and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, cores)  # threads that are started later stay there too
        env, seed = _env(job, worlds, threads, anew)
        sampler = _native.Sampler(job.name, env, job.config, worlds, seed, threads)
        if snapshot is not None:
            sampler.restore(snapshot)
        self._made = sampler
        return os.getpid()

    def sample(self, policy: bytes, round: int, keep: bool) -> tuple[dict[str, Any], Optional[Any], float]:
        """One horizon of actions: the rollout, a snapshot after it where it is wanted, and the time it took [s]."""
        if self._made is None:
            self.ready()
        assert self._made is not None
        begin = time.monotonic()
        part = self._made.sample(policy, round)
        snapshot = self._made.snapshot() if keep else None
        kept = None if snapshot is None else np.frombuffer(snapshot, np.uint8)
        return part, kept, time.monotonic() - begin


def _env(job: Job, worlds: tuple[int, int], threads: int, anew: int) -> tuple[Optional[Env], int]:
    """An environment for tasks in Python. Their chance is that of all worlds together, so that seeds differ by actor,
    and by how often it was begun anew; chance of tasks that ship goes by the worlds' numbers, and the seed is that of
    the run.
    """
    if isinstance(job.task, str):
        seed = job.seed if anew == 0 else apart(job.seed, anew)
        return None, seed
    return make(job.task, worlds[1] - worlds[0], threads=threads), apart(job.seed, worlds[0], anew)


def apart(*numbers: int) -> int:
    """A seed that follows from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
