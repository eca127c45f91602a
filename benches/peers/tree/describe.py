"""Writes what Pinocchio made of a URDF as the plain text that the C++ program reads. Runs where Pinocchio is installed.

python describe.py MODEL.urdf MODEL.txt
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import pinocchio


def describe(urdf: Path, text: Path) -> None:
    root = xml.parse(urdf).getroot()
    carries = {joint.find("parent").get("link") for joint in root.findall("joint")}
    for link in root.findall("link"):
        if link.get("name") == "world" and "world" not in carries:
            root.remove(link)  # carries the ground and nothing else: Pinocchio takes one tree only
        for part in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(part)
    base = [] if "world" in carries else [pinocchio.JointModelFreeFlyer()]
    model = pinocchio.buildModelFromXML(xml.tostring(root, encoding="unicode"), *base)
    lines = [str(model.njoints - 1)]
    for i in range(1, model.njoints):
        kind, axis = kind_of(model.joints[i])
        placement, inertia = model.jointPlacements[i], model.inertias[i]
        J = inertia.inertia
        numbers = [*axis, *placement.rotation.flatten(), *placement.translation, inertia.mass, *inertia.lever]
        numbers += [J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]]
        lines.append(" ".join([str(model.parents[i]), kind, *(repr(float(x)) for x in numbers)]))
    text.write_text("\n".join(lines) + "\n")


def kind_of(joint: Any) -> tuple[str, list[float]]:
    name = joint.shortname()
    if "FreeFlyer" in name:
        return "free", [0, 0, 0]
    if "Unaligned" in name:
        return "any", list(joint.extract().axis)
    for kind in "xyz":  # a continuous joint (RUBX) costs no more as an ordinary one (RX)
        if name.endswith(kind.upper()):
            return kind, [0, 0, 0]
    raise SystemExit(f"no kind of joint for {name}")


if __name__ == "__main__":
    describe(Path(sys.argv[1]), Path(sys.argv[2]))
