# SPDX-License-Identifier: Apache-2.0
"""Checks the rendered manifests of docker/kubernetes, and the compose files.

Kubernetes must know every field, and the server and its image must have every flag, port, path,
metric and time. The schemas are those that `./dev install kubernetes` brings: nothing is fetched
here."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.request

import optional_programs
from server import Server

FOLDER = pathlib.Path(__file__).parent
ROOT = pathlib.Path(os.environ["CLEARANCE_ROOT"])
KUBERNETES = ROOT / "docker/kubernetes"
WORKLOADS = {"single": "StatefulSet", "fleet": "Deployment"}
GIVES_UP_AFTER = 10  # seconds after drain_delay and drain_timeout, run.cc


def render(overlay: str) -> list[dict]:
    command = ["kubectl", "kustomize", KUBERNETES / "overlays" / overlay]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return list(yaml.safe_load_all(done.stdout))


def validate(manifests: list[dict]) -> list[str]:
    """Returns the faults of the manifests by Kubernetes' schemas."""
    command = ["node", FOLDER / "validate.js"]
    done = subprocess.run(command, input=json.dumps(manifests), capture_output=True, text=True)
    if done.stderr or bool(done.returncode) != bool(done.stdout):
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout.splitlines()


def only(manifests: list[dict], kind: str, name: str = "clearance") -> dict:
    (found,) = [m for m in manifests if m["kind"] == kind and m["metadata"]["name"] == name]
    return found


def flags_of(container: dict) -> dict[str, str]:
    return dict(arg.removeprefix("--").split("=", 1) for arg in container["args"])


def seconds(flag: str) -> float:
    number, unit = re.fullmatch(r"(\d+)(s|m)", flag).groups()
    return float(number) * {"s": 1, "m": 60}[unit]


def flags_of_the_server() -> set[str]:
    command = [os.environ["CLEARANCE_SERVER"], "--helpfull"]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    return set(re.findall(r"^  --(\w+)(?:=|\[)", said, re.MULTILINE))


class Compose(unittest.TestCase):
    def test_uses_flags_of_the_server(self) -> None:
        known = flags_of_the_server()
        used = set()
        for path in sorted((ROOT / "docker").glob("compose*.yaml")):
            for name, service in yaml.safe_load(path.read_text())["services"].items():
                if name.startswith("clearance"):
                    words = service["command"] + service.get("healthcheck", {}).get("test", [])
                    flags = {word[2:].split("=")[0] for word in words if word.startswith("--")}
                    used |= flags
                    self.assertLessEqual(flags, known, path.name)
        self.assertIn("data_dir", used)
        self.assertIn("store", used)

    def test_the_fleet_has_the_servers_of_the_proxy(self) -> None:
        services = yaml.safe_load((ROOT / "docker/compose.fleet.yaml").read_text())["services"]
        proxy = (ROOT / "docker/proxy/haproxy.cfg").read_text()
        named = set(re.findall(r"presetenv CLEARANCE_\d (\S+):50051", proxy))
        self.assertEqual(named, {name for name in services if name.startswith("clearance")})
        store = services["clearance-1"]["command"][0].removeprefix("--store=etcd://").split(",")
        self.assertEqual(
            set(store), {f"{name}:2379" for name in services if name.startswith("etcd")}
        )
        needed = set(re.findall(r"\$\{(PROXY_\w+)\}", proxy))
        needed -= set(re.findall(r"presetenv (PROXY_\w+)", proxy))
        self.assertEqual(set(services["haproxy"]["environment"]), needed)


class Rendered(unittest.TestCase):
    def setUp(self) -> None:
        self.rendered = {overlay: render(overlay) for overlay in WORKLOADS}
        self.workloads = {o: only(self.rendered[o], kind) for o, kind in WORKLOADS.items()}
        self.pods = {o: w["spec"]["template"]["spec"] for o, w in self.workloads.items()}
        self.containers = {}
        for overlay, pod in self.pods.items():
            (self.containers[overlay],) = pod["containers"]

    def test_has_fields_of_kubernetes_alone_and_of_their_types(self) -> None:
        for overlay, manifests in self.rendered.items():
            self.assertEqual(validate(manifests), [], overlay)

    def test_a_wrong_field_at_any_place_would_be_found(self) -> None:
        def places(value: object, path: tuple) -> list[tuple]:
            pairs = value.items() if isinstance(value, dict) else ()
            pairs = enumerate(value) if isinstance(value, list) else pairs
            here = [path] if isinstance(value, dict) else []
            return here + [p for key, child in pairs for p in places(child, (*path, key))]

        # These may have any key; a Service may in its selector too.
        free = ("labels", "matchLabels", "requests", "limits")
        tried = 0
        wrong = []
        for manifest in self.rendered["fleet"] + self.rendered["single"]:
            for path in places(manifest, ()):
                if path and path[-1] in free or (manifest["kind"], *path[1:]) == ("Service", "selector"):
                    continue
                spoilt = copy.deepcopy(manifest)
                spoilt["metadata"]["name"] = f"number-{tried}"
                place = spoilt
                for key in path:
                    place = place[key]
                place["nosuchfield"] = "x"
                wrong.append(spoilt)
                tried += 1
        found = validate(wrong)
        self.assertGreater(tried, 100)
        missed = [i for i in range(tried) if not any(f" number-{i}: " in line for line in found)]
        self.assertEqual([wrong[i] for i in missed], [])

    def test_a_wrong_type_would_be_found(self) -> None:
        deployment = copy.deepcopy(self.workloads["fleet"])
        pod = deployment["spec"]["template"]["spec"]
        pod["terminationGracePeriodSeconds"] = "40"
        pod["containers"][0]["args"] = "--log_format=json"
        monitor = copy.deepcopy(only(self.rendered["single"], "ServiceMonitor"))
        monitor["spec"]["endpoints"] = {}
        self.assertEqual(len(validate([deployment, monitor])), 3)

    def test_pods_differ_in_their_store_alone(self) -> None:
        own = {"args", "env", "volumeMounts"}
        single, fleet = (
            {key: value for key, value in self.containers[o].items() if key not in own}
            for o in ("single", "fleet")
        )
        self.assertEqual(single, fleet)
        own = {"containers", "volumes", "topologySpreadConstraints"}
        single, fleet = (
            {key: value for key, value in self.pods[o].items() if key not in own}
            for o in ("single", "fleet")
        )
        self.assertEqual(single, fleet)
        store = ("data_dir", "store", "etcd_", "max_connection_age")
        single, fleet = (
            {k: v for k, v in flags_of(self.containers[o]).items() if not k.startswith(store)}
            for o in ("single", "fleet")
        )
        self.assertEqual(single, fleet)

    def test_has_the_ports_and_the_user_of_the_image(self) -> None:
        dockerfile = (ROOT / "docker/Dockerfile").read_text()
        exposed = {int(port) for port in re.search(r"EXPOSE (.*)", dockerfile)[1].split()}
        listens = re.findall(r'"--(?:http_)?listen=0\.0\.0\.0:(\d+)"', dockerfile)
        self.assertEqual(exposed, {int(port) for port in listens})
        user, group = map(int, re.search(r"USER (\d+):(\d+)", dockerfile).groups())
        for overlay, container in self.containers.items():
            ports = {port["name"]: port["containerPort"] for port in container["ports"]}
            self.assertEqual(set(ports.values()), exposed)
            service = only(self.rendered[overlay], "Service")["spec"]
            self.assertEqual(service["clusterIP"], "None")
            for port in service["ports"]:
                self.assertEqual(port["port"], ports[port["targetPort"]])
            served = {port["name"] for port in service["ports"]}
            monitor = only(self.rendered[overlay], "ServiceMonitor")["spec"]["endpoints"]
            self.assertLessEqual({endpoint["port"] for endpoint in monitor}, served)
            policy = only(self.rendered[overlay], "NetworkPolicy")["spec"]
            allowed = {port["port"] for rule in policy["ingress"] for port in rule["ports"]}
            self.assertEqual(allowed, set(ports))
            context = self.pods[overlay]["securityContext"]
            self.assertEqual((context["runAsUser"], context["runAsGroup"]), (user, group))

    def test_labels_select_the_pods(self) -> None:
        for overlay, manifests in self.rendered.items():
            labels = self.workloads[overlay]["spec"]["template"]["metadata"]["labels"]
            selectors = [
                self.workloads[overlay]["spec"]["selector"]["matchLabels"],
                only(manifests, "Service")["spec"]["selector"],
                only(manifests, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
            ]
            self.assertEqual(selectors, [labels] * len(selectors))
            service = only(manifests, "Service")["metadata"]["labels"]
            monitor = only(manifests, "ServiceMonitor")["spec"]["selector"]["matchLabels"]
            self.assertEqual(monitor, service)
        fleet = self.rendered["fleet"]
        budget = only(fleet, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"]
        etcd = only(fleet, "NetworkPolicy", "clearance-etcd")["spec"]["podSelector"]["matchLabels"]
        self.assertEqual([budget, etcd], [labels, labels])
        target = only(fleet, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
        self.assertEqual(
            (target["apiVersion"], target["kind"], target["name"]),
            ("apps/v1", "Deployment", self.workloads["fleet"]["metadata"]["name"]),
        )

    def test_gives_the_drain_its_time(self) -> None:
        for overlay, container in self.containers.items():
            flags = flags_of(container)
            needed = seconds(flags["drain_delay"]) + seconds(flags["drain_timeout"])
            self.assertGreaterEqual(
                self.pods[overlay]["terminationGracePeriodSeconds"], needed + GIVES_UP_AFTER
            )
            # Callers that resolve the pods' names must learn of it before calls are refused.
            ready = container["readinessProbe"]
            noticed = ready["periodSeconds"] * ready["failureThreshold"]
            self.assertGreater(seconds(flags["drain_delay"]), noticed)

    def test_uses_flags_of_the_server(self) -> None:
        known = flags_of_the_server()
        for overlay, container in self.containers.items():
            self.assertLessEqual(set(flags_of(container)), known, overlay)

    def test_a_server_runs_with_the_flags_and_answers_the_probes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            volume = self.containers["single"]["volumeMounts"][0]["mountPath"]
            for overlay, container in self.containers.items():
                flags = flags_of(container)
                if overlay == "fleet":
                    of_store = [f for f in flags if f == "store" or f.startswith("etcd_")]
                    for flag in of_store:
                        del flags[flag]
                else:
                    self.assertTrue(flags["data_dir"].startswith(volume + "/"))
                    flags["data_dir"] = flags["data_dir"].replace(volume, folder, 1)
                flags["log_format"] = "human"  # which Server() reads
                server = Server(*(f"--{name}={value}" for name, value in flags.items()))
                try:
                    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                        path = container[probe]["httpGet"]["path"]
                        self.get(server, path)
                    monitor = only(self.rendered[overlay], "ServiceMonitor")["spec"]["endpoints"][0]
                    metrics = self.get(server, monitor["path"])
                    for metric in self.metrics_of_autoscaler():
                        self.assertRegex(metrics, rf"(?m)^{metric} ")
                finally:
                    server.end()

    def get(self, server: Server, path: str) -> str:
        """Returns a page; raises unless its status is one of success."""
        with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}{path}") as page:
            return page.read().decode()

    def metrics_of_autoscaler(self) -> list[str]:
        metrics = only(self.rendered["fleet"], "HorizontalPodAutoscaler")["spec"]["metrics"]
        names = [metric["pods"]["metric"]["name"] for metric in metrics if metric["type"] == "Pods"]
        self.assertTrue(names)
        return names

    def test_needs_the_secret_of_the_readme(self) -> None:
        readme = (KUBERNETES / "README.md").read_text()
        (command,) = re.findall(r"kubectl create secret generic ([^`]*?)\nkubectl", readme)
        said = {word.split("=")[1] for word in re.findall(r"--from-\w+=\S+", command)}
        container = self.containers["fleet"]
        (env,) = container["env"]
        reference = env["valueFrom"]["secretKeyRef"]
        (volume,) = self.pods["fleet"]["volumes"]
        keys = {item["key"] for item in volume["secret"]["items"]}
        self.assertEqual(said, keys | {reference["key"]})
        self.assertEqual({reference["name"], volume["secret"]["secretName"]}, {command.split()[0]})
        flags = flags_of(container)
        self.assertEqual(flags["store"], f"etcd://$({env['name']})")
        mount = container["volumeMounts"][0]["mountPath"]
        files = {f"{mount}/{item['path']}" for item in volume["secret"]["items"]}
        self.assertEqual({flags[f"etcd_{f}"] for f in ("ca", "certificate", "key")}, files)

    def test_names_the_version_of_the_image(self) -> None:
        dockerfile = (ROOT / "docker/Dockerfile").read_text()
        version = re.search(r"ARG VERSION=(\S+)", dockerfile)[1]
        for container in self.containers.values():
            self.assertEqual(container["image"], f"clearance:{version}")


if __name__ == "__main__":
    optional_programs.require("kubectl", "node", "python3:yaml")
    if not (FOLDER / "node_modules").is_dir():
        optional_programs.skip("needs the npm packages of tests/integration/kubernetes (./dev install kubernetes)")
    import yaml

    unittest.main()
