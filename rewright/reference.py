"""The pages of docs/reference that are made from the code: ``python -m rewright.reference`` writes them.

A test compares them. Must not contain what can be read from a registry.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from rewright.settings import REGISTRY

DIRECTORY = Path(__file__).resolve().parent.parent / "docs" / "reference"
MADE = "<!-- made by `python -m rewright.reference` -->\n\n"


def settings() -> str:
    """Settings, as one page of Markdown."""
    lines = [
        "# Settings",
        "",
        (
            "Set them like any parameter of PostgreSQL: `SET`, `SET LOCAL`, `RESET`, `SHOW`, `options=-c ...` at connect, "
            "`ALTER ROLE|DATABASE ... SET`. `[defaults]` and `[databases.NAME.defaults]` in the configuration give other "
            "defaults. A wrong value in a SET that Rewright sees is refused with 22023; one that arrives otherwise counts as "
            "the default, with a WARNING."
        ),
        "",
        (
            "An ordinary role needs `GRANT SET ON PARAMETER rewright.mode TO role` (PostgreSQL 15) for `ALTER ROLE`. A "
            "pooler in transaction mode leaks custom settings to the next client; what Rewright does about it is told in "
            "[Beside PgBouncer](../guide/pgbouncer.md)."
        ),
        "",
        "| setting | values | default | meaning |",
        "|---|---|---|---|",
    ]
    lines += [f"| `{one.full_name}` | {one.allowed} | `{one.default}` | {one.meaning} |" for one in REGISTRY]
    return "\n".join(lines) + "\n"


def configuration() -> str:
    from rewright.config.showing import example

    intro = [
        "# Configuration",
        "",
        (
            "`rewright.toml` in the working directory, `~/.config/rewright/` or `/etc/rewright/`, or the file given with "
            "`--config`. Environment variables win over the file, the command line over both. `rewright config` shows what "
            "is in force and where it comes from; `rewright config --check` says what is wrong. This is what `rewright "
            "config --example` prints:"
        ),
        "",
        "```toml",
        example().rstrip(),
        "```",
    ]
    return "\n".join(intro) + "\n"


def commands() -> str:
    from rewright.cli import COMMANDS, rewright

    lines = ["# Commands", "", "Exit codes: 0 done, 1 the thing asked for failed, 2 wrong usage.", ""]
    context = click.Context(rewright, info_name="rewright", terminal_width=100, **rewright.context_settings)
    lines += ["```", rewright.get_help(context), "```"]
    for name in COMMANDS:
        command = rewright.get_command(context, name)
        assert command is not None
        lines += ["", f"## rewright {name}", "", "```"]
        lines += [
            command.get_help(
                click.Context(
                    command, context, info_name=name, terminal_width=100, **command.context_settings
                )
            ),
            "```",
        ]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def relations() -> str:
    from rewright.proxy.answers.calls import NAMES
    from rewright.proxy.answers.relations import RELATIONS

    lines = [
        "# Relations and procedures",
        "",
        *textwrap.wrap(
            "`SELECT` over these relations takes any WHERE, ORDER BY, join or aggregate over them (evaluated by DuckDB, "
            "whose dialect is PostgreSQL's in nearly everything). They are not in the database: they join with each "
            "other only. They show rows of the session's own database. Roles that are not admins of it see the texts (marked *) "
            "of their own rows only; others read `<insufficient privilege>`. The session's current role counts.",
            110,
        ),
    ]
    for relation in RELATIONS:
        lines += [
            "",
            f"## rewright.{relation.name}",
            "",
            f"{relation.meaning.capitalize()}.",
            "",
            "| column | type | meaning |",
            "|---|---|---|",
        ]
        lines += [
            f"| `{column.name}`{' *' if column.private else ''} | {_TYPES[column.type_oid]} | {column.meaning} |"
            for column in relation.columns
        ]
    lines += [
        "",
        "## Procedures",
        "",
        "For roles listed in `[admins] roles` or `[databases.NAME] admins`, on what belongs to the session's database; `pause` and `resume` for `[admins] roles` only; others get 42501.",
        "",
    ]
    lines += [f"- `CALL rewright.{name}({_ARGUMENTS.get(name, 'id [, reason]')})`" for name in NAMES]
    return "\n".join(lines) + "\n"


_TYPES = {16: "boolean", 20: "bigint", 25: "text", 701: "double precision", 1184: "timestamptz"}
_ARGUMENTS = {"accept": "id", "pause": "", "resume": "", "kill": "pid"}


def metrics() -> str:
    from rewright.processes.exporting import METRICS

    lines = [
        "# Metrics",
        "",
        "On `[http]` at `/metrics`, in Prometheus' text format.",
        "",
        "| metric | meaning |",
        "|---|---|",
    ]
    lines += [f"| `rewright_{name}` | {text} |" for name, text in METRICS.items()]
    return "\n".join(lines) + "\n"


def prompts() -> str:
    from rewright.rewrite.prompt_examples import QUERY, conversation

    lines = [
        "# Prompts",
        "",
        *textwrap.wrap(
            "What a language model is asked when rules find nothing faster, word for word: one run over a made-up query, in which the "
            "model misspells a name, is then wrong, and is right at last. Placeholders stand for literals at the levels `schema` "
            "and `statistics` of `[models] share`; what else each level allows is in [How a query is rewritten](../rewriting.md). "
            "Rows of counterexamples are made up by the checker at every level. The client's query:",
            110,
        ),
        "",
        *_fenced(QUERY, "sql"),
    ]
    at_schema, at_statistics = conversation(), conversation("statistics")
    for number, (role, messages) in enumerate(at_schema, 1):
        lines += ["", f"## {number}. To the {role} model", ""]
        for message in messages:
            lines += [f"{message.speaker.capitalize()}:", "", *_fenced(message.text, "text"), ""]
    lines += ["", "## At the level `statistics`", "", "The first prompt has these lines more:", ""]
    known = set("\n".join(m.text for _, said in at_schema for m in said).splitlines())
    more = [line for line in at_statistics[0][1][-2].text.splitlines() if line not in known]
    lines += _fenced("\n".join(more), "text")
    return "\n".join(lines) + "\n"


def _fenced(text: str, kind: str) -> list[str]:
    return [f"```{kind}", *(line.rstrip() for line in text.splitlines()), "```"]


def reloading() -> str:
    """When a change of each key counts, as one page of Markdown."""
    from rewright.config.reloading import all_keys

    lines = [
        "# What a reload changes",
        "",
        (
            "SIGHUP, or `RELOAD` in the admin database, reads the configuration, users, certificates, their authorities and "
            "revocations again. A wrong configuration changes nothing. `SHOW CONFIG` says the same of each key."
        ),
        "",
        "- *at once*: for sessions that run, too.",
        "- *new connections*: those that run go on as they began.",
        "- *the next query to optimise*: the optimiser is started again.",
        "- *the next start*: `rewright serve --takeover` does it without an interruption.",
        "",
        "| section | key | counts from |",
        "|---|---|---|",
    ]
    lines += [f"| `[{section}]` | `{key}` | {moment} |" for section, key, moment in all_keys()]
    return "\n".join(lines) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "settings.md": settings,
    "configuration.md": configuration,
    "reloading.md": reloading,
    "commands.md": commands,
    "relations.md": relations,
    "metrics.md": metrics,
    "prompts.md": prompts,
}


def pages() -> Iterator[tuple[Path, str]]:
    """(file, contents) of every page."""
    for name, make in PAGES.items():
        yield DIRECTORY / name, MADE + make()


def main() -> int:
    """Write what changed."""
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for path, contents in pages():
        if not path.exists() or path.read_text(encoding="utf-8") != contents:
            path.write_text(contents, encoding="utf-8")
            print(path.relative_to(DIRECTORY.parent.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
