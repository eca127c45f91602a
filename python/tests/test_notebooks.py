"""The notebooks run from top to bottom, as somebody runs them who opens one."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_runs_and_shows_something(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in cells), "kept without outputs, which differ from machine to machine"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in cells for output in cell.outputs if output.output_type != "error"]
    assert len(shown) >= 3
    if path.stem in ("linkages_101", "robot_to_policy"):
        pages = [output.data["text/html"] for output in shown if "text/html" in output.get("data", {})]
        assert any("<iframe" in page for page in pages), "a recording plays in it"
