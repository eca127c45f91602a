#!/usr/bin/env python3
"""Bellcrank beside the engines that people use, in one run on this machine, with accuracy beside speed.

    cargo build --release -p bellcrank-bench
    python3 benches/peers/run.py                       # everything, about ten minutes after the set-up
    python3 benches/peers/run.py --only biped          # scenes with this in their name; also: pile, tree, curves
    python3 benches/peers/run.py --quick    # accuracy of everybody in every scene; speeds at a glance

Makes a virtual environment with MuJoCo, Newton (its solver Kamino on the processor) and Pinocchio from PyPI, lets our
program write its scenes for them, and measures everybody in turns, in processor time of one thread. A peer that
cannot be installed or cannot load a scene is reported with the reason. Writes `results.json`, `report.md` and pictures.

    python3 benches/peers/run.py --document benches/results/DATE.json   # docs and README from a stored run
    python3 benches/peers/run.py --check                                # do they still say what it says?
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from measure import document, page
from measure.environment import PACKAGES, machine, make_environment
from measure.process import Failed, output
from measure.turns import say, take_turns
from piles import Piles
from robots import Field
from tree.operators import Operators

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--bellcrank", default=str(TARGET / "release" / "bellcrank-bench"), help="the program to measure"
    )
    parser.add_argument("--folder", type=Path, default=TARGET / "peers", help="where to build and to keep things")
    parser.add_argument("--only", default="", help="scenes with this in their name")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.4, help="of each contestant in each round")
    parser.add_argument(
        "--quick", action="store_true", help="one round of 0.02 s each: for what is kept and how exact, not for speed"
    )
    parser.add_argument(
        "--robots", type=Path, help="a folder of robots: agility_cassie/scene.xml, robotiq_2f85/2f85.xml"
    )
    parser.add_argument("--document", type=Path, metavar="RESULTS", help="write the documentation from a stored run")
    parser.add_argument("--check", action="store_true", help="compare the documentation with the stored run")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.seconds = 1, 0.02
    if arguments.check:
        return document.check(ROOT)
    if arguments.document:
        document.write(ROOT, arguments.document)
        return 0
    if shutil.which(arguments.bellcrank) is None:
        say(f"there is no program {arguments.bellcrank}")
        say("  hint: cargo build --release -p bellcrank-bench, or --bellcrank PATH")
        return 1
    results = measure(arguments)
    folder = arguments.folder.resolve()
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    text, pictures = page.render(results, notes="", images="")
    (folder / "report.md").write_text(text)
    for name, picture in pictures.items():
        (folder / name).write_text(picture)
    print(text)
    say(f"written: {folder / 'results.json'}, report.md and {len(pictures)} pictures beside it")
    return 0


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    begin = time.monotonic()
    folder = arguments.folder.resolve()
    for part in ("scenes", "piles"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    environment = make_environment(folder / "venv", list(PACKAGES))
    for peer, why in environment.missing.items():
        say(f"{peer} is not there: {why}")

    def wanted(name: str) -> bool:
        return arguments.only in name

    field = Field(arguments.bellcrank, folder / "scenes", arguments.robots or beside())
    field.seconds = arguments.seconds
    field.export()
    piles = Piles(arguments.bellcrank, folder / "piles")
    piles.seconds = min(0.5 * arguments.seconds, 0.2)
    operators = Operators(arguments.bellcrank, folder / "tree")
    given = (environment.python, environment.missing, wanted)
    try:
        entries = {
            "robots": field.entries(*given),
            "piles": piles.entries(*given),
            "operators": operators.entries(*given),
        }
        set_up = time.monotonic() - begin
        say(f"{set_up:5.0f} s  everything is set up")
        found = {part: take_turns(some, arguments.rounds) for part, some in entries.items()}
    finally:
        field.stop()
        piles.stop()
    curves = own_curves(arguments) if wanted("curves") else []
    return {
        "machine": machine(),
        "versions": {**environment.versions, "bellcrank": output([arguments.bellcrank, "--version"]).split()[-1]},
        "missing": environment.missing,
        "command": command(arguments),
        "rounds": arguments.rounds,
        "seconds": round(time.monotonic() - begin - set_up),
        "scenes": {name: facts(scene) for name, scene in field.scenes.items() if wanted(name)},
        **found,
        "curves": curves,
    }


def command(arguments: argparse.Namespace) -> str:
    """What was asked for; where things lie is each machine's own affair."""
    usual = {"only": "", "rounds": 3, "seconds": 0.4}
    said = [f"--{key}={value}" for key in usual if (value := getattr(arguments, key)) != usual[key]]
    return shlex.join(["python3", "benches/peers/run.py", *said])


def beside() -> Path | None:
    """Robots of others that lie beside the repository."""
    folder = ROOT.parent / "shared" / "data" / "menagerie"
    return folder if (folder / "agility_cassie").exists() else None


def facts(scene: dict[str, Any]) -> dict[str, Any]:
    keys = ("model", "file", "dt", "motion", "value", "duration", "loops", "mobility", "redundant_rows", "worlds")
    counts = {key: len(scene[key]) for key in ("bodies", "joints", "actuators")}
    return {**{key: scene[key] for key in keys}, **counts, "left_out": scene.get("left_out_of_mjcf", [])}


def own_curves(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Our program alone: what it costs against the number of worlds, links and contacts."""
    found: list[dict[str, Any]] = []
    for scene in ("worlds", "chain", "contact"):
        say(f"         curves: {scene}")
        try:
            command = [arguments.bellcrank, scene, "--json", "--seconds", "0.1", "--rounds", "1"]
            found += json.loads(output(command))
        except Failed as why:
            say(f"         {scene}: {why}")
    return found


if __name__ == "__main__":
    sys.exit(main())
