"""The manual page (``man rewright``) and the shells' completions, made from the commands themselves.

Owns their form; installed by the wheel below ``share``.
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from rewright.cli import COMMANDS, rewright
from rewright.cli.parts import whole

SHELLS = {"bash": "rewright.bash", "zsh": "_rewright", "fish": "rewright.fish"}
_FILES = (
    ("rewright.toml, ~/.config/rewright/rewright.toml, /etc/rewright/rewright.toml", "configuration"),
    ("~/.local/state/rewright/store.db", "the store, unless [store] url says otherwise"),
)
_EXIT = (("0", "done"), ("1", "the thing asked for failed; a message is on stderr"), ("2", "wrong usage"))


def manual_page() -> str:
    """In roff, section 1 (man(7))."""
    context = click.Context(rewright, info_name="rewright", **rewright.context_settings)
    lines = [
        '.TH REWRIGHT 1 "" "Rewright" "User Commands"',
        ".SH NAME",
        (
            r"rewright \- slow SELECTs replaced by faster queries with the same answer, at the PostgreSQL "
            r"protocol"
        ),
        ".SH SYNOPSIS",
        r".B rewright",
        r"\fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]",
        ".SH COMMANDS",
    ]
    for name, meaning in COMMANDS.items():
        command = rewright.get_command(context, name)
        assert command is not None
        lines += [".SS", rf"rewright {_text(name)}", f"{_text(meaning[:1].upper() + meaning[1:])}."]
        lines += _options(command, context, name)
        lines += _verbs(command, context, name)
    lines += [".SH EXIT STATUS", *_list(_EXIT), ".SH FILES", *_list(_FILES)]
    lines += [".SH SEE ALSO", r".BR psql (1),", r".BR pgbouncer (1)"]
    return "\n".join(lines) + "\n"


def completion(shell: str) -> str:
    """The script that a shell reads to complete commands, options and files."""
    made = get_completion_class(shell)
    assert made is not None
    return made(rewright, {}, "rewright", "_REWRIGHT_COMPLETE").source()


def _options(command: click.Command, parent: click.Context, name: str) -> list[str]:
    command = whole(command)
    context = click.Context(command, parent, info_name=name, **command.context_settings)
    lines = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        # click's own --help is on every command
        if record is not None and "--help" not in parameter.opts:
            lines += [".TP", rf"\fB{_text(record[0])}\fR", _text(record[1]) or r"\&"]
    return lines


def _verbs(command: click.Command, parent: click.Context, name: str) -> list[str]:
    """What the commands of a group do, with their options."""
    if not isinstance(command, click.Group):
        return []
    context = click.Context(command, parent, info_name=name, **command.context_settings)
    lines = []
    for verb in command.list_commands(context):
        found = command.get_command(context, verb)
        assert found is not None
        meaning = found.get_short_help_str(200)
        lines += [
            ".SS",
            rf"rewright {_text(f'{name} {verb}')}",
            f"{_text(meaning[:1].upper() + meaning[1:])}",
        ]
        lines += _options(found, context, verb)
    return lines


def _list(rows: tuple[tuple[str, str], ...]) -> list[str]:
    return [line for term, meaning in rows for line in (".TP", rf"\fB{_text(term)}\fR", _text(meaning))]


def _text(text: str) -> str:
    """As roff shows it: hyphens stay hyphens, a point at a line's beginning is no request."""
    flat = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{flat}" if flat.startswith((".", "'")) else flat
