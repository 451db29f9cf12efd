"""A slow query on its way from a relay worker to the optimiser: its form, and the sending end.

Owns the framing (one JSON document a line over a Unix socket) and a bounded queue that drops and counts.
Must not know what becomes of a job.
"""

from __future__ import annotations

import base64
import json
import queue
import socket
import threading
import time
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from rewright.engines.postgres.values import NO_VALUES, Values
from rewright.proxy.ports import SlowQuery
from rewright.sql.forms import form_key, shape_key
from rewright.sql.parsing import has_parameters
from rewright.sql.redaction import values_in, without_values

MAX_LINE = 8 << 20
# bytes of a statement's parameters that are passed on at most
MAX_VALUES = 1 << 20
RETRY_SECONDS = 0.25
LONGEST_REASON = 1000


Kind: TypeAlias = Literal["slow", "recheck", "suspect", "explain", "inline"]


@dataclass(frozen=True, slots=True)
class Job:
    """One query to look at. ``observed``: seconds it ran so far, with ``values`` for its parameters.
    ``model``: may it be shown to a model.

    ``kind``: a slow query; a rewrite (``rewrite_id``) whose facts no longer hold somewhere; one that ``role``
    doubts, for it failed with ``sqlstate`` where the original did not (empty: it was slower), with this text
    and values; EXPLAIN (REWRITE), which waits for a reply and may run the query where ``analyze``; or a query
    that is held before it runs (``inline``), worth it from an estimated cost of ``min_cost``: the reply comes
    within ``budget`` seconds or so. ``search_path``: see SlowQuery.
    """

    database: str
    text: str
    param_types: tuple[int, ...]
    observed: float
    role: str
    application_name: str
    model: bool
    hints: bool
    values: Values = NO_VALUES
    kind: Kind = "slow"
    rewrite_id: int = 0
    analyze: bool = False
    min_cost: float = 0.0
    budget: float = 0.0
    sqlstate: str = ""
    search_path: tuple[str, ...] = ()

    @property
    def blind(self) -> bool:
        """There are parameters, and no values to run it with."""
        # a text with $1 and no values can only be planned
        return not self.values and has_parameters(self.text)

    @property
    def key(self) -> tuple[str, int, str, str, tuple[int, ...], tuple[str, ...]]:
        """Jobs with the same key are one job: however their text is written, and
        whatever its comments say.
        """
        form = form_key(self.text)
        return self.kind, self.rewrite_id, self.database, form, self.param_types, self.search_path

    @property
    def shape(self) -> tuple[str, int, str, str, tuple[int, ...], tuple[str, ...]]:
        """As ``key``, the same whatever literals the text has."""
        return *self.key[:3], shape_key(self.text), *self.key[4:]


def job_of(query: SlowQuery) -> Job:
    return Job(
        database=query.database,
        text=query.text,
        param_types=query.parameter_types,
        observed=query.duration,
        role=query.role,
        application_name=query.application_name,
        model=query.settings.model,
        hints=query.settings.hints,
        values=_values(query),
        search_path=query.search_path,
    )


def _values(query: SlowQuery) -> Values:
    """None where they are too large to be passed on: it is then looked at without."""
    sizes = sum(len(one) for one in query.parameters if one is not None)
    # formats are one for each value; else the bytes mean nothing
    if sizes > MAX_VALUES or len(query.parameter_formats) != len(query.parameters):
        return NO_VALUES
    return Values(query.parameter_types, query.parameters, query.parameter_formats)


def redacted(said: object, job: Job) -> str:
    """What is said of a job, without the values of its query: others read it, too."""
    # cut before values are looked for: errors may repeat a whole query
    message = str(said)[:LONGEST_REASON]
    given = {value.decode("utf-8", "replace") for value in job.values.values if value}
    return without_values(message, values_in(job.text) | given)


def encode(job: Job) -> bytes:
    # values have a form of their own, as they are bytes
    document = asdict(replace(job, values=NO_VALUES)) | {"values": job.values.to_json()}
    # surrogates: a client's text may be any bytes
    document["text"] = base64.b64encode(job.text.encode("utf-8", "surrogatepass")).decode()
    return json.dumps(document).encode() + b"\n"


def decode(line: bytes) -> Job:
    """Raises ValueError for what is no job."""
    try:
        document: dict[str, Any] = json.loads(line)
        document["text"] = base64.b64decode(document["text"]).decode("utf-8", "surrogatepass")
        document["param_types"] = tuple(int(oid) for oid in document["param_types"])
        # workers of an earlier version send none
        document["search_path"] = tuple(map(str, document.get("search_path", ())))
        document["values"] = Values.from_json(document["values"])
        # fields that a job does not have are a TypeError
        return Job(**document)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a job: {error}") from error


class JobSender:
    """Sends jobs without ever waiting: what does not fit is dropped and counted in ``dropped``.

    ``patience``: seconds for which a job is kept for an optimiser that is only just starting.
    """

    def __init__(self, path: str, *, capacity: int = 1000, patience: float = 30.0) -> None:
        self.dropped = 0
        self._patience = patience
        self._closing = threading.Event()
        self._path = path
        self._queue: queue.Queue[Job | None] = queue.Queue(capacity)
        self._thread = threading.Thread(target=self._run, name="job-sender", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> bool:
        try:
            self._queue.put_nowait(job)
        except queue.Full:
            self.dropped += 1
            return False
        return True

    def close(self) -> None:
        self._closing.set()
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            # full: the thread is busy, and ends with the process
            return
        self._thread.join(2)

    def _run(self) -> None:
        connection: socket.socket | None = None
        while (job := self._queue.get()) is not None:
            connection = self._send(connection, job)
        if connection is not None:
            connection.close()

    def _send(self, connection: socket.socket | None, job: Job) -> socket.socket | None:
        """The connection for the next job; what cannot be sent is lost, the query will be seen again."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                connection = connection or self._connect()
                # a broken connection is made anew for the same job
                connection.sendall(encode(job))
            except OSError:
                if connection is not None:
                    connection.close()
                    connection = None
                # the optimiser is being started: it listens in a moment
                # closing ends the patience at once
                if time.monotonic() >= deadline or self._closing.wait(RETRY_SECONDS):
                    self.dropped += 1
                    return None
            else:
                return connection

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # an optimiser that does not read must not hold this thread for ever
        connection.settimeout(2.0)
        try:
            connection.connect(self._path)
        except OSError:
            connection.close()
            raise
        return connection
