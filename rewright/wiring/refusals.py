"""Why the optimiser did nothing with a query, in words for people."""

from __future__ import annotations

from rewright.store.records import Rewrite


class NotOptimised(Exception):
    """Why nothing was done with a query; the message is for people."""


class Known(NotOptimised):
    """There is a rewrite of the query already."""

    def __init__(self, rewrite: Rewrite) -> None:
        super().__init__(f"known: rewrite {rewrite.id} is {rewrite.state}")
        self.rewrite = rewrite


class NotYet(NotOptimised):
    """Worth another try soon."""


class Cheap(NotOptimised):
    """Not worth holding; whether it is slow anyway is seen when it runs."""


class NotAllowed(Exception):
    """The role that asked may not."""
