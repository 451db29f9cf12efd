"""Language models through litellm, kept at arm's length.

litellm takes seconds and 160 MB to import: the import happens in a thread, at the first call or at `warm()`.
Its telemetry, callbacks, cache, retries and budgets stay off; ours apply. Every error is mapped here, once.
Must not know prompts or what a reply means.
"""

from __future__ import annotations

import importlib
import os
import queue
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rewright.models.api import (
    ModelError,
    ModelTimeout,
    NoModelConfigured,
    ProviderError,
    Reply,
    Request,
    Role,
    Starved,
    Usage,
)
from rewright.models.budget import Ledger, Reservation, worst_case
from rewright.models.limits import Gate

T = TypeVar("T")

# what may be different a moment later; other errors come again
_TRANSIENT = frozenset(
    {"RateLimitError", "APIConnectionError", "InternalServerError", "ServiceUnavailableError", "Timeout"}
)
# two more tries, within the request's own time
_BACKOFF_SECONDS = (0.5, 2.0)
# importing twice at a time would run its set-up twice
_import_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


@dataclass(slots=True)
class LiteLlm:
    """One litellm model name per role; ``names["default"]`` stands in for a role without its own.

    ``api_base`` points at an OpenAI-compatible server (keys come from the environment, as litellm reads
    them). ``prices`` overrides litellm's bundled price list; with a money budget, a model without a price is
    refused. ``max_tokens`` of a reply, in place of what a request asks for; ``reasoning_effort`` and
    ``response_format`` (text, json, schema) are left out where a provider knows neither.
    """

    names: Mapping[Role, str]
    ledger: Ledger = field(default_factory=Ledger)
    gate: Gate = field(default_factory=Gate)
    api_base: str | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    max_tokens: int | None = None
    reasoning_effort: str = ""
    response_format: str = "text"

    def available(self, role: Role) -> bool:
        return bool(self._name(role))

    def warm(self) -> threading.Thread:
        """Start the import beside the caller's work."""
        thread = threading.Thread(target=_litellm, name="import-litellm", daemon=True)
        thread.start()
        return thread

    def complete(self, request: Request) -> Reply:
        name = self._name(request.role)
        if not name:
            raise NoModelConfigured(f"no model is configured for the role {request.role}")
        if self.max_tokens is not None:
            request = replace(request, max_tokens=self.max_tokens)
        started = time.monotonic()
        deadline = started + request.seconds
        # the import counts: a client waits for both
        try:
            litellm = _with_deadline(_litellm, request.seconds, "import-litellm")
        except ModelTimeout as error:
            raise ModelTimeout(f"{name} was not asked: litellm was still being imported") from error
        # the worst case is reserved before anything is sent, so that parallel calls cannot overspend
        held = self.ledger.reserve(request, self._worst_money(litellm, name, request))
        try:
            raw = self._call(litellm, name, request, deadline)
        except ModelError as error:
            # a request that was sent may have been billed, whether or not an answer came
            self._settle_failed(held, error)
            raise
        reply = self._reply(litellm, name, raw, time.monotonic() - started)
        self.ledger.settle(held, reply.usage)
        # models that think may spend all tokens before the answer
        if not reply.text.strip() and _cut_short(raw):
            raise Starved(
                f"{name} used all of its {request.max_tokens} tokens and gave no answer ([models] "
                f"max_tokens)",
                reply.usage,
            )
        return reply

    def _name(self, role: Role) -> str:
        return self.names.get(role) or self.names.get("default", "")

    def _call(self, litellm: Any, name: str, request: Request, deadline: float) -> Any:
        for pause in (*_BACKOFF_SECONDS, None):
            left = deadline - time.monotonic()
            if left <= 0:
                raise ModelTimeout(f"{name} gave no answer in {request.seconds:g} s")
            try:
                return self._once(litellm, name, request, left)
            except ProviderError as error:
                # no pause that would end after the deadline
                if not error.transient or pause is None or time.monotonic() + pause >= deadline:
                    raise
                time.sleep(pause)
        raise AssertionError("unreachable")

    def _once(self, litellm: Any, name: str, request: Request, seconds: float) -> Any:
        # the gate bounds calls at a time; waiting for it counts
        self.gate.enter(seconds)
        arguments = _arguments(name, request, seconds, self.api_base)
        if self.reasoning_effort:
            arguments["reasoning_effort"] = self.reasoning_effort
        if request.schema is not None and (form := _form(self.response_format, request.schema)):
            arguments["response_format"] = form

        def call() -> Any:
            try:
                # warnings of libraries would go to the server's standard error
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return litellm.completion(**arguments)
            finally:
                self.gate.leave()

        try:
            return _with_deadline(call, seconds, "model-call")
        except ModelError:
            raise
        except Exception as error:  # the edge: whatever litellm raises becomes ours
            # only the kind: texts of providers repeat the prompt
            kind = type(error).__name__
            if kind == "Timeout":
                raise ModelTimeout(f"{name} gave no answer in {seconds:.0f} s") from error
            raise ProviderError(f"{name}: {kind}", transient=kind in _TRANSIENT) from error

    def _settle_failed(self, held: Reservation, error: ModelError) -> None:
        # an error before an answer is not billed, a timeout may be
        billed = isinstance(error, ModelTimeout)
        used = Usage(held.tokens, 0, held.money) if billed else Usage()
        error.usage = used
        self.ledger.settle(held, used)

    def _reply(self, litellm: Any, name: str, raw: Any, seconds: float) -> Reply:
        usage = getattr(raw, "usage", None)
        prompt = int(getattr(usage, "prompt_tokens", 0) or 0)
        completion = int(getattr(usage, "completion_tokens", 0) or 0)
        # providers may leave out usage, and choices on errors
        choices = getattr(raw, "choices", None) or []
        text = (choices[0].message.content or "") if choices else ""
        price = self._price(litellm, name)
        money = None if price is None else price.of(prompt, completion)
        return Reply(text, Usage(prompt, completion, money), name, seconds)

    def _price(self, litellm: Any, name: str) -> Price | None:
        if name in self.prices:
            return self.prices[name]
        # with and without the provider's prefix
        listed = litellm.model_cost
        entry = listed.get(name) or listed.get(name.partition("/")[2])
        if not entry or "input_cost_per_token" not in entry:
            return None
        return Price(
            1e6 * float(entry["input_cost_per_token"]), 1e6 * float(entry.get("output_cost_per_token") or 0.0)
        )

    def _worst_money(self, litellm: Any, name: str, request: Request) -> float:
        price = self._price(litellm, name)
        limits = self.ledger.limits
        if price is None:
            # a budget that cannot be kept must not be pretended
            if limits.daily_money is not None or limits.query_money is not None:
                raise ProviderError(f"{name}: no price is known, so the money budget can't be kept")
            return 0.0
        return price.of(*worst_case(request))


def _cut_short(raw: Any) -> bool:
    """Whether the reply ended because it may be no longer."""
    choices = getattr(raw, "choices", None) or []
    return bool(choices) and getattr(choices[0], "finish_reason", "") == "length"


def _form(kind: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """``response_format`` of the OpenAI protocol; a reply is checked anyway."""
    match kind:
        case "json":
            return {"type": "json_object"}
        case "schema":
            return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}
        case _:
            return None


def _arguments(name: str, request: Request, seconds: float, api_base: str | None) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": name,
        "messages": [{"role": m.speaker, "content": m.text} for m in request.messages],
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "timeout": seconds,
        # retries are ours (_call), within the deadline
        "num_retries": 0,
        "max_retries": 0,
        # parameters that a provider does not know are left out
        "drop_params": True,
    }
    if api_base:
        arguments["api_base"] = api_base
    return arguments


def _litellm() -> Any:
    """The library, imported once, with everything that phones or remembers switched off."""
    with _import_lock:
        # else it fetches a price list from the network
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                litellm: Any = importlib.import_module("litellm")
            except ImportError as error:
                raise ProviderError("litellm is not installed: pip install 'rewright[models]'") from error
        # nothing is told to anyone, logged or remembered
        litellm.telemetry = False
        litellm.suppress_debug_info = True
        litellm.turn_off_message_logging = True
        litellm.cache = None
        for callbacks in ("callbacks", "success_callback", "failure_callback", "input_callback"):
            setattr(litellm, callbacks, [])
        return litellm


def _with_deadline(call: Callable[[], T], seconds: float, name: str) -> T:
    """``call()`` in a daemon thread; raises `ModelTimeout` after ``seconds`` (the thread ends by itself)."""
    done: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((call(), None))
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread
            done.put((None, error))

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        value, error = done.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise ModelTimeout(f"no answer in {seconds:.1f} s") from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value] # without an error there is a value
