"""``rewright knowledge``: the units that tell how queries are rewritten."""

from __future__ import annotations

from collections.abc import Mapping

from rewright.cli.parts import Verbs

VERBS: Mapping[str, str] = {
    "search": "units for a text",
    "add": "units from files",
    "build": "units from sources",
    "check": "run every unit's example",
}
command = Verbs("knowledge", "knowledge.command", "rewrite knowledge", VERBS, help="Rewrite knowledge units.")
