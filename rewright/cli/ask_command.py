"""``rewright ask``: a question in plain language."""

from __future__ import annotations

from rewright.cli.parts import package_command

command = package_command(
    "ask", "rewright.ask.command", "asking in plain language", "Answer a question in plain language."
)
# --help belongs to the command within
command.context_settings["help_option_names"] = []
