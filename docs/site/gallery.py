"""The pictures of docs/gallery.md, by the commands that stand there: ``gallery.py BELLCRANK [FOLDER]``.

Without a folder they are drawn into docs/images/gallery; with one, that alone is written: a test of the commands.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
SHOWN = re.compile(r"!\[[^\]]*\]\(images/gallery/(?P<name>[^)]+)\)\n\n```sh\n(?P<command>bellcrank [^\n]+)\n```")


def main() -> int:
    bellcrank = str(Path(sys.argv[1]).resolve())
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else DOCS / "images" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    found = list(SHOWN.finditer((DOCS / "gallery.md").read_text(encoding="utf-8")))
    assert len(found) >= 9, "every picture has its command below it"
    for match in found:
        words = shlex.split(match["command"])
        assert words[-2:] == ["--record", match["name"]], f"{match['command']}: it writes {match['name']}"
        subprocess.run([bellcrank, *words[1:]], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        drawn, kept = folder / match["name"], DOCS / "images" / "gallery" / match["name"]
        assert drawn.stat().st_size > 5000, drawn
        assert kept.exists(), f"{kept} is not there: run this without a folder"
    return 0


if __name__ == "__main__":
    sys.exit(main())
