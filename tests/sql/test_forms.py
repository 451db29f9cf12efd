"""Forms: one for all ways to write a query down, and never one for two queries."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pglast.parser import ParseError, parse_sql_json

from rewright.sql.forms import (
    fixed_in,
    form_of,
    form_of_template,
    known_head,
    may_hold_comment,
    rough_head,
    rough_key,
    values_for,
    without_comments,
)


def same(one: str, other: str) -> bool:
    a, b = form_of(one), form_of(other)
    return a is not None and b is not None and (a.shape, a.literals) == (b.shape, b.literals)


def tree(text: str) -> str:
    """The raw parse tree without positions."""
    return re.sub(
        r'"(?:location|stmt_location|stmt_len|list_start|list_end|rexpr_list_start|rexpr_list_end)":-?\d+,?',
        "",
        parse_sql_json(text),
    ).replace(",}", "}")


@pytest.mark.parametrize(
    "other",
    [
        "SELECT a.b, Count(*) FROM t AS a WHERE c = 'X y' AND d < 5",
        "select a.b,count(*)from t as a where c='X y'and d<5",
        "select a . b , count ( * )\n\tfrom t as a\r\n where c = 'X y' and d < 5 ;;",
        "/* one */ select /* /* two */ */ a.b, count(*) -- three\n from t as a where c = 'X y' and d < 5;--end",
        "  --x\nselect a.b, count(*) from t as a where c/**/=/**/'X y' and d < 5",
    ],
)
def test_blanks_comments_and_case_make_no_difference(other: str) -> None:
    assert same("select a.b, count(*) from t as a where c = 'X y' and d < 5", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("select A", 'select "A"'),
        ('select "a"', 'select "A"'),
        ("select Ü", "select ü"),
        ("select 'a'", "select 'A'"),
        ("select 'a  b'", "select 'a b'"),
        ("select N'a'", "select n 'a'"),
        ("select E'a'", "select 'a'"),
        ("select E'\\n'", "select e'\\n'"),
        ("select U&'a'", "select U & 'a'"),
        ('select U&"a"', 'select U&"A"'),
        ("select $$a$$", "select 'a'"),
        ("select $q$ A $q$", "select $q$ a $q$"),
        ("select $Q$a$Q$", "select $q$a$q$"),
        ("select a - -b", "select a --b\n"),
        ("select a - - b", "select a -b"),
        ("select 1e5", "select 1E5"),
        ("select 1000", "select 1_000"),
        ("select 31", "select 0x1F"),
        ("select 5", "select '5'"),
        ("select 5", "select 5.0"),
        ("select 5", "select 5000000000"),
        ("select 1 .5", "select 1.5"),
        ("select $1", "select $2"),
        ("select $1", "select 1"),
        ("select a != b", "select a <> b"),
        ("select a < = b", "select a <= b"),
        ("select 'a'\n'b'", "select 'ab'"),
        ("select 'a' 'b'", "select 'a'\n'b'"),
        ("select b'1'", "select x'1'"),
        ("select a order by 1", "select a order by 2"),
        ("select 1 limit 5", "select 1 limit all"),
        ("select x::numeric(10,2)", "select x::numeric(10,3)"),
        ("select -2147483648", "select -2147483647"),
        ("select a b", "select ab"),
        ("select 1 a", "select 1a"),
    ],
)
def test_what_differs_has_other_forms(one: str, other: str) -> None:
    assert not same(one, other)
    assert form_of(one) is None or same(one, one)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "select 1; select 2",
        "select '",
        "/*+ SeqScan(t) */ select 1",
        "select /*+ Set(a b) */ 1",
        "select 1 -- /*+ x */",
        "/* /*+ nested */ */ select 1",
        "select ⟦1:i⟧",
        "select 1\x002",
        "select 1" * 100_000,
    ],
)
def test_texts_without_a_form(text: str) -> None:
    assert form_of(text) is None


def test_comments_are_kept_for_another_text() -> None:
    form = form_of("/*a*/ --b\nselect /*c*/ 1 -- d")
    assert form is not None
    assert (form.before, form.after) == ("/*a*/ --b\n", " /*c*/ -- d\n")
    for text in (f"{form.before}select 2{form.after}", f"{form.before}select 2{form.after} /* tag */"):
        assert tree(text) == tree("select 2")


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("select 1", "select 1"),
        ("select a-/*x*/-b", "select a- -b"),
        ("select a--x\n-b", "select a \n-b"),
        ("/*+ A(b) */ select 1 /* no */", "/*+ A(b) */ select 1  "),
        ("select '/* a */', \"-- b\"", "select '/* a */', \"-- b\""),
        ("select ⟦1:s⟧ /* x */ || '--'", "select ⟦1:s⟧   || '--'"),
    ],
)
def test_comments_that_are_no_hints_are_taken_out(text: str, bare: str) -> None:
    assert without_comments(text) == bare


# --- any text -------------------------------------------------------------------------------------

PIECES = [
    *(
        "select",
        "SELECT",
        "Select",
        "a",
        "A",
        '"A"',
        '"a"',
        "Ü",
        "ü",
        "from",
        "t",
        "T",
        "as",
        "N",
        "n",
        "U&",
        "E",
    ),
    *(
        "'x'",
        "'X'",
        "''",
        "'a''b'",
        "N'x'",
        "n'x'",
        "e'\\''",
        "U&'x'",
        'U&"x"',
        "$$x$$",
        "$a$x$a$",
        "b'1'",
        "x'f'",
    ),
    *("1", "1.", ".5", "1e5", "1E5", "1_0", "0x1F", "0X1f", "5000000000", "$1", "$2"),
    *(
        ",",
        ".",
        "(",
        ")",
        "[",
        "]",
        "*",
        "+",
        "-",
        "/",
        "<",
        ">",
        "=",
        "!",
        "::",
        ":",
        ":=",
        "=>",
        "||",
        "~",
        "@",
        "#",
        ";",
    ),
    *(
        "order by",
        "limit",
        "null",
        "not",
        "in",
        "between",
        "and",
        "uescape",
        "interval",
        "date",
        "cast",
        "numeric",
        "::int",
    ),
]
GAPS = ["", " ", "\n", "\t ", "/**/", "/* x */", "--x\n", " -- y\r\n", "/* /* n */ */", "\f", "\v"]
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), min_size=1, max_size=9).map(
    lambda pairs: "select " + "".join(piece + gap for piece, gap in pairs)
)
CASES = [str, str.upper, str.lower, str.swapcase]


def respelled(pairs: list[tuple[str, str]], draw: Any) -> str:
    """The same pieces with other blanks, and words in another case, as far as a reader could not tell."""
    words = {
        "select",
        "SELECT",
        "Select",
        "a",
        "A",
        "from",
        "t",
        "T",
        "as",
        "order by",
        "limit",
        "null",
        "not",
        "in",
    }
    found = []
    for piece, _ in pairs:
        found.append(draw(st.sampled_from(CASES))(piece) if piece in words else piece)
        found.append(draw(st.sampled_from(GAPS)))
    return "select " + "".join(found)


@given(st.data())
def test_texts_of_one_form_are_one_query(data: st.DataObject) -> None:
    """Whatever the pieces become when they are put together: equal forms are equal trees."""
    pairs = data.draw(
        st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), min_size=1, max_size=8)
    )
    one = "select " + "".join(piece + gap for piece, gap in pairs)
    other = respelled(pairs, data.draw)
    if not same(one, other):
        return
    try:
        expected = tree(one)
    except ParseError:
        with pytest.raises(ParseError):
            tree(other)
        return
    assert tree(other) == expected


QUERY = (
    *(
        "select",
        "t",
        ".",
        "a",
        ",",
        "count",
        "(",
        "*",
        ")",
        "as",
        "n",
        "from",
        "t",
        "join",
        '"U"',
        "as",
        "u",
        "on",
    ),
    *(
        "t",
        ".",
        "id",
        "=",
        "u",
        ".",
        "t",
        "where",
        "t",
        ".",
        "b",
        "like",
        "'Ab%'",
        "and",
        "t",
        ".",
        "c",
        "-",
        "-",
        "5",
    ),
    *("<", "1e3", "and", "d", ">", "$1", "group", "by", "1", "order", "by", "2", "limit", "10"),
)
BETWEEN = st.lists(
    st.sampled_from([" ", "\n", "\t", "/* x */", " /* /* y */ 'z */ ", " --it's\n"]), min_size=1, max_size=3
).map("".join)


@given(st.data())
def test_all_ways_to_write_a_query_have_one_form_and_key(data: st.DataObject) -> None:
    parts = []
    for word in QUERY:
        parts.append(word if word[0] in "\"'" else data.draw(st.sampled_from(CASES))(word))
        parts.append(data.draw(BETWEEN))
    text = (
        data.draw(st.sampled_from(["", " ", "/* a */", "--b\n"]))
        + "".join(parts)
        + data.draw(st.sampled_from(["", ";", " ; "]))
    )
    plain = " ".join(QUERY)
    # as written, a number may be spelled in two ways
    text = text.replace("1E3", "1e3")
    assert same(plain, text)
    assert tree(plain) == tree(text)
    head, known = rough_head(text.encode()), known_head(plain.encode())
    assert head.startswith(known) or may_hold_comment(head)
    key = rough_key(text.encode())
    assert not key or key == rough_key(plain.encode())


@given(TEXTS)
@example("select 'a' --\n'b'")
def test_without_comments_is_the_same_query(text: str) -> None:
    try:
        expected = tree(text)
    except ParseError:
        return
    assert tree(without_comments(text)) == expected
    form = form_of(text)
    if form is not None:
        assert (
            tree(f"{form.before}{without_comments(text.rstrip().rstrip(';'))}{form.after}") == expected
            or ";" in text
        )


@pytest.mark.parametrize(
    "literals", [("'a'", "1"), ("'it''s'", "1.5"), ("E'it\\'s'", "1e5"), ("$$it's$$", "0x1F")]
)
def test_literals_leave_the_cheap_keys_alone(literals: tuple[str, str]) -> None:
    """Or there is no key, and the text is scanned."""
    known = b"select sum(a), b from part_list where c > 1 and d = 'x' and e = 'y' group by b"
    text = f"select sum(a), b from part_list where c > {literals[1]} and d = {literals[0]} and e = 'z' group by b".encode()
    assert rough_key(text) in {b"", rough_key(known)}
    assert rough_head(text).startswith(known_head(known))


@pytest.mark.parametrize(
    "piece", [b"/*", b"*/", b"'", b"$$", b"$a$", b"--", b"- ", b"/* /*", b"'/*", b" ", b"\\"]
)
def test_cheap_keys_are_cheap_for_any_text(piece: bytes) -> None:
    text = b"select " + piece * (200_000 // len(piece))
    began = time.process_time()
    rough_key(text)
    rough_head(text)
    rough_head(piece * (200_000 // len(piece)))
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("template", "text", "values"),
    [
        ("select a + ⟦1:i⟧ from t where b = ⟦2:s⟧", "SELECT a+2 from t where b='x'", ("2", "'x'")),
        ("select a + 5 from t where b = ⟦1:s⟧", "select a + 5 from t where b = 'y'", ("'y'",)),
        ("select a + 5 from t where b = ⟦1:s⟧", "select a + 6 from t where b = 'y'", None),
        ("select a + ⟦1:i⟧ from t where b = ⟦1:i⟧", "select a + 6 from t where b = 6", ("6",)),
        ("select a + ⟦1:i⟧ from t where b = ⟦1:i⟧", "select a + 6 from t where b = 06", None),
        ("select ⟦2:i⟧, ⟦1:s⟧, ⟦2:i⟧", "select 7, 'a', 7", ("'a'", "7")),
        ("select ⟦1:i⟧", "select 7, 8", None),
    ],
)
def test_what_a_text_has_for_the_holes_of_a_template(
    template: str, text: str, values: tuple[str, ...] | None
) -> None:
    form = form_of(text)
    assert form is not None
    assert values_for(template, form) == values


def test_what_a_template_keeps() -> None:
    assert fixed_in("select 'a', ⟦1:i⟧, b from t order by 1 limit 7") == ("'a'", "7")
    assert fixed_in("select ⟦1:i⟧::numeric(3, 2)") == ()
    # a hole within a string is none
    assert form_of_template("select '⟦1:i⟧'") is None
