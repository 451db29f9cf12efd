"""The `Journal` port over the log. Owns the form of an event's row; a store that fails is not noticed
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewright.store.errors import StoreError
from rewright.store.records import Event
from rewright.store.rewrites import Events


@dataclass(frozen=True, slots=True)
class StoreJournal:
    events: Events

    def record(self, event: Mapping[str, Any]) -> None:
        try:
            self.events.add([Event(None, str(event["job"]), str(event["state"]), dict(event))])
        except StoreError:
            return  # the run goes on without its record; the store reports its own state
