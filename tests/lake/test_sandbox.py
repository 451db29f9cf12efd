"""Hostile functions: refused before they run, or stopped while they do."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from rewright.lake.noise.sandbox import SandboxError, check, run
from tests.proxy.waiting import Stopwatch

REFUSED = {
    "import": "def f(v):\n    import os\n    return os.getcwd()",
    "top level import": "import os\ndef f(v):\n    return v",
    "open": "def f(v):\n    return open('/etc/passwd').read()",
    "dunder import": "def f(v):\n    return __import__('os')",
    "subclasses": "def f(v):\n    return ().__class__.__bases__[0].__subclasses__()",
    "getattr": "def f(v):\n    return getattr(v, 'upper')()",
    "eval": "def f(v):\n    return eval(v)",
    "exec": "def f(v):\n    exec(v)",
    "globals": "def f(v):\n    return globals()",
    "format string": "def f(v):\n    return '{0.__class__}'.format(v)",
    "module of a module": "def f(v):\n    return re.enum.sys.modules",
    "datetime's sys": "def f(v):\n    return datetime.sys",
    "decorator": "@print\ndef f(v):\n    return v",
    "default": "def f(v=open('/x')):\n    return v",
    "lambda": "def f(v):\n    return (lambda x: x)(v)",
    "class": "def f(v):\n    class A: pass\n    return A",
    "with": "def f(v):\n    with v as x:\n        return x",
    "global": "def f(v):\n    global x\n    x = 1",
    "print": "def f(v):\n    print(v)",
    "two functions": "def f(v):\n    return v\ndef g(v):\n    return v",
    "not python": "def f(v:",
    "frame": "def f(v):\n    return (i for i in v).gi_frame",
}
STOPPED = {
    "endless loop": "def f(v):\n    while True:\n        pass",
    "memory": "def f(v):\n    x = 'a'\n    while True:\n        x = x + x",
    "huge power": "def f(v):\n    return str(9 ** 9 ** 9)",
    "backtracking": "def f(v):\n    return re.fullmatch('(a+)+b', 'a' * 40)",
    "swallows errors": "def f(v):\n    while True:\n        try:\n            x = 1\n        except Exception:\n            pass",
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED.keys())
def test_refused_before_it_runs(source: str) -> None:
    with pytest.raises(SandboxError):
        check(source)


@pytest.mark.parametrize("source", STOPPED.values(), ids=STOPPED.keys())
def test_stopped_while_it_runs(source: str) -> None:
    with Stopwatch() as watch, contextlib.suppress(SandboxError):
        assert run(source, ["x"], seconds=1.0) == [None]
    assert watch.seconds < 20


@pytest.mark.parametrize(
    "act",
    [
        "s['os'].open('/etc/passwd', 0)",
        "s['os'].popen('id').read()",
        "s['io'].open('{there}', 'w')",
        "s['os'].fork()",
        "s['os'].unlink('{there}')",
        "s['os'].rename('{there}', '{there}2')",
        "s['os'].kill(s['os'].getppid(), 9)",
        "s['os'].execv('/bin/sh', ['sh', '-c', 'id'])",
        "s['os'].listdir('/')",
        "s['os'].symlink('/etc', '{there}3')",
        "s['_socket'].socket()",
        "s['os'].setuid(0)",
        "__import__('subprocess').run(['id'])",
        "s['os'].environ['HOME'].x",
    ],
)
def test_even_an_unchecked_child_reaches_nothing(
    act: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The second wall: the process itself opens no file and no socket, forks, signals, renames and deletes
    nothing.
    """
    import rewright.lake.noise.sandbox as sandbox

    there = tmp_path / "kept"
    there.write_text("kept")
    monkeypatch.setattr(sandbox, "check", lambda source: "f")
    lines = ("def f(v):", "    s = re.enum.sys.modules", "    {}", "    return 'reached'")
    source = "\n".join(lines).format(act.format(there=there))
    with contextlib.suppress(sandbox.SandboxError):
        assert sandbox.run(source, ["x"], seconds=2.0) == [None]
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert there.read_text() == "kept"


def test_useful_functions_work() -> None:
    source = (
        "def clean(v):\n    if v is None:\n        return None\n    m = re.search('([0-9][0-9,.]*)', v)\n"
        "    return float(m.group(1).replace(',', '')) if m else None"
    )
    assert run(source, ["1,200 t", None, "x", "7"]) == [1200.0, None, None, 7.0]
    assert run(
        "def f(v):\n    return datetime.datetime.strptime(v, '%d.%m.%Y').date().isoformat()",
        ["03.02.2020", "no"],
    ) == ["2020-02-03", None]


def test_an_error_is_a_null_not_a_failure() -> None:
    assert run("def f(v):\n    return int(v)", ["1", "x", "3"]) == [1, None, 3]
