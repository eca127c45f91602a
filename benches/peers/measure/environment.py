"""The virtual environment of the peers, and what the figures belong to: versions, processor, date."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import venv
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = {
    "mujoco": ["mujoco==4.0.0", "numpy"],
    "kamino": ["newton==1.7.0", "warp-lang==1.19.0", "numpy"],
    "pinocchio": ["pin==4.1.0", "cmeel-eigen"],
}
"""What each peer needs from PyPI."""


@dataclass
class Environment:
    """An interpreter with the peers that could be installed, and why the others could not."""

    python: Path
    missing: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


def make_environment(folder: Path, peers: list[str]) -> Environment:
    """Makes the environment, or takes the one that is there; a peer that does not install is no reason to stop."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    environment = Environment(python)
    for peer in peers:
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES[peer]]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        if told.returncode != 0:
            lines = [line for line in told.stderr.splitlines() if line.strip()]
            environment.missing[peer] = f"pip: {lines[-1] if lines else 'failed'}"
    environment.versions = installed(python)
    return environment


def installed(python: Path) -> dict[str, str]:
    """Versions of the packages that matter."""
    wanted = sorted({package.split("==")[0] for packages in PACKAGES.values() for package in packages})
    program = (
        "import importlib.metadata as m, json, sys\n"
        "found = {}\n"
        "for name in sys.argv[1:]:\n"
        "    try: found[name] = m.version(name)\n"
        "    except m.PackageNotFoundError: pass\n"
        "print(json.dumps(found))"
    )
    told = subprocess.run([str(python), "-c", program, *wanted], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(told.stdout)
    return found


def machine() -> dict[str, object]:
    """What the figures were taken on."""
    name = platform.processor() or platform.machine()
    flags: set[str] = set()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
        elif key.strip() == "flags":
            flags = set(value.split())
    widest = next((told for flag, told in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "")
    return {
        "processor": name,
        "vectors": widest,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "date": datetime.date.today().isoformat(),
        "load": round(os.getloadavg()[0], 1),
    }
