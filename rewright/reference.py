"""The pages of docs/reference that are made from the code: ``python -m rewright.reference`` writes them.

A test compares them. Must not contain what can be read from a registry.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewright.models.api import Message
from rewright.settings import REGISTRY

if TYPE_CHECKING:
    from rewright.proxy.answers.relations import Relation

DIRECTORY = Path(__file__).resolve().parent.parent / "docs" / "reference"
MADE = "<!-- made by `python -m rewright.reference` -->\n\n"


def settings() -> str:
    """Settings, as one page of Markdown."""
    lines = [
        "# Settings",
        "",
        (
            "Set them like any parameter of PostgreSQL: `SET`, `SET LOCAL`, `RESET`, `SHOW`, `options=-c "
            "...` at connect, "
            "`ALTER ROLE|DATABASE ... SET`. `[defaults]` and `[databases.NAME.defaults]` in the "
            "configuration give other "
            "defaults. A wrong value in a SET that Rewright sees is refused with 22023; one that arrives "
            "otherwise counts as "
            "the default, with a WARNING."
        ),
        "",
        (
            "An ordinary role needs `GRANT SET ON PARAMETER rewright.mode TO role` (PostgreSQL 15) for "
            "`ALTER ROLE`. A "
            "pooler in transaction mode leaks custom settings to the next client; what Rewright does about "
            "it is told in "
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
            "`rewright.toml` in the working directory, `~/.config/rewright/` or `/etc/rewright/`, or the "
            "file given with "
            "`--config`. Environment variables win over the file, the command line over both. `rewright "
            "config` shows what "
            "is in force and where it comes from; `rewright config --check` says what is wrong. This is "
            "what `rewright "
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
    lines += ["```text", rewright.get_help(context), "```"]
    for name in COMMANDS:
        found = rewright.get_command(context, name)
        assert found is not None
        lines += _command(found, name, context, "##")
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def _command(found: click.Command, name: str, parent: click.Context, level: str) -> Iterator[str]:
    """A section of the command, then one of each of a group's."""
    from rewright.cli.parts import whole

    # click keeps the help option of the first context that asked for it, which may have been another
    command = copy(whole(found))
    command._help_option = None
    context = click.Context(command, parent, info_name=name, terminal_width=100, **command.context_settings)
    yield from ("", f"{level} {context.command_path}", "", "```text", command.get_help(context), "```")
    if isinstance(found, click.Group):
        for verb in found.list_commands(context):
            below = found.get_command(context, verb)
            assert below is not None
            yield from _command(below, verb, context, f"{level}#")


def relations() -> str:
    from rewright.proxy.answers.calls import NAMES
    from rewright.proxy.answers.relations import RELATIONS

    lines = [
        "# Relations and procedures",
        "",
        *textwrap.wrap(
            "`SELECT` over these relations takes any WHERE, ORDER BY, join or aggregate over them "
            "(evaluated by DuckDB, "
            "whose dialect is PostgreSQL's in nearly everything). They are not in the database: they join "
            "with each "
            "other only. They show rows of the session's own database. Roles that are not admins of it see "
            "the texts (marked *) "
            "of their own rows only; others read `<insufficient privilege>`. The session's current role "
            "counts.",
            110,
        ),
    ]
    for relation in RELATIONS:
        lines += _relation(relation)
    lines += [
        "",
        "## Procedures",
        "",
        (
            "For roles listed in `[admins] roles` or `[databases.NAME] admins`, on what belongs to the "
            "session's database; `pause` and `resume` for `[admins] roles` only; others get 42501."
        ),
        "",
    ]
    lines += [f"- `CALL rewright.{name}({_ARGUMENTS.get(name, 'id [, reason]')})`" for name in NAMES]
    return "\n".join(lines) + "\n"


def _relation(relation: Relation) -> Iterator[str]:
    """The section of one relation."""
    yield from ("", f"## rewright.{relation.name}", "", f"{relation.meaning.capitalize()}.", "")
    yield from ("| column | type | meaning |", "|---|---|---|")
    for column in relation.columns:
        name = f"`{column.name}`{' *' if column.private else ''}"
        yield f"| {name} | {_TYPES[column.type_oid]} | {column.meaning} |"


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
            "What a language model is asked when rules find nothing faster, word for word: one run over a "
            "made-up query, in which the "
            "model misspells a name, is then wrong, and is right at last. Placeholders stand for literals "
            "at the levels `schema` "
            "and `statistics` of `[models] share`; what else each level allows is in [How a query is "
            "rewritten](../rewriting.md). "
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
    # lines that the other level has not: its statistics
    known = set("\n".join(m.text for _, said in at_schema for m in said).splitlines())
    more = [line for line in at_statistics[0][1][-2].text.splitlines() if line not in known]
    lines += _fenced("\n".join(more), "text")
    return "\n".join(lines + _recorded()) + "\n"


def _recorded() -> list[str]:
    """A prompt with the plan of a real run, and what came of the reply."""
    from rewright.rewrite.recorded_example import RECORDED_QUERY, RECORDED_STEPS, recorded_conversation

    messages, found = recorded_conversation()
    lines = ["", "## One that was really sent", ""]
    lines += textwrap.wrap(
        "A carrier's query, 13 seconds on 300,000 parcels, with the plan that it ran by. The query:", 110
    )
    lines += ["", *_fenced(RECORDED_QUERY, "sql"), "", "To the reasoning model:", ""]
    lines += _fenced(messages[1].text, "text")
    lines += [
        "",
        "A strong model replied:",
        "",
        *_fenced(json.dumps({"steps": RECORDED_STEPS}, indent=1), "text"),
    ]
    lines += ["", "Both steps were proved. What was served, with the literals put back:", ""]
    return [*lines, *_fenced(found[-1], "sql")]


def ask_prompts() -> str:
    """The prompts of ASK, what each level of sharing allows, and the parts that can be left out."""
    from rewright.ask.pipeline_settings import PARTS
    from rewright.ask.prompt_examples import ANSWERED, DOCUMENT, QUESTION, conversation

    at_schema, at_samples = conversation(), conversation("samples")
    lines = [
        "# Prompts of ASK",
        "",
        *_ask_levels(),
        "",
        "## A question over a small database, at `schema`",
        "",
    ]
    lines += textwrap.wrap(
        f'The question is "{QUESTION}", and the user gave a document that says "{DOCUMENT.text}". A person '
        f'found right what "{ANSWERED.question}" got. The model looks at '
        "the data, misspells a name, joins on the wrong column, and is right after one refinement.",
        110,
    )
    lines += _dialogue(at_schema)
    lines += ["", "## The same at `samples`", "", "The first prompt, and the one after the exploration:", ""]
    # the second prompt repeats the first; its last message is what is new
    lines += _dialogue((at_samples[0], (at_samples[2][0], at_samples[2][1][-1:])))
    lines += ["", "## Linking, for a database too large to be sent whole", ""]
    lines += textwrap.wrap(
        "These come first then, at `samples`; the others follow as above with what was linked.", 110
    )
    first = "plan the query"
    linking = conversation("samples", linked=True)
    # linking comes before the query is planned
    lines += _dialogue(linking[: next(i for i, (task, _) in enumerate(linking) if task == first)])
    lines += ["", "## Parts", ""]
    lines += textwrap.wrap(
        "`rewright bench ask --data DIR --model M --without PART,PART` measures what each is worth: "
        + ", ".join(f"`{part}`" for part in PARTS)
        + ". `--feedback coarse` and `--feedback epistemic` tell the guilty stage less than it could be "
        "told, and `--learn` adopts "
        "lessons between questions.",
        110,
    )
    return "\n".join(lines) + "\n"


def _ask_levels() -> list[str]:
    return [
        *textwrap.wrap(
            "What a language model is asked when a question is put with `ASK`, word for word. No prompt is "
            "made without a model "
            "in `[models] ask` or `[models] default`. `[models] share` decides what they hold:",
            110,
        ),
        "",
        "| | `schema`, `statistics` | `samples` |",
        "|---|---|---|",
        (
            "| names and types of tables and columns, keys, joins, whether a column has NULLs or a table is "
            "empty | yes | yes |"
        ),
        "| comments of tables and columns | no | yes |",
        "| values of columns with few of them | no | the first few |",
        (
            "| results of exploratory queries and of the answer | numbers of rows, kinds, distinct values "
            "and NULLs "
            "| up to 30 rows, else 10 and these figures |"
        ),
        "| messages of the server | those about the query's text, unknown words hidden | yes |",
        (
            "| the question, its evidence, the user's documents | as written, but what they quote or say as "
            "the data says it "
            "is a placeholder | as written |"
        ),
        "| queries made before in the session | literals as placeholders | yes |",
        (
            "| the nearest three questions that a person found right, with their queries, over tables that "
            "the asker may read "
            "| without names, numbers and texts "
            "| with those texts that the question has too, or that are values the asker may read |"
        ),
        "",
        *textwrap.wrap(
            "Placeholders are put back into the queries that the model writes. What a question quotes or "
            "writes like a name is "
            "looked up in columns with too many values to be known beforehand, for three seconds at most; a "
            "name in small letters "
            "that stands in such a column, or was not found in time, goes out as it is written unless it is "
            "quoted. Text that is not "
            "ours stands on lines that begin with `| `, or in quotes.",
            110,
        ),
    ]


def _dialogue(asked: Iterable[tuple[str, Sequence[Message]]]) -> list[str]:
    """What each adds to the one before."""
    lines: list[str] = []
    before: Sequence[Message] = ()
    for number, (task, messages) in enumerate(asked, 1):
        # a conversation goes on where its beginning is the same
        goes_on = 0 < len(before) < len(messages) and messages[: len(before)] == before
        if messages == before:
            lines += ["", f"### {number}. {task[:1].upper()}{task[1:]}, the same again for another draft"]
            continue
        lines += ["", f"### {number}. {task[:1].upper()}{task[1:]}{', continued' if goes_on else ''}", ""]
        new, before = messages[len(before) if goes_on else 0 :], messages
        for message in new:
            lines += [f"{message.speaker.capitalize()}:", "", *_fenced(message.text, "text"), ""]
    return lines


def _fenced(text: str, kind: str) -> list[str]:
    # a longer fence where the text holds one
    fence = "````" if "```" in text else "```"
    return [f"{fence}{kind}", *(line.rstrip() for line in text.splitlines()), fence]


def reloading() -> str:
    """When a change of each key counts, as one page of Markdown."""
    from rewright.config.reloading import all_keys

    lines = [
        "# What a reload changes",
        "",
        (
            "SIGHUP, or `RELOAD` in the admin database, reads the configuration, users, certificates, their "
            "authorities and "
            "revocations again. A wrong configuration changes nothing. `SHOW CONFIG` says the same of each "
            "key."
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
    "ask-prompts.md": ask_prompts,
}


def installed() -> Mapping[str, str]:
    """The files that a wheel puts below ``share``, by their names beside the pages."""
    from rewright.cli.manual import SHELLS, completion, manual_page

    scripts = {f"share/{name}": completion(shell) for shell, name in SHELLS.items()}
    return {"share/rewright.1": manual_page(), **scripts}


def pages() -> Iterator[tuple[Path, str]]:
    """(file, contents) of every page."""
    for name, make in PAGES.items():
        yield DIRECTORY / name, MADE + make()
    for name, contents in installed().items():
        yield DIRECTORY / name, contents


def main() -> int:
    """Write what changed."""
    (DIRECTORY / "share").mkdir(parents=True, exist_ok=True)
    for path, contents in pages():
        # unchanged files keep their time, by which make goes
        if not path.exists() or path.read_text(encoding="utf-8") != contents:
            path.write_text(contents, encoding="utf-8")
            print(path.relative_to(DIRECTORY.parent.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
