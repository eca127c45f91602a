"""Nothing public goes untested: every name occurs in some test, and everything says what it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bellcrank as bc
from bellcrank import control, envs, kinematics, learn, tree

HERE = Path(__file__)
TESTS = "\n".join(file.read_text(encoding="utf-8") for file in HERE.parent.glob("test_*.py") if file != HERE)
CLASSES = [
    bc.Batch,
    bc.Model,
    bc.ModelBuilder,
    bc.StepReport,
    bc.Recording,
    bc.Viewer,
    bc.Padmm,
    bc.ComFree,
    bc.InteriorPoint,
    bc.StepJacobian,
    bc.Rollout,
    bc.Gradients,
    bc.Motion,
    bc.RayHits,
    bc.Contact,
]
CLASSES += [envs.AirTime, envs.BatchTask, envs.BatchedEnv, envs.BatchedStep, envs.Env, envs.TaskEnv]
CLASSES += [learn.Policy]
CLASSES += [kinematics.Goal, kinematics.Retargeted, kinematics.Samples, kinematics.Solution, kinematics.Track]


def own_names(module: ModuleType) -> list[str]:
    listed: list[str] = getattr(module, "__all__", [])
    defined = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__)
    return sorted(name for name in listed or defined if not name.startswith("_"))


@pytest.mark.parametrize(
    "module", [bc, control, tree, envs, kinematics, learn], ids=lambda module: str(module.__name__)
)
def test_every_name_of_a_module_is_tested(module: ModuleType) -> None:
    names = own_names(module)
    assert len(names) > 3
    assert [name for name in names if not re.search(rf"\b{name}\b", TESTS)] == []


@pytest.mark.parametrize("owner", CLASSES, ids=lambda owner: str(owner.__name__))
def test_every_name_of_a_class_is_tested(owner: Any) -> None:
    inherited = set(dir(tuple)) if issubclass(owner, tuple) else set()
    names = [name for name in dir(owner) if not name.startswith("_") and name not in inherited]
    assert names
    assert [name for name in names if not re.search(rf"\b{name}\b", TESTS)] == []


def test_functions_and_classes_have_documentation() -> None:
    for module in (bc, tree, envs, kinematics, learn):
        for name in own_names(module):
            value = getattr(module, name)
            if callable(value) and not isinstance(value, type(bc.Model)):
                assert value.__doc__, name
    for name in dir(bc.Batch):
        if not name.startswith("_"):
            assert getattr(bc.Batch, name).__doc__, name


def told(text: str) -> str:
    """Without marks and line ends, which differ between Rust and Python."""
    return re.sub(r"[`\s\"]+", " ", text).strip()


@pytest.mark.parametrize("owner", [bc.Model, bc.ModelBuilder, bc.StepReport], ids=lambda owner: str(owner.__name__))
def test_help_of_native_classes_says_what_the_stubs_say(owner: type) -> None:
    # `help(bc.ModelBuilder.joint)` and `?` in a notebook read what is compiled in; editors read the stubs
    stubs = ast.parse((Path(bc.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))
    [stub] = [node for node in stubs.body if isinstance(node, ast.ClassDef) and node.name == owner.__name__]
    functions = [node for node in stub.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    assert len(functions) > 10
    for function in functions:
        expected, compiled = ast.get_docstring(function), getattr(owner, function.name).__doc__
        assert expected, function.name
        assert compiled and told(compiled).startswith(told(expected)), function.name
        for option in function.args.kwonlyargs:
            assert re.search(rf"\b{option.arg}\b", compiled), f"{function.name}: {option.arg}"
