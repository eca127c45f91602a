"""The reference of the Python package as pages: ``reference.py FOLDER``. Run by docs/site.sh."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pdoc

import bellcrank as bc
from bellcrank._quantities import Quantities

MODULES = ["bellcrank", "!bellcrank._native"]


def main() -> None:
    # types of fields are told by the text; pdoc cannot look up names that are there for type checkers alone
    warnings.filterwarnings("ignore", message="Error parsing type annotation")
    for name, field in vars(Quantities).items():
        # the arrays of a batch are its own, as users see it: not those of a class that nobody knows
        if not name.startswith("_") and field.__doc__:
            setattr(bc.Batch, name, property(field.__get__, doc=field.__doc__))
    pdoc.render.configure(docformat="google", show_source=False)
    pdoc.pdoc(*MODULES, output_directory=Path(sys.argv[1]))


if __name__ == "__main__":
    main()
