"""The distribution: what the wheel holds, and that it works outside of the checkout without any extra."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from email.message import Message
from importlib.metadata import Distribution, distribution
from pathlib import Path

import psycopg
import pytest
from packaging.requirements import Requirement
from psycopg.conninfo import make_conninfo

from rewright.engines.postgres.scratch import ScratchServer, free_port
from rewright.extras import EXTRAS

pytestmark = pytest.mark.long

TREE = Path(__file__).resolve().parents[2]
PARTS = [
    "sql",
    "models",
    "engines",
    "store",
    "equivalence",
    "knowledge",
    "hints",
    "rewrite",
    "lake",
    "ask",
    "proxy",
    "console",
]
# distributions whose import name is another
IMPORT_NAMES = {
    "beautifulsoup4": "bs4",
    "opentelemetry-exporter-otlp-proto-http": "opentelemetry.exporter",
    "opentelemetry-sdk": "opentelemetry.sdk",
}


def build(out: Path, source: Path = TREE, **environment: str) -> Path:
    """Built from an sdist, as an index's users get it."""
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    kind = ["--wheel"] if source.is_file() else []
    subprocess.run(
        [uv, "build", *kind, "-q", "--offline", "--no-build-isolation", "--python", sys.executable, "-o", out, source],
        check=True, env=os.environ | environment,
    )  # fmt: skip
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it says that it needs, and nothing else of what is here."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    python = home / "bin" / "python"
    subprocess.run(
        [uv, "pip", "install", "-q", "--offline", "--no-deps", "--python", python, wheel], check=True
    )
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    dependencies = home / "dependencies"
    for name in closure(metadata_of(wheel).get_all("Requires-Dist") or ()):
        link(distribution(name), dependencies)
    (site / "dependencies.pth").write_text(f"{dependencies}\n")
    return home / "bin"


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".dist-info/METADATA"))
        return message_from_bytes(packed.read(name))


def closure(requirements: Iterable[str]) -> set[str]:
    """Names of the distributions that are needed, those of extras that nobody asked for left out."""
    # with each extra of a distribution that something asks for; "" stands for none
    found = set[tuple[str, str]]()
    waiting = [(Requirement(one), "") for one in requirements]
    while waiting:
        wanted, extra = waiting.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        for asked in {(wanted.name, one) for one in ("", *wanted.extras)} - found:
            found.add(asked)
            below = distribution(wanted.name).requires or ()
            waiting += [(Requirement(one), asked[1]) for one in below]
    return {name for name, _ in found}


def link(one: Distribution, folder: Path) -> None:
    """What a distribution installed, as links: whole packages, single files of packages that several share."""
    for file in one.files or ():
        top = Path(str(one.locate_file(file.parts[0])))
        # programs and manual pages stand elsewhere
        if file.parts[0] == ".." or "__pycache__" in file.parts:
            continue
        shared = (
            top.is_dir() and top.suffix not in {".dist-info", ".libs"} and not (top / "__init__.py").exists()
        )
        path = folder / (file if shared else file.parts[0])
        if not path.is_symlink():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(one.locate_file(file) if shared else top)


def run(installed: Path, *words: str | Path, where: Path) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(where), "PATH": str(installed)}
    return subprocess.run(
        [installed / words[0], *words[1:]],
        cwd=where, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_the_wheel_holds_one_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"rewright"}


def test_the_wheel_holds_every_file_of_the_tree(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("rewright/")}
    expected = {
        path.relative_to(TREE).as_posix()
        for part in ["rewright", *PARTS]
        for path in (TREE / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    expected = {name if name.startswith("rewright/") else f"rewright/{name}" for name in expected}
    assert packed == expected


@pytest.mark.parametrize(
    "environment", [{"REWRIGHT_PURE": "1"}, {"CC": "no-such-compiler"}], ids=["not wanted", "no compiler"]
)
def test_a_wheel_without_the_compiled_module(
    wheel: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Installing needs no compiler, and a wheel that was made without one is for every platform."""
    pure = build(tmp_path, next(wheel.parent.glob("*.tar.gz")), **environment)
    if "CC" not in environment:
        assert pure.name.endswith("-py3-none-any.whl")
    names = {name for name in zipfile.ZipFile(pure).namelist() if name.startswith("rewright/")}
    compiled = {name for name in zipfile.ZipFile(wheel).namelist() if "/machine/_hot." in name}
    assert len(compiled) == (shutil.which("cc") is not None)
    assert names == {n for n in zipfile.ZipFile(wheel).namelist() if n.startswith("rewright/")} - compiled


def test_an_sdist_holds_what_is_compiled_and_nothing_compiled(wheel: Path) -> None:
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as packed:
        held = {name.partition("/")[2] for name in packed.getnames()}
    assert {"setup.py", "rewright/proxy/machine/hot.py", "rewright/proxy/machine/hot.pxd"} <= held
    assert not [name for name in held if name.endswith((".so", ".pyd", ".c"))]


def test_the_manual_page_and_completions_are_installed(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for file in (
        "man/man1/rewright.1",
        "bash-completion/completions/rewright.bash",
        "zsh/site-functions/_rewright",
        "fish/vendor_completions.d/rewright.fish",
    ):
        assert any(name.endswith(f".data/data/share/{file}") for name in names), file


@pytest.mark.parametrize("part", PARTS)
def test_the_folders_are_no_packages_by_themselves(part: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {part}"], cwd=TREE, capture_output=True, text=True, check=False
    )
    assert f"import rewright.{part}" in done.stderr


def test_the_modules_come_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = run(
        installed, "python", "-c", "import rewright.sql.algebra as a; print(a.__file__)", where=tmp_path
    )
    assert Path(done.stdout.strip()).is_relative_to(installed.parent)


def test_verify_without_extras(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text("create table t (a int primary key, b int);")
    (tmp_path / "a.sql").write_text("select distinct a, b from t")
    (tmp_path / "b.sql").write_text("select a, b from t")
    done = run(installed, "rewright", "verify", "--schema", "schema.sql", "a.sql", "b.sql", where=tmp_path)
    assert (done.returncode, done.stdout[:6]) == (0, "proved"), done.stderr


@pytest.mark.parametrize("command", ["serve", "demo", "rewrite", "hint", "log", "show", "config", "doctor"])
def test_commands_are_there_without_extras(installed: Path, tmp_path: Path, command: str) -> None:
    assert run(installed, "rewright", command, "--help", where=tmp_path).returncode == 0


@pytest.mark.server
def test_the_tour_without_extras(installed: Path, tmp_path: Path) -> None:
    done = run(installed, "rewright", "demo", "--once", where=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "rewritten" in done.stdout


@pytest.mark.server
def test_rewrite_without_extras(
    installed: Path, tmp_path: Path, scratch_server: ScratchServer, database: str
) -> None:
    dsn = scratch_server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table t (a int primary key, b int)")
        connection.execute("insert into t select n, n from generate_series(1, 5000) n; analyze t")
    (tmp_path / "q.sql").write_text("select a, (select count(*) from t u where u.b = t.b) from t")
    done = run(
        installed,
        "rewright",
        "rewrite",
        "--dsn",
        dsn,
        "--measure",
        "explain",
        "--json",
        "q.sql",
        where=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "proved"
    assert json.loads(done.stdout)["rewritten"]


@pytest.mark.server
def test_serve_without_extras(
    installed: Path, tmp_path: Path, scratch_server: ScratchServer, database: str
) -> None:
    port, upstream = free_port(), scratch_server.dsn(database)
    words = [
        "serve",
        "--listen",
        f"127.0.0.1:{port}",
        "--http",
        "",
        "--store",
        "store.db",
        "--upstream",
        upstream,
    ]
    environment = {"HOME": str(tmp_path), "PATH": str(installed)}
    with subprocess.Popen(
        [installed / "rewright", *words], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            said = next((line for line in process.stderr if "listening on" in line), "")
            assert said
            through = make_conninfo(upstream, host="127.0.0.1", port=port)
            with psycopg.connect(through) as connection:
                assert connection.execute("show rewright.mode").fetchone() == ("apply",)
        finally:
            process.terminate()
    assert process.returncode == 0


def test_a_missing_extra_is_one_line(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    done = run(installed, "rewright", "lake", "index", tmp_path, where=tmp_path)
    assert done.returncode == 1
    assert re.fullmatch(
        r"rewright: .* needs the Python package \w+: pip install 'rewright\[lake\]'\n", done.stderr
    )


@pytest.mark.parametrize("words", [(), ("--help",)], ids=["bare", "help"])
def test_benchmarks_say_where_they_are(installed: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(installed, "rewright", "bench", "overhead", *words, where=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "rewright: the benchmark overhead is not in the installed package: run it in Rewright's source tree,"
        " after `make install` there, as `.venv/bin/rewright bench overhead`\n"
    )


def test_a_lake_in_the_configuration_needs_its_extra(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "rewright.toml").write_text(f'[databases.l]\nengine = "duckdb"\npath = "{tmp_path}"\n')
    done = run(installed, "rewright", "config", "--check", "--config", "rewright.toml", where=tmp_path)
    assert done.returncode == 1
    assert "pip install 'rewright[lake]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_table_of_extras_is_that_of_the_project() -> None:
    project = tomllib.loads((TREE / "pyproject.toml").read_text())["project"]
    base = {_import_name(line) for line in project["dependencies"]}
    declared = {
        extra: {_import_name(line) for line in lines} - base
        for extra, lines in project["optional-dependencies"].items()
        if extra != "bench"
    }
    assert {extra: set(names) for extra, names in EXTRAS.items()} == declared


def _import_name(requirement: str) -> str:
    name = re.split(r"[\[<>=;]", requirement)[0].strip()
    return IMPORT_NAMES.get(name, name.replace("-", "_"))
