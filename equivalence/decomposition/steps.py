"""Proofs of consecutive steps, joined: sameness is transitive.

Owns what the whole rests on and leaves open, in the checker's own documents
(`rewright.equivalence.verdicts.to_json`). Only proofs are joined: what is tested step by step is not tested
as a whole. Must not know how the steps were found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def joined_document(links: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One proof out of the documents of proofs of consecutive links: what each rests on, all rest on.

    Raises ValueError where there are none or one of them is no proof.
    """
    if not links or any(link["verdict"] != "proved" for link in links):
        raise ValueError("only proofs are joined")
    return {
        **links[0],
        "verdict": "proved",
        "method": "steps: " + ", ".join(dict.fromkeys(x["method"] for x in links if x.get("method"))),
        "assumptions": list(dict.fromkeys(a for x in links for a in x.get("assumptions") or ())),
        "modulo": sorted({m for x in links for m in x.get("modulo") or ()}),
        "scope": "any" if all(x.get("scope") == "any" for x in links) else "these",
        "steps": [f"step {n}: {step}" for n, x in enumerate(links, 1) for step in x.get("steps") or ()],
    }
