"""Other programs: one that answers once, and one that stays and is asked again and again."""

from __future__ import annotations

import json
import selectors
import subprocess
from pathlib import Path
from typing import Any


class Failed(Exception):
    """A contestant cannot do it; the text says why, for the report."""


def output(command: list[str]) -> str:
    """What a program prints."""
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        lines = [line for line in told.stderr.splitlines() if line.strip()]
        raise Failed(lines[-1] if lines else f"{Path(command[0]).name} ended with {told.returncode}")
    return told.stdout


class Worker:
    """A program that reads questions and writes answers, a line of JSON each; it starts when it is first asked."""

    def __init__(self, command: list[str], log: Path) -> None:
        self.command = command
        self.log = log
        self.process: subprocess.Popen[str] | None = None

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer, which must come within this time."""
        process = self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self.ended()) from None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                self.stop()
                raise Failed(f"no answer within {seconds:.0f} s")
        line = process.stdout.readline()
        if not line:
            raise Failed(self.ended())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Failed(str(answer["error"]))
        return answer

    def start(self) -> subprocess.Popen[str]:
        if self.process is None:
            pipe = subprocess.PIPE
            with self.log.open("w") as log:
                self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, stderr=log, text=True)
        return self.process

    def ended(self) -> str:
        """Why it is gone; the next question starts it again."""
        process, self.process = self.process, None
        if process is not None:
            process.communicate()
        code = process.returncode if process else 0
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return f"it ended with {code}: {lines[-1] if lines else 'no word'}"

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None
