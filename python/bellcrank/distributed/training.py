"""Training on many machines: actors give rollouts, a learner here learns from them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Optional, Union

from bellcrank import _native
from bellcrank.distributed._crew import Crew, Fault, Harvest, Patience
from bellcrank.distributed._folder import Folder
from bellcrank.distributed._places import deal, places
from bellcrank.distributed._ray import connect
from bellcrank.distributed._worlds import Job
from bellcrank.envs.task import BatchTask, make
from bellcrank.errors import RunExists, WrongType, WrongValue
from bellcrank.learn import PathLike, Policy, settings_text

CHECKPOINT = "checkpoint.safetensors"
CURVE = "curve.json"
LOG = "distributed.json"


@dataclass(frozen=True)
class Cluster:
    """How a run is spread."""

    address: str = "auto"
    """Of the cluster; ``"auto"`` is the one at hand, or else this machine."""
    actors: Optional[int] = None
    """Actors that own worlds; one per node and NUMA domain for ``None``."""
    threads: int = 0
    """Of each actor; 0 for all processors of its place."""
    learner_threads: int = 0
    """Of the learner, which runs here; 0 for all."""
    staleness: int = 0
    """How many updates old the policy that acts may be. With 0 actors and learner take turns, and the run has the
    bits of ``bellcrank train``; with 1 actors act while the learner learns.
    """
    patience: Optional[float] = 1.0
    """For how many intervals the others wait for an actor that is late; its rollout is used in the next update then,
    or not at all. With ``None`` they wait as long as it takes, and the same seed gives the same bits whatever
    happens.
    """
    snapshot_every: int = 1
    """After how many rounds actors send a snapshot of their worlds. With 1 nothing is lost with a machine but time;
    with 0 worlds that die are begun anew, and so are all when a run is resumed.
    """


@dataclass
class Report:
    """How a run went."""

    actors: int
    nodes: int
    rollout_bytes_per_transition: float = 0.0
    """From actors to the learner."""
    snapshot_bytes_per_transition: float = 0.0
    policy_bytes_per_update: int = 0
    """To every node."""
    faults: list[Fault] = field(default_factory=list)


def train(
    task: Union[str, BatchTask],
    *,
    minutes: float = 15.0,
    seed: int = 0,
    worlds: Optional[int] = None,
    updates: Optional[int] = None,
    model: Optional[PathLike] = None,
    config: Union[None, Mapping[str, Any], PathLike] = None,
    out: Optional[PathLike] = None,
    resume: bool = False,
    save_every: float = 60.0,
    progress: Optional[Callable[[dict[str, Any]], Any]] = None,
    **cluster: Any,
) -> Policy:
    """Trains a policy on a cluster of Ray and gives it.

    The arguments are those of :func:`bellcrank.learn.train`, and so are the files, the config and the policy; ``out``
    may be anywhere that fsspec reaches (``"s3://bucket/run"``). A driver that died goes on with ``resume=True``.
    Files are written every ``save_every`` seconds. ``model`` must be found under the same path on every machine.

    The other arguments are those of :class:`Cluster`: ``address``, ``actors``, ``threads``, ``learner_threads``,
    ``staleness``, ``patience`` and ``snapshot_every``. Worlds are numbered across all actors: for a policy, a rollout
    does not depend on how many there are.
    """
    how = _cluster(cluster)
    folder = None if out is None else Folder(out)
    if folder is not None and not resume and folder.read(CHECKPOINT) is not None:
        raise RunExists(
            f"{folder.path} holds a run already", hint="resume=True goes on with it, or name another folder"
        )
    file = None if model is None else os.path.abspath(os.fspath(model))
    run = _Run.resumed(folder, task, file, how) if resume else _Run.begun(task, (worlds, config, file), seed, how)
    run.start()
    try:
        run.learn((60.0 * float(minutes), updates), (folder, save_every), progress)
    finally:
        run.crew.stop()
        if folder is not None:
            run.save(folder)
    return Policy(run.learner.policy())


def _cluster(given: Mapping[str, Any]) -> Cluster:
    try:
        how = Cluster(**given)
    except TypeError as error:
        names = ", ".join(Cluster.__dataclass_fields__)
        raise WrongType(f"train: {error}".replace("Cluster.__init__() ", ""), hint=f"a cluster has {names}") from None
    if how.staleness not in (0, 1):
        raise WrongValue(f"staleness is {how.staleness}, expected: 0 or 1")
    if how.actors is not None and how.actors < 1:
        raise WrongValue("actors must be at least 1")
    return how


class _Run:
    """A learner and its crew."""

    def __init__(self, job: Job, learner: _native.Learner, how: Cluster) -> None:
        self.learner, self.how = learner, how
        self._ray = connect(how.address)
        worlds = learner.about()[2]
        dealt = deal(places(self._ray, how.actors, how.threads), worlds)
        self.crew = Crew(self._ray, job, dealt)
        self.report = Report(len(dealt), len({place.node for place in dealt}))
        self._snapshots: Optional[list[bytes]] = None
        self._policy: Any = None

    @classmethod
    def begun(cls, task: Union[str, BatchTask], given: tuple[Any, Any, Optional[str]], seed: int, how: Cluster) -> _Run:
        worlds, config, file = given
        name = task if isinstance(task, str) else type(task).__name__
        if not isinstance(task, (str, BatchTask)):
            raise WrongType(f"a task is a name or a BatchTask, not {type(task).__name__}")
        job = Job(task, name, (settings_text(config), worlds, [], file), seed)
        one = None if isinstance(task, str) else make(task, 1, threads=1)
        return cls(job, _native.Learner(name, one, job.config, seed, how.learner_threads), how)

    @classmethod
    def resumed(cls, folder: Optional[Folder], task: Union[str, BatchTask], file: Optional[str], how: Cluster) -> _Run:
        if folder is None:
            raise WrongValue("resume needs the folder of the run", hint="out=…")
        if not isinstance(task, str):
            raise WrongValue(
                "a run of a task of your own cannot be resumed", hint="only tasks that ship have checkpoints"
            )
        checkpoint, curve = folder.read(CHECKPOINT), folder.read(CURVE)
        if checkpoint is None or curve is None:
            raise WrongValue(f"{folder.path} holds no run", hint="begin one: without resume")
        learner, snapshots = _native.Learner.from_files(checkpoint, curve, file, how.learner_threads)
        name, seed, _, _ = learner.about()
        if name != task:
            raise WrongValue(f"{folder.path} holds a run of {name!r}, not of {task!r}")
        run = cls(Job(task, name, (learner.config(), None, [], file), seed), learner, how)
        run._snapshots = snapshots if len(snapshots) == len(run.crew.posts) else None
        return run

    def start(self) -> None:
        """Worlds on their machines. Snapshots of other worlds are of no use: those begin new episodes then."""
        from bellcrank.errors import BadConfig, BadSnapshot

        try:
            self.crew.start(self._snapshots)
        except (BadConfig, BadSnapshot):
            if self._snapshots is None:
                raise
            self.crew.stop()
            self.crew.start(None)

    def learn(
        self,
        ends: tuple[float, Optional[int]],
        files: tuple[Optional[Folder], float],
        progress: Optional[Callable[[dict[str, Any]], Any]],
    ) -> None:
        """Rounds until the time is over, or there were enough."""
        (folder, save_every), saved = files, time.monotonic()
        patience = Patience(self.how.patience, self.how.staleness + 1)
        most = ends[1] or self.learner.about()[3] or None
        goes_on = self._goes_on(ends[0], most)
        round = self.learner.so_far()[1]
        if goes_on:
            self._begin(round)
        while goes_on:
            begin = time.monotonic()
            harvest = self.crew.gather(round, patience)
            waited = time.monotonic() - begin
            if self.how.staleness:
                self._begin(round + 1)  # they act while this one learns
            record = self._update(harvest, waited)
            round += 1
            goes_on = self._goes_on(ends[0], most)
            if goes_on and not self.how.staleness:
                self._begin(round)
            if folder is not None and time.monotonic() - saved > save_every:
                self.save(folder)
                saved = time.monotonic()
            if progress is not None and progress(self._told(record)) is False:
                return

    def _goes_on(self, seconds: float, most: Optional[int]) -> bool:
        taken, done, _ = self.learner.so_far()
        return taken < seconds and (most is None or done < most)

    def _begin(self, round: int) -> None:
        content = self.learner.policy_bytes()
        self._policy = self._ray.put(content)  # one copy for each node
        self.report.policy_bytes_per_update = len(content)
        every = self.how.snapshot_every
        self.crew.begin(self._policy, round, every > 0 and (round + 1) % every == 0)

    def _update(self, harvest: Harvest, waited: float) -> dict[str, Any]:
        self.learner.gather(harvest.parts)
        rows = sum(part["rewards"].size for part in harvest.parts)
        harvest.parts.clear()  # room in the store
        record: dict[str, Any] = json.loads(self.learner.learn(waited))
        done = self.learner.so_far()[1]
        share = 1.0 / min(done, 20)  # of this update in the mean of the last
        for name, found in (("rollout", harvest.rollout_bytes), ("snapshot", harvest.snapshot_bytes)):
            name = f"{name}_bytes_per_transition"
            setattr(self.report, name, (1.0 - share) * getattr(self.report, name) + share * found / rows)
        return record

    def _told(self, record: dict[str, Any]) -> dict[str, Any]:
        recent = self.learner.recent() or (None, None, None)
        means = dict(zip(("return_mean", "length_mean", "fall_fraction"), recent))
        faults = len(self.crew.faults)
        return {**record, **means, "faults": faults, **{k: v for k, v in asdict(self.report).items() if k != "faults"}}

    def save(self, folder: Folder) -> None:
        """Writes the files of the run, the checkpoint last."""
        snapshots = [post.snapshot for post in self.crew.posts]
        whole = [snapshot for snapshot in snapshots if snapshot is not None]
        by_name = isinstance(self.crew.job.task, str)
        kept = whole if len(whole) == len(snapshots) else []
        self.report.faults = self.crew.faults
        folder.write(LOG, json.dumps(asdict(self.report), indent=1).encode())
        for name, content in self.learner.files(kept if by_name else None):
            folder.write(name, content)
