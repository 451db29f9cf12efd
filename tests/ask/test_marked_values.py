"""Values with marks in them, `Kiln#7`, `24/7`, `O'Hara & Daughters`, link as a whole, however they are typed.

Over a pottery, a schema that shares no word with another set.
"""

from __future__ import annotations

import time

import pytest

from rewright.ask.context import Context
from rewright.ask.reading.api import Reader
from rewright.ask.reading.marked_values import LOOKS_LIKE_A_CODE, MarkedValues
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    potter = table(
        "potter", 9, potter_id="int4 key", full_name="text unique:Ada O'Hara,Olaf Rehn", mail="text unique:ada@clay.example,o_rehn@clay.example",
        phone="text unique:+47 22 555-0101,+47 22 555-0102", guild="text:O'Hara & Daughters,St. Brigid's Guild,R+D Clay,T.K. Ofen",
    )  # fmt: skip
    glaze = table(
        "glaze",
        12,
        glaze_id="int4 key",
        code="text unique:GL/7,GL/7#2,GL-5.1,C,C#,C++,F.30",
        hue="text:red,blue",
        litres="int4",
    )
    vase = table(
        "vase", 80, vase_id="int4 key", potter_id="int4 *9", glaze_id="int4 *12", kiln="text:Kiln#7,Kiln#12,Kiln#70", burner="text:4.2.1,4.2.10,5.0-rc1",
        watch="text:24/7,9-5,by day", aged="text:18-25,26-40", worth="numeric", fired_on="date", weighed="int4",
    )  # fmt: skip
    return reader_of([potter, glaze, vase], "vase.potter_id potter.potter_id", "vase.glaze_id glaze.glaze_id")


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many vases have the kiln Kiln#7?", "vase.kiln = 'Kiln#7'"),
        ("how many vases are from kiln#12?", "vase.kiln = 'Kiln#12'"),
        ("How many vases have the burner 4.2.1?", "vase.burner = '4.2.1'"),
        ("How many vases have the burner 4.2.10?", "vase.burner = '4.2.10'"),
        ("How many vases are watched 24/7?", "vase.watch = '24/7'"),
        ("How many vases are aged 18-25?", "vase.aged = '18-25'"),
        ("How many potters are in the guild O'Hara & Daughters?", "potter.guild = 'O''Hara & Daughters'"),
        ("How many potters are in the guild OHara and Daughters?", "potter.guild = 'O''Hara & Daughters'"),
        ("How many potters are in the guild R&D Clay?", "potter.guild = 'R+D Clay'"),
        ("How many potters are in St Brigids Guild?", "potter.guild = 'St. Brigid''s Guild'"),
        ("How many potters are in the guild TK Ofen?", "potter.guild = 'T.K. Ofen'"),
        ("Which potter has the phone +47 22 555-0102?", "potter.phone = '+47 22 555-0102'"),
        ("Which potter has the phone +47 22 5550102?", "potter.phone = '+47 22 555-0102'"),
        ("Which potter has the mail Ada@clay.example?", "potter.mail = 'ada@clay.example'"),
        ("What is the worth of the vases with glaze GL/7#2?", "glaze.code = 'GL/7#2'"),
        ("How many vases have the glaze code GL 5.1?", "glaze.code = 'GL-5.1'"),
        ("How many vases have the glaze code C#?", "glaze.code = 'C#'"),
        ("How many vases have the glaze code C?", "glaze.code = 'C'"),
        ("How many vases have the glaze code F30?", "glaze.code = 'F.30'"),
        ("How many vases of Kiln#7 were fired in 2023?", "vase.kiln = 'Kiln#7'"),
    ],
)  # fmt: skip
def test_values_with_marks_are_conditions(reader: Reader, question: str, part: str) -> None:
    assert_read(reader, question, [part])


@pytest.mark.parametrize(
    "question",
    [
        "How many vases have the kiln Kiln#8?",
        "How many vases have the burner 4.2.7-rc2?",
        "Which potter has the mail eve@clay.example?",
        "Which potter has the phone +47 22 555-0199?",
        "What is the worth of the vases with glaze GL/7#3?",
    ],
)
def test_what_only_looks_like_a_value_is_none(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


@pytest.mark.parametrize(
    ("typed", "quoted"),
    [
        ("GL/7#2, GL/7 or GL-7", '"GL/7#2", "GL/7" or "GL/7"'),
        ("GL/7#3", '"GL/7#3"'),
        ("by T.K. Ofen. Made by T.K. Ofen", 'by "T.K. Ofen". Made by "T.K. Ofen"'),
        ("Kiln#7's vases", '"Kiln#7" vases'),
        ("'Kiln#7' and \"24/7\"", "'Kiln#7' and \"24/7\""),
        ("at 12:30 on 2023-01-02, 3.5 to 7 in Q1/2024 or 2023/24", "at 12:30 on 2023-01-02, 3.5 to 7 in Q1/2024 or 2023/24"),
        ("5km/h, $5/hour, and/or, #5, no.5", "5km/h, $5/hour, and/or, #5, no.5"),
        ("eve@clay.example", '"eve@clay.example"'),
        ("R and D Clay and glaze", '"R+D Clay" and glaze'),
    ],
)  # fmt: skip
def test_what_is_put_in_quotes(reader: Reader, typed: str, quoted: str) -> None:
    assert reader.marked.quoted(typed) == quoted
    assert reader.marked.quoted(quoted) == quoted


@pytest.mark.parametrize("part", ["a-", "a+", "-A", "a#", "+1-", "1.2.3-"])
def test_what_only_begins_like_a_code_is_passed_over_in_linear_time(part: str) -> None:
    began = time.perf_counter()
    assert not [found for found in LOOKS_LIKE_A_CODE.finditer(part * 20_000 + "@") if "@" in found[0]]
    # with the square of the length it took minutes
    assert time.perf_counter() - began < 10


def test_long_questions_and_many_values_take_little_time() -> None:
    values = ",".join(f"a/{'b/' * 7}{i}" for i in range(4000))
    marked = MarkedValues(Context.of(tables=[table("t", 9, c=f"text:{values}")]))
    began = time.perf_counter()
    assert '"a/b/b/b/b/b/b/b/17"' in marked.quoted("a/b/" * 4000 + " a b b b b b b b 17")
    assert time.perf_counter() - began < 5
