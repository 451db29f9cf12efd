"""Hints print what pg_hint_plan reads, and read what they print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewright.hints.base import (
    HintSet,
    HintSyntaxError,
    JoinHint,
    Leading,
    Materialize,
    MemoizeHint,
    Parallel,
    Rows,
    ScanHint,
    SetHint,
    aliases_of,
    print_hint,
)
from rewright.hints.injection import Refusal, inject
from rewright.hints.names import UnwritableName
from rewright.hints.parsing import parse_comment

ab = frozenset({"a", "b"})


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (JoinHint("HashJoin", ab), "HashJoin(a b)"),
        (JoinHint("NoNestLoop", frozenset({"c", "a", "b"})), "NoNestLoop(a b c)"),
        (Leading(tree=("a", ("b", "c"))), "Leading((a (b c)))"),
        (Leading(order=("a", "b", "c")), "Leading(a b c)"),
        (Rows(ab, "#", 1000), "Rows(a b #1000)"),
        (Rows(ab, "*", 0.5), "Rows(a b *0.5)"),
        (MemoizeHint(ab, negated=True), "NoMemoize(a b)"),
        (Parallel("a", 4, "hard"), "Parallel(a 4 hard)"),
        (SetHint("geqo", "off"), "Set(geqo off)"),
        (ScanHint("IndexScan", "a", ("a_pkey",)), "IndexScan(a a_pkey)"),
        (JoinHint("HashJoin", frozenset({"A b", 'q"x'})), 'HashJoin("A b" "q""x")'),
    ],
)
def test_prints_and_parses(hint, text):
    assert print_hint(hint) == text
    assert parse_comment(f"/*+ {text} */") == HintSet((hint,))


aliases = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(
    lambda s: "/*" not in s and "*/" not in s
)
alias_sets = st.frozensets(aliases, min_size=2, max_size=4)
hints = st.one_of(
    st.builds(JoinHint, st.sampled_from(["HashJoin", "MergeJoin", "NestLoop", "NoHashJoin"]), alias_sets),
    st.builds(Rows, alias_sets, st.sampled_from(["#", "+", "*", "-"]), st.integers(1, 10**9).map(float)),
    st.builds(MemoizeHint, alias_sets, st.booleans()),
    st.builds(Parallel, aliases, st.integers(0, 1024), st.sampled_from(["soft", "hard"])),
    st.lists(aliases, min_size=2, max_size=5, unique=True).map(lambda names: Leading(order=tuple(names))),
)


@given(hints)
def test_any_identifier_survives(hint):
    comment = HintSet((hint,)).comment()
    assert comment.count("*/") == 1
    assert comment.count("/*") == 1
    assert parse_comment(comment) == HintSet((hint,))


@pytest.mark.parametrize("name", ["x*/ drop table t; /*", "/*", "*/", "", "a\0b"])
def test_a_name_that_would_leave_the_comment_is_refused(name):
    with pytest.raises(UnwritableName):
        print_hint(JoinHint("HashJoin", frozenset({name, "b"})))


@pytest.mark.parametrize("setting", ["extra_float_digits", "search_path", "work_mem", "row_security", "role"])
def test_only_planner_switches_are_set(setting):
    with pytest.raises(HintSyntaxError):
        SetHint(setting, "off")


def test_a_value_cannot_smuggle_text():
    with pytest.raises(HintSyntaxError):
        SetHint("geqo", "off) SeqScan(a")


def test_no_two_hints_decide_the_same():
    with pytest.raises(HintSyntaxError):
        HintSet((JoinHint("HashJoin", ab), JoinHint("NestLoop", ab)))
    assert HintSet((JoinHint("HashJoin", ab),)).with_hint(JoinHint("NestLoop", ab)) == HintSet(
        (JoinHint("NestLoop", ab),)
    )


def test_aliases_of_a_tree():
    assert aliases_of(Leading(tree=(("a", "b"), "c"))) == {"a", "b", "c"}


@pytest.mark.parametrize(
    "text",
    [
        "HashJoin",
        "HashJoin(a",
        "Nope(a b)",
        "Rows(a b 5)",
        "HashJoin(a a)",
        "Leading((a b c))",
        "Set(x y)",
        ")",
    ],
)
def test_what_is_no_hint_is_an_error(text):
    with pytest.raises(HintSyntaxError):
        parse_comment(text)


def test_injection_is_at_the_front_and_leaves_the_text_alone():
    sql = "SELECT /* note */ *  FROM a, b WHERE a.x = b.x -- end"
    assert inject(sql, HintSet((JoinHint("HashJoin", ab),))) == f"/*+ HashJoin(a b) */ {sql}"
    assert inject(sql, HintSet()) == sql


def test_a_text_with_a_hint_of_its_own_gets_none():
    assert isinstance(inject("select /*+ FULL(a) */ 1", HintSet((SetHint("geqo", "off"),))), Refusal)


@given(st.text(max_size=20), st.text(max_size=20))
def test_wherever_a_hint_comment_may_stand_there_is_no_second(before, after):
    """In a literal or a name, too: the extension's own scanner decides, and older ones look for less."""
    hints = HintSet((JoinHint("HashJoin", ab), Materialize("c")))
    assert isinstance(inject(f"{before}/*+{after}", hints), Refusal)


@given(st.text(max_size=40))
def test_exactly_one_hint_comment_comes_out(text):
    made = inject(text, HintSet((JoinHint("HashJoin", ab),)))
    assert isinstance(made, Refusal) or (made.count("/*+") == 1 and made.endswith(text))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("with c as (select 1) select * from c", "with c as MATERIALIZED (select 1) select * from c"),
        ("WITH c(x) AS NOT MATERIALIZED (select 1) table c", "WITH c(x) AS MATERIALIZED (select 1) table c"),
        (
            'with a as (select 1), "c" as (select 2) select * from c',
            'with a as (select 1), "c" as MATERIALIZED (select 2) select * from c',
        ),
    ],
)
def test_cte_keywords(before, after):
    assert inject(before, HintSet((Materialize("c"),))) == after


def test_two_ctes_of_one_name_are_refused():
    sql = "with c as (select 1) select * from c, (with c as (select 2) select * from c) d"
    assert isinstance(inject(sql, HintSet((Materialize("c"),))), Refusal)


def test_a_name_in_a_string_is_no_cte():
    sql = "with c as (select ', c as (select 1)') select * from c"
    assert (
        inject(sql, HintSet((Materialize("c", negated=True),)))
        == "with c as NOT MATERIALIZED (select ', c as (select 1)') select * from c"
    )
