"""``rewright ask``: a question in plain language."""

from __future__ import annotations

from rewright.cli.parts import house_command

command = house_command(
    "ask", "rewright.ask.command", "asking in plain language", "Answer a question in plain language."
)
