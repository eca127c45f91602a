"""Pictures and films that the processor draws."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import envs, errors


def ball() -> bc.Batch:
    """A red ball of 0.5 m at a height of 2 m, twice; the second 0.5 m lower."""
    builder = bc.ModelBuilder("ball")
    builder.shape("floor", None, "plane")
    builder.body("ball", position=(0, 0, 2), mass=1.0, sphere=0.5)
    builder.shape("ball", "ball", "sphere", radius=0.5, color=(0.8, 0.1, 0.1, 1.0))
    batch = bc.Batch(builder.build(), worlds=2)
    batch.body_position[1, 0, 2] = 1.5
    return batch


CAMERA = bc.Camera(eye=(5, 0, 2), target=(0, 0, 2), field_of_view=0.8)


def test_every_world_has_its_picture() -> None:
    batch = ball()
    pictures = batch.render(64, 48, camera=CAMERA)
    assert pictures.shape == (2, 48, 64, 3)
    assert pictures.dtype == np.uint8
    red = (pictures[..., 0] > 1.5 * pictures[..., 1]) & (pictures[..., 0] > 1.5 * pictures[..., 2])
    top = [np.flatnonzero(world.any(axis=1))[0] for world in red]
    # 0.5 m at a distance of 5 m: 24 pixels stand for 5 tan 0.4 = 2.1 m
    assert top[1] - top[0] == pytest.approx(24 * 0.5 / 2.11, abs=1)
    np.testing.assert_array_equal(batch.render(64, 48, camera=CAMERA, worlds=1), pictures[1])
    assert batch.render().shape == (2, 240, 320, 3)


def test_depths_are_metres_and_segments_are_bodies() -> None:
    batch = ball()
    depth = batch.render(33, 25, camera=CAMERA, kind="depth")
    segments = batch.render(33, 25, camera=CAMERA, kind="segmentation")
    assert depth.dtype == np.float32
    assert segments.dtype == np.int32
    assert depth[0, 12, 16] == pytest.approx(4.5, abs=0.04)  # eight corners to a circle
    assert segments[0, 12, 16] == 0
    assert set(np.unique(segments)) == {-2, -1, 0}
    assert np.isinf(depth[segments == -2]).all()
    # rays to the floor, worked out here: 2 m below the eye
    down = np.tan(0.4) * (np.arange(25) - 12) / 12.5
    floor = segments[0, :, 0] == -1
    np.testing.assert_allclose(depth[0, floor, 0], 2.0 / down[floor], rtol=1e-4)


def test_a_body_carries_a_camera() -> None:
    batch = ball()
    below = bc.Camera(eye=(0, 0, -0.6), target=(0, 0, -1), up=(1, 0, 0), body="ball")
    depth = batch.render(9, 9, camera=below, kind="depth")
    np.testing.assert_allclose(depth[:, 4, 4], [1.4, 0.9], rtol=1e-4)


def test_models_have_cameras() -> None:
    builder = bc.ModelBuilder("two")
    builder.body("ball", position=(0, 0, 2), mass=1.0, sphere=0.5)
    builder.shape("ball", "ball", "sphere", radius=0.5)
    builder.camera("below", "ball", eye=(0, 0, -0.6), target=(0, 0, -1.6))
    builder.camera("tripod", None, eye=(5, 0, 2), target=(0, 0, 2), field_of_view=0.8)
    builder.camera("beside", "ball", eye=(5, 0, 0), target=(0, 0, 0), field_of_view=0.8, mode="track")
    builder.camera("eye", None, position=(5, 0, 2), mode="target", body="ball", field_of_view=0.8)
    model = builder.build()
    assert model.camera_names == ["below", "tripod", "beside", "eye"]
    assert model.camera_id("beside") == 2
    batch = bc.Batch(model, worlds=2)
    first = batch.render(33, 25, camera="tripod", kind="segmentation")[0]
    np.testing.assert_array_equal(first, batch.render(33, 25, camera=CAMERA, worlds=0, kind="segmentation"))
    batch.body_position[1] = [[0, 3, 2]]
    seen = {name: batch.render(33, 25, camera=name, worlds=1, kind="segmentation") == 0 for name in model.camera_names}
    middle = {name: ball[12, 16] for name, ball in seen.items()}
    assert middle == {"below": False, "tripod": False, "beside": True, "eye": True}
    with pytest.raises(errors.BellcrankError, match="did you mean 'beside'|did you mean \"beside\""):
        batch.render(camera="besides")
    with pytest.raises(errors.WrongType, match="name of one"):
        batch.render(camera=3)  # type: ignore[arg-type]
    with pytest.raises(errors.WrongValue, match="center_of_mass"):
        builder.camera("wrong", None, mode="trackcom")
    with pytest.raises(errors.WrongType, match="body= is missing"):
        builder.camera("blind", None, mode="target")


def test_a_recording_becomes_a_log_for_rerun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    batch = bc.Batch(bc.load("four_bar"))
    with batch.record() as recording:
        batch.step(25)
    path = recording.save(tmp_path / "bar.rrd")
    told = path.read_bytes()
    assert told[:3] == b"RRF" and all(f"world/world_0/{name}".encode() in told for name in batch.models[0].body_names)
    assert [file.name for file in tmp_path.iterdir()] == ["bar.rrd"]
    monkeypatch.setitem(sys.modules, "rerun", None)  # what Python does for a package that is not there
    with pytest.raises(errors.NotInstalled, match="needs rerun-sdk"):
        recording.save(tmp_path / "other.rrd")


def test_wrong_pictures_are_told() -> None:
    batch = ball()
    with pytest.raises(errors.WrongValue, match="segmentation"):
        batch.render(kind="colour")
    with pytest.raises(errors.BellcrankError, match="between 1 and 8192"):
        batch.render(0, 10)
    with pytest.raises(errors.BellcrankError, match="must differ"):
        batch.render(camera=bc.Camera((0, 0, 0), (0, 0, 0)))
    with pytest.raises(errors.BellcrankError, match="ball"):
        batch.render(camera=bc.Camera((0, 0, 0), (0, 0, 1), body="bull"))


def test_recordings_become_films_and_pictures(tmp_path: Path) -> None:
    batch = ball()
    with batch.record(frames_per_second=20) as recording:
        batch.step(round(0.5 / batch.dt))
    film = recording.save(tmp_path / "fall.gif", size=(160, 90))
    assert film.read_bytes()[:6] == b"GIF89a"
    frames = film.read_bytes().count(b"\x21\xf9\x04")  # graphic control extensions
    assert frames == 11
    width, height, pixels = png(recording.save(tmp_path / "fall.png", size=(160, 90)).read_bytes())
    assert (width, height) == (160, 90)
    assert pixels.std() > 1.0
    with pytest.raises(errors.BellcrankError, match=r"(?s)fall\.avi.*\.gif"):
        recording.save(tmp_path / "fall.avi")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fall.gif", "fall.png"]


def png(data: bytes) -> tuple[int, int, np.ndarray[Any, Any]]:
    """Width, height and bytes of the rows of a PNG, read by hand."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, size = 8, b"", (0, 0)
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if name == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if name == b"IDAT":
            packed += body
        at += 12 + length
    return size[0], size[1], np.frombuffer(zlib.decompress(packed), np.uint8)


def test_environments_render_for_gymnasium(tmp_path: Path) -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    single = gymnasium.make("bellcrank/CartpoleSwingUp-v0", render_mode="rgb_array")
    single.reset(seed=1)
    picture = single.render()
    assert picture.shape == (240, 320, 3)
    assert picture.std() > 1.0
    single.step(np.ones(single.action_space.shape, np.float32))
    assert (single.render() != picture).any()
    assert single.metadata["render_fps"] == round(1.0 / single.unwrapped.env.seconds_per_action)
    several = gymnasium.make_vec("bellcrank/Hopper-v0", num_envs=3, render_mode="rgb_array")
    several.reset(seed=1)
    assert [frame.shape for frame in several.render()] == [(240, 320, 3)] * 3
    assert envs.BatchedEnv("hopper", 1).batch.render(8, 8).shape == (1, 8, 8, 3)


def test_a_recording_becomes_a_moving_scene(tmp_path: Path) -> None:
    batch = bc.Batch(bc.load("four_bar"), worlds=2)
    with batch.record() as recording:
        batch.step(25)
    data = recording.save(tmp_path / "bar.glb").read_bytes()
    assert data[:4] == b"glTF" and int.from_bytes(data[8:12], "little") == len(data)
    told = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    moved = {channel["target"]["node"] for channel in told["animations"][0]["channels"]}
    assert sorted(told["nodes"][node]["name"] for node in moved) == sorted(2 * batch.models[0].body_names)


def test_a_recording_becomes_a_log_that_others_read(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    batch = bc.Batch(bc.load("hybrid_biped"))
    with batch.record() as recording:
        batch.step(25)
    with recording.save(tmp_path / "biped.mcap").open("rb") as file:
        messages = [(channel.topic, message) for _, channel, message in reader.NonSeekingReader(file).iter_messages()]
    transforms = [json.loads(message.data)["transforms"] for topic, message in messages if topic == "/tf"]
    assert [topic for topic, _ in messages].count("/scene") == 1
    assert len(transforms) == 4  # 0.1 s at 30 frames per second, the first among them
    names = [frame["child_frame_id"] for frame in transforms[-1]]
    assert names == [f"world_0/{name}" for name in batch.models[0].body_names]
