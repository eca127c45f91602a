"""A run as a page: what was reached, where we lose, and every figure."""

from __future__ import annotations

from typing import Any

from . import pictures
from .figures import Record, Scene, count, length, many, rate, scenes, share, small
from .laws import KEEPS_ENERGY, KEEPS_MOMENTUM, verdict
from .targets import losses, targets

FIRST = "Bellcrank f32"
OPERATOR_TARGET_NOTE = "Operators leave their results in lanes, or write an array with a row per state."
TITLES = {
    "four_bar": "Four-bar, the crank driven at one turn a second",
    "chain": "Chain of ten links, let go",
    "biped": "Hybrid biped, standing",
    "biped_moving": "Hybrid biped, new random targets every ten steps",
    "five_bar": "Quadruped on five-bar legs, standing",
    "quadruped": "Quadruped without loops, standing",
    "quadruped_moving": "Quadruped without loops, new random targets every ten steps",
    "humanoid": "Humanoid without loops, let go: it sinks to the ground",
    "cassie": "Cassie (MuJoCo Menagerie), let go without control",
    "2f85": "Robotiq 2F-85 (MuJoCo Menagerie), closing",
    "pile_2x2x3": "Small pile: 12 solids fall, 1.5 s",
    "pile_5x5x5": "Large pile: 125 solids fall, 2 s",
}


def render(results: dict[str, Any], notes: str, images: str) -> tuple[str, dict[str, str]]:
    """The text, and pictures by file name; `images` is where the text looks for them."""
    drawn = draw(results)
    show = {name: f"![{name.removesuffix('.svg')}]({images}{name})\n" for name in drawn}
    parts = [
        "# Performance\n",
        origin(results),
        "## In short\n",
        summary(results),
        show.get("speed.svg", ""),
        show.get("accuracy.svg", ""),
        "## Targets\n" + targets(results) if results["robots"] or results["operators"] else "",
        "## Where we lose\n\n" + losses(results) if results["robots"] else "",
        notes,
        "## Robots and linkages\n\n" + METHOD if results["robots"] else "",
        *(robot(results, scene) for scene in scenes(results["robots"])),
        "## Piles\n\n" + PILES if results["piles"] else "",
        *(pile(scene) for scene in scenes(results["piles"])),
        "## Operators on trees\n\n" + operators(results) if results["operators"] else "",
        "## Worlds, links, contacts\n\n" + CURVES if results["curves"] else "",
        *(show[name] for name in ("worlds.svg", "links.svg", "memory.svg", "contacts.svg") if name in show),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part), drawn


METHOD = """World-steps per second of processor time on one core: the median of the rounds, with the slowest and the
fastest. "f32 ×" and "f64 ×" say how many times faster our lanes are, as the median of the ratios round by round with
its spread. *Gap* is the largest distance and misalignment of any joint, *depth* how far the lowest shape was under the
ground, both worked out from the bodies' states by the same lines for every engine, about a hundred times from the
start on. *Energy* is its largest change over the largest kinetic energy, where nothing takes or gives any. *Residual*
is what the engine's solver says of itself, in its own terms, so it compares settings of one engine only.

*Momentum adrift* and *energy adrift* are of the scene's companion: the same mechanism coasts for a second in empty
space at 1 m/s and 3 rad/s, from the same pose, without gravity, contacts, motors, springs, dampers, friction
and limits; what is
fastened to the world floats with a body in its place. Momentum is the larger error of both momenta (the
angular one about the
centre of mass), energy that of the motion about the centre of mass, each the largest change from the start as
a share of itself.
An engine *keeps* momentum to %MOMENTUM%, energy to %ENERGY%, or *loses* it.
""".replace("%MOMENTUM%", f"{KEEPS_MOMENTUM:.0e}").replace("%ENERGY%", f"{KEEPS_ENERGY:.0e}")
PILES = """The whole fall counts, in processor time per world; depths are the engine's own, of contacts that push, every
tenth step. Adrift a pile is weightless, rises and contracts for a second, so that its solids hit each other
and nothing else:
momentum stays, and energy about the centre of mass only falls, so that what counts is its growth.
"""
CURVES = """`bellcrank-bench worlds`, `chain` and `contact`, without any peer.
"""


def origin(results: dict[str, Any]) -> str:
    m, versions = results["machine"], results["versions"]
    names = {"bellcrank": "Bellcrank", "mujoco": "MuJoCo", "newton": "Newton", "warp-lang": "Warp", "pin": "Pinocchio"}
    told = ", ".join(f"{name} {versions[key]}" for key, name in names.items() if key in versions)
    lines = [
        f"Measured on {m['date']}: {m['processor']} ({m['vectors']}, {m['cores']} cores), Python {m['python']};",
        f"{told}. {results['rounds']} rounds in turns, {results['seconds']} s in all, load {m['load']} at the end.",
        "To repeat it:\n",
        f"```sh\ncargo build --release -p bellcrank-bench\n{results['command']}\n```",
    ]
    lines += [f"\n{results['remark']}"] if results.get("remark") else []
    lines += [f"\n{peer} could not take part: {why}." for peer, why in results["missing"].items()]
    return "\n".join(lines) + "\n"


def summary(results: dict[str, Any]) -> str:
    """One line per scene: our rate, and the fastest and the most exact of each peer."""
    head = ["scene", "f32, per core-second", "× MuJoCo", "× Kamino", "gap", "MuJoCo's", "Kamino's", "depth", "MuJoCo's"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for scene in scenes(results["robots"]):
        ours = scene.ours()
        if ours is None:
            continue
        told = count(middle(ours)) + ("" if ours["who"] == FIRST else " (f64)")
        cells = [f"`{scene.name}`", told]
        cells += [many(scene.lead(ours, scene.fastest(peer))) for peer in ("MuJoCo", "Kamino")]
        cells += [length(ours.get("gap_m")), *(length(scene.most_exact(p, "gap_m")) for p in ("MuJoCo", "Kamino"))]
        cells += [length(ours.get("depth_m")), length(scene.most_exact("MuJoCo", "depth_m"))]
        lines.append("| " + " | ".join(cells) + " |")
    told = "Against the fastest setting of each peer, and beside the most exact one, which is seldom the same."
    return "\n".join([*lines, "", told]) + "\n"


def middle(record: Record) -> float:
    return sorted(record["rates"])[len(record["rates"]) // 2]


def robot(results: dict[str, Any], scene: Scene) -> str:
    facts = results["scenes"][scene.name]
    said = (
        f"{facts['bodies']} bodies, {facts['joints']} joints, {facts['loops']} loops, {facts['mobility']} freedoms, "
        f"{facts['redundant_rows']} redundant rows, {facts['actuators']} motors; step {1e3 * facts['dt']:g} ms, "
        f"{facts['duration']:g} s looked at, lanes of {facts['worlds']} worlds."
    )
    limits = [what for what in facts["left_out"] if "speed limit" in what]
    said += f" Our {len(limits)} speed limits have no counterpart and are ours alone." if limits else ""
    head = [
        "who",
        "per core-second",
        "f32 ×",
        "f64 ×",
        "gap",
        "angle",
        "depth",
        "energy",
        "momentum adrift",
        "energy adrift",
    ]
    head += ["laws", "residual", "iterations", "converged"]
    lines = [f"### {TITLES.get(scene.name, scene.name)}\n", said + "\n"]
    lines += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for r in scene.records:
        if r["failure"]:
            lines.append(f"| {r['who']} | {r['failure']} |" + " |" * (len(head) - 2))
            continue
        leads = [
            many(scene.lead(scene.of(who), r)) if not r["who"].startswith("Bell") else ""
            for who in (FIRST, "Bellcrank f64")
        ]
        if r.get("finite") is False:
            lines.append(f"| {r['who']} | {rate(r)} | " + " | ".join(leads) + " | left the numbers |" + " |" * 9)
            continue
        cells = [r["who"], rate(r), *leads, length(r["gap_m"]), small(r["gap_rad"]), length(r["depth_m"])]
        cells += [
            energy(r),
            *laws(r),
            small(r["residual_max"]),
            f"{r['iterations']:.3g}",
            share(r["converged"]),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def energy(r: Record) -> str:
    """The drift; a peer that gave up and started anew says so."""
    return "unstable, started anew" if r.get("warned_max") else share(r.get("energy_drift"))


def laws(r: Record) -> list[str]:
    """Momentum, energy and the verdict on them."""
    return [small(r.get("momentum_error")), small(r.get("energy_error")), verdict(r)]


def pile(scene: Scene) -> str:
    head = ["who", "worlds", "contacts", "world-steps per core-second", "depth, mean", "depth, most"]
    head += ["momentum adrift", "energy gained adrift", "laws"]
    lines = [f"### {TITLES.get(scene.name, scene.name)}\n", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for r in scene.records:
        if r["failure"]:
            lines.append(f"| {r['who']} | {r['failure']} |" + " |" * (len(head) - 2))
            continue
        cells = [r["who"], str(r["worlds"]), f"{r['contacts']:.0f}", rate(r)]
        lines.append("| " + " | ".join([*cells, length(r["depth_mean_m"]), length(r["depth_m"]), *laws(r)]) + " |")
    return "\n".join(lines) + "\n"


def operators(results: dict[str, Any]) -> str:
    """Nanoseconds per state, and how many times faster."""
    narrower = [f"Bellcrank {bits}, AVX2" for bits in ("f64", "f32")]
    whose = ["Bellcrank f64", FIRST, *(who for who in narrower if any(r["who"] == who for r in results["operators"]))]
    head = ["model", "operator", "results", "Pinocchio, ns"]
    head += [cell for who in whose for cell in (f"{who.removeprefix('Bellcrank ')}, ns", "×")]
    lines = [OPERATOR_TARGET_NOTE + "\n", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for scene in scenes(results["operators"]):
        model, rest = scene.name.removeprefix("tree ").split(": ")
        operator, place = rest.split(", in ")
        peer, cells = scene.of("Pinocchio f64"), [model, f"`{operator}`", place]
        cells.append(f"{1e9 / middle(peer):.0f}" if peer else "–")
        for who in whose:
            ours = scene.of(who)
            cells += [f"{1e9 / middle(ours):.0f}" if ours else "–", many(scene.lead(ours, peer))]
        lines.append("| " + " | ".join(cells) + " |")
    why = {r["failure"] for r in results["operators"] if r["failure"]}
    return "\n".join([*lines, *(f"\nPinocchio could not take part: {text}." for text in sorted(why))]) + "\n"


def draw(results: dict[str, Any]) -> dict[str, str]:
    found = {}
    if results["robots"]:
        groups = {s.name: {r["who"]: middle(r) for r in s.records if r["rates"]} for s in scenes(results["robots"])}
        found["speed.svg"] = pictures.bars("Speed", "world-steps per second of one core", groups)
        clouds: dict[str, pictures.Points] = {}
        for scene in (s for s in scenes(results["robots"]) if results["scenes"][s.name]["loops"]):
            for r in (r for r in scene.records if r["rates"] and r.get("gap_m")):
                clouds.setdefault(r["who"], []).append((middle(r), r["gap_m"]))
        axes = ("world-steps per second of one core", "largest gap of a joint [m]")
        found["accuracy.svg"] = pictures.curves(
            "Loops: right is faster, below is more exact", axes, clouds, joined=False
        )
    return {**found, **draw_curves(results["curves"])}


def draw_curves(records: list[Record]) -> dict[str, str]:
    def lines(scene: str, name: Any, x: Any, y: str) -> dict[str, pictures.Points]:
        found: dict[str, pictures.Points] = {}
        for r in records:
            if r["scene"] == scene and y in r:
                found.setdefault(name(r), []).append((x(r), r[y]))
        return found

    def leading(r: Record) -> float:
        return float(r["model"].split()[0])

    def threads(r: Record) -> str:
        return f"{r['precision']}, {r['threads']} thread{'s' if r['threads'] > 1 else ''}"

    if not records:
        return {}
    alone = [r for r in records if r["scene"] != "contact" or r.get("worlds") == 1]
    contacts: dict[str, pictures.Points] = {}
    for r in (r for r in alone if r["scene"] == "contact"):
        contacts.setdefault(r["solver"], []).append((r["contacts_mean"], r["microseconds_per_step"]))
    per_core = "world_steps_per_core_second"
    return {
        "worlds.svg": pictures.curves(
            "Bipeds at a time",
            ("worlds", "world-steps per second"),
            lines("worlds", threads, leading, "world_steps_per_second"),
        ),
        "links.svg": pictures.curves(
            "Links of a chain", ("links", "world-steps per core-second"), lines("chain", precision, leading, per_core)
        ),
        "memory.svg": pictures.curves(
            "Memory of a chain",
            ("links", "bytes per world"),
            lines("chain", precision, leading, "memory_bytes_per_world"),
        ),
        "contacts.svg": pictures.curves("Contacts in one world, f64", ("contacts", "µs per step"), contacts),
    }


def precision(r: Record) -> str:
    return str(r["precision"])
