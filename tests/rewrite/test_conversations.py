"""Conversations with a model over a real server and the real checker, end to end: what it says is proved or
not served.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.equivalence.api import Checker
from rewright.models.api import Reply, Request, Role, Usage
from rewright.rewrite.adapters.live import by_steps
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.agents.guard import BoundGuard
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Settings
from rewright.rewrite.ports import Ports
from rewright.rewrite.search.chains import Derivations
from tests.rewrite.charging_conversations import CHARGING
from tests.rewrite.charging_conversations import SETUP as CHARGING_SETUP
from tests.rewrite.claims_conversations import CLAIMS
from tests.rewrite.claims_conversations import SETUP as CLAIMS_SETUP
from tests.rewrite.conversations import CONVERSATIONS, SETUP, Conversation
from tests.rewrite.freight_conversations import FREIGHT
from tests.rewrite.freight_conversations import SETUP as FREIGHT_SETUP
from tests.rewrite.wards_conversations import SETUP as WARDS_SETUP
from tests.rewrite.wards_conversations import WARDS

pytestmark = pytest.mark.server


class Recorded:
    """The model of a recorded conversation; more prompts than were recorded get the last reply again."""

    def __init__(self, conversation: Conversation) -> None:
        self.said = {role: list(replies) for role, replies in conversation.replies.items()}
        self.asked: list[Request] = []

    def available(self, role: Role) -> bool:
        return role in self.said

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        replies = self.said[request.role]
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if isinstance(reply, list):
            steps = [{"action": "rewrite", "category": "join", "sql": sql} for sql in reply]
            reply = {"steps": steps}
        return Reply(reply if isinstance(reply, str) else json.dumps(reply), Usage(100, 10, 0.001))


@contextmanager
def ports_over(dsn: str, setup: str, server: ScratchServer) -> Iterator[Ports]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(setup.encode())
    with Session(dsn, own=True) as session:
        catalog, derivations = snapshot(session.connection), Derivations()
        database = PostgresDatabase(session, catalog)
        with Checker(catalog, server) as checker:
            chains = by_steps(checker, derivations, catalog, ("public",))
            yield Ports(
                database,
                chains,
                prover=chains,
                inspector=database,
                derivations=derivations,
                guard=BoundGuard(catalog),
            )


@pytest.fixture(scope="module")
def ports(scratch_server: ScratchServer, module_database: str) -> Iterator[Ports]:
    with ports_over(scratch_server.dsn(module_database), SETUP, scratch_server) as given:
        yield given


@contextmanager
def ports_of(server: ScratchServer, name: str, setup: str) -> Iterator[Ports]:
    """Over a database of its own."""
    server.create_database(name)
    try:
        with ports_over(server.dsn(name), setup, server) as given:
            yield given
    finally:
        server.drop_database(name)


@pytest.fixture(scope="module")
def freight(scratch_server: ScratchServer) -> Iterator[Ports]:
    with ports_of(scratch_server, "freight_conversations", FREIGHT_SETUP) as given:
        yield given


@pytest.fixture(scope="module")
def charging(scratch_server: ScratchServer) -> Iterator[Ports]:
    with ports_of(scratch_server, "charging_conversations", CHARGING_SETUP) as given:
        yield given


@pytest.fixture(scope="module")
def wards(scratch_server: ScratchServer) -> Iterator[Ports]:
    with ports_of(scratch_server, "wards_conversations", WARDS_SETUP) as given:
        yield given


@pytest.fixture(scope="module")
def claims(scratch_server: ScratchServer) -> Iterator[Ports]:
    with ports_of(scratch_server, "claims_conversations", CLAIMS_SETUP) as given:
        yield given


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda c: c.name)
def test_what_the_model_found_is_proved(conversation: Conversation, ports: Ports) -> None:
    is_proved(conversation, ports)


@pytest.mark.long
@pytest.mark.parametrize("conversation", FREIGHT, ids=lambda c: c.name)
def test_what_a_strong_model_said_of_hard_queries_is_proved(
    conversation: Conversation, freight: Ports
) -> None:
    is_proved(conversation, freight)


@pytest.mark.long
@pytest.mark.parametrize("conversation", CHARGING, ids=lambda c: c.name)
def test_what_was_said_by_hand_of_hard_queries_is_proved(conversation: Conversation, charging: Ports) -> None:
    is_proved(conversation, charging)


@pytest.mark.long
@pytest.mark.parametrize("conversation", WARDS, ids=lambda c: c.name)
def test_what_was_said_by_hand_of_more_hard_queries_is_proved(
    conversation: Conversation, wards: Ports
) -> None:
    is_proved(conversation, wards)


@pytest.mark.long
@pytest.mark.parametrize("conversation", CLAIMS, ids=lambda c: c.name)
def test_what_was_said_by_hand_in_small_steps_is_proved(conversation: Conversation, claims: Ports) -> None:
    is_proved(conversation, claims)


def is_proved(conversation: Conversation, ports: Ports) -> None:
    """A whole run without rules, whose model says what was recorded."""
    model = Recorded(conversation)
    given = replace(ports, model=model)
    settings = Settings(measure="explain", samples=conversation.samples, budget=120.0, rounds=2)
    outcome = Rewriter(given).optimise(conversation.sql, observed_seconds=5.0, settings=settings)
    assert outcome.servable, (outcome.reason, [e["output"] for e in outcome.events])
    assert outcome.evidence is not None
    assert outcome.evidence.level == "proved"
    assert outcome.best is not None
    assert outcome.best.checked.candidate.source == "model"
    assert len(model.asked) == conversation.prompts, Counter(r.role for r in model.asked)
