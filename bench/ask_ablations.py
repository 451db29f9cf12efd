"""What the parts of the pipeline with a model cost, and what they make of a model's errors, with a stand-in for
the model (`bench.ask_stand_in`) that errs at given rates.

``python -m bench.ask_ablations --data DIR``: the questions of DIR (as for `bench.ask_bench`) go through
litellm to the stand-in's server: with all parts, without each one, with each grain of feedback, with
``--candidates`` queries. Each line: EX by Spider's rule, Pass@n, the vote by rows, unanswerable ones refused,
strict recall of linking, tokens and calls a question.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from bench.ask_models import chosen, run, summary
from bench.ask_stand_in import Rates, stood_in
from bench.model_server import served
from rewright.ask.pipeline_settings import PARTS, PipelineSettings
from rewright.engines.postgres.scratch import ScratchServer
from rewright.models.budget import Ledger, Limits
from rewright.models.litellm_client import LiteLlm, Price

NAME = "openai/stand-in"
TOLD = (
    "EX (Spider)",
    "Pass@n",
    "vote",
    "gap closed",
    "unanswerable refused",
    "SRR",
    "NSR",
    "tokens",
    "most tokens",
    "calls",
    "refinements",
    "errors",
    "median seconds",
)
_LINKS = ("planning", "pruning-delete", "pruning-keep", "semantic-linking", "profiling", "synthesis")
# these show in lessons kept between questions, and in examples: neither is given here
_LEARNT = frozenset({"lessons", "examples"})


def configurations(candidates: int) -> Iterator[tuple[str, PipelineSettings]]:
    """Names and settings: as configured by default, then linked in full with parts left out."""
    whole = PipelineSettings(share="samples", refinements=3)
    linked = replace(whole, small_tokens=0)
    yield "small databases sent whole", whole
    yield "linked in full", linked
    for part in PARTS:
        if part in _LEARNT:
            continue
        base = linked if part in _LINKS else whole
        yield f"without {part}", replace(base, without=frozenset({part}))
    yield "no linking passes", replace(linked, without=frozenset(_LINKS))
    # what linking does of itself: the reader's likely columns are never deleted
    alone = frozenset({"reader"})
    yield "linked in full, without the reader", replace(linked, without=alone)
    for part in ("pruning-delete", "pruning-keep", "semantic-linking", "synthesis"):
        yield f"without {part} and the reader", replace(linked, without=alone | {part})
    yield "coarse feedback", replace(whole, feedback="coarse")
    yield "epistemic feedback", replace(whole, feedback="epistemic")
    yield "no refinement", replace(whole, refinements=0)
    if candidates > 1:
        several = replace(whole, candidates=candidates)
        yield f"{candidates} candidates", several
        yield f"{candidates} candidates, no reader", replace(several, without=alone)
        yield (
            f"{candidates} candidates, no reader, no checker",
            replace(several, without=alone | {"checker"}),
        )


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--half", type=click.Choice(["tune", "held", "both"]), default="tune", show_default=True)
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="each n-th question")
@click.option("--candidates", type=click.IntRange(1, 32), default=8, show_default=True)
@click.option("--only", default="", help="configurations whose name has this in it")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path))
def main(data: Path, half: str, every: int, candidates: int, only: str, out: Path | None) -> None:
    """Measure each configuration and print a line for it."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    questions, rates = chosen(data, half, None)[::every], Rates()
    report: dict[str, Any] = {
        "machine": platform.platform(),
        "questions": len(questions),
        "rates": {name: getattr(rates, name) for name in Rates.__dataclass_fields__},
        "configurations": {},
    }
    with ScratchServer() as server, stood_in(server, data, rates) as stand_in, served(stand_in.reply) as url:
        for name, settings in configurations(candidates):
            if only not in name:
                continue
            stand_in.forget()
            model = LiteLlm(
                {"default": NAME},
                Ledger(Limits(daily_tokens=None, query_tokens=None)),
                api_base=url,
                prices={NAME: Price(0.0, 0.0)},
            )
            told = summary(run(server, data, questions, model, settings))
            report["configurations"][name] = {key: told[key] for key in TOLD}
            click.echo(json.dumps({"name": name, **report["configurations"][name]}))
            if out is not None:
                out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
