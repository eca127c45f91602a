"""What was aimed at, what was reached, and where a peer is better."""

from __future__ import annotations

from typing import Any

from .figures import Record, Scene, factor, length, scenes

LOOPS_OVER_KAMINO, LOOPS_OVER_MUJOCO, GAP, TREES_OVER_MUJOCO = 100.0, 1.5, 100.0, 2.0
OPERATORS = {
    ("f64", ("fk", "rnea", "aba", "aba_vjp")): 14.0,
    ("f64", ("rnea_derivatives",)): 10.0,
    ("f64", ("crba",)): 7.0,
    ("f32", ("fk", "rnea", "aba", "aba_vjp", "rnea_derivatives")): 25.0,
    ("f32", ("crba",)): 12.0,
    ("f64, AVX2", ("fk", "rnea", "aba", "aba_vjp")): 8.0,
}
"""How many times faster than Pinocchio, results left in lanes."""


def verdict(reached: float | None, asked: float) -> str:
    if reached is None:
        return "not measured"
    return f"{factor(reached)}" if reached >= asked else f"**{factor(reached)}**, {factor(asked / reached)} times short"


def targets(results: dict[str, Any]) -> str:
    """A line per scene and target."""
    lines = ["| scene | target | reached |", "|---|---|---|"]
    for scene in scenes(results["robots"]):
        facts = results["scenes"][scene.name]
        for told, reached, asked in aims(scene, facts["loops"] > 0, bool(facts["actuators"])):
            lines.append(f"| `{scene.name}` | {told} ≥ {factor(asked)} | {verdict(reached, asked)} |")
    for (precision, names), asked in OPERATORS.items():
        reached = [
            (lead[0], s.name) for s in scenes(results["operators"]) if (lead := operator_lead(s, precision, names))
        ]
        if reached:
            least, name = min(reached)
            told = f"{', '.join(f'`{n}`' for n in names)} over Pinocchio, {precision}"
            lines.append(
                f"| operators, least: {name.removeprefix('tree ')} | {told} ≥ {asked:g} | {verdict(least, asked)} |"
            )
    return "\n".join(["", *lines]) + "\n"


def aims(scene: Scene, loops: bool, robot: bool) -> list[tuple[str, float | None, float]]:
    def lead(peer: str) -> float | None:
        found = scene.lead(scene.ours(), scene.fastest(peer))
        return found[0] if found else None

    first = scene.ours()
    bits = first["who"].removeprefix("Bellcrank ") if first else "f32"
    if not loops:
        return [(f"{bits} over MuJoCo's fastest", lead("MuJoCo"), TREES_OVER_MUJOCO)] if robot else []
    ours, theirs = scene.ours(), scene.most_exact("MuJoCo", "gap_m")
    gap = theirs / ours["gap_m"] if ours and theirs and ours.get("gap_m") else None
    found = [(f"{bits} over Kamino's fastest", lead("Kamino"), LOOPS_OVER_KAMINO)] if scene.peers("Kamino") else []
    return [
        *found,
        (f"{bits} over MuJoCo's fastest", lead("MuJoCo"), LOOPS_OVER_MUJOCO),
        ("gap of MuJoCo's most exact over ours", gap, GAP),
    ]


def operator_lead(scene: Scene, precision: str, names: tuple[str, ...]) -> tuple[float, float, float] | None:
    operator, place = scene.name.split(": ")[1].split(", ")
    if place != "in lanes" or operator not in names:
        return None
    return scene.lead(scene.of(f"Bellcrank {precision}"), scene.of("Pinocchio f64"))


def losses(results: dict[str, Any]) -> str:
    """Every peer that is faster, or more exact, than our default in f32."""
    lines = []
    for scene in scenes(results["robots"]):
        ours = scene.ours()
        for peer in [r for r in scene.records if ours and not r["who"].startswith("Bellcrank") and r["rates"]]:
            lead = scene.lead(ours, peer)
            said = [f"{factor(1 / lead[0])} times faster"] if lead and lead[0] < 1 else []
            said += [better(peer, ours, *what) for what in (("gap_m", "gap"), ("depth_m", "depth"))]
            told = ", ".join(text for text in said if text)
            lines += [f"- `{scene.name}`: {peer['who']} is ahead: {told}"] if told else []
    for scene in scenes(results["piles"]):
        for ours in [r for r in scene.records if r["who"].startswith("Bellcrank") and r["rates"]]:
            peer = scene.fastest("MuJoCo")
            lead = scene.lead(ours, peer)
            if peer and lead and lead[0] < 1:
                lines.append(
                    f"- `{scene.name}`: {peer['who']} is {factor(1 / lead[0])} times faster than {ours['who']}"
                )
    for scene in scenes(results["operators"]):
        lead = scene.lead(scene.of("Bellcrank f64"), scene.of("Pinocchio f64"))
        if lead and lead[0] < 1:
            lines.append(f"- {scene.name}: Pinocchio is {factor(1 / lead[0])} times faster than f64")
    return "\n".join(lines or ["Nowhere in this run."]) + "\n"


def better(peer: Record, ours: Record, what: str, name: str) -> str:
    """Differences below a micrometre are not worth a word."""
    if not peer.get("finite", True) or what not in peer or what not in ours:
        return ""
    return f"{name} {length(peer[what])} against {length(ours[what])}" if peer[what] + 1e-6 < ours[what] else ""
