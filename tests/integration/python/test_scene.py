# SPDX-License-Identifier: Apache-2.0
"""Scenes: made, shown, changed, forked, watched; and sessions that hold them over broken
streams."""

import signal
import threading
import unittest

import numpy as np
from relay import Relay
from server import Server

import clearance
from clearance import SceneBodies, SceneChange, Verdict, _schema, _watch, poses
from clearance.scenes import PairRuleKind, SceneEnd, ScenePairRules, ScenePoses


def at(*xs: float) -> np.ndarray:
    return poses.pose(np.stack((xs, np.zeros(len(xs)), np.zeros(len(xs))), -1))


class Scene(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(lambda: self.server.end())
        self.client = clearance.connect(self.server.address)
        self.addCleanup(self.client.close)
        self.box = self.client.register("box", clearance.Box((0.5, 0.5, 0.5))).info.digest
        self.ball = self.client.register("ball", clearance.Sphere(0.5)).info.digest
        self.scenes = self.client.scenes

    def row(self, name: str = "row", **options) -> clearance.scenes.SceneInfo:
        bodies = SceneBodies(ids=[10, 11], shapes=["box", "ball"], shape_slots=[0, 1])
        content = SceneChange(bodies=bodies, poses=ScenePoses(ids=[11], poses=at(4)))
        return self.scenes.create(name, content, **options)


class Scenes(Scene):
    def check_replacing(self) -> None:
        for revision in (1, 2):
            again = self.row("again", replace=True)
            self.assertEqual((again.revision, again.body_count), (revision, 2))
        rules = ScenePairRules(bodies_a=[10], bodies_b=[11])
        self.scenes.update("again", SceneChange(rules=rules))
        other = SceneBodies(ids=[11, 20, 21], shapes=["ball"])
        with self.assertRaises(clearance.errors.NotFound):
            bad = SceneBodies(ids=[30], shapes=["no-such-shape"])
            self.scenes.create("again", SceneChange(bodies=bad), replace=True)
        self.assertEqual(self.scenes.get("again").info.body_count, 2)
        made = self.scenes.create("again", SceneChange(bodies=other), replace=True)
        self.assertEqual((made.revision, made.body_count, made.rule_count), (4, 3, 0))
        found = self.scenes.get("again", include_content=True).content
        self.assertEqual(list(found.bodies.ids), [11, 20, 21])
        made = self.row("again", replace=True, ttl=60)
        self.assertEqual((made.revision, made.body_count, made.ttl), (1, 2, 60))
        self.scenes.delete("again")

    def test_made_shown_changed_forked_listed_deleted(self) -> None:
        made = self.row(ttl=90.5)
        self.assertEqual((made.revision, made.body_count, made.ttl), (1, 2, 90.5))
        with self.assertRaises(clearance.errors.AlreadyExists):
            self.row()
        self.scenes.delete("no-such-scene", missing_ok=True)
        with self.assertRaises(clearance.errors.NotFound):
            self.scenes.delete("no-such-scene")
        self.check_replacing()
        self.assertEqual(self.client.delete("no-such-shape", missing_ok=True), 0)
        change = SceneChange(
            removed_bodies=[10],
            bodies=SceneBodies(ids=[12], shapes=[clearance.ByDigest(self.box)], groups=2, masks=6),
            poses=ScenePoses(ids=[11, 12], poses=at(3, 5)),
            rules=ScenePairRules(
                bodies_a=[11, 3],
                bodies_b=[12, 4],
                kinds=[PairRuleKind.MARGIN, PairRuleKind.MAY_TOUCH],
                margins=[0.25, 0],
            ),
        )
        changed = self.scenes.update("row", change, etag=made.etag)
        self.assertEqual((changed.revision, changed.body_count, changed.rule_count), (2, 2, 2))
        with self.assertRaises(clearance.errors.Aborted):
            self.scenes.update("row", SceneChange(removed_bodies=[11]), etag=made.etag)
        found = self.scenes.get("row", include_content=True)
        self.assertEqual(found.info, changed)
        bodies, rules = found.content.bodies, found.content.rules
        self.assertEqual(bodies.ids.tolist(), [11, 12])
        digests = [bodies.shapes[slot].digest for slot in bodies.shape_slots]
        self.assertEqual(digests, [self.ball, self.box])
        np.testing.assert_array_equal(bodies.poses, at(3, 5))
        self.assertEqual(
            (bodies.groups.tolist(), bodies.masks.tolist()), ([1, 2], [2**32 - 1, 6])
        )
        self.assertEqual(bodies.margins.tolist(), [0, 0])
        told = sorted(zip(rules.bodies_a, rules.bodies_b, rules.kinds, rules.margins))
        self.assertEqual(told, [(3, 4, PairRuleKind.MAY_TOUCH, 0), (11, 12, 2, 0.25)])
        self.assertIsNone(self.scenes.get("row").content)
        self.assertEqual(self.scenes.get("row", revision=1).info.body_count, 2)
        with self.assertRaises(clearance.errors.FailedPrecondition):
            self.scenes.get("row", min_revision=9)
        fork = self.scenes.fork("fork", "row", source_revision=1, ttl=60)
        self.assertEqual((fork.revision, fork.rule_count), (1, 0))
        # The content shown makes the same scene again.
        self.scenes.create("copy", found.content)
        copy = self.scenes.get("copy", include_content=True).content
        np.testing.assert_array_equal(copy.bodies.poses, bodies.poses)
        self.assertEqual([i.name for i in self.scenes.list()], ["copy", "fork", "row"])
        self.assertEqual([i.name for i in self.scenes.list("f")], ["fork"])
        with self.assertRaises(clearance.errors.Aborted):
            self.scenes.delete("row", etag=made.etag)
        self.scenes.delete("row", etag=changed.etag)
        with self.assertRaises(clearance.errors.NotFound):
            self.scenes.get("row")

    def test_pages_of_many_bodies_are_joined(self) -> None:
        count = 12_345  # a page has 10,000
        where = poses.pose(np.stack((np.arange(count), np.zeros(count), np.ones(count)), -1))
        bodies = SceneBodies(
            ids=np.arange(count) + 1,
            shapes=["box", "ball"],
            shape_slots=np.arange(count) // 9000,  # the second page has balls alone
            poses=where,
            margins=np.arange(count) * 0.5,
        )
        self.scenes.create("many", SceneChange(bodies=bodies), ttl=60)
        found = self.scenes.get("many", include_content=True).content.bodies
        np.testing.assert_array_equal(found.ids, np.arange(count) + 1)
        np.testing.assert_array_equal(found.poses, where)
        np.testing.assert_array_equal(found.margins, np.arange(count) * 0.5)
        digests = np.array([shape.digest for shape in found.shapes])[found.shape_slots]
        expected = np.array([self.box, self.ball])[np.arange(count) // 9000]
        np.testing.assert_array_equal(digests, expected)

    def test_what_is_no_column_is_refused_here(self) -> None:
        for change, field in (
            (SceneChange(poses=ScenePoses(poses=at(1))), "poses.ids"),
            (SceneChange(poses=ScenePoses(ids=[1], poses=at(1, 2))), "poses.poses"),
            (SceneChange(removed_bodies=[[1]]), "removed_bodies"),
            (SceneChange(rules=ScenePairRules(bodies_a=[1])), "rules.bodies_b"),
            (SceneChange(bodies=SceneBodies(ids=[1], shapes=[3])), "bodies.shapes"),
        ):
            with self.subTest(field=field), self.assertRaises(
                clearance.errors.InvalidArgument
            ) as caught:
                self.scenes.update("row", change)
            self.assertEqual(caught.exception.field, field)


class Watches(Scene):
    def test_tells_each_change_and_the_end(self) -> None:
        made = self.row()
        with self.scenes.watch("row", from_revision=made.revision, etag=made.etag) as watch:
            first = watch.next()
            self.assertEqual((first.scene, first.base_revision), (made, 1))
            self.assertEqual(len(first.change.bodies.ids), 0)
            self.scenes.update("row", SceneChange(poses=ScenePoses(ids=[10], poses=at(-1))))
            moved = watch.next()
            self.assertEqual((moved.scene.revision, moved.base_revision), (2, 1))
            self.assertEqual((moved.change.poses.ids.tolist(), moved.is_reload), ([10], False))
            np.testing.assert_array_equal(moved.change.poses.poses, at(-1))
            self.scenes.delete("row")
            self.assertEqual([news.end for news in watch], [SceneEnd.DELETED])
            with self.assertRaises(clearance.errors.SessionEnded):
                watch.next()

    def test_of_no_revision_is_a_reload_and_of_no_scene_is_not_found(self) -> None:
        self.row()
        with self.scenes.watch("row") as watch:
            self.assertTrue(watch.next().is_reload)
        with self.scenes.watch("nowhere") as watch, self.assertRaises(clearance.errors.NotFound):
            watch.next()

    def test_where_another_stream_begins_is_no_news(self) -> None:
        response = _schema.message("WatchSceneResponse")()
        response.scene.revision = 3
        state = _watch.WatchState("row", 3, "", 1)
        self.assertIsNotNone(state.take(response.SerializeToString()))
        self.assertIsNone(state.take(response.SerializeToString()))
        response.is_reload = True
        self.assertIsNotNone(state.take(response.SerializeToString()))

    def test_waits_until_its_broken_stream_is_no_longer_counted(self) -> None:
        crowded_out = clearance.errors.ResourceExhausted("too many watches")
        raw = _schema.message("WatchSceneResponse")(is_reload=True).SerializeToString()
        state = _watch.WatchState("row", 0, "", 1)
        state.request()
        self.assertIsNotNone(state.take(raw))
        self.assertIsNotNone(state.after_failure(clearance.errors.Unavailable("the stream broke")))
        for _ in range(2):
            state.request()
            self.assertIsNotNone(state.after_failure(crowded_out))
        state.request()
        state.take(raw)
        self.assertIsNone(state.after_failure(crowded_out))
        self.assertIs(state.end, crowded_out)
        with self.subTest("of its first stream it is an answer"):
            first = _watch.WatchState("row", 0, "", 1)
            first.request()
            self.assertIsNone(first.after_failure(crowded_out))

    def test_is_cancelled_while_it_waits(self) -> None:
        self.row()
        watch = self.scenes.watch("row")
        watch.next()
        ended = []

        def wait() -> None:
            try:
                watch.next()
            except clearance.errors.Cancelled as error:
                ended.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        watch.cancel()
        waiting.join()
        self.assertEqual(len(ended), 1)

    def test_tells_nothing_twice_and_leaves_nothing_out_where_its_stream_breaks(self) -> None:
        relay = Relay(self.server.port)
        self.addCleanup(relay.close)
        self.assertEqual(self.follow(relay, self.row()), list(range(1, 8)))
        struck = 0
        places = 8
        for place in range(1, places):
            broken = Relay(self.server.port, relay.reply_bytes * place // places)
            self.addCleanup(broken.close)
            with self.subTest(place=place):
                told = self.follow(broken, self.row(f"row{place}"))
                self.assertEqual(told, list(range(1, 8)))
            struck += broken.has_struck
        self.assertGreater(struck, places // 2)

    def follow(self, relay: Relay, made: clearance.scenes.SceneInfo) -> list:
        """Returns the revisions, of six changes, that a watcher behind the relay is told."""
        with clearance.connect(relay.address, wait=60) as client, client.scenes.watch(
            made.name, from_revision=made.revision, etag=made.etag
        ) as watch:
            told = [watch.next().scene.revision]
            for x in range(6):
                moves = SceneChange(poses=ScenePoses(ids=[10], poses=at(x)))
                self.scenes.update(made.name, moves)
                news = watch.next()
                self.assertEqual(news.base_revision, told[-1])
                told.append(news.scene.revision)
        return told


class BrokenStreams(Scene):
    def held(self, address: str) -> list:
        """Returns the answers of a session that holds a scene at a revision that is no longer the
        newest, a slot that was refused, and query bodies whose shape has left its slot."""
        said = []
        with clearance.connect(address) as client, client.open_session() as session:
            session.open(0, "ball")
            session.open(5, clearance.Sphere(0.25))
            said.append(session.open_scene(3, "row", revision=1).scene.revision)
            with self.assertRaises(clearance.errors.NotFound):
                session.open_scene(4, "nowhere")
            own = SceneBodies(
                ids=[1, 2, 3], shape_slots=[0, 5, 0], poses=at(2, 6, 9), margins=[0, 0.125, 0]
            )
            session.change_bodies(SceneChange(bodies=own))
            session.close(0)
            regrouped = SceneChange(
                removed_bodies=[3],
                poses=ScenePoses(ids=[2], poses=at(4.8)),
                rules=ScenePairRules(bodies_a=[2], bodies_b=[10]),
            )
            said.append(session.change_bodies(regrouped))
            for x in (1.25, 4.25, 2):
                answer = session.nearest(scene_slot=3, poses=at(x, 6), max_pairs=9)
                said.append(answer.pairs.distances.tolist())
                said.append(answer.pairs.bodies_b.tolist())
                # The bodies are at the poses of their attachment.
                said.append(session.check(scene_slot=3, max_pairs=9).pairs.bodies_b.tolist())
                with self.assertRaises(clearance.errors.FailedPrecondition):
                    session.check(scene_slot=4)
                # Slot 0 is closed.
                refused = session.overlap(scene_slot=3, shape_slots=[0, 5], poses=at(4))
                said.append(refused.verdicts.tolist())
            with self.assertRaises(clearance.errors.InvalidArgument):
                session.change_bodies(SceneChange(removed_bodies=[77]))
            for _ in range(3):
                with self.assertRaises(clearance.errors.FailedPrecondition):
                    session.check(scene_slot=3)
            session.open(0, "box")
            session.change_bodies(SceneChange(bodies=SceneBodies(ids=[7])), reset=True)
            said.append(session.check(scene_slot=3).verdicts.tolist())
            said.append(session.check(scene_slot=3, poses=at(2)).verdicts.tolist())
        return said

    def test_say_the_same_wherever_the_connection_breaks(self) -> None:
        self.row()
        self.scenes.update("row", SceneChange(removed_bodies=[11]))
        relay = Relay(self.server.port)
        self.addCleanup(relay.close)
        expected = self.held(relay.address)
        self.assertEqual(expected[-2:], [Verdict.TOUCHING, Verdict.FREE])
        self.assertIn([Verdict.REFUSED, Verdict.TOUCHING], expected)
        self.assertIn([11], expected)  # body 2 is 5 cm from it, and so within its margin
        struck = 0
        places = 11
        for place in range(1, places):
            broken = Relay(self.server.port, relay.reply_bytes * place // places)
            self.addCleanup(broken.close)
            with self.subTest(place=place):
                self.assertEqual(self.held(broken.address), expected)
            struck += broken.has_struck
        self.assertGreater(struck, places // 2)

    def restart(self, *flags: str) -> None:
        port = self.server.port
        self.server.end(signal.SIGKILL)
        self.server = Server(*flags, port=port)

    def test_end_where_the_scene_is_gone(self) -> None:
        self.row()
        session = self.client.open_session()
        self.addCleanup(session.cancel)
        session.open_scene(0, "row")
        self.restart()
        with self.assertRaisesRegex(
            clearance.errors.FailedPrecondition, "scene slot 0 held revision 1 of row"
        ):
            session.overlap(poses=at(4))

    def test_end_where_the_revision_is_no_longer_held(self) -> None:
        self.row()
        relay = Relay(self.server.port)
        self.addCleanup(relay.close)
        with clearance.connect(relay.address, wait=60) as client:
            session = client.open_session(reopen_within=5)
            self.addCleanup(session.cancel)
            session.open_scene(0, "row")
            for x in range(self.client.limits.max_scene_revisions + 1):
                moved = ScenePoses(ids=[10], poses=at(x))
                self.scenes.update("row", SceneChange(poses=moved))
            self.assertEqual(session.overlap(poses=at(20)).scene_revision, 1)
            relay.cut()
            with self.assertRaisesRegex(
                clearance.errors.FailedPrecondition, "held revision 1 of row"
            ):
                session.overlap(poses=at(20))

    def test_end_where_another_scene_has_the_name(self) -> None:
        self.row()
        session = self.client.open_session()
        self.addCleanup(session.cancel)
        session.open_scene(0, "row")
        self.restart()
        with clearance.connect(self.server.address) as other:
            other.scenes.create("row")
        with self.assertRaisesRegex(
            clearance.errors.FailedPrecondition, "for which the server now opens"
        ):
            session.check()


if __name__ == "__main__":
    unittest.main()
