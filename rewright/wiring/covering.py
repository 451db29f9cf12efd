"""Rewrites for all literals, by the shape of their template: does one of them cover a text?

Owns the index, which is built anew when the store has changed. Must not know how rewrites are found or
served.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.processes.jobs import Job
from rewright.sql.forms import form_of, form_of_template, shape_key, values_for
from rewright.store.api import Store
from rewright.store.life import State
from rewright.store.records import Rewrite
from rewright.wiring.served import SERVABLE, schemas_of, types_of

STANDING = (*SERVABLE, State.REJECTED)
MOST = 10_000

_Shape: TypeAlias = tuple[str, str, tuple[int, ...]]


@dataclass(slots=True)
class Covering:
    """Of the store's state, numbers of rewrites by database, shape and types of parameters, newest first.

    Not for several threads at once.
    """

    store: Store
    _revision: int = -1
    _numbers: Mapping[_Shape, list[int]] = field(default_factory=dict)

    def find(self, job: Job) -> Rewrite | None:
        """One that stands, or that a person rejected, and that was found for the job's search path."""
        self._read()
        form = form_of(job.text)
        for number in self._numbers.get((job.database, shape_key(job.text), job.param_types), ()):
            one = self.store.rewrites.get(number)
            # a template may keep literals that this text has not
            if form is None or values_for(one.proposal.template, form) is None:
                continue
            # found for another search path, the same names may mean other tables
            if not job.search_path or schemas_of(one.proposal) in {(), job.search_path}:
                return one
        return None

    def _read(self) -> None:
        # before the rows: what changes between the two is read once more
        revision = self.store.revision()
        if revision == self._revision:
            return
        numbers: dict[_Shape, list[int]] = {}
        for one in self.store.rewrites.find(states=STANDING, limit=MOST):
            shape = _shape(one)
            if shape is not None:
                numbers.setdefault(shape, []).append(one.id)
        self._numbers, self._revision = numbers, revision


def _shape(one: Rewrite) -> _Shape | None:
    """None: it is for its very literals, or was proved by an older checker."""
    proposal = one.proposal
    # rejected by a person, it stands whatever checker proved it
    current = one.state is State.REJECTED or proposal.checker_version in {"", CHECKER_VERSION}
    template = form_of_template(proposal.template) if current and proposal.scope == "any" else None
    return None if template is None else (proposal.database, template.shape, types_of(proposal))
