"""Hand calculations for the judge, the turns and the words. `python3 -m unittest discover -s benches/peers`"""

from __future__ import annotations

import math
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "engines"))

from measure.figures import count, factor, length
from measure.judge import judge
from measure.process import Failed, Worker
from measure.turns import Entry, Sheet, ratios, take_turns
from worker import noise

REST = [0.0] * 6


def scene(**more: Any) -> dict[str, Any]:
    """A rod of 2 kg whose centre of mass is 0.5 m from the hinge at the origin, along x."""
    rod = {"name": "rod", "mass": 2.0, "com": [0.5, 0.0, 0.0], "inertia": [0.0, 0.1, 0.1, 0.0, 0.0, 0.0]}
    frame = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    dof = {"damping": 0.0, "friction": 0.0, "spring": None}
    hinge = {"kind": "revolute", "predecessor": -1, "successor": 0, "X_PF": frame, "X_SM": frame, "dofs": [dof]}
    return {"gravity": [0, 0, -10], "bodies": [rod], "joints": [hinge], "actuators": [], "shapes": [], **more}


class Judge(unittest.TestCase):
    def test_a_rod_that_moved_off_its_hinge_has_a_gap_of_that_length(self) -> None:
        start, off = [[0.5, 0, 0, 1, 0, 0, 0, *REST]], [[0.5, 0.003, 0.004, 1, 0, 0, 0, *REST]]
        self.assertAlmostEqual(judge(scene(), [start, off])["gap_m"], 0.005, places=12)

    def test_turning_about_the_axis_opens_nothing_and_tipping_it_does(self) -> None:
        """The axis is x, through the centre of mass: a turn by 0.2 rad about it is free, one about z is not."""
        start, c, s = [[0.5, 0, 0, 1, 0, 0, 0, *REST]], math.cos(0.1), math.sin(0.1)
        free = judge(scene(), [start, [[0.5, 0, 0, c, s, 0, 0, *REST]]])
        self.assertLess(free["gap_m"] + free["gap_rad"], 1e-12)
        at = [0.5 * math.cos(0.2), 0.5 * math.sin(0.2), 0]
        tipped = judge(scene(), [start, [[*at, c, 0, 0, s, *REST]]])
        self.assertLess(tipped["gap_m"], 1e-12)
        self.assertAlmostEqual(tipped["gap_rad"], 0.2, places=12)

    def test_a_tilted_box_reaches_under_the_ground_with_its_corner(self) -> None:
        """Turned by 45° about y, a cube of half edge 0.1 reaches 0.1·√2 down from its centre at 0.13."""
        plane = {"kind": "plane", "body": -1, "size": [], "pose": [0, 0, 0, 1, 0, 0, 0]}
        cube = {"kind": "box", "body": 0, "size": [0.1, 0.1, 0.1], "pose": [0.5, 0, 0, 1, 0, 0, 0]}
        state = [[0, 0, 0.13, math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0, *REST]]
        found = judge(scene(shapes=[plane, cube]), [state, state])
        self.assertAlmostEqual(found["depth_m"], 0.1 * math.sqrt(2) - 0.13, places=12)

    def test_energy_that_appears_is_told_over_the_kinetic_energy(self) -> None:
        """2 kg at 1 m/s and 2 rad/s about y: 1 + 0.2 J, out of nothing at the same height."""
        start, then = [[0.5, 0, 0, 1, 0, 0, 0, *REST]], [[0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0]]
        self.assertAlmostEqual(judge(scene(), [start, then])["energy_drift"], 1.0, places=12)
        fallen = [[0.5, 0, -0.06, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0]]
        self.assertAlmostEqual(judge(scene(), [start, fallen])["energy_drift"], 0.0, places=12)

    def test_a_motion_that_left_the_numbers_is_told(self) -> None:
        self.assertEqual(judge(scene(), [[[math.nan] * 13]]), {"finite": False})


class Turns(unittest.TestCase):
    def test_everybody_is_measured_in_each_round_and_a_failure_stops_nobody_else(self) -> None:
        order = []

        def fast() -> float:
            order.append("fast")
            return 4.0

        def fails() -> float:
            order.append("fails")
            raise Failed("no such joint")

        records = take_turns([Entry("s", "a", fast), Entry("s", "b", fails), Entry("s", "c", lambda: 2.0)], 2)
        self.assertEqual(order, ["fast", "fails", "fast"])
        self.assertEqual([r["rates"] for r in records], [[4.0, 4.0], [], [2.0, 2.0]])
        self.assertEqual(records[1]["failure"], "no such joint")
        self.assertEqual(ratios(records[0]["rates"], records[2]["rates"]), (2.0, 2.0, 2.0))

    def test_a_sheet_is_made_anew_when_a_figure_is_asked_for_again(self) -> None:
        runs = []
        sheet = Sheet(lambda: runs.append(1) or {"a": len(runs), "b": -len(runs)})  # type: ignore[func-returns-value]
        self.assertEqual([sheet.figure("a"), sheet.figure("b"), sheet.figure("a")], [1, -1, 2])
        self.assertRaises(Failed, sheet.figure, "c")

    def test_a_worker_that_dies_or_refuses_gives_the_reason(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            dies = Worker([sys.executable, "-c", "import sys; input(); sys.exit('out of memory')"], log)
            self.assertRaisesRegex(Failed, "ended with 1: out of memory", dies.ask, {}, 20.0)
            program = 'input(); print(\'{"error": "no such body"}\')'
            refuses = Worker([sys.executable, "-c", program], log)
            self.assertRaisesRegex(Failed, "no such body", refuses.ask, {}, 20.0)
            refuses.stop()


class Words(unittest.TestCase):
    def test_numbers_are_written_with_the_digits_that_count(self) -> None:
        self.assertEqual([count(x) for x in (123456.0, 42.123, 1234.5, 0.0)], ["123,000", "42.1", "1,230", "0"])
        self.assertEqual([length(x) for x in (0.0123, 4.2e-6, 3e-8, 0.0)], ["12 mm", "4.2 µm", "30 nm", "0"])
        self.assertEqual([factor(x) for x in (0.512, 2.345, 1234.0)], ["0.51", "2.3", "1,234"])

    def test_random_targets_are_those_of_the_command_line(self) -> None:
        """The same figures stand in the test of `noise` in Rust."""
        self.assertAlmostEqual(noise(0, [1, 2, 3]), NOISE[0], places=15)
        self.assertAlmostEqual(noise(7, [0, 0, 0]), NOISE[1], places=15)


NOISE = (-0.16488388099119455, 0.21878904913635)


if __name__ == "__main__":
    unittest.main()
