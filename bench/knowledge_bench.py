"""Retrieval: nDCG@3 and recall@3 on the labelled queries, against BM25 on the text alone and against
embeddings; and speed.

python bench/knowledge_bench.py [--labels FILE ...] [--out report.json]

Two sets come with the repository: one by the retrieval's author, one labelled later from the units' questions
alone.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from bench.bars import bar
from rewright.knowledge.api import KnowledgeBase
from rewright.knowledge.index import Index, words_of

FOLDER = Path(__file__).resolve().parent.parent / "knowledge"
LABELS = (FOLDER / "labels.jsonl", FOLDER / "labels_second.jsonl")
Search = Callable[[str], list[str]]


def ndcg(found: list[str], wanted: list[str], k: int = 3) -> float:
    """Binary gains; the ideal puts the wanted ones first."""
    gain = sum(1 / math.log2(i + 2) for i, unit in enumerate(found[:k]) if unit in wanted)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(k, len(wanted))))


def recall(found: list[str], wanted: list[str], k: int = 3) -> float:
    return len(set(found[:k]) & set(wanted)) / min(k, len(wanted))


def plain(base: KnowledgeBase) -> Search:
    """BM25 over all text of a unit, SQL included, as words."""
    index = Index([words_of(f"{u.text} {u.before}") for u in base.units], b=0.75)

    def search(query: str) -> list[str]:
        best = np.argsort(-index.scores(words_of(query)), kind="stable")[:3]
        return [base.units[i].id for i in best]

    return search


def embedded(base: KnowledgeBase) -> Search | None:
    """Cosine of MiniLM vectors of the questions and of the query."""
    try:
        from rewright.lake.embedding import best_embedder

        embedder = best_embedder(semantic=True)
        vectors = np.array(embedder.embed([f"{u.title}. {u.before}" for u in base.units]))
    except Exception as error:
        print(f"no embeddings: {error}")
        return None

    def search(query: str) -> list[str]:
        best = np.argsort(-(vectors @ np.array(embedder.embed([query]))[0]))[:3]
        return [base.units[i].id for i in best]

    return search


def measured(search: Search, labels: list[dict[str, list[str]]]) -> dict[str, float]:
    found = [(search(str(label["query"])), label["units"]) for label in labels]
    return {
        "ndcg@3": round(statistics.mean(ndcg(f, w) for f, w in found), 3),
        "recall@3": round(statistics.mean(recall(f, w) for f, w in found), 3),
    }


def speed(base: KnowledgeBase, labels: list[dict[str, list[str]]], size: int) -> float:
    """Median seconds of a search over ``size`` units (ours, repeated)."""
    many = KnowledgeBase((base.units * (size // len(base) + 1))[:size])
    times = []
    for label in bar(labels, "searches"):
        began = time.perf_counter()
        many.search(str(label["query"]))
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def read_labels(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", nargs="+", type=Path, default=list(LABELS))
    parser.add_argument("--data", help="unused: the labels come with the repository")
    parser.add_argument("--out")
    args = parser.parse_args()
    sets = {path.stem: read_labels(path) for path in args.labels}
    base = KnowledgeBase.load()
    methods: dict[str, Search | None] = {
        "ours": lambda query: [hit.unit.id for hit in base.search(query)],
        "BM25 on text": plain(base),
        "embeddings": embedded(base),
    }
    report: dict[str, object] = {
        f"{stem}, {len(labels)} queries": {
            name: measured(search, labels) for name, search in methods.items() if search
        }
        for stem, labels in sets.items()
    }
    report["seconds of a search, 10,000 units"] = round(speed(base, next(iter(sets.values())), 10_000), 5)
    report |= {"units": len(base), "machine": platform.platform()}
    print(json.dumps(report, indent=1))
    if args.out:
        Path(args.out).write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
