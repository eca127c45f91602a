"""Which machine does what: actors on nodes and NUMA domains, and the worlds dealt out to them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from bellcrank.distributed._ray import answers
from bellcrank.errors import WrongValue

BLOCK = 16
"""Worlds are dealt out by so many, as many as a vector has lanes: so it does not matter how they are dealt out."""


@dataclass
class Place:
    """Where an actor runs, and with what."""

    node: str
    threads: int
    cpus: float
    """That it asks Ray for."""
    cores: Optional[list[int]] = None
    """Those of its NUMA domain; all that it may use for ``None``."""
    worlds: tuple[int, int] = field(default=(0, 0))
    """From, to."""


def domains(root: str = "/sys/devices/system/node") -> list[list[int]]:
    """The cores of each NUMA domain that this process may use; one domain where the system does not tell."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    found = []
    for folder in sorted(Path(root).glob("node[0-9]*")):
        cores = sorted(_listed(folder / "cpulist") & allowed)
        if cores:
            found.append(cores)
    return found or [sorted(allowed)]


def _listed(file: Path) -> set[int]:
    """As in ``0-3,8-11``."""
    try:
        text = file.read_text("ascii")
    except OSError:
        return set()
    ends = [(int(a), int(b or a)) for a, b in re.findall(r"(\d+)(?:-(\d+))?", text)]
    return {core for first, last in ends for core in range(first, last + 1)}


def nodes(ray: Any) -> list[tuple[str, int]]:
    """Nodes with processors: their names, and how many processors they give to Ray."""
    alive = [entry for entry in ray.nodes() if entry["Alive"]]
    with_cpus = [(str(entry["NodeID"]), int(entry["Resources"].get("CPU", 0))) for entry in alive]
    found = sorted(node for node in with_cpus if node[1] > 0 and answers(ray, node[0]))
    if not found:
        raise WrongValue("no node of the cluster has a processor to give", hint="ray start --num-cpus=N")
    return found


def places(ray: Any, actors: Optional[int], threads: int) -> list[Place]:
    """So many actors on the nodes, more where there are more processors; one per NUMA domain of each node for
    ``None``.
    """
    there = nodes(ray)
    if actors is None:
        return [place for node, cpus in there for place in _of_node(ray, node, cpus, threads)]
    counts = dict.fromkeys((node for node, _ in there), 0)
    for _ in range(actors):
        node = max(there, key=lambda entry: entry[1] / (counts[entry[0]] + 1))[0]
        counts[node] += 1
    found = []
    for node, cpus in there:
        for _ in range(counts[node]):
            share = cpus / counts[node]
            mine = threads or max(1, int(share))
            cost = min(mine, share)
            found.append(Place(node, mine, float(int(cost)) if cost >= 1 else cost))
    return found


def _of_node(ray: Any, node: str, cpus: int, threads: int) -> list[Place]:
    ask = ray.remote(domains).options(num_cpus=0, scheduling_strategy=beside(ray, node))
    cores: list[list[int]] = ray.get(ask.remote())
    if len(cores) < 2 or cpus < sum(map(len, cores)):
        return [Place(node, threads or cpus, float(min(threads or cpus, cpus)))]
    return [Place(node, threads or len(mine), float(len(mine)), mine) for mine in cores]


def beside(ray: Any, node: str) -> Any:
    """On that node, or elsewhere when it is gone."""
    return ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id=node, soft=True)


def deal(places: list[Place], worlds: int) -> list[Place]:
    """Deals worlds out in proportion to threads, by whole blocks; who gets none is left out."""
    total, done, given = sum(place.threads for place in places), 0, 0
    busy = []
    for place in places:
        done += place.threads
        end = worlds if done == total else round(worlds * done / total / BLOCK) * BLOCK
        if end > given:
            place.worlds = (given, end)
            given = end
            busy.append(place)
    return busy
