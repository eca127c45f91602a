"""Bellcrank's tree operators against Pinocchio C++, on the same models.

Compiles `pinocchio_tree.cpp` against the headers that PyPI's `pin` brings, which needs g++ and about 4 GB of memory and
takes some minutes the first time; lets `bellcrank-bench tree` write its models as URDF.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

from measure.process import Failed, output
from measure.turns import Entry, Sheet, say

HERE = Path(__file__).resolve().parent
GROUPS = range(1, 6)
MODELS = ["arm", "quadruped", "humanoid"]
OPERATORS = {
    "fk": ["fk"],
    "jacobian": ["jacobian"],
    "rnea": ["rnea"],
    "crba": ["crba"],
    "crba_entries": ["crba"],
    "aba": ["aba", "aba_world"],
    "rnea_derivatives": ["rnea_derivatives"],
    "rnea_derivatives_entries": ["rnea_derivatives"],
    "aba_vjp": ["aba_derivatives"],
    "aba_derivatives": ["aba_derivatives"],
}
"""Ours, and Pinocchio's that do the same: it has no gradient of forward dynamics but the whole Jacobian, two variants
of forward dynamics, of which the faster counts, and no matrices without zeros."""
DEFINITIONS = [
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]
WAYS = {"in lanes": "lanes", "in rows": "rows"}
"""Where results end: left in our lanes and in Pinocchio's workspace, or in an array with a row per state."""


class Operators:
    def __init__(self, program: str, folder: Path, milliseconds: int = 60, batch: int = 4096) -> None:
        self.program, self.folder = program, folder
        self.milliseconds, self.batch = milliseconds, batch
        self.programs: list[Path] = []

    def prepare(self, python: Path) -> str:
        """Compiles Pinocchio and writes the models for it; says why where that does not work."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            bench = [self.program, "tree", "--only", "none", "--json"]
            output([*bench, "--export", str(self.folder)])
            if shutil.which("g++") is None:
                return "there is no g++ to compile Pinocchio with"
            self.programs = [self.compile_group(group, python) for group in GROUPS]
            for model in MODELS:
                texts = [str(self.folder / f"{model}.{end}") for end in ("urdf", "txt")]
                output([str(python), str(HERE / "describe.py"), *texts])
        except Failed as why:
            return str(why)
        return ""

    def compile_group(self, group: int, python: Path) -> Path:
        source, program = HERE / "pinocchio_tree.cpp", self.folder / f"pinocchio_tree_{group}"
        if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
            return program
        where = "import cmeel, pathlib; print(pathlib.Path(cmeel.__file__).parent.parent / 'cmeel.prefix')"
        prefix = output([str(python), "-c", where]).strip()
        flags = ["-std=c++17", "-O3", "-march=native", "-w", *DEFINITIONS, f"-DGROUP={group}"]
        include = [f"-I{prefix}/include", f"-I{prefix}/include/eigen3"]
        link = [f"-L{prefix}/lib", "-lboost_serialization", f"-Wl,-rpath,{prefix}/lib"]
        say(f"         compiling Pinocchio, part {group} of {len(GROUPS)}")
        output(["g++", *flags, *include, str(source), "-o", str(program), *link])
        return program

    def entries(self, python: Path, missing: dict[str, str], wanted: Callable[[str], bool]) -> list[Entry]:
        models = [model for model in MODELS if wanted(f"tree {model}")]
        why = (missing.get("pinocchio") or self.prepare(python)) if models else ""
        found = []
        for model in models:
            ours = Sheet(lambda model=model: self.own_figures(model))
            theirs = Sheet(lambda model=model: self.peer_figures(model))
            levels = sorted({key.split(" / ")[1] for key in self.own_figures(model, ("fk", 1e-3))}, key=WIDTH.get)
            narrower = ["AVX2"] if "AVX2" in levels[:-1] else []  # what most computers have
            for operator in OPERATORS:
                for place, results in WAYS.items():
                    scene = f"tree {model}: {operator}, {place}"
                    for precision, level in product(("f32", "f64"), [levels[-1], *narrower]):
                        who = f"Bellcrank {precision}" + (f", {level}" if level in narrower else "")
                        key = f"{operator} / {level} / {results} / {precision} / 1"
                        found.append(Entry(scene, who, reader(ours, key)))
                    entry = Entry(scene, "Pinocchio f64", reader(theirs, f"{operator} / {results}"))
                    entry.failure = why
                    found.append(entry)
        return found

    def own_figures(self, model: str, short: tuple[str, float] | None = None) -> dict[str, Any]:
        only, seconds = short or (model, 5e-3 * self.milliseconds)
        bench = [self.program, "tree", "--json", "--batch", str(self.batch), "--only", only]
        found = {}
        for r in json.loads(output([*bench, "--seconds", str(seconds)])):
            if r["model"] == model:
                keys = (r["operator"], r["lanes"], r["results"], r["precision"], r["threads"])
                found[" / ".join(map(str, keys))] = r["ns_per_state"]
        return found

    def peer_figures(self, model: str) -> dict[str, Any]:
        """Of two that do the same the faster."""
        times: dict[str, dict[str, float]] = {"lanes": {}, "rows": {}}
        for program in self.programs:
            given = [str(self.folder / f"{model}.txt"), model, str(self.batch), str(self.milliseconds)]
            for record in map(json.loads, output([str(program), *given]).splitlines()):
                times["lanes"][record["operator"]] = record["ns_per_state"]
                times["rows"][record["operator"]] = record["ns_per_state_kept"]
        return {
            f"{operator} / {results}": min(found[name] for name in names)
            for operator, names in OPERATORS.items()
            for results, found in times.items()
        }


WIDTH = {"one by one": 0, "NEON": 1, "AVX2": 2, "AVX-512": 3}
"""Names of instruction sets, as the command line tells them, from narrow to wide."""


def reader(sheet: Sheet, key: str) -> Callable[[], float]:
    """States per second of processor time."""
    return lambda: 1e9 / float(sheet.figure(key))
