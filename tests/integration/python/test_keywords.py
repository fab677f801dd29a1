# SPDX-License-Identifier: Apache-2.0
"""Keywords of questions and options: named, typed, and the same for threads and asyncio."""

from __future__ import annotations

import dataclasses
import inspect
import unittest

import clearance
from clearance import aio
from clearance._fields import asks, asks_about, configured_at

Check = clearance.scenes.CheckBatch


class Asker:
    @asks(Check, max_pairs=7)
    def check(self, batch: Check) -> Check:
        """Asks."""
        return batch

    @asks_about(Check)
    async def about(self, subject: str, batch: Check) -> tuple[str, Check]:
        return subject, batch


@configured_at(clearance.ClientOptions)
def connect(address: str, options: clearance.ClientOptions) -> tuple[str, clearance.ClientOptions]:
    return address, options


class Keywords(unittest.TestCase):
    def test_they_make_the_batch(self) -> None:
        asker = Asker()
        self.assertEqual(asker.check(scene_slot=3), Check(scene_slot=3, max_pairs=7))
        self.assertEqual(asker.check(max_pairs=2), Check(max_pairs=2))
        with self.assertRaisesRegex(TypeError, "'pose'"):
            asker.check(pose=None)
        with self.assertRaises(TypeError):
            asker.check(Check())

    def test_what_the_batch_is_about_may_be_named(self) -> None:
        for coroutine in (
            Asker().about("cell", max_pairs=2),
            Asker().about(max_pairs=2, subject="cell"),
        ):
            with self.assertRaises(StopIteration) as returned:
                coroutine.send(None)
            self.assertEqual(returned.exception.value, ("cell", Check(max_pairs=2)))

    def test_they_replace_fields_of_options(self) -> None:
        options = clearance.ClientOptions(wait=3.0, keepalive=9.0)
        self.assertEqual(connect("a"), ("a", clearance.ClientOptions()))
        self.assertEqual(connect("a", options, keepalive=None)[1].keepalive, None)
        self.assertEqual(connect(address="a", options=options, timeout=1.0)[1].wait, 3.0)

    def test_help_has_their_types_and_defaults(self) -> None:
        signature = inspect.signature(clearance.Session.check)
        names = [item.name for item in dataclasses.fields(Check)]
        self.assertEqual(set(signature.parameters) - {"self"}, set(names))
        self.assertEqual(signature.parameters["poses"].annotation, "PosesLike | None")
        self.assertIs(signature.parameters["detail"].default, clearance.scenes.CheckDetail.DEFAULT)
        self.assertEqual(signature.return_annotation, "CheckResult")
        hits = (
            inspect.signature(clearance.tracks.TrackReader.cast_rays).parameters["detail"].default
        )
        self.assertIn(clearance.scenes.SweepDetail.NORMALS, hits)

    def test_asyncio_has_the_same(self) -> None:
        for own, theirs in (
            (aio.Client, clearance.Client),
            (aio.Session, clearance.Session),
            (aio.Scenes, clearance.scenes.Scenes),
            (aio.TrackReader, clearance.tracks.TrackReader),
            (aio.TrackWriter, clearance.tracks.TrackWriter),
        ):
            for name, method in inspect.getmembers(own, inspect.isroutine):
                if name.startswith("_") or name == "ask_all":  # which also takes async iterables
                    continue
                found, wanted = (inspect.signature(x) for x in (method, getattr(theirs, name)))
                self.assertEqual(list(found.parameters), list(wanted.parameters), (own, name))
                for item in wanted.parameters.values():
                    there = found.parameters[item.name]
                    self.assertEqual(there.annotation, item.annotation, (own, name))
                    self.assertEqual(there.default, item.default, (own, name))
        self.assertEqual(
            str(inspect.signature(aio.connect)), str(inspect.signature(clearance.connect))
        )


class Enums(unittest.TestCase):
    def test_details_of_another_kind_are_refused(self) -> None:
        for wrong in (clearance.scenes.SweepDetail.POINTS, 4, True):
            batch = clearance.batches.DistanceBatch(detail=wrong)
            with self.assertRaises(clearance.errors.InvalidArgument) as refused:
                clearance.client.ops.query([], batch, 0, 0)
            self.assertEqual(refused.exception.field, "detail")
            self.assertEqual(refused.exception.limit, "flags of DistanceDetail")

    def test_unions_of_details_keep_their_kind(self) -> None:
        detail = clearance.DistanceDetail
        self.assertIs(type(detail.DEFAULT | detail.POINTS), detail)
        self.assertEqual(detail.PROOF & detail.CONTACTS, 0)
        self.assertEqual(detail.PROOF & detail.DEFAULT, detail.DEFAULT)


if __name__ == "__main__":
    unittest.main()
