"""The contents of one question's prompts, in the form in which they may be sent, and the frame of every
prompt.

Owns the sections that all prompts share. Must not know stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewright.ask.disclosure import Disclosure
from rewright.ask.ports import Turn
from rewright.ask.quoting import DATA_RULE, block, one_line
from rewright.models.api import Message

_TURNS = 3
LONGEST_EVIDENCE = 4_000


@dataclass(frozen=True, slots=True)
class Subject:
    """The question as sent, with what is known of it beforehand. ``passages`` are of the user's documents."""

    question: str
    evidence: str = ""
    legend: str = ""
    history: str = ""
    passages: str = ""

    def text(self) -> str:
        """The sections of a prompt's end."""
        parts = [f"Question: {self.question}"]
        if self.evidence:
            parts.append(f"Evidence given with the question: {self.evidence}")
        if self.legend:
            parts.append(self.legend)
        if self.passages:
            parts.append(f"From the user's documents:\n{self.passages}")
        if self.history:
            parts.append(f"Asked before, which the question may follow up:\n{self.history}")
        return "\n".join(parts)


def subject_of(question: str, evidence: str, history: Sequence[Turn], disclosure: Disclosure) -> Subject:
    """The question with nothing in it that may not be sent."""
    asked = disclosure.words(one_line(question, 2_000))
    told = disclosure.words(one_line(evidence, LONGEST_EVIDENCE)) if evidence else ""
    before = "\n".join(
        f"- {disclosure.words(one_line(turn.question, 300))} -> {disclosure.query(one_line(turn.sql, 1_000))}"
        for turn in history[-_TURNS:]
    )
    return Subject(asked, told, disclosure.legend(), block(before) if before else "")


def prompt(task: str, instructions: str, *sections: str) -> tuple[Message, Message]:
    """A system message of ours that names the task, and one of the sections that are not empty."""
    system = f"Task: {task}.\n{instructions}\n{DATA_RULE}"
    return Message("system", system), Message("user", "\n\n".join(part for part in sections if part))
