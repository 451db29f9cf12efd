"""What binding can end in besides a tree: the server's errors, and features this binder does not know."""

from __future__ import annotations


class BindError(ValueError):
    """PostgreSQL would refuse the text; ``sqlstate`` as the server gives it."""

    def __init__(self, sqlstate: str, message: str) -> None:
        super().__init__(f"{message} ({sqlstate})")
        self.sqlstate = sqlstate
        self.message = message


class Unsupported(ValueError):
    """The text may be fine, but ``feature`` is outside the algebra."""

    def __init__(self, feature: str) -> None:
        super().__init__(f"unsupported: {feature}")
        self.feature = feature
