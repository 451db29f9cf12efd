"""Why the optimiser did nothing with a query, in words for people."""

from __future__ import annotations


class NotOptimised(Exception):
    """Why nothing was done with a query; the message is for people."""


class NotYet(NotOptimised):
    """Worth another try soon."""


class Cheap(NotOptimised):
    """Not worth holding; whether it is slow all the same is seen when it runs."""


class NotAllowed(Exception):
    """The role that asked may not."""
