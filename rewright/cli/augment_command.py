"""``rewright augment``: columns for a table from a lake."""

from __future__ import annotations

from rewright.cli.parts import package_command

command = package_command(
    "augment", "rewright.lake.augment.command", "augmenting tables", "Add columns from a lake to a table."
)
