"""What is deployed from files of ours: manifests and the dashboard say only what the product knows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from rewright.config.loading import load
from rewright.processes.exporting import HISTOGRAMS, METRICS
from rewright.wiring.proxies import proxy_config

DOCKER = Path(__file__).resolve().parents[2] / "docker"


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DOCKER / "kubernetes" / "rewright.yaml").read_text()))


def one(kind: str) -> dict[str, Any]:
    (found,) = [document for document in documents() if document["kind"] == kind]
    return found


def test_the_dashboard_draws_metrics_that_exist() -> None:
    dashboard = json.loads((DOCKER / "grafana" / "rewright.json").read_text())
    known = {f"rewright_{name}" for name in METRICS} | {f"rewright_{name}_bucket" for name in HISTOGRAMS}
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    used = {name for text in expressions for name in re.findall(r"rewright_\w+", text)}
    assert len(used) > 15
    assert used <= known
    # panels do not lie upon each other
    cells = [
        (x, y)
        for panel in dashboard["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


def test_the_configuration_in_the_manifest_is_one(tmp_path: Path) -> None:
    text = one("ConfigMap")["data"]["rewright.toml"]
    secrets = one("Deployment")["spec"]["template"]["spec"]["containers"][0]["volumeMounts"][1]["mountPath"]
    named = re.findall(rf"{secrets}/([\w-]+)", text)
    assert set(named) == {"console-password", "store-url", "optimiser-dsn"}
    for name in named:
        (tmp_path / name).write_text(
            "postgresql://someone@db/app" if name != "console-password" else "secret"
        )
    file = tmp_path / "rewright.toml"
    file.write_text(text.replace(secrets, str(tmp_path)))
    config = load(file)
    proxy_config(config)
    assert config.http.admin_password == "secret"
    grace = one("Deployment")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace > config.limits.drain_grace


def test_probes_and_services_reach_what_listens() -> None:
    pod = one("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {"postgresql": 6432, "http": 6480}
    assert container["readinessProbe"]["httpGet"] == {"path": "/healthz", "port": "http"}
    # a store or an upstream that is away is no reason to kill sessions
    assert container["livenessProbe"]["tcpSocket"] == {"port": "postgresql"}
    assert one("Service")["spec"]["ports"][0]["targetPort"] == "postgresql"
    labels = one("Deployment")["spec"]["template"]["metadata"]["labels"]
    assert one("Service")["spec"]["selector"].items() <= labels.items()
    mounted = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == mounted
