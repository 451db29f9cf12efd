"""A lake whose folder is not there does not keep the databases beside it from being served."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.config.model import Auth, Config, Database
from rewright.wiring.shadows import ShadowFailed, Shadows

pytestmark = pytest.mark.server


def configured(tmp_path: Path, **others: Database) -> Config:
    lake = Database(engine="duckdb", path=str(tmp_path / "gone"))
    return Config(databases={"lake": lake, **others}, auth=Auth(method="trust"))


def test_the_others_are_served(tmp_path: Path) -> None:
    config = configured(tmp_path, app=Database(dsn="postgresql://db/app"))
    with Shadows(config) as shadows:
        assert (
            shadows.applied(config) == config
        )  # no address: who asks for the lake is told that it is not served


def test_alone_it_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ShadowFailed, match="lake"), Shadows(configured(tmp_path)):
        pass
