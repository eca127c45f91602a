"""Every error value of the engine has an exception of its own name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bellcrank as bc
from bellcrank import errors

CRATES = Path(__file__).parents[2] / "crates"


@pytest.mark.parametrize(
    ("crate", "enum"),
    [
        ("bellcrank-sim", "BatchError"),
        ("bellcrank-tree", "TreeError"),
        ("bellcrank-tasks", "EnvError"),
        ("bellcrank-view", "ViewError"),
        ("bellcrank-learn", "LearnError"),
    ],
)
def test_each_variant_has_its_class(crate: str, enum: str) -> None:
    sources = "\n".join(file.read_text() for file in (CRATES / crate / "src").rglob("*.rs"))
    body = re.search(rf"pub enum {enum} \{{(.*?)\n\}}", sources, re.DOTALL)
    assert body
    variants = re.findall(r"^    ([A-Z]\w+)", body.group(1), re.MULTILINE)
    assert len(variants) > 3
    passed_on = {"Batch", "Env", "Model"}  # errors of other crates inside
    for variant in set(variants) - passed_on:
        assert issubclass(getattr(errors, variant), errors.BellcrankError), variant


def test_each_class_is_also_a_builtin_one_and_documented() -> None:
    families = {"BellcrankError", "BatchError", "TreeError", "EnvError", "LearnError", "ViewError"}
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.BellcrankError):
            assert value.__doc__, name
            builtin = (ValueError, TypeError, LookupError, RuntimeError, OSError, MemoryError, ImportError)
            assert name in families or issubclass(value, builtin), name


def test_hints_are_part_of_the_text() -> None:
    error = errors.WrongValue("this is wrong", hint="do that")
    assert str(error) == "this is wrong\n  hint: do that"
    assert (error.hint, error.file, error.line, error.element) == ("do that", None, None, None)
    assert str(bc.BellcrankError("alone")) == "alone"


def test_a_file_that_is_not_there_is_told_with_the_nearest_shipped_name() -> None:
    with pytest.raises(bc.errors.NoSuchFile, match="no shipped mechanism 'hybrid_bipd'") as told:
        bc.load("hybrid_bipd")
    assert told.value.hint == "did you mean 'hybrid_biped'?"
    with pytest.raises(FileNotFoundError) as missing:  # as `open` would raise
        bc.load("robots/nobody.urdf")
    assert isinstance(missing.value, bc.errors.LoadError)
    assert missing.value.filename == "robots/nobody.urdf"
    with pytest.raises(bc.errors.NoSuchFile):
        bc.load_builder("hybrid_bipd")


def test_a_device_that_steps_do_not_run_on_is_refused_with_a_way_out() -> None:
    four_bar = bc.load("four_bar")
    for device in ("cuda", "cuda:0", "cuda:7"):
        with pytest.raises(errors.WrongValue, match='this build does not compute steps there\\n  hint: .*device="cpu"'):
            bc.Batch(four_bar, device=device)
    with pytest.raises(errors.WrongValue, match="devices are"):
        bc.Batch(four_bar, device="cuda:first")
    with pytest.raises(errors.WrongType, match="device must be a text"):
        bc.Batch(four_bar, device=0)  # type: ignore[arg-type]
    assert bc.Batch(four_bar, device="cpu").worlds == 1
