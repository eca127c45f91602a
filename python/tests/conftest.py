"""A test that did not run is listed with its reason, and where all that it needs should be there, it is a failure."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"
# What may be missing even where everything else must be there, and why.
MAY_BE_MISSING = {
    name: f"{name} is not installed: a few tests are not worth torch, half a gigabyte; BELLCRANK_PYTHON_EXTRAS names it"
    for name in ("torch", "stable_baselines3", "rsl_rl", "skrl")
}


def _reason(report: Any) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    why = str(text).removeprefix("Skipped: ")
    return next((reason for name, reason in MAY_BE_MISSING.items() if name in why), why)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [(report.nodeid, _reason(report)) for report in reporter.stats.get("skipped", [])]
    if listed := os.environ.get("BELLCRANK_SKIPPED"):
        with open(listed, "a", encoding="utf-8") as file:
            file.writelines(f"{name}: {why}\n" for name, why in skipped)
    must = os.environ.get("CI") == "true" and SHARED.is_dir()
    left_out = [f"{name}: {why}" for name, why in skipped if why not in MAY_BE_MISSING.values()]
    if must and left_out and exitstatus == 0:
        reporter.write_line("these must run where everything that they need should be there:", red=True)
        for line in left_out:
            reporter.write_line(f"  {line}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="module")
def away(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """In a folder of its own: Ray's workers look into the driver's first, and that of the tests has the sources."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("away"))
    yield
    os.chdir(before)


# shells that start jobs in the background let them ignore Ctrl-C, which some tests press
signal.signal(signal.SIGINT, signal.default_int_handler)
