"""Every value that the documents list is produced, and every choice of a setting is heeded, by some code.

Production is read off the code: a string, or a member of an enumeration, that is written down in the module
named here and not only compared with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from rewright.console.rendering import CHOICES
from rewright.processes.exporting import METRICS
from rewright.proxy.answers.relations import RELATIONS
from rewright.settings import REGISTRY

TREE = Path(__file__).resolve().parents[2]
PARTS = ("ask", "console", "engines", "equivalence", "hints", "knowledge", "lake", "models", "proxy", "rewright",
         "rewrite", "sql", "store")  # fmt: skip
# an enumeration, as the column of a relation or the field of a JSON document tells it -> what produces it
PRODUCERS = {
    "log.route": ("rewright/wiring/reporting.py", "rewright/wiring/asking_adapters.py"),
    "rewrites.state": ("store/life.py",),
    "rewrites.verdict": ("equivalence", "rewrite", "hints"),
    "queries.status": ("store/records.py", "rewright/processes/optimiser.py"),
    "clients.state": ("proxy",),
    "knowledge.category": ("knowledge",),
    "lessons.stage": ("ask",),
    "lessons.status": ("store", "ask", "rewright/wiring", "proxy/answers"),
    "log --json route": ("rewright/wiring/reporting.py", "rewright/wiring/asking_adapters.py"),
    "show ID --json verdict": ("equivalence", "rewrite", "hints"),
    "show ID --json scope": ("rewright/wiring", "rewrite"),
    "document scope": ("equivalence",),
    "recheck --json outcome": ("equivalence/recheck", "rewright/cli/recheck_command.py"),
    "Certificates verdict": ("equivalence",),
    "augment --json kind": ("lake/augment",),
    "augment --json ended": ("lake/augment",),
}


def modules(*places: str) -> Iterator[Path]:
    for place in places:
        path = TREE / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else (path,)


@cache
def written(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """(what the module writes down, what it compares with). Documentation strings are neither."""
    produced, compared = set[str](), set[str]()

    def walk(node: ast.AST, kind: set[str]) -> None:
        if isinstance(node, ast.Compare | ast.match_case):
            kind = compared
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            kind.add(node.value if isinstance(node.value, str) else node.value.decode("latin-1"))
        elif isinstance(node, ast.Attribute) and node.attr.isupper():
            kind.add(node.attr.lower())
        body = node.body if isinstance(node, ast.match_case) else []
        for child in ast.iter_child_nodes(node):
            walk(child, produced if child in body else kind)

    walk(ast.parse(path.read_text()), produced)
    return frozenset(produced), frozenset(compared)


def produced_by(*places: str) -> set[str]:
    return {value for path in modules(*places) for value in written(path)[0]}


def listed(meaning: str) -> Sequence[str]:
    """The values that a column's meaning lists, if it is such a list."""
    values = meaning.rpartition(": ")[2].split(", ")
    short = all(re.fullmatch(r"(?!or )[a-z]+(?: [a-z]+){0,2}", value) for value in values)
    return values if len(values) > 1 and short else ()


def of_relations() -> Iterator[tuple[str, Sequence[str]]]:
    for relation in RELATIONS:
        for column in relation.columns:
            if values := listed(column.meaning):
                yield f"{relation.name}.{column.name}", values


def of_documents() -> Iterator[tuple[str, Sequence[str]]]:
    """Fields of docs/reference/json.md whose value is one of a list of words."""
    heading = ""
    for line in (TREE / "docs/reference/json.md").read_text().splitlines():
        if line.startswith("## "):
            heading = line.split(maxsplit=1)[1].removeprefix("rewright ").replace("The checker's ", "")
        found = re.fullmatch(r"\| (.*) \| string(?: or null)? \| ((?:`[\w -]+`[,;]? ?)+) \|", line)
        if found and (values := re.findall(r"`([\w -]+)`", found[2])):
            yield f"{heading} {found[1].split('`')[1]}", values


ENUMERATIONS = [*of_relations(), *of_documents()]


def test_no_list_of_values_is_left_out() -> None:
    assert sorted(name for name, _ in ENUMERATIONS) == sorted(PRODUCERS)


@pytest.mark.parametrize(("name", "values"), ENUMERATIONS, ids=[name for name, _ in ENUMERATIONS])
def test_each_documented_value_is_produced(name: str, values: Sequence[str]) -> None:
    assert set(values) - produced_by(*PRODUCERS[name]) == set()


def test_the_scan_tells_what_is_written_from_what_is_compared_with(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""documented"""\nif x == "compared":\n    y = "written"\n'
        'match x:\n    case "matched":\n        z = State.MEMBER\n'
    )
    assert written(path) == ({"written", "member"}, {"compared", "matched"})


def test_filters_of_pages_offer_what_relations_tell() -> None:
    told = {name.partition(".")[2]: set(values) for name, values in of_relations() if "lessons" not in name}
    assert set(CHOICES["route"]) == told["route"]
    assert set(CHOICES["status"]) == told["status"]
    assert set(CHOICES["level"]) == told["verdict"]


def reasons() -> Sequence[str]:
    """Why an original ran, as docs/proxy.md tells it."""
    text = (TREE / "docs/proxy.md").read_text()
    return re.findall(
        r"`([\w ]+)`", text.partition("(`SHOW rewright.last`, metrics, the log): ")[2].partition(".\n")[0]
    )


@pytest.mark.parametrize("reason", reasons())
def test_each_reason_for_an_original_is_given_somewhere(reason: str) -> None:
    assert reason in produced_by("proxy")


@pytest.mark.parametrize("name", METRICS)
def test_each_metric_is_set_with_the_labels_it_tells_of(name: str) -> None:
    """``by X`` in the help is the label."""
    places = [path for path in modules("rewright/processes") if path.name != "exporting.py"]
    assert name in {value for path in places for value in written(path)[0]}
    if label := re.search(r", by (\w+)$", METRICS[name]):
        told = {"what": "route"}.get(label[1], label[1])
        assert told in {value for path in places for value in written(path)[0]}


def choices() -> Iterator[tuple[str, Sequence[str]]]:
    """(key, values) of each setting and configuration key that takes one of a list."""
    for setting in REGISTRY:
        if setting.allowed[:2] not in {"a ", "0 ", "on"}:
            yield setting.name, setting.allowed.split(", ")
    for node in ast.walk(ast.parse((TREE / "rewright/config/model.py").read_text())):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.value, ast.Call):
            continue
        for call in ast.walk(node.value):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "choice":
                yield ast.unparse(node.target), [ast.literal_eval(one) for one in call.args]


# handed on as it is: the model's server knows the values
HANDED_ON = {"reasoning_effort"}
# where they are declared; nothing else is done with them there
DECLARED = {"rewright/settings.py", "rewright/config/model.py"}


@pytest.mark.parametrize(
    ("key", "values"), [pytest.param(*one, id=one[0]) for one in choices() if one[0] not in HANDED_ON]
)
def test_each_value_of_a_setting_is_heeded(key: str, values: Sequence[str]) -> None:
    """In the modules that read the setting; one of its values may be what remains beside the others."""
    named = re.compile(rf"\b{key}\b")
    places = [
        path
        for path in modules(*PARTS)
        if path.relative_to(TREE).as_posix() not in DECLARED and named.search(path.read_text())
    ]
    assert places
    known = {value for path in places for value in written(path)[0] | written(path)[1]}
    assert len(set(values) - known - {""}) <= 1
