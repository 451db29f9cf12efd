"""Every block of the documents is run by a test, or says why not."""

from __future__ import annotations

import pytest

from tests.documents.pages import ALONE, REASONS, RUN_BY, TREE, Block, all_blocks, forms, lines

HERE = TREE / "tests" / "documents"


@pytest.mark.parametrize("block", all_blocks(), ids=str)
def test_it_is_run_or_says_why_not(block: Block) -> None:
    assert block.language, "say what it is: sh, sql, toml, … or text for what nobody types"
    known = block.alone or block.mark in REASONS or (block.language, block.mark) in RUN_BY
    assert known, f"nobody runs a block of the kind `{block.language} {block.mark}`"


def test_there_are_blocks_of_every_kind() -> None:
    """No reason and no runner is kept for blocks that are gone."""
    seen = {(block.language, block.mark) for block in all_blocks() if not block.alone}
    assert seen - {(language, mark) for language, mark in seen if mark in REASONS} == set(RUN_BY)
    assert {mark for _, mark in seen} >= set(REASONS)
    assert {
        (block.page, f"{block.language} {block.mark}".strip()) for block in all_blocks() if block.alone
    } >= set(ALONE)


@pytest.mark.parametrize("runner", sorted({*RUN_BY.values(), *ALONE.values()}))
def test_who_runs_them_is_there(runner: str) -> None:
    text = (HERE / runner).read_text(encoding="utf-8")
    for kind, module in RUN_BY.items():
        if module == runner and kind[0] != "{toctree}":
            arguments = ", ".join(f'"{part}"' for part in kind if part)
            assert f"blocks({arguments})" in text, f"{runner} does not take blocks of {kind}"


def test_a_synopsis_at_the_least_and_at_the_most() -> None:
    told = "rewright verify A.sql [--json] [--require proved|tested] [--jobs N [--fast]] FILE..."
    assert forms(told) == [
        "rewright verify A.sql FILE",
        "rewright verify A.sql --json --require proved --jobs N --fast FILE",
    ]
    assert lines("a b \\\n  c  # why\n\n# none\nd\n   [--e]\n") == ["a b c", "d [--e]"]
