"""The hint base in words (QUITE §6.1, Table 3): what each hint does, when it helps and when it hurts.

For people, for docs/hints.md and for a model's prompt. Scan hints are among them and not offered: an
access path follows from row counts, and pinning one ages badly when data or indexes change.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One family of hints. ``offered``: recommended by default; ``since``: PostgreSQL's major version."""

    names: tuple[str, ...]
    grammar: str
    description: str
    helps: str
    hurts: str
    offered: bool = True
    extension: bool = True
    since: int = 14


ENTRIES: tuple[Entry, ...] = (
    Entry(
        ("HashJoin", "MergeJoin", "NestLoop"),
        "HashJoin(alias alias [alias …])",
        "joins exactly these relations, however they were joined before, by this method",
        "the method was chosen on a wrong row count: hash for large inputs without order, merge for large "
        "sorted ones,"
        " nested loop for a small outer side with an index on the inner",
        "data change size; a hash join needs an equality, and spills when its inner side outgrows work_mem",
    ),
    Entry(
        ("NoHashJoin", "NoMergeJoin", "NoNestLoop"),
        "NoNestLoop(alias alias [alias …])",
        "forbids a method for that join and leaves the choice of the others to the planner",
        "one method is known to be wrong and the best one depends on the data",
        "no other method is possible (an inequality): the plan keeps a disabled node",
    ),
    Entry(
        ("Leading",),
        "Leading(alias alias …) or Leading((outer inner)), nested",
        "the order of joins, in the second form with sides; one for a statement",
        "many joins whose sizes multiply wrongly; more relations than the planner searches through",
        "tables are added to the query or sizes change; the first form leaves sides open",
    ),
    Entry(
        ("Rows",),
        "Rows(alias alias [alias …] #n), or +n, -n, *n",
        "sets or corrects the row count of a join; scans cannot be corrected",
        "correlated filters: with the true count the planner mostly finds the plan by itself",
        "#n ages with the data; a factor ages more slowly",
    ),
    Entry(
        ("Memoize", "NoMemoize"),
        "Memoize(alias alias [alias …])",
        "lets a nested loop keep the inner results of values it has seen, or not",
        "many repeated outer values; NoMemoize where the cache is built for values that never repeat",
        "few repetitions: the cache costs and never hits",
    ),
    Entry(
        ("Parallel",),
        "Parallel(alias workers [soft|hard])",
        "workers for scanning one relation; 0 forbids them",
        "one long scan on an idle machine",
        "a busy machine, many such queries at once",
    ),
    Entry(
        ("Set",),
        "Set(name value)",
        "a planner switch while this query is planned",
        "join order limits and the genetic search: geqo off from twelve relations on, collapse limits for a "
        "long Leading",
        "enable_* switches act on the whole query: what helps one join harms another",
    ),
    Entry(
        ("MATERIALIZE", "NOT_MATERIALIZE"),
        "MATERIALIZE(cte)",
        "PostgreSQL's own keyword on a CTE: computed once and kept, or merged into its readers",
        "NOT: read once, or small, and readers filter it; MATERIALIZE: expensive and read often",
        "NOT: an expensive CTE that is read often is computed each time; MATERIALIZE keeps filters out of it",
        extension=False,
    ),
    Entry(
        ("SeqScan", "IndexScan", "IndexOnlyScan", "BitmapScan", "TidScan", "NoSeqScan", "NoIndexScan",
        "NoIndexOnlyScan", "NoBitmapScan", "NoTidScan"),
        "IndexScan(alias [index …])",
        "how one relation is read",
        "an index whose use the planner misjudges although it knows the row count",
        "access paths follow from row counts and data change: an index that is dropped or grown makes it "
        "wrong",
        offered=False,
    ),
)  # fmt: skip


def base_text(*, offered_only: bool = True) -> str:
    """The base as lines of text."""
    lines: list[str] = []
    for entry in ENTRIES:
        if entry.offered or not offered_only:
            lines.append(f"{', '.join(entry.names)}: {entry.grammar}")
            lines += [f"  {entry.description}", f"  helps: {entry.helps}", f"  hurts: {entry.hurts}"]
    return "\n".join(lines)
