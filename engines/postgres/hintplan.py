"""Getting pg_hint_plan for the embedded server, from the machine's own Debian archive.

Owns the private apt run: the machine's configured Debian sources with the suite replaced, state and cache in
a directory of ours, the package downloaded and unpacked; nothing is installed on the machine and its package
lists are untouched. The package's library and extension files are then copied into the server's ``lib`` and
``share/extension``. Must not know hints.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rewright.engines.postgres.installation import find_installation, wheel_root

# where Debian carries the extension for a major version of the server
# which suites carry which version changes with Debian's releases
SUITES = {18: "sid", 17: "trixie", 16: "sid", 15: "bookworm"}
_APT = Path("/etc/apt")


class HintPlanUnavailable(Exception):
    """It cannot be had here; the message says what was tried and what to do instead."""


@dataclass(frozen=True, slots=True)
class Source:
    """One Debian source: its URIs, and the options that go with them (keyring)."""

    uris: str
    signed_by: str

    def stanza(self, suite: str) -> str:
        signed = f"Signed-By: {self.signed_by}\n" if self.signed_by else ""
        return f"Types: deb\nURIs: {self.uris}\nSuites: {suite}\nComponents: main\n{signed}"


def install(major: int = 18) -> list[Path]:
    """Put pg_hint_plan for ``major`` into the embedded server (and its public copy); the files written.

    Raises HintPlanUnavailable.
    """
    roots = {wheel_root(), find_installation().root}
    with tempfile.TemporaryDirectory(prefix="rewright-hintplan-") as directory:
        unpacked = _download(Path(directory), major)
        return [path for root in sorted(roots) for path in _copy(unpacked, root)]


def installed(root: Path | None = None) -> bool:
    """Whether the embedded server has the library."""
    return ((root or find_installation().root) / "lib" / "pg_hint_plan.so").exists()


def debian_sources(apt: Path = _APT) -> list[Source]:
    """The machine's sources of Debian's own main component, each once, security archives left out."""
    found = [*_deb822(apt), *_one_line(apt)]
    # the same archive may be configured twice, in both formats
    return list(dict.fromkeys(found))


def _deb822(apt: Path) -> Iterator[Source]:
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        # deb822: stanzas divided by blank lines
        for stanza in re.split(r"\n\s*\n", path.read_text(encoding="utf-8", errors="replace")):
            fields = {
                name.strip().lower(): value.strip()
                for name, _, value in (
                    line.partition(":") for line in stanza.splitlines() if line and not line.startswith("#")
                )
            }
            suites = fields.get("suites", "")
            # sources of others have no pg_hint_plan, and their keys do not sign Debian's
            if "main" in fields.get("components", "").split() and _is_debian(suites) and "uris" in fields:
                yield Source(fields["uris"], fields.get("signed-by", ""))


def _one_line(apt: Path) -> Iterator[Source]:
    # deb [options] uri suite components
    pattern = re.compile(
        r"deb\s+(?:\[(?P<options>[^]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>.+)"
    )
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        if not path.exists():
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            # deb-src lines do not match
            match = pattern.match(line.strip())
            if match and "main" in match["components"].split() and _is_debian(match["suite"]):
                signed = re.search(r"signed-by=(\S+)", match["options"] or "")
                yield Source(match["uri"], signed[1] if signed else "")


def _is_debian(suites: str) -> bool:
    """Debian's releases by name, without the security archive (which has no sid)."""
    names = {"bullseye", "bookworm", "trixie", "forky", "sid", "stable", "testing", "unstable"}
    words = suites.split()
    return any(word in names for word in words) and not any("security" in word for word in words)


def _download(directory: Path, major: int) -> Path:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise HintPlanUnavailable("no apt here: install pg_hint_plan from your distribution, or build it")
    sources = debian_sources()
    if not sources:
        raise HintPlanUnavailable("apt has no Debian archive configured: install pg_hint_plan by other means")
    suite = SUITES.get(major, "sid")
    for part in ("state/lists/partial", "cache/archives/partial", "parts", "unpacked"):
        (directory / part).mkdir(parents=True)
    (directory / "status").touch()
    text = "\n".join(source.stanza(suite) for source in sources)
    (directory / "parts" / "rewright.sources").write_text(text, encoding="utf-8")
    package = f"postgresql-{major}-pg-hint-plan"
    _apt(directory, "update")
    _apt(directory, "download", package)
    files = sorted(directory.glob(f"{package}_*.deb"))
    if not files:
        raise HintPlanUnavailable(f"{package} was not found in {suite}")
    _run(["dpkg-deb", "-x", str(files[-1]), str(directory / "unpacked")], directory)
    return directory / "unpacked"


def _apt(directory: Path, *words: str) -> None:
    options = {
        "Dir::State": directory / "state",
        "Dir::Cache": directory / "cache",
        "Dir::State::status": directory / "status",
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": directory / "parts",
        "Acquire::Languages": "none",
        # the unprivileged _apt account cannot write into a private directory
        "APT::Sandbox::User": "root",
    }
    flags = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    _run(["apt-get", "-q", *flags, *words], directory)


def _run(command: list[str], directory: Path) -> None:
    try:
        done = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, timeout=300, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise HintPlanUnavailable(f"{command[0]} did not answer within 300 s") from error
    if done.returncode != 0:
        raise HintPlanUnavailable(f"{command[0]} failed: {done.stderr.strip()[-500:]}")


def _copy(unpacked: Path, root: Path) -> Iterator[Path]:
    libraries = list(unpacked.glob("usr/lib/postgresql/*/lib/*.so"))
    extension = list(unpacked.glob("usr/share/postgresql/*/extension/*"))
    if not libraries or not extension:
        raise HintPlanUnavailable("the package does not hold what was expected")
    for files, target in ((libraries, root / "lib"), (extension, root / "share" / "extension")):
        for file in files:
            copy = target / file.name
            shutil.copyfile(file, copy)
            copy.chmod(0o644)
            yield copy
