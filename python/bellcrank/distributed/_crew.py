"""The actors of a run: asked for rollouts, replaced when they die, not waited for too long."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any, Optional

from bellcrank.distributed._places import Place, beside, nodes
from bellcrank.distributed._ray import answers, lost
from bellcrank.distributed._worlds import Job, Worlds

SHORTEST = 2.0
"""Nobody counts as late before this [s]."""
ATTEMPTS = 3
"""To put worlds on a machine at the start."""
RECOVERY = 10.0
"""For so long [s] the others wait for worlds that move to another actor: then nothing is lost but time."""
LOST = 60.0
"""Who has not answered for so long [s], and for ten intervals, is replaced."""


@dataclass
class Fault:
    """An actor that was replaced, or a rollout that came too late."""

    kind: str
    """``"died"``, ``"hung"``, ``"late"`` or ``"dropped"``."""
    round: int
    worlds: tuple[int, int]
    why: str
    at: float = field(default_factory=time.time)
    seconds: float = math.nan
    """Until its worlds' next rollout was there."""
    restored: str = ""
    """Where its worlds went on: ``"snapshot"``, or ``"anew"`` by the seed."""


@dataclass
class Post:
    """A place, and the actor that holds it."""

    place: Place
    actor: Any = None
    snapshot: Optional[bytes] = None
    anew: int = 0
    """How often its worlds were begun anew by the seed."""
    asked: Optional[Any] = None
    """The answer that it owes, for which round, of which policy, since when."""
    round: int = -1
    policy: Any = None
    since: float = 0.0
    fault: Optional[Fault] = None
    """Its last, until it is overcome."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, in intervals: that of the slower half counts. ``None`` waits for everybody."""

    intervals: Optional[float]
    oldest: int
    """A rollout that was asked for more rounds ago is of no use."""


@dataclass
class Harvest:
    """What a round gave: rollouts in the order of worlds, and how many bytes."""

    parts: list[dict[str, Any]]
    rollout_bytes: int
    snapshot_bytes: int


class Crew:
    """Actors, one per place."""

    def __init__(self, ray: Any, job: Job, places: list[Place]) -> None:
        self._ray, self.job, self._lost = ray, job, lost(ray)
        self._kind = ray.remote(Worlds)
        self.posts = [Post(place) for place in places]
        self.faults: list[Fault] = []
        self._keep = True

    def start(self, snapshots: Optional[list[bytes]] = None) -> None:
        """Puts worlds on their machines; with snapshots in the order of the places they go on from there."""
        for k, post in enumerate(self.posts):
            post.snapshot = snapshots[k] if snapshots else None
            self._hire(post, post.place.node)
            post.asked = post.actor.ready.remote()
        for post in self.posts:
            self._wait_for(post)

    def _wait_for(self, post: Post) -> None:
        """Until its worlds stand; elsewhere, where its machine goes meanwhile."""
        for left in reversed(range(ATTEMPTS)):
            try:
                self._ray.get(post.asked)
                post.asked = None
                return
            except self._lost:
                if not left:
                    raise
                self._hire(post, self._refuge(post))
                post.asked = post.actor.ready.remote()

    def stop(self) -> None:
        """Lets them go."""
        for post in self.posts:
            if post.actor is not None:
                self._ray.kill(post.actor)

    def begin(self, policy: Any, round: int, keep: bool = True) -> None:
        """Asks everybody who is free for a rollout of a policy, which is in the store, and for a snapshot after it to
        keep.
        """
        self._keep = keep
        for post in self.posts:
            if post.asked is None:
                post.policy, post.round = policy, round
                self._ask(post)

    def gather(self, round: int, patience: Patience) -> Harvest:
        """What was asked for, and what comes late from the rounds before; not that of stragglers."""
        begin, found = time.monotonic(), Harvest([], 0, 0)
        got: list[tuple[Post, dict[str, Any]]] = []
        times: list[float] = []
        asked = sum(post.round == round for post in self.posts)
        while True:
            waiting = {post.asked: post for post in self.posts if post.asked is not None}
            owed = any(post.round == round for post in waiting.values())
            limit = self._limit((times, asked), patience)
            over = limit is not None and time.monotonic() - begin >= limit and not self._recovers(round)
            last = bool(got) and (over or not owed)
            if not waiting:
                break
            left = 1.0 if limit is None else begin + limit - time.monotonic()
            wait = 0.0 if last else min(1.0, max(0.05, left))
            ready, _ = self._ray.wait(list(waiting), num_returns=len(waiting) if last else 1, timeout=wait)
            for answer in ready:
                post = waiting[answer]
                self._take(post, (round, patience.oldest), got, found)
                if post.round == round and post.asked is None:
                    times.append(time.monotonic() - begin)
            if not ready and not last:
                self._look_for_lost(times)
            if last:
                self._excuse(round)
                break
        found.parts = [part for _, part in sorted(got, key=lambda entry: entry[0].place.worlds)]
        return found

    def _limit(self, answered: tuple[list[float], int], patience: Patience) -> Optional[float]:
        """How long this round may take, once half of the actors that were asked have answered."""
        times, asked = answered
        if patience.intervals is None or 2 * len(times) < asked or not times:
            return None
        middle = sorted(times)[(asked - 1) // 2]
        return max(SHORTEST, (1.0 + patience.intervals) * middle)

    def _recovers(self, round: int) -> bool:
        """Whether somebody who has died a moment ago owes this round's rollout."""
        died = [post.fault for post in self.posts if post.asked is not None and post.round == round and post.fault]
        return any(fault.kind == "died" and time.time() - fault.at < RECOVERY for fault in died)

    def _take(self, post: Post, now: tuple[int, int], got: list[tuple[Post, dict[str, Any]]], found: Harvest) -> None:
        (round, oldest), answer = now, post.asked
        try:
            part, snapshot, _ = self._ray.get(answer)
        except self._lost as error:
            self._replace(post, Fault("died", post.round, post.place.worlds, _first_line(error)))
            return
        post.asked = None
        if snapshot is not None:
            post.snapshot = snapshot.tobytes()
            found.snapshot_bytes += snapshot.nbytes
        if post.fault is not None:
            post.fault.seconds, post.fault = time.time() - post.fault.at, None
        if round - post.round > oldest:
            self.faults.append(Fault("dropped", post.round, post.place.worlds, f"it came in round {round}"))
            return
        got.append((post, part))
        found.rollout_bytes += sum(value.nbytes for value in part.values() if hasattr(value, "nbytes"))

    def _excuse(self, round: int) -> None:
        for post in self.posts:
            if post.asked is not None and post.round == round and post.fault is None:
                self.faults.append(Fault("late", round, post.place.worlds, "the others did not wait"))
                post.fault = self.faults[-1]

    def _look_for_lost(self, times: list[float]) -> None:
        """Whose node is gone, or who has hung: Ray takes a quarter of a minute to tell, or does not."""
        longest = max(LOST, 10.0 * max(times)) if times else math.inf
        owing = [post for post in self.posts if post.asked is not None]
        there = {node: answers(self._ray, node) for node in {post.place.node for post in owing}}
        for post in owing:
            if not there[post.place.node]:
                self._replace(post, Fault("died", post.round, post.place.worlds, "its node does not answer"))
            elif time.monotonic() - post.since > longest:
                self._replace(post, Fault("hung", post.round, post.place.worlds, f"no answer for {longest:.0f} s"))

    def _replace(self, post: Post, fault: Fault) -> None:
        """Another actor takes the worlds over from the last snapshot, and does the rollout that is owed."""
        self._ray.kill(post.actor)  # should it live after all
        self.faults.append(fault)
        post.fault = fault
        if post.snapshot is None:
            post.anew += 1
        fault.restored = "anew" if post.snapshot is None else "snapshot"
        self._hire(post, self._refuge(post))
        self._ask(post)

    def _refuge(self, post: Post) -> str:
        """The same node if it is still there, else the one with the fewest threads at work per processor."""
        if answers(self._ray, post.place.node):
            return post.place.node
        there = nodes(self._ray)
        mine = [p.place for p in self.posts]
        load = {node: sum(p.threads for p in mine if p.node == node) / cpus for node, cpus in there}
        return min(load, key=load.__getitem__) if load else post.place.node

    def _hire(self, post: Post, node: str) -> None:
        place = post.place
        moved, place.node = node != place.node, node
        if moved:
            place.cpus, place.cores = 0.0, None  # a guest: that node's processors are taken
        options = {"num_cpus": place.cpus, "max_restarts": 0, "scheduling_strategy": beside(self._ray, node)}
        again = post.anew, post.snapshot
        post.actor = self._kind.options(**options).remote(self.job, place.worlds, place.threads, place.cores, again)

    def _ask(self, post: Post) -> None:
        post.asked = post.actor.sample.remote(post.policy, post.round, self._keep)
        post.since = time.monotonic()


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
