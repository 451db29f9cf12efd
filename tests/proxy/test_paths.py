"""Of several rewrites of one text each is for the schemas in which its names were looked up."""

from __future__ import annotations

import pytest

from rewright.proxy.ports import Guard, ServedRewrite
from rewright.proxy.serving.guard import named_path
from rewright.proxy.serving.index import RewriteIndex
from rewright.sql.templates import split
from rewright.wiring.templates import make

TEXT = "select count(*) from orders where id < 3"
NORTH, SOUTH, BOTH = ("pg_catalog", "north"), ("pg_catalog", "south"), ("pg_catalog", "public", "south")


def rewrite(number: int, path: tuple[str, ...] | None, *, whole: bool) -> ServedRewrite:
    guard = Guard((), (), (), (), (), search_path=path, digest="d")
    original, replacement = (split(one) if whole else (one, ()) for one in (TEXT, f"{TEXT} and true"))
    assert original is not None
    assert replacement is not None
    scope = "any" if whole else "these"
    return ServedRewrite(number, "app", original[0], replacement[0], guard, scope=scope)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("text", [TEXT, TEXT.upper().replace("ORDERS", "orders")])
def test_a_session_gets_what_was_found_for_its_path(text: str, whole: bool) -> None:
    index = RewriteIndex(make())
    index.replace([rewrite(1, NORTH, whole=whole), rewrite(2, SOUTH, whole=whole)])

    def found(path: tuple[str, ...]) -> int | None:
        candidate = index.find("app", text.encode(), (), path)
        return None if candidate is None else candidate.rewrite.id

    assert [found(NORTH), found(SOUTH), found(("pg_catalog", "east"))] == [1, 2, None]
    # public may not exist, as where a server only told its setting: the guard will tell
    assert found(BOTH) == 2
    # nobody knows: the guard will tell
    assert found(()) in {1, 2}
    index.replace([rewrite(2, SOUTH, whole=whole), rewrite(3, BOTH, whole=whole)])
    assert [found(SOUTH), found(BOTH)] == [2, 3]
    index.replace([rewrite(4, None, whole=whole)])
    assert found(NORTH) == 4


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ('"$user", public', ("pg_catalog", "joe", "public")),
        ("north", NORTH),
        ('South , "My, Sch""x" ,pg_temp', ("pg_catalog", "south", 'My, Sch"x')),
        ("a, pg_catalog", ("a", "pg_catalog")),
        ("", ("pg_catalog",)),
        ('""', ("pg_catalog",)),
    ],
)
def test_a_setting_is_read_as_the_server_reads_it(setting: str, path: tuple[str, ...]) -> None:
    assert named_path(setting, "joe") == path
