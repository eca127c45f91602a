"""Robots and linkages in Bellcrank, MuJoCo and Kamino: the scenes of `bellcrank-bench robots`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure.judge import judge
from measure.laws import kept
from measure.page import TITLES
from measure.process import Failed, Worker, output
from measure.turns import Entry

HERE = Path(__file__).resolve().parent
OURS = {
    "Bellcrank f32": "padmm f32 1 threads {worlds} worlds",
    "Bellcrank f64": "padmm f64 1 threads {worlds} worlds",
    "Bellcrank f64, one world": "padmm f64 1 threads 1 worlds",
}
"""Our ways, and how `--only` names them."""
PEERS = {"mujoco": ["default", "accurate", "fast"], "kamino": ["default", "tuned", "dvi"]}
NAMES = {"mujoco": "MuJoCo", "kamino": "Kamino"}
SETTLE = {"kamino": 20}
"""Steps before the clock starts where a hundred would take minutes."""
NOT_FOR = {"kamino": {"quadruped_moving"}}
"""Scenes that would take minutes and say nothing new."""
WAIT = 400.0
"""No answer takes longer [s]."""


class Field:
    """All scenes and everybody who takes part."""

    def __init__(self, program: str, folder: Path, robots: Path | None) -> None:
        self.program, self.folder = program, folder
        self.robots = ["--robots", str(robots)] if robots else []
        self.scenes: dict[str, dict[str, Any]] = {}
        self.workers: dict[str, Worker] = {}
        self.seconds = 0.5

    def export(self) -> None:
        """Lets our program write the scenes, and adds where their MJCF is."""
        for old in self.folder.glob("*.json"):
            old.unlink()
        bench = [self.program, "robots", "--only", "none", "--json", *self.robots]
        output([*bench, "--export", str(self.folder)])
        order = list(TITLES)
        for path in sorted(self.folder.glob("*.json"), key=lambda path: order.index(path.stem)):
            scene = json.loads(path.read_text())
            scene["mjcf"] = str(Path(self.robots[1]) / scene["file"] if scene["file"] else path.with_suffix(".xml"))
            scene["adrift"]["mjcf"] = str(path.with_name(f"{path.stem}_adrift.xml"))
            path.write_text(json.dumps(scene))
            self.scenes[scene["name"]] = scene

    def entries(self, python: Path, missing: dict[str, str], wanted: Callable[[str], bool]) -> list[Entry]:
        found = []
        for name, scene in self.scenes.items():
            if not wanted(name):
                continue
            found += [self.own_entry(scene, who, only) for who, only in OURS.items()]
            for peer, settings in PEERS.items():
                if peer not in self.workers:
                    command = [str(python), str(HERE / "engines" / f"{peer}_engine.py")]
                    self.workers[peer] = Worker(command, self.folder / f"{peer}.log")
                for way in settings if name not in NOT_FOR.get(peer, set()) else []:
                    entry = self.peer_entry(scene, peer, way)
                    entry.failure = missing.get(peer, "")
                    found.append(entry)
        return found

    def own_entry(self, scene: dict[str, Any], who: str, only: str) -> Entry:
        label = f"{scene['name']} {only.format(worlds=scene['worlds'])}"

        def bench(*more: str) -> dict[str, Any]:
            command = [self.program, "robots", "--json", "--rounds", "1", "--only", label, *self.robots]
            records = [r for r in json.loads(output([*command, *more])) if r["model"] == scene["name"]]
            if len(records) != 1:
                raise Failed(f"{len(records)} records of {label!r}")
            found: dict[str, Any] = records[0]
            if found.get("frozen_worlds"):
                raise Failed(f"{found['frozen_worlds']} of {found['worlds']} worlds stopped being finite")
            return found

        def measure() -> float:
            return float(bench("--seconds", str(self.seconds))["world_steps_per_core_second"])

        def look() -> dict[str, Any]:
            record = bench("--seconds", "0.05", "--states")
            states = record.pop("states")
            return {
                **judge(scene, states["samples"]),
                **kept(scene["adrift"], states["adrift"]["samples"], scene["dt"]),
                "contacts": states["contacts_mean"],
                "iterations": record["iterations_median"],
                "residual_max": record["residual_max"],
                "converged": record["converged_fraction"],
                "memory_bytes_per_world": record["memory_bytes_per_world"],
                "worlds": record["worlds"],
            }

        return Entry(scene["name"], who, measure, look)

    def peer_entry(self, scene: dict[str, Any], peer: str, settings: str) -> Entry:
        worlds = 1 if peer == "mujoco" else worlds_of(scene)
        path = self.folder / f"{scene['name']}.json"
        question = {"scene": str(path), "settings": settings, "worlds": worlds, "seconds": self.seconds}
        question["settle"] = SETTLE.get(peer, scene["settle"])

        def measure() -> float:
            return float(self.workers[peer].ask({"do": "clock", **question}, WAIT)["rate"])

        def look() -> dict[str, Any]:
            answer = self.workers[peer].ask({"do": "watch", **question}, WAIT)
            return {**judge(scene, answer.pop("samples")), **answer, **laws(), "worlds": worlds}

        def laws() -> dict[str, Any]:
            """An engine that cannot take the companion still has a place in the scene, with the reason."""
            try:
                samples = self.workers[peer].ask({"do": "adrift", **question}, WAIT)["samples"]
            except Failed as why:
                return {"adrift_failure": str(why)}
            return kept(scene["adrift"], samples, scene["dt"])

        return Entry(scene["name"], f"{NAMES[peer]} {settings}", measure, look)

    def stop(self) -> None:
        for worker in self.workers.values():
            worker.stop()


def worlds_of(scene: dict[str, Any]) -> int:
    """How many worlds Kamino takes at a time: as many as a few seconds allow, more bring it nothing."""
    bodies = len(scene["bodies"])
    return 256 if bodies <= 10 else 16 if bodies <= 15 else 4
