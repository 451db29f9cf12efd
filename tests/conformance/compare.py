"""Run a driver's own test suite directly and through the proxy, and compare test by test.

    python tests/conformance/compare.py asyncpg [--only EXPRESSION] [--out report.json]

The suite comes from the driver's source distribution on PyPI, at the version installed here. Exit code 1: outcomes
differ. Tests that start servers of their own or need what the embedded server lacks fail the same way on both sides.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET  # reports of our own making
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))


def fetch(package: str, home: Path) -> Path:
    """The sdist's tests, without its package directory (the installed one is tested)."""
    version = importlib.metadata.version(package)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
    subprocess.run(
        [*command, "--no-binary", package, "-d", str(home), f"{package}=={version}"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    archive = next(home.glob("*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(home, filter="data")
    return next(p for p in home.iterdir() if p.is_dir()) / "tests"


def outcomes(tests: Path, environment: dict[str, str], report: Path, only: str) -> dict[str, str]:
    """Test name -> passed, failed, error or skipped."""
    work = tests.parent / "run"
    work.mkdir(exist_ok=True)
    link = work / "tests"
    if not link.exists():
        link.symlink_to(tests)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "--timeout",
        "60",
    ]
    command += ["-o", "addopts=", "--rootdir", str(work), f"--junitxml={report}", "tests"] + (
        ["-k", only] if only else []
    )
    subprocess.run(command, cwd=work, env=os.environ | environment, stdout=subprocess.DEVNULL, check=False)
    return {
        f"{case.get('classname')}.{case.get('name')}": _outcome(case)
        for case in ET.parse(report).iter("testcase")
    }


def _outcome(case: ET.Element) -> str:
    found = {child.tag for child in case} & {"failure", "error", "skipped"}
    return found.pop() if found else "passed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", choices=["asyncpg"])
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    from engines.postgres.scratch import ScratchServer
    from proxy.ports import Ports
    from proxy.serving.index import RewriteIndex
    from tests.proxy.rules import RULES
    from tests.proxy.running import RunningProxy, config
    from tests.proxy.serving_world import Reports

    ports = Ports(lookup=RewriteIndex(), reporter=Reports(), settings=RULES)
    found: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as directory, ScratchServer({"max_connections": "100"}) as server:
        home = Path(directory)
        tests = fetch(options.package, home)
        url = urlsplit(server.dsn())
        common = {
            "PGHOST": "127.0.0.1",
            "PGUSER": str(url.username),
            "PGPASSWORD": str(url.password),
            "PGDATABASE": "postgres",
        }
        with RunningProxy(config(f"host=127.0.0.1 port={server.port}"), ports) as proxy:
            for name, port in (("direct", server.port), ("through", proxy.port)):
                environment = common | {"PGPORT": str(port)}
                found[name] = outcomes(tests, environment, home / f"{name}.xml", options.only)
    different = {
        test: (outcome, found["through"].get(test, "missing"))
        for test, outcome in found["direct"].items()
        if found["through"].get(test) != outcome
    }
    passed = sum(outcome == "passed" for outcome in found["direct"].values())
    print(f"{options.package}: {len(found['direct'])} tests, {passed} pass directly, {len(different)} differ")
    for test, (direct, through) in sorted(different.items()):
        print(f"  {test}: {direct} directly, {through} through the proxy")
    if options.out:
        options.out.write_text(json.dumps({"outcomes": found, "different": different}, indent=1))
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
