#!/usr/bin/env python3
"""Bellcrank's tree operators against Pinocchio C++, in one run, on the same models.

    cargo build --release -p bellcrank
    python3 benches/peers/tree/run.py --bellcrank target/release/bellcrank

Makes a virtual environment with Pinocchio from PyPI (package `pin`, which brings headers), compiles
`pinocchio_tree.cpp` against it, lets `bellcrank bench tree` write its models as URDF, and measures both programs in
turns. Medians of all rounds count, with the spread of the ratios. Needs g++ and about 4 GB of memory; the first
run compiles for some minutes.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import venv
import xml.etree.ElementTree as xml
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = ["pin==4.1.0", "cmeel-eigen"]
GROUPS = range(1, 6)
KEYS = ("model", "operator", "by", "results", "precision", "threads")
MODELS = ["arm", "quadruped", "humanoid"]
# Ours, and Pinocchio's that do the same: it has no gradient of forward dynamics but the whole Jacobian, two variants of
# forward dynamics, of which the faster counts, and no matrices without zeros.
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
DEFINITIONS = [
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]


def main() -> None:
    if sys.argv[1:2] == ["describe"]:
        describe(Path(sys.argv[2]), Path(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bellcrank", default="target/release/bellcrank", help="the program to measure")
    parser.add_argument("--folder", default="target/peers/tree", help="where to build and to keep things")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--milliseconds", type=int, default=150, help="for each figure in each round")
    parser.add_argument("--json", action="store_true", help="print records instead of a table")
    arguments = parser.parse_args()
    folder = Path(arguments.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = make_environment(folder / "venv")
    programs = [compile_group(group, folder, python) for group in GROUPS]
    bench = [arguments.bellcrank, "bench", "tree", "--json", "--batch", str(arguments.batch)]
    subprocess.run([*bench, "--only", "none", "--urdf", str(folder)], check=True, stdout=subprocess.DEVNULL)
    for model in MODELS:
        urdf, text = folder / f"{model}.urdf", folder / f"{model}.txt"
        subprocess.run([python, __file__, "describe", str(urdf), str(text)], check=True)
    records = measure(arguments, folder, programs, bench)
    if arguments.json:
        print(json.dumps(records))
    else:
        print_tables(records)


def make_environment(folder: Path) -> str:
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return str(python)


def compile_group(group: int, folder: Path, python: str) -> Path:
    source, program = HERE / "pinocchio_tree.cpp", folder / f"pinocchio_tree_{group}"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    where = "import cmeel, pathlib; print(pathlib.Path(cmeel.__file__).parent.parent / 'cmeel.prefix')"
    prefix = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True).stdout.strip()
    flags = ["-std=c++17", "-O3", "-march=native", "-w", *DEFINITIONS, f"-DGROUP={group}"]
    include = [f"-I{prefix}/include", f"-I{prefix}/include/eigen3"]
    link = [f"-L{prefix}/lib", "-lboost_serialization", f"-Wl,-rpath,{prefix}/lib"]
    print(f"compiling Pinocchio, part {group} of {len(GROUPS)}", file=sys.stderr)
    subprocess.run(["g++", *flags, *include, str(source), "-o", str(program), *link], check=True)
    return program


def describe(urdf: Path, text: Path) -> None:
    """Writes what Pinocchio made of a URDF as the plain text that the C++ program reads. Runs in the environment."""
    import pinocchio

    links = {link.get("name") for link in xml.parse(urdf).getroot().findall("link")}
    base = [] if "world" in links else [pinocchio.JointModelFreeFlyer()]
    model = pinocchio.buildModelFromUrdf(str(urdf), *base)
    lines = [str(model.njoints - 1)]
    for i in range(1, model.njoints):
        kind, axis = kind_of(model.joints[i])
        placement, inertia = model.jointPlacements[i], model.inertias[i]
        J = inertia.inertia
        numbers = [*axis, *placement.rotation.flatten(), *placement.translation, inertia.mass, *inertia.lever]
        numbers += [J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]]
        lines.append(" ".join([str(model.parents[i]), kind, *(repr(float(x)) for x in numbers)]))
    text.write_text("\n".join(lines) + "\n")


def kind_of(joint) -> tuple[str, list[float]]:
    name = joint.shortname()
    if "FreeFlyer" in name:
        return "free", [0, 0, 0]
    if "Unaligned" in name:
        return "any", list(joint.extract().axis)
    for kind in "xyz":  # a continuous joint (RUBX) costs no more as an ordinary one (RX)
        if name.endswith(kind.upper()):
            return kind, [0, 0, 0]
    raise SystemExit(f"no kind of joint for {name}")


def measure(arguments: argparse.Namespace, folder: Path, programs: list[Path], bench: list[str]) -> list[dict]:
    """Both in turns, model by model; gives one record per figure with its time in every round."""
    samples: dict[tuple, list[float]] = {}

    def add(*key, value: float) -> None:
        samples.setdefault(key, []).append(value)

    for turn in range(arguments.rounds):
        for model in MODELS:
            load = os.getloadavg()[0]
            print(f"round {turn + 1} of {arguments.rounds}: {model} (load {load:.1f})", file=sys.stderr)
            for program in programs:
                given = [str(folder / f"{model}.txt"), model, str(arguments.batch), str(arguments.milliseconds)]
                for record in map(json.loads, output([str(program), *given]).splitlines()):
                    operator = record["operator"]
                    add(model, operator, "pinocchio", "lanes", "f64", 1, value=record["ns_per_state"])
                    add(model, operator, "pinocchio", "rows", "f64", 1, value=record["ns_per_state_kept"])
            ours = output([*bench, "--only", model, "--seconds", str(5e-3 * arguments.milliseconds)])
            for record in json.loads(ours):
                where = (record["lanes"], record["results"], record["precision"], record["threads"])
                add(model, record["operator"], *where, value=record["ns_per_state"])
    return [
        {"scene": "tree", **dict(zip(KEYS, key)), "batch": arguments.batch, "ns_per_state": values}
        for key, values in samples.items()
    ]


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ).stdout


def print_tables(records: list[dict]) -> None:
    times = {tuple(record[key] for key in KEYS): record["ns_per_state"] for record in records}
    widest = "AVX-512" if any(key[2] == "AVX-512" for key in times) else "AVX2"
    print("Results left where the computation leaves them: in Pinocchio's `Data`, in our lanes.\n")
    columns = [(level, "f64", 1) for level in ("AVX-512", "AVX2")] + [(widest, "f32", 1)]
    print_table(times, "lanes", columns)
    print("\nResults kept in an array with a row per state.\n")
    print_table(times, "rows", [*columns, (widest, "f64", 2)])
    print("\nReading q, v, a from and writing one vector to arrays with a row per state, without computing anything.\n")
    print("| model | f64, ns | f32, ns |\n|---|---|---|")
    for model in MODELS:
        both = [statistics.median(times[model, "arrays", widest, "rows", kind, 1]) for kind in ("f64", "f32")]
        print(f"| {model} | {both[0]:.1f} | {both[1]:.1f} |")


def print_table(times: dict[tuple, list[float]], results: str, columns: list[tuple]) -> None:
    """One line per model and operator: nanoseconds, and how many times Pinocchio's time that is (least to most)."""
    known = [column for column in columns if any(key[2] == column[0] and key[5] == column[2] for key in times)]
    names = [f"{level} {kind}" + (f", {threads} threads" if threads > 1 else "") for level, kind, threads in known]
    print("| model | operator | Pinocchio, ns |" + "".join(f" {name}, ns | times |" for name in names))
    print("|---|---|---|" + "---|---|" * len(names))
    for model in MODELS:
        for operator, peers in OPERATORS.items():
            peer = min((times[model, name, "pinocchio", results, "f64", 1] for name in peers), key=statistics.median)
            line = f"| {model} | {operator} | {statistics.median(peer):.0f} |"
            for level, kind, threads in known:
                ours = times[model, operator, level, results, kind, threads]
                ratios = sorted(theirs / own for theirs, own in zip(peer, ours))
                spread = f"{statistics.median(ratios):.1f} ({ratios[0]:.1f}–{ratios[-1]:.1f})"
                line += f" {statistics.median(ours):.0f} | {spread} |"
            print(line)


if __name__ == "__main__":
    main()
