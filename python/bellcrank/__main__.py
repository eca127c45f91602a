"""``python -m bellcrank`` is the command line."""

from __future__ import annotations

import os
import signal
import sys

from bellcrank import _native


def main() -> int:
    """Runs the command line and gives its exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the program at once, as for the native binary
    os.environ["BELLCRANK_INTERPRETER"] = sys.executable  # `train … --ray` goes on in Python
    return _native.run_command_line(["bellcrank", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
