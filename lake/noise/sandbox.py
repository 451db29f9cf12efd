"""Python functions written by a model, run where they can do no harm.

Owns the allowed subset of the language and the child process: no files, no sockets, no forks of use, little
memory, little time. On Linux the kernel keeps a second wall. Must not know what the functions are for.
docs/decisions/0085-sandbox.md.
"""

from __future__ import annotations

import ast
import json
import platform
import subprocess
import sys
from collections.abc import Sequence

_STATEMENTS = (
    ast.FunctionDef, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.For, ast.While,
    ast.Expr, ast.Pass,
    ast.Break, ast.Continue, ast.Try, ast.ExceptHandler, ast.arguments, ast.arg, ast.Module, ast.Load,
    ast.Store,
)  # fmt: skip
_EXPRESSIONS = (
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp,
    ast.Compare, ast.Call, ast.Constant, ast.Attribute, ast.Subscript, ast.Name, ast.List, ast.Tuple,
    ast.Slice, ast.comprehension,
    ast.keyword, ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.boolop, ast.operator, ast.unaryop,
    ast.cmpop,
)  # fmt: skip
_NAMES = frozenset(
    [
        "str",
        "int",
        "float",
        "bool",
        "len",
        "abs",
        "min",
        "max",
        "round",
        "sorted",
        "list",
        "dict",
        "set",
        "tuple",
        "enumerate",
        "range",
        "zip",
        "any",
        "all",
        "sum",
        "isinstance",
        "ValueError",
        "TypeError",
        "KeyError",
        "IndexError",
        "Exception",
        "OverflowError",
        "reversed",
        "map",
        "filter",
        "chr",
        "ord",
        "re",
        "unicodedata",
        "datetime",
        "None",
        "True",
        "False",
    ]
)
_ATTRIBUTES = frozenset(
    [
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "title",
        "capitalize",
        "casefold",
        "replace",
        "split",
        "rsplit",
        "splitlines",
        "join",
        "startswith",
        "endswith",
        "find",
        "rfind",
        "index",
        "count",
        "isdigit",
        "isalpha",
        "isalnum",
        "isspace",
        "isupper",
        "islower",
        "isnumeric",
        "zfill",
        "removeprefix",
        "removesuffix",
        "partition",
        "rpartition",
        "translate",
        "swapcase",
        "center",
        "ljust",
        "rjust",
        "encode",
        "decode",
        "append",
        "extend",
        "pop",
        "get",
        "items",
        "keys",
        "values",
        "add",
        "update",
        "insert",
        "sub",
        "match",
        "search",
        "fullmatch",
        "findall",
        "compile",
        "group",
        "groups",
        "groupdict",
        "start",
        "end",
        "IGNORECASE",
        "MULTILINE",
        "I",
        "M",
        "normalize",
        "combining",
        "category",
        "name",
        "strptime",
        "strftime",
        "isoformat",
        "date",
        "year",
        "month",
        "day",
        "hour",
        "minute",
        "second",
        "datetime",
        "time",
        "timedelta",
        "is_integer",
        "sort",
        "reverse",
        "copy",
        "remove",
        "discard",
    ]
)
# characters of a function: longer ones are tables, not functions
_SIZE = 20_000
_CHILD = r"""
import json, resource, sys
task = json.loads(sys.stdin.buffer.read())
import _strptime, ctypes, datetime, re, unicodedata
for limit, value in task["limits"]:
    resource.setrlimit(getattr(resource, limit), (value, value))
sys.setrecursionlimit(200)
def wall(arch, allowed):
    # seccomp (Linux, filter mode): any system call but these fails with EPERM; the kernel keeps it up
    # whatever runs here
    import ctypes
    class Step(ctypes.Structure):
        _fields_ = [
            ("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)
        ]
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.POINTER(Step))]
    load, equal, end = 0x20, 0x15, 0x06
    steps = [Step(load, 0, 0, 4), Step(equal, 1, 0, arch), Step(end, 0, 0, 0x80000000), Step(load, 0, 0, 0)]
    for i, number in enumerate(allowed):
        steps.append(Step(equal, len(allowed) - i, 0, number))
    steps += [Step(end, 0, 0, 0x00050001), Step(end, 0, 0, 0x7FFF0000)]
    made = (Step * len(steps))(*steps)
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) == 0:
        libc.prctl(22, 2, ctypes.byref(Program(len(steps), made)), 0, 0)
if task["wall"]:
    wall(*task["wall"])
from types import SimpleNamespace
def strptime(text, form):
    # strptime imports; called from the function's own frame it would find no __import__
    return datetime.datetime.strptime(text, form)
dates = SimpleNamespace(
    datetime=SimpleNamespace(strptime=strptime), date=datetime.date, timedelta=datetime.timedelta
)
names = {"re": re, "unicodedata": unicodedata, "datetime": dates}
import builtins
allowed = {n: getattr(builtins, n) for n in task["names"] if hasattr(builtins, n)}
names["__builtins__"] = allowed
out = []
try:
    exec(compile(task["source"], "<udf>", "exec"), names)
    function = names[task["function"]]
    for value in task["values"]:
        try:
            result = function(value)
            plain = result is None or isinstance(result, (str, int, float, bool))
            out.append(result if plain else str(result))
        except Exception:
            out.append(None)
    reply = json.dumps({"values": out})
except BaseException as error:
    reply = json.dumps({"error": type(error).__name__})
sys.stdout.write(reply)
"""


_WALLS: dict[str, tuple[int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        (
            0,
            1,
            3,
            5,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            15,
            24,
            25,
            28,
            39,
            60,
            96,
            131,
            201,
            202,
            228,
            230,
            231,
            318,
            334,
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (
            57,
            62,
            63,
            64,
            80,
            93,
            94,
            98,
            113,
            115,
            124,
            132,
            134,
            135,
            139,
            169,
            172,
            214,
            215,
            216,
            222,
            226,
            233,
            278,
            293,
        ),
    ),
}
"""Architecture (linux/audit.h) and the system calls a function needs: memory, the three open pipes, clocks,
locks, the end.
"""


class SandboxError(Exception):
    """The function is not allowed, or did not come to an end within its limits."""


def check(source: str) -> str:
    """The name of the one function a source defines.

    :raises SandboxError: anything outside the allowed subset: imports, underscored or unknown attributes,
    other names.
    """
    # Before it is parsed: the parser itself is not bounded.
    if len(source) > _SIZE:
        raise SandboxError("too long")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SandboxError(f"not Python: {error}") from error
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        raise SandboxError("exactly one function is expected")
    function = tree.body[0]
    if (
        function.decorator_list
        # defaults are evaluated when the function is made, so they are not allowed, however harmless
        or len(function.args.args) != 1
        or function.args.vararg
        or function.args.kwarg
        or function.args.defaults
    ):
        raise SandboxError("one plain parameter is expected")
    # names that the function gives itself; all others must be on the list
    local = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    # the function may call itself by its name
    local |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | {function.name}
    local |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    for node in ast.walk(tree):
        _check_node(node, local)
    return function.name


def run(
    source: str, values: Sequence[str | None], *, seconds: float = 5.0, memory: int = 256 << 20
) -> list[str | int | float | bool | None]:
    """The function's results for the values; a value on which it fails gives None.

    :raises SandboxError: not allowed, too slow, too big, or it broke out of its own error handling.
    """
    task = {
        "source": source,
        "function": check(source),
        "values": list(values),
        # modules are handed in by the child itself, as parts of them
        "names": sorted(_NAMES - {"re", "unicodedata", "datetime"}),
        # a machine whose calls are not listed has the limits alone
        "wall": _WALLS.get(platform.machine()) if sys.platform == "linux" else None,
        "limits": _limits(seconds, memory),
    }
    try:
        done = subprocess.run(
            # Without site packages and environment: nothing of the caller's can be imported or read.
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps(task).encode(),
            capture_output=True,
            # Two seconds for the interpreter to start and end; RLIMIT_CPU ends what computes.
            timeout=seconds + 2.0,
            check=False,
            env={},
            cwd="/",
        )
        reply = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise SandboxError("too slow") from error
    except ValueError as error:
        raise SandboxError("it was stopped at its limits") from error
    if "error" in reply:
        raise SandboxError(f"it failed: {reply['error']}")
    results: list[str | int | float | bool | None] = reply["values"]
    return results


def _limits(seconds: float, memory: int) -> list[tuple[str, int]]:
    """The resource limits under which the function runs."""
    return [
        # no descriptor beyond the three it has: no file, no socket, no pipe
        ("RLIMIT_NOFILE", 3),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_AS", memory),
        ("RLIMIT_CPU", max(1, int(seconds) + 1)),
        ("RLIMIT_CORE", 0),
        # no process, thread or program can be started
        ("RLIMIT_NPROC", 0),
    ]


def _check_node(node: ast.AST, local: set[str]) -> None:
    if not isinstance(node, (*_STATEMENTS, *_EXPRESSIONS)):
        raise SandboxError(f"{type(node).__name__} is not allowed")
    # such a name is reached by nothing but tricks
    if isinstance(node, ast.FunctionDef) and node.name.startswith("_"):
        raise SandboxError("underscored names are not allowed")
    # A list of what is allowed: `__class__` and its like lead from any value to all of Python.
    if isinstance(node, ast.Attribute) and node.attr not in _ATTRIBUTES:
        raise SandboxError(f"attribute {node.attr} is not allowed")
    if isinstance(node, ast.Name) and (
        node.id.startswith("_") or (node.id not in _NAMES and node.id not in local)
    ):
        raise SandboxError(f"name {node.id} is not allowed")
    if (
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id in {"re", "unicodedata", "datetime"}
    ):
        # replaced, a later line would call something that was never looked at
        raise SandboxError("modules are not to be replaced")
