"""A newcomer's path, timed: an empty folder, the wheel by ``uv tool install`` with its dependencies from the package
index, Debian's PostgreSQL with TLS and SCRAM, every step of the tutorial, and the approval by mouse in a browser.

``python -m tests.journeys.newcomer`` prints seconds for each section of the page. Needs the package index and what
tests/install_system.sh installs; not part of ``make test``, which runs the same page from the checkout.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import trustme
from playwright.sync_api import expect, sync_playwright
from psycopg import sql

from rewright.engines.postgres.scratch import free_port
from tests.proxy.debian import DebianServer

TREE = Path(__file__).resolve().parents[2]
PAGE = TREE / "docs" / "guide" / "tutorial.md"
UV = Path(sysconfig.get_path("scripts")) / "uv"
LAST = "Clean up"
PASSWORD = "a newcomer's"
# nobody comes in without TLS and a password
HBA = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"


def main() -> int:
    if sys.argv[1:2] == ["--approve"]:
        approve(int(sys.argv[2]))
        return 0
    home = Path(tempfile.mkdtemp(prefix="rewright-newcomer-"))
    try:
        wheel = built(home)
        with server_with_tls(home) as server:
            done = walked(home, wheel, server.port)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print(done)
    return 0


def built(home: Path) -> Path:
    """The wheel, made from an sdist as an index's users get it."""
    command: list[str | Path] = [
        UV,
        "build",
        "-q",
        "--no-build-isolation",
        "--python",
        sys.executable,
        "-o",
        home / "dist",
        TREE,
    ]
    subprocess.run(command, check=True)
    return next((home / "dist").glob("*.whl"))


def server_with_tls(home: Path) -> DebianServer:
    """Not started yet."""
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    certificate.cert_chain_pems[0].write_to_path(home / "cert.pem")
    certificate.private_key_pem.write_to_path(home / "key.pem")
    return DebianServer(home / "cert.pem", home / "key.pem", hba=HBA)


def walked(home: Path, wheel: Path, port: int) -> str:
    """Seconds for each section, as lines. Raises RuntimeError with what was printed where a step fails."""
    # where the throw-away server lets its owner in without a password
    socket = next(Path(tempfile.gettempdir()).glob(f"rewright-debian-*/.s.PGSQL.{port}"))
    with psycopg.connect(host=str(socket.parent), port=port, user="postgres", dbname="postgres") as one:
        one.execute(sql.SQL("alter role postgres password {}").format(PASSWORD))
    folder = home / "empty"
    folder.mkdir()
    tools = home / "tools"
    tools.mkdir()
    (tools / "uv").symlink_to(UV)
    script = home / "newcomer.sh"
    text = "\n".join(["set -eu", *steps(wheel, port)])
    # else the page installs another line than is replaced, and an index's package would be run
    assert f"uv tool install -q {wheel}" in text
    script.write_text(text)
    console, proxy = free_port(), free_port()
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "VIRTUAL_ENV", "PG", "UV_TOOL", "UV_CACHE", "XDG_"))
        },
        "HOME": str(folder),
        # uv alone of the environment's programs, and nothing that it fetched before
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PROXY_PORT": str(proxy),
        "CONSOLE_PORT": str(console),
        "APPROVE": f"env PYTHONPATH={TREE} {sys.executable} -m tests.journeys.newcomer --approve {console}",
    }
    done = subprocess.run(
        ["bash", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    if done.returncode:
        log = folder / "serve.log"
        raise RuntimeError(f"{done.stdout}\n{done.stderr}\n{log.read_text() if log.exists() else ''}")
    marks = re.findall(r"^@@ ([\d.]+) (.*)$", done.stdout, re.MULTILINE)
    lines = [
        f"{float(after) - float(before):7.1f} s  {title}"
        for (before, title), (after, _next) in itertools.pairwise(marks)
    ]
    times = re.findall(r"^Time: ([\d.]+) ms", done.stdout, re.MULTILINE)
    return "\n".join([*lines, f"psql's times of the report: {', '.join(times)} ms"])


def steps(wheel: Path, port: int) -> Iterator[str]:
    """The page as a script: a mark before each section, and the console's button before the last one."""
    text = PAGE.read_text()
    for title, body in re.findall(r"^## \d+\. (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        if title == LAST:
            yield f"{mark('Decide again, in the console')}\n$APPROVE"
            yield "until app -f report.sql -c 'show rewright.last' | grep -q replacement; do sleep 0.3; done"
        yield mark(title)
        for block in re.findall(r"^```sh(?: setup)?\n(.*?)^```$", body, re.MULTILINE | re.DOTALL):
            yield (
                block.replace("uv tool install rewright ", f"uv tool install -q {wheel} ")
                .replace("PGPORT=5432", f"PGPORT={port}")
                .replace("PGPASSWORD=…", f'PGPASSWORD="{PASSWORD}" PGSSLMODE=prefer')
            )
    yield mark("end")


def mark(title: str) -> str:
    return f'echo "@@ $(date +%s.%N) {title}"'


def approve(port: int) -> None:
    """Sign in, reject rewrite 1, look, and approve it: by mouse."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        page.get_by_label("Password").fill("tutorial")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Rewrites").click()
        page.get_by_role("link", name="1", exact=True).click()
        for button, said in (("Reject", "was turned down"), ("Approve", "served in place of the original")):
            page.get_by_label("Reason").fill("read in the console")
            page.get_by_role("button", name=button).click()
            expect(page.get_by_text(said).first).to_be_visible()
        browser.close()


if __name__ == "__main__":
    raise SystemExit(main())
