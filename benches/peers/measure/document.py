"""docs/performance.md and the figures in README.md, from the newest stored run; and whether they still say that."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from . import page
from .figures import Record, Scene, count, factor, length, scenes
from .turns import say

BEGIN, END = "<!-- figures: benches/peers/run.py --document -->", "<!-- end of figures -->"
IMAGES = Path("docs/images/performance")


def write(root: Path, results: Path) -> None:
    """Keeps the run under its date and writes everything that is made from it."""
    run = json.loads(results.read_text())
    kept = root / "benches" / "results" / f"{run['machine']['date']}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if results.resolve() != kept.resolve():
        shutil.copyfile(results, kept)
    for path, text in made(root, kept).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        say(f"written: {path.relative_to(root)}")


def check(root: Path) -> int:
    """Exit code: 1 where something is not what the newest stored run gives."""
    stored = newest(root)
    if stored is None:
        say("there is no stored run in benches/results")
        return 1
    wrong = [path for path, text in made(root, stored).items() if not path.exists() or path.read_text() != text]
    for path in wrong:
        say(f"{path.relative_to(root)} does not say what {stored.relative_to(root)} says")
        say(f"  hint: python3 benches/peers/run.py --document {stored.relative_to(root)}")
    return 1 if wrong else 0


def newest(root: Path) -> Path | None:
    return max((root / "benches" / "results").glob("*.json"), default=None)


def made(root: Path, stored: Path) -> dict[Path, str]:
    """All texts that a stored run gives, by path."""
    run = json.loads(stored.read_text())
    notes = root / "benches" / "results" / "notes.md"
    text, pictures = page.render(run, notes.read_text() if notes.exists() else "", "images/performance/")
    told = f"<!-- made by benches/peers/run.py --document {stored.relative_to(root)} -->\n\n"
    found = {root / "docs" / "performance.md": told + text}
    found.update({root / IMAGES / name: picture for name, picture in pictures.items()})
    found[root / "README.md"] = readme((root / "README.md").read_text(), run)
    return found


def readme(text: str, run: dict[str, Any]) -> str:
    """Puts the figures between the two marks."""
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"README.md has no place for figures: {BEGIN} … {END}")
    return before + BEGIN + "\n" + figures(run) + END + after


SHOWN = {
    "four_bar": "four-bar, driven",
    "biped": "hybrid biped, 6 loops, standing",
    "biped_moving": "the same, moving",
    "cassie": "Cassie, 4 loops",
    "2f85": "2F-85 gripper, closing",
    "quadruped": "quadruped, standing",
    "quadruped_moving": "the same, moving",
    "chain": "chain of rigid links, without a loop",
    "humanoid": "humanoid, sinking to the ground",
}
PILES = {"pile_2x2x3": "12 loose solids, falling", "pile_5x5x5": "125 loose solids, falling"}


def figures(run: dict[str, Any]) -> str:
    m = run["machine"]
    lines = [
        f"One core of {m['processor']} ({m['vectors']}), {m['date']}, f32, against the fastest settings of each",
        "peer, on the same core, and beside the gap of the most exact ones",
        "([all figures, and where we lose](docs/performance.md)). "
        "Kamino is made for graphics cards, which were not compared:\n",
        "| | world-steps per core-second | MuJoCo | Kamino | largest gap of a joint | MuJoCo's |",
        "|---|---|---|---|---|---|",
    ]
    for scene in scenes(run["robots"]):
        ours = scene.ours()
        if scene.name not in SHOWN or ours is None:
            continue
        leads = [scene.lead(ours, scene.fastest(peer)) for peer in ("MuJoCo", "Kamino")]
        times = [words(lead) for lead in leads]
        loops = run["scenes"][scene.name]["loops"]
        gaps = [length(ours["gap_m"]), length(scene.most_exact("MuJoCo", "gap_m"))] if loops else ["–", "–"]
        lines.append("| " + " | ".join([SHOWN[scene.name], count(page.middle(ours)), *times, *gaps]) + " |")
    lines += [row for scene in scenes(run["piles"]) if scene.name in PILES for row in pile(scene)]
    return "\n".join(lines) + "\n"


def words(lead: tuple[float, float, float] | None) -> str:
    """How much faster or slower than a peer: 1.7 × faster, 25 × slower."""
    if lead is None:
        return "–"
    return f"{factor(lead[0])} × faster" if lead[0] >= 1 else f"{factor(1 / lead[0])} × slower"


def pile(scene: Scene) -> list[str]:
    """Both of our contact solvers, each in f32 where that was run."""

    def ours(solver: str) -> Record | None:
        return scene.of(f"Bellcrank {solver} f32") or scene.of(f"Bellcrank {solver} f64")

    found = [(ours("padmm"), ""), (ours("comfree"), ", contacts in closed form")]
    return [
        f"| {PILES[scene.name]}{how}{', f64' if record['who'].endswith('f64') else ''} "
        f"| {count(page.middle(record))} | {words(scene.lead(record, scene.fastest('MuJoCo')))} | – | – | – |"
        for record, how in found
        if record
    ]
