"""The folder of a run: here, or wherever fsspec reaches (``s3://``, ``gs://``, ``memory://`` …)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Union

from bellcrank.distributed._ray import needed


class Folder:
    """Files by name; each is whole at any time."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = os.fspath(path)
        self._far: Any = None
        if "://" in self.path:
            core = needed("fsspec.core", f"the folder {self.path}")
            self._far, self._root = core.url_to_fs(self.path)
        else:
            self._root = str(Path(self.path).resolve())

    @property
    def local(self) -> Optional[Path]:
        """Where it is on this machine, if it is here."""
        return None if self._far is not None else Path(self._root)

    def read(self, name: str) -> Optional[bytes]:
        """A file's content; ``None`` where there is none."""
        try:
            if self._far is None:
                return (Path(self._root) / name).read_bytes()
            return bytes(self._far.cat_file(f"{self._root}/{name}"))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Puts a file there: the old one stays until the new one is whole."""
        if self._far is not None:
            self._far.makedirs(self._root, exist_ok=True)
            self._far.pipe_file(f"{self._root}/{name}", content)  # stores of objects show whole ones only
            return
        place = Path(self._root) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_name(f"{name}.{os.getpid()}.part")
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, place)

    def names(self) -> list[str]:
        """Of all files."""
        if self._far is None:
            root = Path(self._root)
            return sorted(entry.name for entry in root.iterdir()) if root.is_dir() else []
        try:
            self._far.invalidate_cache()
            return sorted(str(entry).rsplit("/", 1)[-1] for entry in self._far.ls(self._root, detail=False))
        except FileNotFoundError:
            return []

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        try:
            if self._far is None:
                (Path(self._root) / name).unlink()
            else:
                self._far.rm(f"{self._root}/{name}")
        except FileNotFoundError:
            pass

    def link(self, name: str) -> str:
        """The path of a file, as others take it."""
        return os.path.join(self._root, name) if self._far is None else f"{self.path.rstrip('/')}/{name}"
