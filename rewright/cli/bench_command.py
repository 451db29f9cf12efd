"""``rewright bench``: the benchmarks of the source tree. The installed package leaves them out:
nobody needs them to run Rewright.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import click

import rewright
from rewright.cli import Failure

NAMES = (
    "overhead",
    "gain",
    "django",
    "tpch",
    "dsb",
    "unseen",
    "equivalence",
    "knowledge",
    "hints",
    "lake",
    "ask",
    "augment",
)

_ELSEWHERE = (
    "is not in the installed package: run it in Rewright's source tree, after `make install` there,"
    " as `.venv/bin/rewright bench {name}`"
)


class _Bench(click.Command):
    """Behind a benchmark's name all options are its own, --help too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # -- ends our options: the benchmark's own --help is not ours
        own = ["--"] if args[:1] and args[0] in NAMES else []
        return super().parse_args(ctx, [*args[:1], *own, *args[1:]])


@click.command(cls=_Bench, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("name", type=click.Choice(NAMES))
@click.pass_context
def command(ctx: click.Context, name: str) -> None:
    """Run one of the benchmarks, in the source tree; further options are its own: NAME --help lists them."""
    tree = Path(rewright.__file__).resolve().parent.parent
    # a script named after a top-level folder would hide that folder from the other scripts
    script = tree / "bench" / f"{name}.py"
    if not script.exists() or (tree / name).is_dir():
        script = tree / "bench" / f"{name}_bench.py"
    if not script.exists():
        where = "is not part of this version of Rewright yet" if script.parent.exists() else _ELSEWHERE
        raise Failure(f"the benchmark {name} {where.format(name=name)}")
    sys.argv = [str(script), *ctx.args]
    # scripts name each other as bench.other
    sys.path.insert(0, str(tree))
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.path.remove(str(tree))
