"""Ray, where it is installed; a clear word where it is not."""

from __future__ import annotations

import os
import socket
from importlib import import_module
from pathlib import Path
from typing import Any, Optional

from bellcrank.errors import NotInstalled, WrongValue

HINT = 'pip install "bellcrank[ray]"'


def needed(module: str, purpose: str) -> Any:
    """A module of the extra ``ray``."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise NotInstalled(f"{purpose} needs {package}, which cannot be imported: {error}", hint=HINT) from error


def load() -> Any:
    """The module ``ray``."""
    return needed("ray", "bellcrank.distributed")


def connect(address: Optional[str] = "auto") -> Any:
    """Ray, connected to a cluster: the one of that address; for ``"auto"`` the one that this program is connected to
    already, else the one that runs on this machine, else this machine alone.
    """
    ray = load()
    if ray.is_initialized():
        return ray
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "warning"}
    wanted = os.environ.get("RAY_ADDRESS") or _last() if address in (None, "auto") else address
    if wanted is not None and wanted != "local" and _listens(wanted):
        ray.init(address=wanted, **quiet)
    elif wanted in (None, "local") or address in (None, "auto"):
        ray.init(address="local", include_dashboard=False, **quiet)
    else:
        raise WrongValue(
            f"there is no cluster of Ray at {address!r}", hint='its address is HOST:6379; "auto" finds one'
        )
    return ray


def _last() -> Optional[str]:
    """Where Ray says that the last cluster of this machine is; it may be gone, which Ray would take minutes to find
    out.
    """
    file = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "ray_current_cluster"
    try:
        return file.read_text("utf-8").strip() or None
    except OSError:
        return None


def _listens(address: str, timeout: float = 2.0) -> bool:
    """Whether somebody is there. Addresses of Ray's own kind (``ray://``) are left to Ray."""
    host, colon, port = address.rpartition(":")
    if "://" in address or not colon or not port.isdigit():
        return "://" in address
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout):
            return True
    except OSError:
        return False


def lost(ray: Any) -> tuple[type[BaseException], ...]:
    """What is raised where an actor, its node or its answer is gone."""
    errors = ray.exceptions
    names = (
        "RayActorError",
        "ObjectLostError",
        "NodeDiedError",
        "WorkerCrashedError",
        "OwnerDiedError",
        "RaySystemError",
    )
    return tuple(getattr(errors, name) for name in names if hasattr(errors, name))


def answers(ray: Any, node: str, timeout: float = 1.0) -> bool:
    """Whether a node is there: whether somebody listens at its port. A cluster believes in dead ones for a while."""
    for entry in ray.nodes():
        if entry["NodeID"] == node and entry["Alive"]:
            try:
                with socket.create_connection((entry["NodeManagerAddress"], entry["NodeManagerPort"]), timeout):
                    return True
            except OSError:
                return False
    return False
