"""pglast's node classes, typed as Any.

Their stubs make every field optional, which says nothing here: a tree that the parser built has
the fields its grammar requires.
"""

from __future__ import annotations

from typing import Any

import pglast.ast
import pglast.enums

ast: Any = pglast.ast
enums: Any = pglast.enums
