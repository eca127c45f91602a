"""A batch to be looked at: recordings that play in any browser, and the live viewer."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from bellcrank._closing import Closing
from bellcrank.errors import WrongValue

if TYPE_CHECKING:
    from bellcrank.batch import Batch

_FILMS = frozenset({".mp4", ".gif", ".png", ".webm", ".mov", ".avi", ".mkv", ".apng", ".webp", ".jpg", ".jpeg", ".svg"})

HEIGHT = 480
"""Of what is shown in a notebook [pixels]."""


class Recording(Closing):
    """What a batch does, frame by frame, as one HTML page that needs nothing but a browser.

    Recording goes on with every step until :meth:`stop`, the end of a ``with`` block, or until it is saved or shown.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch: Optional[Batch] = batch
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

    def save(self, path: Union[str, os.PathLike[str]]) -> Path:
        """Writes the page to a file and gives its path; half a page is never left there."""
        target = Path(path)
        if target.suffix.lower() in _FILMS:
            raise WrongValue(
                f"{target}: a recording is an HTML page that plays anywhere; films and pictures are not made",
                hint=f"name it {target.with_suffix('.html')}, and film the page if needed",
            )
        self.stop()
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
