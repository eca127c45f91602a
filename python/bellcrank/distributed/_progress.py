"""One line that tells how far a map is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Union


class Bar:
    """On the terminal, if there is one; or a call for every piece."""

    def __init__(self, total: int, progress: Union[bool, Callable[[int, int], Any]], before: int = 0) -> None:
        self._total, self._done, self._before = total, before, before
        self._call = progress if callable(progress) else None
        self._shows = progress is True and sys.stderr.isatty()
        self._begin = time.monotonic()

    def add(self, rows: int) -> None:
        """So many more are done."""
        self._done += rows
        if self._call is not None:
            self._call(self._done, self._total)
        if self._shows:
            part = self._done / self._total
            speed = (self._done - self._before) / max(1e-9, time.monotonic() - self._begin)
            left = (self._total - self._done) / max(1.0, speed)
            line = f"{'█' * round(30 * part):░<30} {100 * part:3.0f} %  {self._done:,} of {self._total:,} worlds"
            print(f"\r{line}  {speed:,.0f}/s  {left:.0f} s left\x1b[K", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leaves the line."""
        if self._shows:
            print(file=sys.stderr)
