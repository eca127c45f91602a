"""Hand calculations for the judge, the turns and the words. `python3 -m unittest discover -s benches/peers`"""

from __future__ import annotations

import math
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "engines"))

from measure.figures import Scene, count, factor, length
from measure.judge import add, cross, judge
from measure.laws import KEEPS_ENERGY, KEEPS_MOMENTUM, energy, kept, own_spin, turned, verdict
from measure.page import pile, robot
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


def twins(speed: float = 1.0, common: float = 0.0, armature: float = 0.0) -> tuple[dict[str, Any], list[list[float]]]:
    """Two points of 1 kg at x = ±1 that go round each other at this speed, carried along x by a common one; a
    hinge along z
    between them turns at 2 rad/s."""
    point = {"mass": 1.0, "com": [0.0, 0.0, 0.0], "inertia": [0.0] * 6}
    half = math.sqrt(0.5)
    frame = [0.0, 0.0, 0.0, half, 0.0, -half, 0.0]  # x along z
    hinge = {"kind": "revolute", "predecessor": 0, "successor": 1, "X_PF": frame, "dofs": [{"armature": armature}]}
    one = [1.0, 0, 0, 1, 0, 0, 0, common, speed, 0, 0, 0, 0]
    other = [-1.0, 0, 0, 1, 0, 0, 0, common, -speed, 0, 0, 0, 2.0]
    return {"bodies": [point, point], "joints": [hinge]}, [one, other]


class Laws(unittest.TestCase):
    def test_momenta_are_shares_of_themselves(self) -> None:
        """p = 2 kg · 1 m/s, L = 2 · 1 m · 1 kg · 1 m/s: a thousandth more of the one, a hundredth more of the other."""
        alone, start = twins(1.0, 1.0)
        found = kept(alone, [start, twins(1.0, 1.001)[1]], 0.01)
        self.assertAlmostEqual(found["linear_momentum_error"], 1e-3, places=12)
        self.assertAlmostEqual(found["angular_momentum_error"], 0.0, places=12)
        found = kept(alone, [start, twins(1.01, 1.0)[1], start], 0.01)
        self.assertAlmostEqual(found["momentum_error"], 1e-2, places=12)
        self.assertAlmostEqual(found["linear_momentum_error"], 0.0, places=12)

    def test_energy_is_that_about_the_centre_of_mass_with_rotors(self) -> None:
        """2 · ½ · 1 kg · (1 m/s)² = 1 J however fast all of it goes; a rotor of 0.5 kg·m² at 2 rad/s has 1 J more."""
        for common in (0.0, 30.0):
            self.assertAlmostEqual(energy(*twins(1.0, common)), 1.0, places=9)
            self.assertAlmostEqual(energy(*twins(1.0, common, 0.5)), 2.0, places=9)

    def test_where_contacts_take_energy_only_its_growth_counts(self) -> None:
        """1, 0.25 and 0.36 J: it fell by 0.75 and grew by 0.11."""
        alone, start = twins(1.0, 1.0)
        states = [start, twins(0.5, 1.0)[1], twins(0.6, 1.0)[1]]
        self.assertAlmostEqual(kept(alone, states, 0.01)["energy_error"], 0.75, places=12)
        self.assertAlmostEqual(kept(alone, states, 0.01, may_fall=True)["energy_error"], 0.11, places=12)

    def test_a_step_of_discrete_mechanics_arrives_with_the_momentum_with_which_it_left(self) -> None:
        """I ω + ½h ω × I ω + γ h² ω × (ω × I ω) before a turn by exp(h ω) is I′ ω − ½h ω × I′ ω + … after it."""
        inertia, w, h = [0.3, 0.2, 0.6, 0.02, -0.05, 0.01], (1.0, -2.0, 3.0), 0.05
        still = own_spin(inertia, (1.0, 0.0, 0.0, 0.0), w, h, "instant")
        c, t = cross(w, still), h * h * 14.0
        left = add(add(still, c, 0.5 * h), cross(w, c), (1 / 12 + t / 720 + t * t / 30240) * h * h)
        arrived = own_spin(inertia, turned(w, h), w, h, "interval")
        for a, b in zip(left, arrived):
            self.assertAlmostEqual(a, b, places=10)
        # half a step ago the inertia was half-way
        middle = own_spin(inertia, turned(w, h), w, h, "middle")
        for a, b in zip(own_spin(inertia, turned(w, 0.5 * h), w, h, "instant"), middle):
            self.assertAlmostEqual(a, b, places=14)

    def test_a_brick_is_read_in_the_way_that_suits_its_engine(self) -> None:
        """Steps that leave I ω as it is, told with the inertia of the instant: read as an instant nothing is
        lost, read as
        an interval ½h ω × I ω is."""
        brick = {"mass": 1.0, "com": [0.0, 0.0, 0.0], "inertia": [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]}
        alone = {"bodies": [brick], "joints": []}
        c, s = math.cos(0.2), math.sin(0.2)
        # turned by 0.4 rad about z, L = (1, 2, 0) as before: ω = R I⁻¹ Rᵀ L
        own = [math.cos(0.4) * 1 + math.sin(0.4) * 2, (-math.sin(0.4) * 1 + math.cos(0.4) * 2) / 2]
        w = [math.cos(0.4) * own[0] - math.sin(0.4) * own[1], math.sin(0.4) * own[0] + math.cos(0.4) * own[1], 0.0]
        states = [[[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0]], [[0, 0, 0, c, 0, 0, s, 1, 0, 0, *w]]]
        found = kept(alone, states, 0.1)
        self.assertEqual(found["read_as"], "instant")
        self.assertLess(found["momentum_error"], 1e-12)

    def test_the_verdict_says_what_is_lost(self) -> None:
        def said(momentum: float | None, energy: float | None) -> str:
            return verdict({"momentum_error": momentum, "energy_error": energy})

        self.assertEqual(said(KEEPS_MOMENTUM, KEEPS_ENERGY), "keeps both")
        self.assertEqual(said(2 * KEEPS_MOMENTUM, 0.0), "loses momentum")
        self.assertEqual(said(math.nan, 2 * KEEPS_ENERGY), "loses momentum and energy")
        self.assertEqual(said(None, None), "not judged")
        self.assertEqual(verdict({"adrift_failure": "no such joint"}), "not judged: no such joint")
        lost = kept(twins()[0], [[[math.nan] * 13] * 2], 0.1)
        self.assertEqual(verdict(lost), "not judged: left the numbers")

    def test_every_row_has_as_many_cells_as_the_head(self) -> None:
        whole = {"gap_m": 1e-9, "gap_rad": 0.0, "depth_m": 0.0, "residual_max": 0.0, "iterations": 1, "converged": 1.0}
        judged = {"momentum_error": 1e-13, "energy_error": 1e-6}
        rows = [whole | judged, whole, {"finite": False}, {"failure": "no such joint"}]
        records = [
            {"scene": "s", "who": f"Bellcrank {k}", "rates": [1.0], "failure": "", **row} for k, row in enumerate(rows)
        ]
        keys = ("bodies", "joints", "loops", "mobility", "redundant_rows", "actuators", "dt", "duration", "worlds")
        facts: dict[str, Any] = {**dict.fromkeys(keys, 1), "left_out": []}
        solids = {"worlds": 1, "contacts": 3.0, "depth_mean_m": 0.0, **whole}
        heap = [{**record, **solids} for record in records if "finite" not in record]
        for text in (robot({"scenes": {"s": facts}}, Scene("s", records)), pile(Scene("s", heap))):
            lines = [line for line in text.splitlines() if line.startswith("|")]
            self.assertEqual({line.count("|") for line in lines}, {lines[0].count("|")}, text)
            self.assertIn("keeps both", lines[2])


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
