#!/usr/bin/env python3
"""Bellcrank's tree operators against Pinocchio C++, in one run, on the same models.

    cargo build --release -p bellcrank
    python3 benches/peers/tree/run.py --bellcrank target/release/bellcrank

Makes a virtual environment with Pinocchio from PyPI (package `pin`, which brings headers), compiles
`pinocchio_tree.cpp` against it, lets `bellcrank bench tree` write its models as URDF, and measures both programs in
turns. Medians of all rounds count. Needs g++ and about 4 GB of memory; the first run compiles for some minutes.
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
MODELS = ["arm", "quadruped", "humanoid"]
OPERATORS = ["fk", "jacobian", "rnea", "crba", "aba", "rnea_derivatives", "aba_vjp", "aba_derivatives"]
# Pinocchio has no gradient of forward dynamics but the whole Jacobian; its forward dynamics comes in two variants.
PEER_OF = {"aba_vjp": ["aba_derivatives"], "aba": ["aba", "aba_world"]}
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
        print_table(records)


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
    """Both in turns, model by model; gives medians over the rounds, one record per figure."""
    samples: dict[tuple, list[float]] = {}

    def add(*key, value: float) -> None:
        samples.setdefault(key, []).append(value)

    for turn in range(arguments.rounds):
        for model in MODELS:
            print(f"round {turn + 1} of {arguments.rounds}: {model}", file=sys.stderr)
            for program in programs:
                given = [str(folder / f"{model}.txt"), model, str(arguments.batch), str(arguments.milliseconds)]
                for record in map(json.loads, output([str(program), *given]).splitlines()):
                    operator = record["operator"]
                    add(model, operator, "pinocchio", "f64", 1, value=record["ns_per_state"])
                    add(model, operator, "pinocchio, kept", "f64", 1, value=record["ns_per_state_kept"])
            ours = output([*bench, "--only", model, "--seconds", str(3e-3 * arguments.milliseconds)])
            for record in json.loads(ours):
                library = "bellcrank" if record["lanes"] != "one by one" else "bellcrank, one by one"
                where = (model, record["operator"], library, record["precision"], record["threads"])
                add(*where, value=record["ns_per_state"])
    names = ("model", "operator", "library", "precision", "threads")
    return [
        {"scene": "tree", **dict(zip(names, key)), "batch": arguments.batch, "ns_per_state": statistics.median(values)}
        for key, values in samples.items()
    ]


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ).stdout


def print_table(records: list[dict]) -> None:
    keys = ("model", "operator", "library", "precision", "threads")
    time = {tuple(record[key] for key in keys): record["ns_per_state"] for record in records}
    print(
        "| model | operator | Pinocchio, ns | results kept, ns | f64, ns | times | times kept "
        "| f32, ns | times | 2 threads |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for model in MODELS:
        for operator in OPERATORS:
            peers = PEER_OF.get(operator, [operator])
            bare = min(time[model, peer, "pinocchio", "f64", 1] for peer in peers)
            kept = min(time[model, peer, "pinocchio, kept", "f64", 1] for peer in peers)
            double = time[model, operator, "bellcrank", "f64", 1]
            single = time[model, operator, "bellcrank", "f32", 1]
            two = double / time[model, operator, "bellcrank", "f64", 2]
            print(
                f"| {model} | {operator} | {bare:.0f} | {kept:.0f} | {double:.0f} | {bare / double:.1f} | "
                f"{kept / double:.1f} | {single:.0f} | {bare / single:.1f} | {two:.2f} |"
            )


if __name__ == "__main__":
    main()
