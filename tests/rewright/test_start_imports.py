"""What each process of `serve` loads at its start: everybody waits for that."""

import subprocess
import sys

import pytest

RETRIEVAL = ("numpy", "scipy", "bm25s")
PRINTING = ("pglast.stream", "rewright.hints", "rewright.rewrite")
CHECKER = ("z3", "rewright.equivalence.prover", "rewright.rewrite.rules")
LAKES = ("duckdb", "sqlglot", "networkx", "rewright.lake.api")
MODELS = ("litellm", "tokenizers", "rich")


@pytest.mark.parametrize(
    ("module", "missed"),
    [
        ("rewright.cli.serve_command", ("psycopg", "sqlalchemy", "pglast", "structlog", "starlette")),
        (
            "rewright.processes.supervisor",
            ("sqlalchemy", "pglast", "rewright.proxy.server", "rich", *RETRIEVAL),
        ),
        ("rewright.processes.pages", ("rewright.proxy.server", *RETRIEVAL, *CHECKER, *LAKES, *MODELS)),
        ("rewright.processes.worker", ("starlette", *PRINTING, *RETRIEVAL, *CHECKER, *LAKES, *MODELS)),
        (
            "rewright.processes.optimiser",
            ("starlette", "prometheus_client", "scipy", "bm25s", *LAKES, *MODELS),
        ),
        (
            "rewright.processes.lake_runner",
            ("sqlalchemy", "starlette", "prometheus_client", "scipy", "bm25s", "networkx", *CHECKER, *MODELS),
        ),
        ("rewright.wiring.lake_answers", ("sqlalchemy", "scipy", "bm25s", "networkx", *CHECKER)),
        ("rewright.lake.command", ("scipy", "bm25s", "networkx", "psycopg")),
        ("rewright.store.api", ("sqlalchemy.dialects.postgresql", "psycopg")),
    ],
)
def test_what_is_not_needed_is_not_loaded(module: str, missed: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print([name for name in {missed} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
