# SPDX-License-Identifier: Apache-2.0
"""The dashboard, the alerts and the runbook fit each other, as far as the files alone can tell."""

import itertools
import re
import unittest

import files


class Dashboard(unittest.TestCase):
    def test_every_axis_has_a_unit(self) -> None:
        for panel in files.panels():
            self.assertTrue(panel["fieldConfig"]["defaults"].get("unit"), panel["title"])
            if panel["type"] == "heatmap":
                self.assertTrue(panel["options"]["yAxis"].get("unit"), panel["title"])

    def test_every_query_keeps_to_the_chosen_jobs_and_instances(self) -> None:
        for panel in files.panels():
            self.assertEqual(panel["datasource"]["uid"], "${datasource}", panel["title"])
            for target in panel["targets"]:
                found = files.selectors(target["expr"])
                self.assertTrue(found, target["expr"])
                for selector in found:
                    self.assertIn("{job=~'$job',instance=~'$instance'", selector)
        names = {variable["name"] for variable in files.dashboard()["templating"]["list"]}
        self.assertEqual(names, {"datasource", "job", "instance"})

    def test_panels_have_ids_of_their_own_and_do_not_overlap(self) -> None:
        panels = files.dashboard()["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        cells = list(itertools.chain.from_iterable(map(self.cells_of, panels)))
        self.assertEqual(len(set(cells)), len(cells))

    def cells_of(self, panel: dict) -> list:
        place = panel["gridPos"]
        self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
        columns = range(place["x"], place["x"] + place["w"])
        rows = range(place["y"], place["y"] + place["h"])
        return list(itertools.product(columns, rows))

    def test_alerts_that_panels_name_exist(self) -> None:
        text = " ".join(panel["description"] for panel in files.panels())
        named = re.findall(r"\bClearance\w+", text)
        self.assertGreater(len(named), 5)
        self.assertLessEqual(set(named), set(files.alerts()))


class Names(unittest.TestCase):
    def test_every_series_that_a_file_names_is_a_metric(self) -> None:
        page = (files.FOLDER.parent / "server/guide/metrics.md").read_text()
        types = dict(re.findall(r"^\| `(\w+)` \| (\w+)", page, re.M))
        known = set(re.findall(r"^\| `(\w+)` \|", page, re.M))
        for name, kind in types.items():
            if kind == "histogram":
                known |= {name + end for end in ("_bucket", "_sum", "_count")}
        self.assertGreater(len(known), 80)
        folder = files.FOLDER
        paths = [folder / "README.md", *folder.glob("*/*.yml"), *folder.glob("grafana/dashboards/*")]
        for path in [*paths, *folder.parent.glob("server/guide/*.md")]:
            text = re.sub(r"^ *- name: .*", "", path.read_text(), flags=re.M)  # of a group of rules
            named = set(re.findall(r"(?<![\w:.])(?:clearance|grpc_server)_\w+", text))
            self.assertEqual(named - known, set(), path)


class Runbook(unittest.TestCase):
    def test_has_a_section_for_each_alert_and_for_nothing_else(self) -> None:
        sections = re.findall(r"^### (Clearance\w+)$", files.runbook(), re.M)
        self.assertEqual(sections, sorted(files.alerts()))

    def test_every_section_says_what_it_means_how_to_look_and_what_to_do(self) -> None:
        for section in re.split(r"^### (?=Clearance)", files.runbook(), flags=re.M)[1:]:
            for word in ("*Means.*", "*Look.*", "*Do.*"):
                self.assertIn(word, section)

    def test_every_alert_names_its_section(self) -> None:
        text = (files.FOLDER / "prometheus/alerts.yml").read_text()
        for alert in re.split(r"^ +- alert: ", text, flags=re.M)[1:]:
            name = alert.split()[0]
            self.assertIn(f"runbook_url: docker/README.md#{name.lower()}\n", alert)


class Rules(unittest.TestCase):
    """promtool runs the cases, as part of ./dev lint."""

    def test_each_alert_has_a_case_in_which_it_is_silent_and_one_in_which_it_fires(self) -> None:
        cases = (files.FOLDER / "prometheus/alerts_test.yml").read_text()
        found = re.findall(r"^ +alertname: (\w+)\n +exp_alerts:( \[\])?", cases, re.M)
        for alert in files.alerts():
            self.assertEqual({bool(none) for name, none in found if name == alert}, {True, False}, alert)

    def test_each_recorded_series_has_a_case(self) -> None:
        rules = (files.FOLDER / "prometheus/rules.yml").read_text()
        cases = (files.FOLDER / "prometheus/rules_test.yml").read_text()
        asked = " ".join(re.findall(r"^ +(?:- expr|- labels|- {labels): (.*)$", cases, re.M))
        recorded = re.findall(r"^ +- record: (\S+)\n(?: +labels: {(\w+): '?([^'}]+)'?}\n)?", rules, re.M)
        self.assertEqual(len(recorded), rules.count(" record: "))
        for name, label, value in recorded:
            self.assertIn(name, asked)
            self.assertIn(f'{label}="{value}"' if label else name, asked, name)


class Compose(unittest.TestCase):
    def setUp(self) -> None:
        text = (files.FOLDER / "compose.yaml").read_text()
        services = text.split("\nservices:\n")[1].split("\n\n# ")[0].split("\nnetworks:")[0]
        _, *parts = re.split(r"^  (\w+):$", services, flags=re.M)
        self.services = dict(zip(parts[::2], parts[1::2]))

    def test_starts_server_prometheus_and_grafana_with_least_privileges(self) -> None:
        self.assertEqual(list(self.services), ["clearance", "prometheus", "grafana"])
        for name, service in self.services.items():
            self.assertIn("\n    read_only: true\n", service, name)
            self.assertIn("\n    cap_drop: [ALL]\n", service, name)
            self.assertIn('\n    security_opt: ["no-new-privileges:true"]\n', service, name)
            ports = re.findall(r'^ +- "(.*:\d+)"$', service, re.M)
            self.assertTrue(ports, name)
            for port in ports:
                self.assertTrue(port.startswith("127.0.0.1:"), port)

    def test_mounts_read_only_what_is_there(self) -> None:
        mounts = re.findall(r"^ +- \./(\S+?):(\S+?)(:ro)?$", "".join(self.services.values()), re.M)
        for source, target, read_only in mounts:
            self.assertTrue((files.FOLDER / source).exists(), source)
            self.assertTrue(read_only, source)
        targets = {source: target for source, target, _ in mounts}
        config = (files.FOLDER / "prometheus/prometheus.yml").read_text()
        for rules in re.search(r"^rule_files: \[(.*)\]$", config, re.M)[1].split(", "):
            self.assertEqual(targets[f"prometheus/{rules}"], f"/etc/prometheus/{rules}")
        provider = (files.FOLDER / "grafana/provisioning/dashboards/clearance.yml").read_text()
        self.assertIn(f"path: {targets['grafana/dashboards']}\n", provider)


class Selectors(unittest.TestCase):
    def test_are_found_in_any_expression(self) -> None:
        cases = {
            "up": ["up"],
            'sum by (job, le) (rate(a_b{c="d, {e}", f!="g"}[5m] offset 1h)) > 0.1': [
                'a_b{c="d, {e}",f!="g"}'
            ],
            "x:y:z / on (job) group_left (k) (w - time()) or bool": ["x:y:z", "w"],
        }
        for expression, expected in cases.items():
            self.assertEqual(files.selectors(expression), expected)


if __name__ == "__main__":
    unittest.main()
