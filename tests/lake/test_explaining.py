"""The tree of a resolution, as ``rewright lake query --explain`` shows it."""

from __future__ import annotations

from rewright.lake.explaining import tree_of
from rewright.lake.resolve.resolution import Attempt, Join, Mapping, Resolution


def test_a_resolution_is_a_tree() -> None:
    found = Resolution(
        kind="resolved",
        query="select x from y",
        sql="SELECT a FROM b",
        confidence=0.8,
        tables={"y": ("b", "c")},
        columns=(Mapping("y", "x", "b", "a", 0.9), Mapping("", "z", None, None, 0.0)),
        joins=(Join("b", "c", (("id", "b_id"),), 0.75),),
        history=(Attempt("SELECT a\nFROM b", 3, "", 1.5),),
        closest=("b + c", "d"),
        seconds=0.25,
        rounds=1,
    )
    assert tree_of(found) == [
        "resolved with confidence 0.80, in 0.25 s and 1 round",
        "├─ tables",
        "│  └─ y is b joined with c",
        "├─ considered",
        "│  ├─ b + c",
        "│  └─ d",
        "├─ columns",
        "│  ├─ y.x is b.a (0.90)",
        "│  └─ z was not found",
        "├─ joins",
        "│  └─ b with c on id = b_id (quality 0.75)",
        "├─ candidates",
        "│  └─ 1.50: 3 rows",
        "│     └─ SELECT a",
        "│        FROM b",
        "└─ SQL",
        "   └─ SELECT a FROM b",
    ]


def test_what_binds_says_so() -> None:
    assert tree_of(Resolution("bound", "select 1", "select 1", 1.0, doubts=("the key is doubtful",))) == [
        "answered as written",
        "└─ the key is doubtful",
    ]
