"""The store as configured."""

from __future__ import annotations

from rewright.config.model import Config
from rewright.store.api import Store, open_store
from rewright.store.records import Options, Retention


def open_configured(config: Config) -> Store:
    """Raises StoreError."""
    section = config.store
    retention = Retention(days=section.retention / 86_400, log_rows=section.log_rows)
    return open_store(section.url, Options(literals=section.literals, retention=retention))
