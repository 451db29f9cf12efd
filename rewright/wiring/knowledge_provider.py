"""The knowledge base of a process: the units that come with Rewright and the installation's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from rewright import logs
from rewright.knowledge.api import KnowledgeBase
from rewright.knowledge.units import UnitError
from rewright.rewrite.adapters.units import UnitKnowledge
from rewright.sql.catalog import Catalog

OWN = "~/.local/state/rewright/knowledge"


def own_folder(store_url: str) -> Path:
    """Where the installation's own units are: beside a store that is a file, else in
    the user's state folder.
    """
    if "://" in store_url and not store_url.startswith("file://"):
        return Path(OWN).expanduser()
    return Path(store_url.removeprefix("file://")).expanduser().parent / "knowledge"


def knowledge_base(own: Path) -> KnowledgeBase:
    """Read again when a unit of one's own was added, changed or taken away."""
    files = sorted(own.glob("units/*/*.toml"))
    return _base(own, tuple((str(file), file.stat().st_mtime_ns) for file in files))


def knowledge_of(
    store_url: str, catalog: Catalog, search_path: Sequence[str], server_major: int
) -> UnitKnowledge:
    """The rewriter's ``Knowledge`` port for one database."""
    return UnitKnowledge(knowledge_base(own_folder(store_url)), catalog, tuple(search_path), server_major)


@lru_cache(maxsize=2)
def _base(own: Path, files: tuple[tuple[str, int], ...]) -> KnowledgeBase:
    try:
        return KnowledgeBase.load((own / "units",) if files else ())
    except (UnitError, OSError, UnicodeDecodeError) as error:
        # one bad file of the user's does not cost the units that come with the product
        logs.logger().warning("own knowledge units are not used", folder=str(own), error=str(error))
        return KnowledgeBase.load()
