"""The constants of queries, and near which columns they stand.

Owns reading them off a parse tree. Columns are matched by their last name only: a pool that is too
wide costs a few databases, never an answer. Must not know types or servers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rewright.equivalence.isolation import nodes
from rewright.equivalence.tree import ast, enums

_MEASURES = frozenset({"length", "char_length", "character_length", "octet_length"})
_MAX_LENGTH = 60
_MAX_ROWS = 120
# a name has 63 bytes at most, and is cut
_AROUND_NAMES = (63, 64)
# texts as patterns that are no constants: with wildcards, and with an escape that escapes nothing
_AS_PATTERNS = frozenset({"a", "a%", "_", "a\\"})
_TEXT_TYPES = frozenset({"varchar", "bpchar"})
# functions that put something between texts
_JOINING = frozenset({"string_agg", "concat_ws", "array_to_string"})
# functions that do as much as a number says
_COUNTING = frozenset({"generate_series", "repeat", "lpad", "rpad"})
_SEARCHING = frozenset(
    {"to_tsvector", "to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery"}
)
_FOLDING = frozenset({"lower", "upper", "initcap", "casefold"})
_LIST = re.compile(r"[{\[(][^{}\[\]()\"\\:]+[}\])]")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,6})?")
_CLASSES = re.compile(r"\\[a-zA-Z]")
_STRETCH = re.compile(r"[A-Za-z0-9 ]+")


@dataclass(slots=True)
class Constants:
    """Texts of literals: numbers, strings, LIKE patterns, intervals; ``near`` by lower-case column name."""

    numbers: set[str] = field(default_factory=set)
    strings: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    intervals: set[str] = field(default_factory=set)
    limits: set[int] = field(default_factory=set)
    # texts are read as JSON
    documents: bool = False
    # upper and lower case are made of texts, or are the same
    folded: bool = False
    # texts are searched by their words
    words: bool = False
    # rows or texts are made up to a number, as a recursion may
    counting: bool = False
    near: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def small_integers(self) -> tuple[int, ...]:
        """Those that may be a number of rows (HAVING count(*) > 4, LIMIT 10)."""
        found = {int(n) for n in self.numbers if n.isdigit()} | self.limits
        return tuple(sorted(n for n in found if 2 <= n <= 24))

    @property
    def row_counts(self) -> tuple[int, ...]:
        """As `small_integers`, with larger ones that chance may still build (LIMIT 50)."""
        found = {int(n) for n in self.numbers if n.isdigit() and len(n) < 4} | self.limits
        return tuple(sorted(n for n in found if 2 <= n <= _MAX_ROWS))


def constants_of(trees: Iterable[object]) -> Constants:
    """All constants of some parse trees."""
    found = Constants()
    for tree in trees:
        for node in nodes(tree):
            _visit(node, found)
    return found


def _literal(node: Any) -> str | None:
    if isinstance(node, ast.TypeCast):
        return _literal(node.arg)
    if not isinstance(node, ast.A_Const) or node.isnull:
        return None
    match node.val:
        case ast.Integer(ival=number):
            return str(number or 0)
        case ast.Float(fval=text):
            return str(text)
        case ast.String(sval=text):
            return str(text or "")
        case _:
            return None


def _visit(node: Any, found: Constants) -> None:
    match node:
        case ast.A_Const():
            text = _literal(node)
            if text is not None:
                (found.strings if isinstance(node.val, ast.String) else found.numbers).add(text)
                for element in _elements(text):
                    (found.numbers if _NUMBER.fullmatch(element) else found.strings).add(element)
        case ast.TypeCast() if node.typeName and node.typeName.names[-1].sval == "interval":
            text = _literal(node.arg)
            if text is not None:
                found.intervals.add(_interval_text(text, node.typeName))
        case ast.TypeCast() if node.typeName and node.typeName.names[-1].sval in _TEXT_TYPES:
            lengths = [int(n) for m in node.typeName.typmods or () if (n := _literal(m)) and n.isdigit()]
            text = _literal(node.arg)
            for length in lengths:
                if length <= _MAX_LENGTH:
                    found.strings |= length_samples(length) | ({text[:length]} if text is not None else set())
        case ast.TypeCast() if node.typeName and node.typeName.names[-1].sval == "name":
            found.strings |= {"x" * length for length in _AROUND_NAMES}
        case ast.TypeCast() if node.typeName and node.typeName.names[-1].sval in {"json", "jsonb"}:
            found.documents = True
        case ast.A_Expr():
            found.folded |= node.kind == enums.A_Expr_Kind.AEXPR_ILIKE
            _visit_expression(node, found)
        case ast.CoalesceExpr() | ast.MinMaxExpr():
            # what stands in a missing value's place is equal to it where a row has it
            _visit_alternatives(node.args, found)
        case ast.CaseExpr() if node.arg is not None:
            _visit_alternatives((node.arg, *(one.expr for one in node.args)), found)
        case ast.WithClause():
            found.counting |= bool(node.recursive)
        case ast.FuncCall() if node.funcname[-1].sval in _COUNTING:
            found.counting = True
        case ast.FuncCall() if node.funcname[-1].sval in _FOLDING:
            found.folded = True
        case ast.FuncCall() if node.funcname[-1].sval in _SEARCHING:
            found.words = True
        case ast.FuncCall() if node.funcname[-1].sval in _JOINING:
            _visit_joined(node, found)
        case _:
            pass


def _elements(text: str) -> set[str]:
    """The elements of an array, a range or a row that is written as a text, none of which is quoted."""
    if not _LIST.fullmatch(text):
        return set()
    return {element.strip() for element in text[1:-1].split(",")} - {"NULL", ""}


def _visit_joined(node: Any, found: Constants) -> None:
    """Of texts that are put together: such as hold what is put between them, and those that these consist
    of.
    """
    between = {text for a in node.args or () if (text := _literal(a)) is not None and 0 < len(text) <= 2}
    for part in (p for a in node.args or () for p in nodes(a)):
        if isinstance(part, ast.ColumnRef) and isinstance(part.fields[-1], ast.String):
            name = part.fields[-1].sval.lower()
            found.near[name] |= {text for s in between for text in ("a", "b", f"a{s}b")}


def _interval_text(text: str, type_name: Any) -> str:
    """``interval '1' year`` has its unit in the type modifier (utils/timestamp.h, INTERVAL_MASK)."""
    units = {4: "year", 2: "month", 8: "day", 1024: "hour", 2048: "minute", 4096: "second"}
    for modifier in type_name.typmods or ():
        number = _literal(modifier)
        if number is not None and int(number) in units and text.strip().lstrip("-").isdigit():
            return f"{text} {units[int(number)]}"
    return text


def _visit_expression(node: Any, found: Constants) -> None:
    sides = (node.lexpr, node.rexpr)
    names = {
        part.fields[-1].sval.lower()
        for side in sides
        if side is not None
        for part in nodes(side)
        if isinstance(part, ast.ColumnRef) and isinstance(part.fields[-1], ast.String)
    }
    texts = {
        text
        for side in sides
        if side is not None
        for part in nodes(side)
        if (text := _literal(part)) is not None
    }
    if node.kind == enums.A_Expr_Kind.AEXPR_SIMILAR or _is_regex(node):
        texts |= {sample for text in texts for sample in regex_samples(text)}
    lengths = {int(text) for text in texts if text.isdigit() and int(text) <= _MAX_LENGTH}
    if lengths and any(_measures(side) for side in sides if side is not None):
        texts |= {sample for n in lengths for sample in length_samples(n)}
    if node.kind in {enums.A_Expr_Kind.AEXPR_LIKE, enums.A_Expr_Kind.AEXPR_ILIKE}:
        patterns = {text for text in texts if isinstance(text, str)}
        found.patterns |= patterns
        texts = {sample for pattern in patterns for sample in like_samples(pattern)}
        found.strings |= texts
        texts |= set() if patterns else _AS_PATTERNS
    for name in names:
        found.near[name] |= texts


def _visit_alternatives(sides: Iterable[Any], found: Constants) -> None:
    parts = [part for side in sides for part in nodes(side)]
    texts = {text for part in parts if (text := _literal(part)) is not None}
    for part in parts:
        if isinstance(part, ast.ColumnRef) and isinstance(part.fields[-1], ast.String):
            found.near[part.fields[-1].sval.lower()] |= texts


def _is_regex(node: Any) -> bool:
    return node.kind == enums.A_Expr_Kind.AEXPR_OP and node.name[-1].sval in {"~", "~*", "!~", "!~*"}


def _measures(side: Any) -> bool:
    """Whether the length of a text is asked for."""
    return any(
        isinstance(part, ast.FuncCall) and part.funcname[-1].sval.lower() in _MEASURES for part in nodes(side)
    )


def length_samples(length: int) -> set[str]:
    """Strings of about this length, with and without blanks at their ends."""
    sizes = [n for n in (length - 1, length, length + 1) if n > 0]
    plain = {"x" * n for n in sizes}
    return plain | {f"{'x' * (n - 1)} " for n in sizes} | {f" {'x' * n}" for n in sizes}


def regex_samples(pattern: str) -> set[str]:
    """The plain stretches of a regular expression or SIMILAR TO pattern, alone and one after the other."""
    # the letter of a class, as in \s, is no plain character
    found = _STRETCH.findall(_CLASSES.sub(" ", pattern))[:6]
    # other blanks than a space
    bare = {f.strip() for f in found} if "\\s" in pattern else set()
    return {*found, *(a + b for a in found for b in found), *bare, *(f"\t{f}" for f in bare)}


def like_samples(pattern: str) -> set[str]:
    """Strings that match the pattern, and near misses."""
    plain = pattern.replace("\\%", "%").replace("\\_", "_")
    full = plain.replace("%", "").replace("_", "x")
    wide = plain.replace("%", "zz").replace("_", "y")
    return {full, wide, full[:-1], full.swapcase(), "q" + full}
