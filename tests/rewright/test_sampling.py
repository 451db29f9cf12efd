"""Which cases of a large set a run takes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.equivalence.shares import shares
from tests.fixtures.sampling import _left_out, _share


def cases(number: int, every: int = 3) -> list[Any]:
    marker = SimpleNamespace(args=(every,))
    return [
        SimpleNamespace(nodeid=f"tests/a.py::test_b[{n}]", iter_markers=lambda _name: [marker])
        for n in range(number)
    ]


def test_each_seed_takes_another_third_and_together_they_take_all() -> None:
    items = cases(10)
    names = {item.nodeid for item in items}
    taken = [names - _left_out(items, seed) for seed in (1, 2, 3)]
    assert sorted(len(some) for some in taken) == [3, 3, 4]
    assert taken[0] | taken[1] | taken[2] == names
    assert taken[0] == names - _left_out(items, 4)


def test_a_case_asked_for_by_its_name_is_run() -> None:
    assert _left_out(cases(1), 2) == set()


@pytest.mark.parametrize("share", range(7))
def test_a_run_takes_one_of_fewer_cases_than_shares(share: int) -> None:
    assert len(_left_out(cases(4, every=6), share)) == 3


def test_the_share_is_asked_for_or_that_of_the_seed() -> None:
    def config(**options: object) -> Any:
        return SimpleNamespace(getoption=lambda name, default=None: options.get(name, default))

    assert _share(config(share=4, randomly_seed=1)) == 4
    assert _share(config(share=None, randomly_seed=7)) == 7
    assert _share(config(share=None)) == 0


def test_shares_hold_every_pair_once() -> None:
    made: list[Any] = shares([Path("long.jsonl")], 4)
    assert sorted(n for case in made for n in range(10)[case.values[1]]) == list(range(10))


def test_what_was_proved_once_is_always_taken() -> None:
    made: list[Any] = shares([Path("once_proved_families.jsonl"), Path("long.jsonl")], 2)
    assert [bool(case.marks) for case in made] == [False, False, True, True]
