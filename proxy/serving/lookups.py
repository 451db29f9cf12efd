"""What is known of a text: a rewrite, an answer of Rewright's own, or that the optimiser is worth asking.

Must not know messages.
"""

from __future__ import annotations

import re

from rewright.proxy.ports import Answer, Candidate, Ports
from rewright.proxy.serving.in_force import UNWANTED, SettingsInForce
from rewright.proxy.serving.sites import FIRST, find_site
from rewright.proxy.slow import is_select

# texts without a rewrite that are remembered
MAX_PASSING = 1000
_SITES = frozenset(bytes((byte,)) for byte in FIRST)
_OFF = re.compile(rb"/\*\s*rewright:off\s*\*/", re.IGNORECASE)


class Lookups:
    """Of one session with ``database``. ``seen``: the version of the set of rewrites that its statements were
    looked up in.
    """

    def __init__(self, ports: Ports, database: str, in_force: SettingsInForce) -> None:
        self._ports = ports
        self._lookup = ports.lookup
        self._database = database
        self._in_force = in_force
        self.seen = -1 if ports.lookup is None else ports.lookup.version
        self._told_path: bytes | None = None
        self.keywords = ports.answers.keywords if ports.answers is not None else frozenset()
        self.asked: set[bytes] = set()  # texts the optimiser was asked about inline

    def renewed(self) -> bool:
        """Whether the set of rewrites, or the path that the server reports, has changed since this was asked
        last.
        """
        lookup = self._lookup
        if lookup is None:
            return False
        told = self._in_force.told_path
        if lookup.version == self.seen and told == self._told_path:
            return False
        self.seen, self._told_path = lookup.version, told
        return True

    def find(self, text: bytes, types: tuple[int, ...]) -> Candidate | None:
        """The rewrite for a text, unless this session wants none."""
        lookup = self._lookup
        if lookup is None or (self._in_force.view.mode in UNWANTED and not self._in_force.stale):
            return None
        candidate = lookup.find(self._database, text, types, self._in_force.offered_path)
        if candidate is None and text and text[0] in FIRST:
            candidate = self._find_inside(text, types)
        # the word is looked for last: of most texts no rewrite is known
        return None if candidate is None or _OFF.search(text) else candidate

    def _find_inside(self, text: bytes, types: tuple[int, ...]) -> Candidate | None:
        """The rewrite for the SELECT in a COPY, CREATE TABLE AS, INSERT or EXPLAIN."""
        site = find_site(text)
        if site is None or self._lookup is None:
            return None
        found = self._lookup.find(self._database, site.select, types, self._in_force.offered_path)
        if found is None:
            return None
        plain = found.plain_replacement
        return Candidate(
            found.rewrite,
            site.around(found.replacement),
            None if plain is None else site.around(plain),
            site,
            (site.select.decode(), found.replacement),
        )

    def note_passing(self, bare: bytes) -> None:
        """A text that is ``bare`` without its digits has no word of ours and was of no interest: where that
        holds for all texts like it, nobody need look at them again.
        """
        lookup = self._lookup
        # what may hold a SELECT is looked into each time: the SELECT may be known
        if lookup is None or lookup.may_know_like(bare) or bare[:1] in _SITES:
            return
        # forgotten all at once: an application that still sends them brings them back within a second
        if len(lookup.passing) >= MAX_PASSING:
            lookup.passing.clear()
        lookup.passing.add(bare)

    def match(self, text: bytes) -> Answer | None:
        if self._ports.answers is None:
            return None
        try:
            return self._ports.answers.match(text.decode())
        except UnicodeDecodeError:
            return None

    def may_hold(self, text: bytes) -> bool:
        """Whether an unknown text is worth asking the optimiser about before it runs (``rewright.mode =
        inline``).
        """
        ports = self._ports
        return (
            self._in_force.view.mode == "inline"
            and ports.inline is not None
            and not (ports.pause is not None and ports.pause.paused)
            and text not in self.asked
            and is_select(text)
            and not _OFF.search(text)
        )
