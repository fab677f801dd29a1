# SPDX-License-Identifier: Apache-2.0
"""What a caller may conclude from an answer: made by hand, one row of every state."""

import unittest

import numpy as np

import clearance
from clearance import State


class Conclusions(unittest.TestCase):
    def setUp(self) -> None:
        # Bounds that no server gives, so that it is the state that counts.
        self.states = np.array(list(State), np.uint32)
        ones = np.ones(len(State))
        self.answer = clearance.DistanceResult(
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
        answer = clearance.IntersectionResult(shape=self.answer.shape, states=self.states)
        self.assertEqual(self.names(answer.proved_free()), ["SEPARATED"])
        self.assertEqual(self.names(answer.proved_free(margin=0.1)), [])

    def test_a_negative_margin_counts_as_none(self) -> None:
        answer = clearance.DistanceResult(
            shape=(1,), states=self.states[1:2], lower_bounds=np.zeros(1), upper_bounds=np.ones(1)
        )
        self.assertEqual(answer.proved_free(margin=-1).tolist(), [False])

    def test_the_radius_of_free_motion(self) -> None:
        has_one = self.answer.free_motion_radius() > 0
        self.assertEqual(self.names(has_one), ["SEPARATED", "PENETRATING", "BEYOND"])


if __name__ == "__main__":
    unittest.main()
