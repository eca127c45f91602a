"""``python -m bellcrank.distributed train TASK``: what ``bellcrank train TASK --ray auto`` does."""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import tempfile
import threading
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Optional, TextIO

from bellcrank.distributed import train
from bellcrank.errors import BellcrankError


def main(words: Optional[list[str]] = None) -> int:
    """Runs it and gives the exit code: 0 done, 1 it cannot be done, 2 wrong arguments."""
    given = _parser().parse_args(words)
    answer = sys.stdout
    with redirect_stdout(sys.stderr):  # Ray tells of its nodes there, in the middle of what programs read
        return _run(given, answer)


def _run(given: argparse.Namespace, answer: TextIO) -> int:
    stop = threading.Event()
    for name in ("SIGINT", "SIGTERM"):  # ends after this update, with everything saved
        signal.signal(getattr(signal, name), lambda *_: stop.set())
    curve: list[dict[str, Any]] = []

    def progress(record: dict[str, Any]) -> bool:
        curve.append(record)
        if not given.json and sys.stderr.isatty():
            print(f"\r{_words(record)}\x1b[K", end="", file=sys.stderr, flush=True)
        return not stop.is_set()

    out = given.out or f"runs/{given.task}-{given.seed}"
    try:
        train(
            given.task,
            **{name: getattr(given, name) for name in ("minutes", "seed", "worlds", "updates", "model", "resume")},
            **{name: getattr(given, name) for name in ("actors", "threads", "staleness")},
            config=_config(given.config, {name: getattr(given, name) for name in ("updates", "random_poses")}),
            out=out,
            address=given.ray,
            progress=progress,
        )
    except (BellcrankError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if curve:
        _tell(given, out, curve, answer)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bellcrank.distributed")
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="let a policy learn a task on a cluster of Ray")
    train.add_argument("task")
    train.add_argument("--ray", default="auto", metavar="auto|ADDRESS", help="the cluster [default: auto]")
    train.add_argument("--minutes", type=float, default=15.0)
    train.add_argument("--seed", type=int, default=1)
    for name in ("--worlds", "--updates", "--actors", "--random-poses"):
        train.add_argument(name, type=int, metavar="N")
    train.add_argument("--threads", type=int, default=0, metavar="T", help="of each actor; 0 for all of its place")
    train.add_argument("--staleness", type=int, default=0, choices=(0, 1))
    train.add_argument("--config", metavar="FILE.toml")
    train.add_argument("--model", metavar="FILE")
    train.add_argument("--out", metavar="DIR", help="a folder, or s3://…; [default: runs/TASK-SEED]")
    train.add_argument("--resume", action="store_true")
    train.add_argument("--json", action="store_true")
    return parser


def _config(file: Optional[str], more: dict[str, Optional[int]]) -> Any:
    """A file, and what arguments say instead."""
    told = {name: value for name, value in more.items() if value is not None}
    if not told:
        return file
    text = "" if file is None else Path(file).read_text("utf-8")
    for name in told:
        text = re.sub(rf"(?m)^{name}\s*=.*$", "", text)
    # names of the file itself come before its tables
    text = "".join(f"{name} = {value}\n" for name, value in told.items()) + text
    with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False, encoding="utf-8") as merged:
        merged.write(text)
    return merged.name


def _words(record: dict[str, Any]) -> str:
    total, falls = record["return_mean"], record["fall_fraction"]
    text = "no episode has ended yet" if total is None else f"return {total:.0f}  falls {100 * falls:.1f} %"
    speed = f"{record['transitions_per_second']:,.0f}/s  learner {100 * record['learner_share']:.0f} %"
    faults = f"  faults {record['faults']}" if record["faults"] else ""
    return f"{record['update']:5}  {text}  {record['transitions'] / 1e6:.2f} M transitions  {speed}{faults}"


def _tell(given: argparse.Namespace, out: str, curve: list[dict[str, Any]], answer: TextIO) -> None:
    last = curve[-1]
    figures = {
        "task": given.task,
        "seed": given.seed,
        "minutes": last["seconds"] / 60.0,
        "updates": last["update"],
        "transitions": last["transitions"],
        "transitions_per_second": last["transitions"] / max(last["seconds"], 1e-9),
        "learner_share": sum(record["learner_share"] for record in curve) / len(curve),
        **{name: last[name] for name in ("return_mean", "fall_fraction", "actors", "nodes", "faults")},
        **{name: last[name] for name in last if "_bytes_per_" in name},
        "policy": f"{out}/policy.safetensors",
    }
    if given.json:
        print(json.dumps(figures), file=answer)
        return
    print(f"\n{_words(last)}", file=sys.stderr)
    place = f"{last['actors']} actors, {last['nodes']} nodes"
    print(f"{given.task}, seed {given.seed}: {figures['minutes']:.1f} min on {place}", file=answer)
    print(f"policy: {figures['policy']}\ntry it: bellcrank evaluate {figures['policy']}", file=answer)


if __name__ == "__main__":
    sys.exit(main())
