"""Run the probes over a sample of databases and say what was exercised and what was not.

Owns turning a search without a hit into a Coverage, and the judgement whether it says anything.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence

import psycopg

from rewright.equivalence.refuter.scratch_database import STATEMENT_TIMEOUT_MS
from rewright.equivalence.refuter.search import Refuter
from rewright.equivalence.tester.probes import Probe, probes_of
from rewright.equivalence.verdicts import Coverage

# fewer telling databases than this say nothing
MIN_TELLING = 3
# at least this share of what makes rows flow must have been seen; the rest may be impossible in the schema
MIN_FLOWING = 0.5
_PROBING_MS = 1500
# values listed for one column
_SHOWN = 24
_FLOWING = (" is true", " matched", "aggregate over rows", "several groups")


def coverage_of(refuter: Refuter, *, seed: int = 0, others: Sequence[Refuter] = ()) -> Coverage:
    """What the search behind ``refuter`` exercised. Never raises: what fails is named as unprobed.

    ``others``: searches for the same pair in other environments.
    """
    probes = probes_of(refuter.original.tree, "q1") + probes_of(refuter.candidate.tree, "q2")
    seen, unprobed = _seen(refuter, probes)
    features = [f for n, probe in enumerate(probes) if n not in unprobed for f in probe.features]
    covered = [f for f in features if f in seen]
    done = refuter.done
    searches = (refuter, *others)
    ran = [search.done for search in searches]
    return Coverage(
        databases=sum(one.databases for one in ran),
        rows=sum(one.rows for one in ran),
        nonempty=sum(one.nonempty for one in ran),
        covered=tuple(dict.fromkeys(covered)),
        missed=tuple(dict.fromkeys(f for f in features if f not in seen)),
        unprobed=tuple(f for n in sorted(unprobed) for f in probes[n].features[:1]),
        profiles=tuple(sorted(done.profiles)),
        seed=seed,
        largest=max(one.largest for one in ran),
        collations=tuple(dict.fromkeys(search.scratch_db.collation for search in searches)),
        time_zones=tuple(dict.fromkeys(search.environment.time_zone for search in searches)),
        values=_values(refuter),
        bound=done.bound.rows if done.bound else 0,
        bound_values=done.bound.values if done.bound else {},
    )


def _values(refuter: Refuter) -> dict[str, tuple[str, ...]]:
    """The values that columns were given, by ``table.column``; at most some of each."""
    generator = refuter.generator
    return {
        f"{table.name}.{column.name}": tuple(dict.fromkeys((*pool.near, *pool.family, *pool.extreme)))[
            :_SHOWN
        ]
        for index in sorted(generator.used)
        for table in (refuter.scratch_db.shape.tables[index],)
        for i, (column, pool) in enumerate(zip(table.columns, refuter.pools[index], strict=True))
        if i not in generator.idle[index] and not column.generated
    }


def weakness(coverage: Coverage) -> str:
    """Why the coverage says too little for `tested`; empty when it says enough."""
    if not coverage.databases:
        return "no generated database could be loaded"
    if not coverage.nonempty:
        return f"neither query returned a telling row in {coverage.databases} generated databases"
    if coverage.nonempty < MIN_TELLING:
        return f"a telling row in only {coverage.nonempty} of {coverage.databases} generated databases"
    seen = sum(feature.endswith(_FLOWING) for feature in coverage.covered)
    looked = seen + sum(feature.endswith(_FLOWING) for feature in coverage.missed)
    if seen < MIN_FLOWING * looked:
        return f"only {seen} of {looked} joins, predicates and groups of the queries ever came to bear"
    return ""


def unfilled(refuter: Refuter) -> str:
    """The first column of the tables that are read which may not be NULL and for which no value is known: no
    row could be stored. Empty where there is none.
    """
    for index in sorted(refuter.generator.used):
        table = refuter.scratch_db.shape.tables[index]
        for column, pool in zip(table.columns, refuter.pools[index], strict=True):
            known = pool.near or pool.family or pool.extreme
            if not (known or column.nullable or column.generated):
                return f"{table.name}.{column.name}"
    return ""


def _seen(refuter: Refuter, probes: Sequence[Probe]) -> tuple[set[str], set[int]]:
    """Features seen in some sampled database, and the numbers of probes that could not run."""
    scratch_db, prefilter = refuter.scratch_db, refuter.prefilter
    sample = refuter.done.sample
    good = [n for n, probe in enumerate(probes) if prefilter.plans(probe.text)]
    unprobed = set(range(len(probes))) - set(good)
    seen: set[str] = set()
    if not sample or not good:
        return seen, unprobed
    try:
        scratch_db.set_timeout(_PROBING_MS)
        first = scratch_db.load(sample)
        texts = [probes[n].text for n in good]
        for number, values in prefilter.probe(texts, first, len(sample), secrets.token_hex(6)):
            probe = probes[good[number]]
            seen |= {f for f, value in zip(probe.features, values or (), strict=False) if value}
    except psycopg.Error:
        return seen, set(range(len(probes)))
    finally:
        with contextlib.suppress(psycopg.Error):
            scratch_db.set_timeout(STATEMENT_TIMEOUT_MS)
    return seen, unprobed
