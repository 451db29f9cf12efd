"""`rewright bench augment --ablations --data DIR --config rewright.toml --out report.json`: the selectors that
ask a model, taken apart.

With the configured model (role `lake`), over the cases of DIR (see `rewright bench augment`): the selector
with what helped before and without (paper, Fig. 9), in 1, 2, 3 and 5 sets of 30 tables and 1 to 10 sets of
100 (Figs. 10 and 11), with 2,000 to 20,000 tokens given out greedily and by value for each token (4.1), and
*enrich* beside it. What helped before is what `ours` found on the other cases of the same lake. Without a
configured model it says so and ends.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import Asking, BaseSpec, Options, augment
from rewright.lake.augment.history import Helped, helped_by
from rewright.lake.embedding import best_embedder
from rewright.models.api import NoModelConfigured

_SELECTOR = Options(5, None, selector="selector", aggregates="standard")


def variants() -> dict[str, Options]:
    """Name → how to search."""
    found = {"with history": _SELECTOR, "without history": replace(_SELECTOR, history=False)}
    found["enrich"] = replace(_SELECTOR, selector="enrich")
    for similar, sets in ((30, (1, 2, 3, 5)), (100, (1, 2, 3, 4, 5, 10))):
        found |= {f"{similar} tables, {n} sets": replace(_SELECTOR, similar=similar, sets=n) for n in sets}
    for tokens in (2_000, 5_000, 10_000, 20_000):
        for spending in ("greedy", "value-per-token"):
            found[f"{tokens} tokens, {spending}"] = replace(_SELECTOR, tokens=tokens, spending=spending)
    return found


def ablations(
    lake: Lake, cases: Sequence[tuple[str, BaseSpec]], asking: Asking, wanted: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """One line a variant: mean R² before and after, tokens, and each case's."""
    learned = {name: helped_by(augment(lake, spec, Options(5, None))) for name, spec in cases}
    rows = []
    for variant, options in variants().items():
        if wanted and variant not in wanted:
            continue
        found = {
            name: augment(lake, spec, options, model=asking, earlier=_others(learned, name))
            for name, spec in cases
        }
        rows.append(
            {
                "variant": variant,
                "baseline": round(statistics.fmean(r.r2_before for r in found.values()), 4),
                "r2": round(statistics.fmean(r.r2_best for r in found.values()), 4),
                "tokens": round(statistics.fmean(r.tokens for r in found.values())),
                "cases": {name: {"r2": round(r.r2_best, 4), "tokens": r.tokens} for name, r in found.items()},
            }
        )
        print(f"{variant:32} R² {rows[-1]['r2']:.3f}  tokens {rows[-1]['tokens']}", flush=True)
    return rows


def _others(learned: dict[str, tuple[Helped, ...]], name: str) -> list[Helped]:
    return [one for other, helped in learned.items() if other != name for one in helped]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="rewright.toml that names the model")
    parser.add_argument(
        "--only", action="append", default=[], help="this variant alone (may be given several times)"
    )


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """With `data`, `cases` and `lake` of the command line, and what `add_arguments` adds.

    :raises SystemExit: no model is configured.
    """
    from bench.augment_bench import spec_of
    from rewright.config.loading import load
    from rewright.wiring.modelling import model_of

    model, share = model_of(args.config), load(args.config).models.share
    if not model.available("lake"):
        raise SystemExit(str(NoModelConfigured("no model is configured for the role lake")))
    cases = [
        (case["id"], spec_of(case)) for case in json.loads((args.data / args.cases).read_text())["no_hop"]
    ]
    with open_lake(args.data / args.lake, embedder=best_embedder()) as lake:
        lake.graph()
        return ablations(lake, cases, Asking(model, share), args.only)  # type: ignore[arg-type] # [models] share is checked when it is read


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of augment_dev.json and its lake")
    parser.add_argument("--cases", default="augment_dev.json")
    parser.add_argument("--lake", default="lakeB")
    parser.add_argument("--out", type=Path)
    add_arguments(parser)
    args = parser.parse_args()
    rows = run(args)
    if args.out is not None:
        args.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
