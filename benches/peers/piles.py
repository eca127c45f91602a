"""Piles of loose solids in Bellcrank and in MuJoCo: time per step of the whole fall, and depth of contacts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure.laws import kept
from measure.process import Failed, Worker, output
from measure.turns import Entry, Sheet

HERE = Path(__file__).resolve().parent
SCENES = {"pile_2x2x3": 750, "pile_5x5x5": 1000}
"""Steps of 2 ms."""
DT = 0.002
OURS = ["padmm f64", "comfree f64", "padmm f32", "comfree f32"]
"""Solver and precision; the large pile is measured in f64 only."""
WAIT = 200.0


class Piles:
    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.worker: Worker | None = None
        self.seconds = 0.2
        self.alone: dict[str, dict[str, Any]] = {}
        """Companions of the scenes, as our program describes them."""

    def bench(self, scene: str) -> dict[str, Any]:
        """One run of our program measures all of its solvers."""
        command = [self.program, "contact", "--only", scene, "--seconds", str(self.seconds), "--json"]
        command += ["--states"] if scene not in self.alone else []
        records = json.loads(output([*command, "--export", str(self.folder)]))
        if scene not in self.alone:
            self.alone[scene] = json.loads((self.folder / f"{scene}.json").read_text())
        many = max(r.get("worlds", 0) for r in records if r["model"] == scene)
        return {f"{r['solver']} {r['precision']}": r for r in records if r["model"] == scene and r["worlds"] == many}

    def entries(self, python: Path, missing: dict[str, str], wanted: Callable[[str], bool]) -> list[Entry]:
        found = []
        for scene in filter(wanted, SCENES):
            sheet = Sheet(lambda scene=scene: self.bench(scene))
            found += [self.own_entry(scene, key, sheet) for key in (OURS if scene == "pile_2x2x3" else OURS[:2])]
            if self.worker is None:
                program = HERE / "engines" / "mujoco_piles.py"
                self.worker = Worker([str(python), str(program)], self.folder / "mujoco_piles.log")
            for settings in ("default", "elliptic"):
                entry = self.peer_entry(scene, settings)
                entry.failure = missing.get("mujoco", "")
                found.append(entry)
        return found

    def own_entry(self, scene: str, key: str, sheet: Sheet) -> Entry:
        def look() -> dict[str, Any]:
            found = sheet.figure(key)
            laws = kept(self.alone[scene], found["states"]["samples"], DT, may_fall=True)
            return {"contacts": found["contacts_mean"], "worlds": found["worlds"], **depths(found), **laws}

        def measure() -> float:
            return float(sheet.figure(key)["world_steps_per_core_second"])

        return Entry(scene, f"Bellcrank {key}", measure, look)

    def peer_entry(self, scene: str, settings: str) -> Entry:
        question = {"mjcf": str(self.folder / f"{scene}.xml"), "steps": SCENES[scene], "settings": settings}

        def ask(do: str, **more: Any) -> dict[str, Any]:
            assert self.worker is not None
            return self.worker.ask({"do": do, **question, **more}, WAIT)

        def look() -> dict[str, Any]:
            answer = ask("watch")
            return {"contacts": answer["contacts_mean"], "worlds": 1, **depths(answer), **laws()}

        def laws() -> dict[str, Any]:
            try:
                alone = self.alone[scene]
                names = [body["name"] for body in alone["bodies"]]
                start = {"names": names, "twists": alone["twists"], "duration": alone["duration"]}
                samples = ask("adrift", **start)["samples"]
            except Failed as why:
                return {"adrift_failure": str(why)}
            return kept(alone, samples, DT, may_fall=True)

        return Entry(scene, f"MuJoCo {settings}", lambda: float(ask("clock")["rate"]), look)

    def stop(self) -> None:
        if self.worker:
            self.worker.stop()


def depths(record: dict[str, Any]) -> dict[str, float]:
    return {
        "depth_mean_m": 1e-6 * record["penetration_mean_um"],
        "depth_m": 1e-6 * record["penetration_max_um"],
    }
