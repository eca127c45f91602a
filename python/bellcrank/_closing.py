"""What a ``with`` block ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Optional, TypeVar

_Self = TypeVar("_Self", bound="Closing")


class Closing(ABC):
    """Something that ends with its ``with`` block, whatever happens in it."""

    @abstractmethod
    def _close(self) -> None:
        """Ends it."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._close()
