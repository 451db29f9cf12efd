"""Actual row counts from auto_explain's plans in the server's log: nothing has to be run.

Reads stderr, csv and JSON logs, with `auto_explain.log_format` text or json and `log_analyze` on (without it
there are no actual rows, and the plan is passed over). Hostile as any input: what cannot be read is passed
over. Must not know hints.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pglast

from rewright.sql.parsing import TooDeep, parse
from rewright.sql.plans import Plan, PlanError, plan_from_json

_HEAD = re.compile(r"duration: (\d+\.\d+) ms  plan:\s*\n", re.DOTALL)
# a line of a stderr log that begins an entry; what follows it until the next such line belongs to it
_ENTRY = re.compile(
    r"(?:LOG|DEBUG\d?|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC|STATEMENT|DETAIL|HINT|CONTEXT|QUERY):  "
)
# the column message of csvlog (PostgreSQL manual, 19.8.4, "Using CSV-Format Log Output")
_CSV_MESSAGE = 13
# the newest part of a log that may have gigabytes
MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Logged:
    """One plan of the log: the statement, how long it took (seconds), what happened in it."""

    text: str
    seconds: float
    plan: Plan


def read_log(path: Path) -> Iterator[Logged]:
    """Every executed plan in the log, in its order. Raises OSError; of a long file the end is read."""
    for message in _messages(path):
        head = _HEAD.match(message)
        if head is None:
            continue
        found = _logged(message[head.end() :], float(head[1]) / 1000)
        # without log_analyze there are no actual rows to learn from
        if found is not None and found.plan.root.actual is not None:
            yield found


def plans_of(text: str, logged: list[Logged]) -> list[Plan]:
    """The plans of one query, newest first: of the same statement, whatever its spelling and comments, with
    the same literals.
    """
    wanted = _canonical(text)
    return [one.plan for one in reversed(logged) if wanted and _canonical(one.text) == wanted]


def _canonical(text: str) -> str:
    """Equal for texts that parse to the same tree."""
    try:
        statements = parse(text)
        return repr([_without_places(statement.stmt()) for statement in statements])
    except (pglast.Error, TooDeep, RecursionError):
        return ""


def _without_places(node: Any) -> Any:
    # where in the text a node stands differs with its spelling
    if isinstance(node, dict):
        places = {
            "location",
            "stmt_location",
            "stmt_len",
            "name_location",
            "rexpr_list_start",
            "rexpr_list_end",
        }
        return {k: _without_places(v) for k, v in node.items() if k not in places}
    return [_without_places(one) for one in node] if isinstance(node, tuple | list) else node


# --------------------------------------------------------------------------- the three kinds of log


def _messages(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        # the newest part: its first line may be half of one, which nothing recognises
        file.seek(max(0, path.stat().st_size - MAX_BYTES))
        text = file.read().decode(errors="replace")
    if path.suffix == ".csv":
        # The plan of one query may be longer than the 128 KiB that the csv module takes for a field.
        csv.field_size_limit(sys.maxsize)
        yield from (
            row[_CSV_MESSAGE] for row in csv.reader(text.splitlines(keepends=True)) if len(row) > _CSV_MESSAGE
        )
    elif path.suffix == ".json":
        yield from _json_messages(text)
    else:
        yield from _stderr_messages(text)


def _json_messages(text: str) -> Iterator[str]:
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and isinstance(entry.get("message"), str):
            yield entry["message"]


def _stderr_messages(text: str) -> Iterator[str]:
    """The server puts a tab before each further line of a message."""
    current: list[str] = []
    for line in text.splitlines():
        if line.startswith("\t"):
            current.append(line[1:])
            continue
        if current:
            yield "\n".join(current)
        # what other kinds of entries say is no plan
        start = _ENTRY.search(line)
        current = [line[start.end() :]] if start and start[0].startswith("LOG") else []
    if current:
        yield "\n".join(current)


# --------------------------------------------------------------------------- the plan


def _logged(body: str, seconds: float) -> Logged | None:
    try:
        if body.lstrip().startswith("{"):
            document = json.loads(body)
            return Logged(str(document["Query Text"]), seconds, plan_from_json(document))
        return _from_text(body, seconds)
    # whatever is cut off or of another version is passed over
    except (PlanError, KeyError, ValueError, RecursionError, TypeError):
        return None


_NODE = re.compile(
    r"^(?P<indent> *)(?:->  )?(?P<what>\S.*?)  \(cost=(?P<startup>[\d.]+)\.\.(?P<total>[\d.]+) "
    r"rows=(?P<rows>[\d.]+) width=(?P<width>\d+)\)"
    r"(?: \((?:actual (?:time=[\d.]+\.\.(?P<seconds>[\d.]+) )?rows=(?P<actual>[\d.]+) "
    r"loops=(?P<loops>\d+)|never executed)\))?"
)
_PROPERTY = re.compile(r"^\s*(?P<name>[A-Z][A-Za-z ]+?): (?P<value>.*)$")
_SCAN = re.compile(
    r"^(?P<operator>.*?Scan(?: Backward)?)(?: using (?P<index>\S+))? on "
    r"(?P<name>\"(?:[^\"]|\"\")+\"|\S+)(?: (?P<alias>\S.*))?$"
)
_JOIN = re.compile(
    r"^(?:(?P<operator>Hash|Merge)(?: (?P<type>Left|Right|Full|Semi|Anti|Right Semi|Right Anti))? Join"
    r"|Nested Loop(?: (?P<loop>Left|Semi|Anti) Join)?)$"
)
_SUBPLAN = re.compile(r"^\s*(?:InitPlan|SubPlan|CTE) ")


def _from_text(body: str, seconds: float) -> Logged | None:
    """The text format, by its indentation: `->` stands two columns below its parent's own text."""
    lines = body.splitlines()
    start = next((i for i, line in enumerate(lines) if _NODE.match(line)), None)
    # log_nested_statements and other formats begin otherwise
    if start is None or not lines[0].startswith("Query Text: "):
        return None
    query = "\n".join(lines[:start]).removeprefix("Query Text: ")
    # PostgreSQL 16 and later write the parameters between the text and the plan.
    query = re.sub(r"\nQuery Parameters: .*\Z", "", query, flags=re.DOTALL)
    stack: list[tuple[int, dict[str, Any]]] = []
    relationship = "Outer"
    for line in lines[start:]:
        found = _NODE.match(line)
        if found is None:
            # what comes next belongs to the subplan, whatever its indentation
            if _SUBPLAN.match(line):
                relationship = line.split()[0]
            elif stack and (named := _PROPERTY.match(line)):
                _set_property(stack[-1][1], named["name"], named["value"])
            continue
        node = _text_node(found)
        indent = len(found["indent"])
        # Those that stand as deep or deeper are closed: the one that is left is the parent.
        while stack and stack[-1][0] >= indent:
            stack.pop()
        if stack:
            children = stack[-1][1].setdefault("Plans", [])
            # the first child of a join is its outer side; a subplan says what it is itself
            first = "Outer" if not children else "Inner"
            node["Parent Relationship"] = first if relationship == "Outer" else relationship
            children.append(node)
        relationship = "Outer"
        stack.append((indent, node))
        root = stack[0][1]
    return Logged(query, seconds, plan_from_json([{"Plan": root, "Execution Time": seconds * 1000}]))


def _set_property(node: dict[str, Any], name: str, value: str) -> None:
    node[name] = (
        value == "true"
        if name == "Inner Unique"
        else float(value)
        if name.startswith("Rows Removed")
        else value
    )


def _text_node(found: re.Match[str]) -> dict[str, Any]:
    node: dict[str, Any] = {
        "Startup Cost": float(found["startup"]),
        "Total Cost": float(found["total"]),
        "Plan Rows": float(found["rows"]),
        "Plan Width": int(found["width"]),
    }
    if found["actual"] is not None:
        node |= {"Actual Rows": float(found["actual"]), "Actual Loops": float(found["loops"])}
    # a worker's share of a scan is read as the scan
    what = found["what"].removeprefix("Parallel ")
    if joined := _JOIN.match(what):
        operator = joined["operator"]
        node["Node Type"] = f"{operator} Join" if operator else "Nested Loop"
        node["Join Type"] = joined["type"] or joined["loop"] or "Inner"
    elif scanned := _SCAN.match(what):
        name, alias = scanned["name"], scanned["alias"]
        node["Node Type"] = scanned["operator"].removesuffix(" Backward")
        node["Alias"] = _unquoted(alias or name.rsplit(".", 1)[-1])
        if node["Node Type"] == "CTE Scan":
            node["CTE Name"] = _unquoted(name)
        # a subquery's scan reads no relation of its own
        elif node["Node Type"] != "Subquery Scan":
            node["Relation Name"] = _unquoted(name.rsplit(".", 1)[-1])
        if scanned["index"]:
            node["Index Name"] = scanned["index"]
    else:
        node["Node Type"] = re.sub(
            r"^(Hash|Group|Mixed|Partial|Finalize|Partial Hash)?(Aggregate|GroupAggregate|HashAggregate)$",
            "Aggregate",
            what,
        )
    return node


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') and name.endswith('"') else name
