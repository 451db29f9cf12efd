"""pglast's node classes, untyped: nearly every field of theirs is Optional, which says nothing about texts
that PostgreSQL's grammar produced.
"""

from typing import Any

from pglast import ast as _ast

ast: Any = _ast

__all__ = ["ast"]
