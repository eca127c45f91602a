"""Every link of a built site leads somewhere: files that are there, and places in them.

Addresses elsewhere are not asked for.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ELSEWHERE = {"http", "https", "mailto", "data", "javascript"}


class Page(HTMLParser):
    """The places of a page, and where it points."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[tuple[int, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            if name in ("href", "src") and value:
                self.links.append((self.getpos()[0], value))


def faults(root: Path) -> list[str]:
    pages = {path.resolve(): Page(path) for path in sorted(root.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ELSEWHERE or parts.netloc:
                continue
            base = root if parts.path.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            place = unquote(parts.fragment)
            if not target.exists():
                wrong.append(f"{path.relative_to(root.resolve())}:{line}: there is no {link}")
            elif place and target in pages and place not in pages[target].places:
                wrong.append(f"{path.relative_to(root.resolve())}:{line}: {link}: nothing there is called {place!r}")
    return wrong


def main() -> int:
    root = Path(sys.argv[1])
    wrong = faults(root)
    print("\n".join(wrong[:40]))
    count = sum(1 for _ in root.rglob("*.html"))
    print(f"{count} pages, {len(wrong)} links that lead nowhere")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
