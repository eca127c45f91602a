"""Recordings and the live viewer."""

from __future__ import annotations

import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import errors


@pytest.fixture
def batch() -> bc.Batch:
    return bc.Batch(bc.load("four_bar"), worlds=3)


def test_a_recording_becomes_a_page(batch: bc.Batch, tmp_path: Path) -> None:
    with batch.record(frames_per_second=50, worlds=[0, 2]) as recording:
        assert isinstance(recording, bc.Recording)
        assert recording.active
        assert "recording" in repr(recording)
        batch.step(20)
        batch.step(5)
    assert not recording.active
    assert recording.html.lower().startswith("<!doctype html>")
    path = recording.save(tmp_path / "out.html")
    assert path.read_text(encoding="utf-8") == recording.html
    shown = recording._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count('"') < 20  # the page inside is escaped
    assert "kB" in repr(recording)
    recording.stop()  # twice is fine
    batch.record().stop()  # and there may be another


def test_recording_changes_no_bit(batch: bc.Batch) -> None:
    plain = bc.Batch(batch.model, worlds=3)
    with batch.record(frames_per_second=17):
        batch.target_position += 0.3
        report = batch.step(40)
    plain.target_position += 0.3
    other = plain.step(40)
    assert batch.snapshot() == plain.snapshot()
    np.testing.assert_array_equal(report.loop_gap, other.loop_gap)
    np.testing.assert_array_equal(report.converged, other.converged)


def test_a_recording_survives_its_batch(batch: bc.Batch) -> None:
    recording = batch.record()
    batch.step(3)
    batch.close()
    assert len(recording.html) > 1000


def test_wrong_recordings_are_told(batch: bc.Batch, tmp_path: Path) -> None:
    with pytest.raises(errors.BadRate):
        batch.record(frames_per_second=0.0)
    with pytest.raises(errors.NoSuchWorld):
        batch.record(worlds=[3])
    recording = batch.record()
    with pytest.raises(errors.WrongValue, match="recorded already"):
        batch.record()
    with pytest.raises(FileNotFoundError):
        recording.save(tmp_path / "no" / "such" / "folder.html")
    batch.close()
    with pytest.raises(errors.BatchClosed):
        batch.record()


def test_the_viewer_serves_its_page_and_follows_steps(batch: bc.Batch) -> None:
    with batch.view() as viewer:
        assert isinstance(viewer, bc.Viewer)
        assert viewer.url.startswith("http://127.0.0.1:")
        assert viewer.url in viewer._repr_html_()
        assert viewer.url in repr(viewer)
        assert viewer.watchers == 0
        with urllib.request.urlopen(viewer.url, timeout=10) as page:
            assert page.read(15).lower() == b"<!doctype html>"
        q = batch.joint_position
        before = q.copy()
        batch.target_position += 0.5
        time.sleep(0.2)  # the viewer's thread has the worlds now
        batch.step(20)
        assert not np.array_equal(q, before)
        with pytest.raises(errors.WrongValue, match="shown already"):
            batch.view()
    plain = bc.Batch(batch.model, worlds=3)
    plain.target_position += 0.5
    plain.step(20)
    assert batch.snapshot() == plain.snapshot()  # paused, and nobody touched it
    batch.view().stop()  # another one


def test_what_a_watcher_does_reaches_held_arrays(batch: bc.Batch) -> None:
    websockets = pytest.importorskip("websockets.sync.client")
    q = batch.joint_position
    before = q.copy()
    batch.target_position += 0.5
    with batch.view() as viewer:
        address = viewer.url.replace("http", "ws") + "live"
        origin = viewer.url.rstrip("/")
        with websockets.connect(address, origin=origin, max_size=None) as page:
            page.send('{"type": "play"}')
            for _ in range(100):
                page.recv(timeout=5)
                if not np.array_equal(batch.joint_position, before):
                    break
                time.sleep(0.1)  # leave the worlds to the viewer
            assert not np.array_equal(q, before)
            assert q is batch.joint_position


def test_a_viewer_opens_a_browser(batch: bc.Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def browse(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", browse)
    with batch.view(playing=True) as viewer:
        assert viewer.open()
    assert opened == [viewer.url]


def test_wrong_viewers_are_told(batch: bc.Batch) -> None:
    with pytest.raises(errors.NoSuchWorld):
        batch.view(worlds=[7])
    with pytest.raises(errors.WrongValue, match="port"):
        batch.view(port=70000)
    with batch.view() as viewer:
        port = int(viewer.url.rstrip("/").rsplit(":", 1)[1])
        with pytest.raises(errors.Listen, match="free port"):
            bc.Batch(batch.model).view(port=port)
