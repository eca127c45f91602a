"""Beyond one machine, with Ray (``pip install "bellcrank[ray]"``).

:func:`train` lets a policy learn on all machines of a cluster, :func:`sweep` tries hyperparameters and designs,
:func:`map` rolls out millions of worlds into a table.

>>> policy = bc.distributed.train("biped_walk", minutes=15, address="auto")
"""

from __future__ import annotations

from bellcrank.distributed._pieces import Piece
from bellcrank.distributed.mapping import Rows, map  # noqa: A004
from bellcrank.distributed.sweeping import Sweep, sweep
from bellcrank.distributed.training import Cluster, train

__all__ = ["Cluster", "Piece", "Rows", "Sweep", "map", "sweep", "train"]
