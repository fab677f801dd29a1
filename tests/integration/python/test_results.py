# SPDX-License-Identifier: Apache-2.0
"""The conclusions that a caller may draw from an answer: for every state, made by hand and asked
for."""

import unittest

import numpy as np
from server import Server

import clearance
from clearance import State


class Conclusions(unittest.TestCase):
    def setUp(self) -> None:
        # Bounds that no server gives, so that it is the state that counts.
        self.states = np.array(list(State), np.uint32)
        ones = np.ones(len(State))
        self.answer = clearance.results.DistanceResult(
            shape=(len(State),), states=self.states, lower_bounds=ones, upper_bounds=-ones
        )

    def names(self, rows: np.ndarray) -> list[str]:
        return [State(state).name for state in self.states[rows]]

    def test_only_separated_and_beyond_are_proved_free(self) -> None:
        self.assertEqual(self.names(self.answer.proved_free()), ["SEPARATED", "BEYOND"])
        self.assertEqual(self.names(self.answer.proved_free(margin=0.5)), ["SEPARATED", "BEYOND"])
        self.assertEqual(self.names(self.answer.proved_free(margin=1)), [])
        self.assertEqual(self.names(self.answer.proved_free(margin=np.nan)), [])

    def test_without_bounds_only_separated_is(self) -> None:
        answer = clearance.results.IntersectionResult(shape=self.answer.shape, states=self.states)
        self.assertEqual(self.names(answer.proved_free()), ["SEPARATED"])
        self.assertEqual(self.names(answer.proved_free(margin=0.1)), [])

    def test_a_negative_margin_counts_as_none(self) -> None:
        answer = clearance.results.DistanceResult(
            shape=(1,), states=self.states[1:2], lower_bounds=np.zeros(1), upper_bounds=np.ones(1)
        )
        self.assertEqual(answer.proved_free(margin=-1).tolist(), [False])

    def test_the_radius_of_free_motion(self) -> None:
        has_one = self.answer.free_motion_radius() > 0
        self.assertEqual(self.names(has_one), ["SEPARATED", "PENETRATING", "BEYOND"])

    def test_states_have_names(self) -> None:
        self.assertEqual(self.answer.named_states().tolist(), list(State))
        newer = clearance.results.IntersectionResult(
            shape=(1, 1), states=np.array([[99]], np.uint32)
        )
        self.assertEqual(newer.named_states().tolist(), [[State.UNSPECIFIED]])
        check = clearance.scenes.CheckResult(shape=(), verdicts=np.uint32(2))
        self.assertEqual(check.named_states()[()], clearance.Verdict.TOUCHING)


class WithoutADistance(unittest.TestCase):
    """Rows whose distance means nothing: 0 would pass for a touch."""

    balls = [clearance.Sphere(0.25), clearance.Sphere(0.25)]
    places = np.array([[1, 0, 0, 0, 0, 0, 1], [9, 0, 0, 0, 0, 0, 1], [np.nan, 0, 0, 0, 0, 0, 1]])

    def setUp(self) -> None:
        server = Server()
        self.addCleanup(server.end)
        self.client = clearance.connect(server.address)
        self.addCleanup(self.client.close)

    def test_is_nan_and_refusals_are_raised(self) -> None:
        answer = self.client.distance(self.balls, poses_b=self.places, max_distances=2)
        names = [state.name for state in answer.named_states()]
        self.assertEqual(names, ["SEPARATED", "BEYOND", "REFUSED"])
        np.testing.assert_array_equal(answer.distances, [0.5, np.nan, np.nan])
        self.assertTrue(np.isnan(answer.distances.min()))
        with self.assertRaises(clearance.errors.RefusedRows) as raised:
            answer.raise_for_refused()
        self.assertEqual([error.index for error in raised.exception.errors], [2])
        self.assertIn("1 of 3 rows refused; row 2: ", str(raised.exception))
        self.client.distance(self.balls, poses_b=self.places[:2]).raise_for_refused()

    def test_of_motions_is_nan_unless_they_hit(self) -> None:
        answer = self.client.time_of_collision(
            self.balls,
            poses_b=self.places,
            displacements_b=[[-1, 0, 0], [1, 0, 0], [0, 0, 0]],
            detail=clearance.batches.TimeOfCollisionDetail.DEFAULT
            | clearance.batches.TimeOfCollisionDetail.DISTANCES,
        )
        names = [state.name for state in answer.named_states()]
        self.assertEqual(names, ["HIT", "FREE", "REFUSED"])
        self.assertEqual(np.isnan(answer.distances).tolist(), [False, True, True])

    def test_of_rows_without_time_is_nan(self) -> None:
        far = np.tile(self.places[0], (20_000, 1))
        answer = self.client.distance(self.balls, poses_b=far, time_budget=1e-9)
        late = np.array([answer.undecided.get(i) is not None for i in range(len(answer))])
        self.assertTrue(late.any())
        np.testing.assert_array_equal(np.isnan(answer.distances), late)


if __name__ == "__main__":
    unittest.main()
