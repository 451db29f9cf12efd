"""A model as the checker's judge: its opinion is passed on, its rows are restored, the client's data stay
here.
"""

from __future__ import annotations

import json

import pytest

from rewright.models.api import ModelTimeout, NoModel, Reply, Request, Role
from rewright.rewrite.adapters.judge import ModelJudge

SCHEMA = "create table t (a int primary key, b text default 'hidden' check (b <> 'secret'));"
FIRST, SECOND = "select a from t where b = 'secret'", "select a from t where b in ('secret', 'other')"


class Says:
    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[Request] = []

    def available(self, role: Role) -> bool:
        return role == "assistant"

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        if not self.replies:
            raise ModelTimeout("too slow")
        return Reply(self.replies.pop(0))


def test_a_difference_comes_with_rows_and_the_literals_are_put_back() -> None:
    reply = {"answer": "different", "reason": "other", "inserts": ["insert into t values (1, $2)"]}
    model = Says(json.dumps(reply))
    opinion = ModelJudge(model).judge(SCHEMA, FIRST, SECOND)
    assert opinion is not None
    assert not opinion.same
    told = "\n".join(m.text for m in model.asked[0].messages)
    assert all(word not in told for word in ("secret", "other'", "hidden"))
    assert opinion.inserts[0].startswith("insert into t values (1, '")


@pytest.mark.parametrize(
    ("replies", "same"),
    [
        ([json.dumps({"answer": "same", "reason": "identical"})], True),
        ([json.dumps({"answer": "unsure", "reason": "hm"})], None),
        (["no idea", "still none"], None),
        ([], None),
    ],
)
def test_opinions(replies: list[str], same: bool | None) -> None:
    opinion = ModelJudge(Says(*replies)).judge(SCHEMA, FIRST, SECOND)
    assert (opinion and opinion.same) is same


def test_without_a_model_there_is_no_opinion() -> None:
    assert ModelJudge(NoModel()).judge(SCHEMA, FIRST, SECOND) is None
