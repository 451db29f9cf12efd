"""What can go wrong with the store, for those who go on without it."""

from __future__ import annotations


class StoreError(Exception):
    """Base of all errors of the store."""


class StoreUnavailable(StoreError):
    """Locked for too long, full, unreachable or damaged; try again later."""


class StoreDamaged(StoreUnavailable):
    """The file itself is broken; it does not come back by waiting (``rewright.store.damage.set_aside``)."""


class StoreTooNew(StoreError):
    """Written by a newer version of Rewright."""


class NotFound(StoreError):
    """No row with that id."""


class LiteralsForbidden(StoreError):
    """The proposal holds literals of a query and ``[store] literals`` is off."""
