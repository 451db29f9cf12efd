"""The store as configured."""

from __future__ import annotations

from typing import Any

from rewright.config.model import Config
from rewright.store.api import Store, open_store, reach_store
from rewright.store.errors import StoreDamaged, StoreError
from rewright.store.records import Options, Retention

WITHOUT = "traffic passes; nothing new is served, found or logged until the store can be opened"


def open_configured(config: Config, *, create: bool = True) -> Store:
    """Raises StoreError; also, without ``create``, where there is no store yet."""
    return open_store(config.store.url, _options(config), create=create)


def reach_configured(config: Config, *, create: bool = True) -> Store:
    """The store, which need not be there yet. Raises StoreError for a URL that can't be read; calls raise it,
    too, without ``create``, where there is none.
    """
    return reach_store(config.store.url, _options(config), create=create)


def look_at(store: Store, log: Any) -> None:
    """Say loudly when there is no store, and set a damaged one aside. Never raises StoreError."""
    try:
        store.revision()
    except StoreDamaged as error:
        repair(store, error, log)
    except StoreError as error:
        log.error("store.unavailable", reason=str(error), meaning=WITHOUT)


def repair(store: Store, error: StoreDamaged, log: Any) -> None:
    """A new store in place of a damaged one, which is kept. Never raises StoreError."""
    try:
        kept = store.repair()
        store.revision()
    except StoreError as again:
        log.error("store.unavailable", reason=f"{error}; {again}", meaning=WITHOUT)
    else:
        if kept is not None:
            log.error(
                "store.set_aside", reason=str(error), kept=str(kept), meaning="a new store begins empty"
            )


def _options(config: Config) -> Options:
    section = config.store
    retention = Retention(days=section.retention / 86_400, log_rows=section.log_rows)
    return Options(literals=section.literals, retention=retention)
