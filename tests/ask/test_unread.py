"""No instruction goes unread: a question with one more means something else, or is refused.

Each instruction is put behind questions that are answered without it.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading, Refusal
from tests.ask.test_modifiers import reader as pottery
from tests.ask.test_time_forms import reader as kennel

__all__ = ["kennel", "pottery"]

POTTERY = (
    "How many vases are there per glaze?",
    "Which vase has the highest price?",
    "List the potters.",
    "What is the average price of vases by village?",
    "What are the top 3 vases by price?",
    "Which potters have no stall?",
    "Return the name and village of potters who have more than 2 vases.",
)
KENNEL = (
    "What is the total bill of sojourns per keeper?",
    "How many sojourns lasted longer than 9 days?",
    "Which hounds are chipped?",
    "What percentage of hounds are chipped?",
    "Give the number of sojourns per month.",
)
INSTRUCTIONS = (
    "Return them in reverse order.",
    "Sorted by the second column descending.",
    "Exclude the ones without a name.",
    "Round to the nearest hundred.",
    "Break ties alphabetically.",
    "Show at most 10.",
    "Ignore the oldest one.",
    "Use the latest record of each.",
    "in the order they were created",
    "with their rank",
    "and their median",
    "compared to last year",
    "in thousands",
    "except the first one",
    "excluding zero values",
    "Only consider those from 2021.",
    "as well as the average of the others",
)


def _sure(reader: Reader, question: str) -> str | None:
    found = reader.read(question)
    return None if isinstance(found, Refusal) or found.confidence < 0.75 else found.sql


@pytest.mark.parametrize("question", POTTERY)
def test_over_a_pottery(pottery: Reader, question: str) -> None:
    _every_instruction_counts(pottery, question)


@pytest.mark.parametrize("question", KENNEL)
def test_over_a_kennel(kennel: Reader, question: str) -> None:
    _every_instruction_counts(kennel, question)


def _every_instruction_counts(reader: Reader, question: str) -> None:
    plain = reader.read(question)
    assert isinstance(plain, Reading), plain
    assert plain.confidence >= 0.75, plain.doubts
    alike = [said for said in INSTRUCTIONS if _sure(reader, _with(question, said)) == plain.sql]
    assert alike == []


def _with(question: str, said: str) -> str:
    return f"{question} {said}" if said[0].isupper() else f"{question.rstrip('?.')} {said}"
