"""The real litellm against a server of ours."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from rewright.models.api import (
    BudgetExceeded,
    Message,
    ModelTimeout,
    NoModel,
    NoModelConfigured,
    ProviderError,
    Request,
    Starved,
)
from rewright.models.budget import Ledger, Limits
from rewright.models.limits import Gate
from rewright.models.litellm_client import LiteLlm, Price
from tests.proxy.waiting import Stopwatch


def request(**changes: Any) -> Request:
    given: dict[str, Any] = {"role": "rewrite", "messages": (Message("user", "hello"),), "seconds": 60.0}
    return Request(**(given | changes))


def client(stub: Any, **changes: Any) -> LiteLlm:
    given: dict[str, Any] = {"names": {"default": "openai/stub"}, "api_base": stub.url}
    return LiteLlm(**(given | changes))


def test_completes_at_temperature_zero_and_counts_tokens(stub: Any) -> None:
    model = client(stub, prices={"openai/stub": Price(1.0, 10.0)})
    reply = model.complete(request(scope="q"))
    assert reply.text == '{"sql": "SELECT 1"}'
    assert stub.requests[0]["temperature"] == 0
    assert reply.usage.tokens == 120
    assert reply.usage.money == pytest.approx((100 * 1.0 + 20 * 10.0) / 1e6)
    tokens, money = model.ledger.spent("q")
    assert (tokens, round(money, 9)) == (120, 0.0003)


def test_a_model_per_role(stub: Any) -> None:
    model = client(stub, names={"default": "openai/plain", "reasoning": "openai/thinker"})
    model.complete(request(role="reasoning"))
    model.complete(request(role="decision"))
    assert [r["model"] for r in stub.requests] == ["thinker", "plain"]


def test_without_a_default_other_roles_have_no_model(stub: Any) -> None:
    model = client(stub, names={"reasoning": "openai/thinker"})
    assert model.available("reasoning")
    assert not model.available("ask")
    with pytest.raises(NoModelConfigured):
        model.complete(request(role="ask"))
    with pytest.raises(NoModelConfigured):
        NoModel().complete(request())


def test_transient_errors_are_asked_again_others_are_not(stub: Any) -> None:
    stub.statuses = [503]
    client(stub).complete(request())
    assert len(stub.requests) == 2
    stub.statuses = [400]
    with pytest.raises(ProviderError):
        client(stub).complete(request())
    assert len(stub.requests) == 3


def test_what_models_section_says_is_sent(stub: Any) -> None:
    schema = {"type": "object", "properties": {"sql": {"type": "string"}}}
    model = client(stub, max_tokens=9000, response_format="schema", reasoning_effort="low")
    model.complete(request(schema=schema))
    sent = stub.requests[0]
    assert sent["max_tokens"] == 9000
    assert sent["response_format"]["json_schema"]["schema"] == schema
    client(stub, response_format="json").complete(request(schema=schema))
    assert stub.requests[1]["response_format"] == {"type": "json_object"}
    client(stub).complete(request(schema=schema))
    assert "response_format" not in stub.requests[2]


def test_a_reply_that_thinking_used_up_is_starved(stub: Any) -> None:
    stub.finish, stub.answer = "length", lambda body: ""
    model = client(stub)
    with pytest.raises(Starved, match="max_tokens"):
        model.complete(request(scope="q"))
    assert model.ledger.spent("q")[0] == 120


def test_a_server_that_is_not_there_is_down() -> None:
    with pytest.raises(ProviderError) as caught:
        LiteLlm({"default": "openai/stub"}, api_base="http://127.0.0.1:9/v1").complete(request(seconds=20.0))
    assert caught.value.condition == "down"


def test_the_deadline_is_kept_and_what_may_be_billed_is_charged(stub: Any) -> None:
    model = client(stub)
    model.complete(request())  # the import is paid
    stub.delay = 3.0
    with Stopwatch() as watch, pytest.raises(ModelTimeout) as caught:
        model.complete(request(seconds=0.3, scope="slow"))
    assert watch.seconds < 2.0
    assert caught.value.usage.tokens > 0
    assert model.ledger.spent("slow")[0] == caught.value.usage.tokens


def test_a_spent_budget_sends_nothing(stub: Any) -> None:
    ledger = Ledger(Limits(query_tokens=2200))
    model = client(stub, ledger=ledger)
    model.complete(request(scope="q"))
    with pytest.raises(BudgetExceeded):
        model.complete(request(scope="q", max_tokens=2100))
    model.complete(request(scope="other", max_tokens=2100))
    assert len(stub.requests) == 2


def test_a_money_budget_refuses_a_model_without_a_price(stub: Any) -> None:
    model = client(stub, ledger=Ledger(Limits(daily_money=1.0)))
    with pytest.raises(ProviderError, match="price"):
        model.complete(request())
    assert not stub.requests


def test_no_more_calls_at_once_than_allowed(stub: Any) -> None:
    model = client(stub, gate=Gate(concurrency=1))
    model.complete(request())
    stub.delay = 0.4
    with_place = threading.Thread(target=model.complete, args=(request(),))
    with_place.start()
    time.sleep(0.1)
    with pytest.raises(ModelTimeout):
        model.complete(request(seconds=0.1))
    with_place.join()


def test_importing_the_house_does_not_import_litellm() -> None:
    code = "import sys, rewright.models.litellm_client; sys.exit('litellm' in sys.modules or 'openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_import_happens_off_the_calling_thread(stub: Any) -> None:
    model = client(stub)
    model.warm().join(60)
    import litellm

    assert litellm.telemetry is False
    assert litellm.success_callback == litellm.failure_callback == litellm.callbacks == []
