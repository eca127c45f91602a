"""A batch to be looked at: recordings that play in any browser, and the live viewer."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from bellcrank._arguments import whole
from bellcrank._closing import Closing

if TYPE_CHECKING:
    from bellcrank.batch import Batch

_PAGES = frozenset({".html", ".htm"})

HEIGHT = 480
"""Of what is shown in a notebook [pixels]."""


class Recording(Closing):
    """What a batch does, frame by frame: as one HTML page that needs nothing but a browser, or as a film.

    Recording goes on with every step until :meth:`stop`, the end of a ``with`` block, or until it is saved or shown.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch: Optional[Batch] = batch
        self._worlds = batch
        self._page = b""

    @property
    def active(self) -> bool:
        """Whether steps are still being recorded."""
        return self._batch is not None

    def _close(self) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the recording; a second time does nothing."""
        if self._batch is not None:
            self._page = self._batch._finish_recording()
            self._batch = None

    @property
    def html(self) -> str:
        """The page."""
        self.stop()
        return self._page.decode()

    def save(
        self,
        path: Union[str, os.PathLike[str]],
        *,
        size: tuple[int, int] = (640, 360),
        camera: Optional[str] = None,
    ) -> Path:
        """Writes a file and gives its path; half a file is never left there.

        The ending says what: a page that plays anywhere (``.html``), a film (``.gif``, ``.apng``, or ``.mp4`` where
        ffmpeg is installed) or its last picture (``.png``), of ``size`` pixels across and down; the scene itself,
        moving (``.glb``, binary glTF), or a log for Foxglove (``.mcap``) or for Rerun (``.rrd``, where ``rerun-sdk`` is
        installed). A film is taken through the ``camera`` of
        that name in the first world's model, or by one that frames all worlds and goes along.
        """
        target = Path(path)
        self.stop()
        if target.suffix.lower() not in _PAGES:
            width, height = (whole("size", number) for number in size)

            def draw(path: Path) -> None:
                self._worlds._native.film(self._page, path, (width, height), camera)

            if target.suffix.lower() == ".rrd":
                from bellcrank import _rerun  # seldom needed

                _rerun.save(draw, target)
            else:
                draw(target)
            return target
        part = target.with_name(target.name + ".part")
        try:
            part.write_bytes(self._page)
            part.replace(target)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        return target

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{HEIGHT}" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        state = "recording" if self.active else f"{len(self._page) // 1024} kB"
        return f"<bellcrank.Recording: {state}>"


class Viewer(Closing):
    """A live view of a batch in the browser: it shows every step, and its own controls play, pull and pose.

    Displays itself in a notebook that runs on this machine.
    """

    def __init__(self, batch: Batch, url: str) -> None:
        self._batch = batch
        self.url = url
        """What to type into a browser on this machine."""

    @property
    def watchers(self) -> int:
        """Browsers that look on."""
        return self._batch._native.watchers()

    def open(self) -> bool:
        """Opens the view in a new browser window; says whether there is a browser."""
        import webbrowser  # slow to import, and seldom needed

        return webbrowser.open(self.url)

    def _close(self) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the view; the batch goes on without it."""
        self._batch._native.stop_viewing()

    def _repr_html_(self) -> str:
        url = html.escape(self.url, quote=True)
        return f'<iframe src="{url}" width="100%" height="{HEIGHT}" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<bellcrank.Viewer: {self.url}>"
