"""A recording as a log for Rerun, by the package ``rerun-sdk``.

What is told is what the engine's own log for Foxglove (MCAP) has: where every body is at every moment, and once what it
looks like.
"""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bellcrank.errors import NotInstalled

_MAGIC = 8  # bytes at the head of an MCAP file
_MESSAGE = 5


def save(write_log: Callable[[Path], None], target: Path) -> None:
    """Lets an MCAP file be written, and writes the same as ``.rrd``; half a file is never left there."""
    try:
        import rerun
    except ImportError as error:
        hint = 'pip install "rerun-sdk"; or save a .mcap, which needs nothing'
        raise NotInstalled(f"a log for Rerun needs rerun-sdk, which cannot be imported: {error}", hint=hint) from error
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.mcap"
        write_log(log)
        part = target.with_name(target.name + ".part")
        try:
            with rerun.RecordingStream("bellcrank") as stream:
                stream.save(part)
                _tell(rerun, stream, log.read_bytes())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _tell(rerun: Any, stream: Any, log: bytes) -> None:
    stream.log("world", rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    for nanoseconds, message in _messages(log):
        for entity in message.get("entities", []):
            for number, shape in enumerate(entity["triangles"]):
                _look(rerun, stream, f"world/{entity['frame_id']}/{number}", shape)
        stream.set_time("time", duration=1e-9 * nanoseconds)
        for frame in message.get("transforms", []):
            place, turn = frame["translation"], frame["rotation"]
            pose = rerun.Transform3D(
                translation=[place[axis] for axis in "xyz"],
                quaternion=rerun.Quaternion(xyzw=[turn[part] for part in "xyzw"]),
            )
            stream.log(f"world/{frame['child_frame_id']}", pose)


def _look(rerun: Any, stream: Any, path: str, shape: dict[str, Any]) -> None:
    """A surface, fixed to its body."""
    place, turn, color = shape["pose"]["position"], shape["pose"]["orientation"], shape["color"]
    pose = rerun.Transform3D(
        translation=[place[axis] for axis in "xyz"],
        quaternion=rerun.Quaternion(xyzw=[turn[part] for part in "xyzw"]),
    )
    stream.log(path, pose, static=True)
    corners = shape["indices"]
    surface = rerun.Mesh3D(
        vertex_positions=[[point[axis] for axis in "xyz"] for point in shape["points"]],
        triangle_indices=[corners[k : k + 3] for k in range(0, len(corners), 3)],
        albedo_factor=[round(255 * color[part]) for part in "rgba"],
    )
    stream.log(path, surface, static=True)


def _messages(log: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Moments [ns] and messages of an MCAP file without compression: records of a kind, a length and their bytes."""
    at = _MAGIC
    while at + 9 <= len(log):
        kind, length = struct.unpack_from("<BQ", log, at)
        if kind == _MESSAGE:
            (nanoseconds,) = struct.unpack_from("<Q", log, at + 9 + 6)
            yield nanoseconds, json.loads(log[at + 9 + 22 : at + 9 + length])
        at += 9 + length
