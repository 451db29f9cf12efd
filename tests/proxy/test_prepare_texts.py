"""What SQL's PREPARE and EXECUTE say of a lake's query, and the query with its values in it."""

from __future__ import annotations

import pytest

from rewright.proxy.duckdb_backend.commands import command_of, refusal
from rewright.proxy.duckdb_backend.prepare_texts import ExecutePrepared, Prepare, with_values
from rewright.proxy.ports import SqlError

_TEXT = (
    b"prepare q (int, date, numeric(10, 2)) as select * from t where a = $1 and b > $2 and c = $3 and d = $4;"
)
_TYPES = (23, 1082, 1700, 0)


def _prepared() -> Prepare:
    command = command_of(_TEXT)
    assert isinstance(command, Prepare)
    return command


def test_names_and_types_are_read() -> None:
    command = _prepared()
    assert (command.name, command.types) == ("q", ("int", "date", "numeric(10, 2)"))
    assert command.query == "select * from t where a = $1 and b > $2 and c = $3 and d = $4"
    assert command_of(b"execute q (-5, '7', 1 + 1, .5)") == ExecutePrepared("q", frozenset({0, 3}))
    assert command_of(b"prepare transaction 'q'") is None


def test_values_stand_where_a_client_would_write_them() -> None:
    told = with_values(_prepared(), _TYPES, (b"-5", b"2024-01-02", b"1.50", b"it's $1"), frozenset({0}))
    assert told.endswith("where a = (-5) and b > '2024-01-02'::date and c = 1.50 and d = 'it''s $1'")


def test_of_undeclared_values_those_that_are_written_as_numbers_are_numbers() -> None:
    for numbers, written in ((frozenset({3}), "d = 7"), (frozenset[int](), "d = '7'")):
        assert with_values(_prepared(), _TYPES, (None, None, None, b"7"), numbers).endswith(
            f"a = NULL::int and b > NULL::date and c = NULL::numeric(10, 2) and {written}"
        )


def test_a_comment_in_a_type_hides_nothing_of_the_query() -> None:
    text = b"prepare q (int -- whole\n, /* and */ date) as select * from t where a = $1 and b > $2 and c"
    command = command_of(text)
    assert isinstance(command, Prepare)
    assert command.types == ("int", "date")
    told = with_values(command, (23, 1082), (None, b"2024-01-02"), frozenset())
    assert told == "select * from t where a = NULL::int and b > '2024-01-02'::date and c"


def test_a_value_in_many_places_is_no_huge_text() -> None:
    command = Prepare("q", (), "select " + ", ".join(["$1"] * 2000))
    assert len(with_values(command, (25,), (b"x" * 100,), frozenset())) > 200_000
    with pytest.raises(SqlError, match="too long"):
        with_values(command, (25,), (b"x" * 1000,), frozenset())


@pytest.mark.parametrize(
    ("text", "called"),
    [
        (b"update t set a = 1", "UPDATE"),
        (b"alter table t add b int", "ALTER TABLE"),
        (b"select 1 as a into t", "SELECT INTO"),
    ],
)
def test_what_a_lake_does_not_run_is_called_as_it_is_written(text: bytes, called: str) -> None:
    refused = refusal(text)
    assert refused is not None
    assert refused.message == f"cannot execute {called} in a lake: it is read-only"
