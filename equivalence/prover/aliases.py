"""Built-in functions under two names, and functions that are operators: one internal function each
(pg_proc.prosrc, as a test asks a server).

Must not know terms.
"""

from __future__ import annotations

from rewright.sql import algebra as a
from rewright.sql.build import operator
from rewright.sql.builtins import builtins
from rewright.sql.records import key_of

# (name, types) -> the other name of the same internal function
NAMES: dict[tuple[str, tuple[str, ...]], str] = {
    **{(name, (t,)): "length" for name in ("char_length", "character_length") for t in ("text", "bpchar")},
    **{("ceiling", (t,)): "ceil" for t in ("numeric", "float8")},
    **{("power", (t, t)): "pow" for t in ("numeric", "float8")},
    **{("substr", ("text", *more)): "substring" for more in (("int4",), ("int4", "int4"))},
    ("position", ("text", "text")): "strpos",
    ("transaction_timestamp", ()): "now",
}
OPERATORS: dict[tuple[str, tuple[str, ...]], str] = {
    ("mod", (t, t)): "%" for t in ("int2", "int4", "int8", "numeric")
}


def other_name(call: a.Call) -> str:
    """The name by which a function is known here."""
    func = call.func
    return NAMES.get((func.name, func.arg_types), func.name) if func.is_builtin else func.name


def as_cast(call: a.Call) -> a.Cast | None:
    """The cast that a function makes, as date(at) makes at::date; None where it makes none."""
    source = call.func.arg_types
    # date(x) of several arguments, or with a modifier, is more than the cast
    if not call.func.is_builtin or len(source) != 1 or len(call.args) != 1 or call.type.typmod != -1:
        return None
    # an argument that is cast implicitly before the function sees it would be cast otherwise by ::date
    if key_of(call.args[0].type) != source[0]:
        return None
    found = builtins().casts.get((source[0], key_of(call.type)))
    # a cast "i" goes by the text, and a binary one calls nothing
    if found is None or found.method != "f" or found.function != call.func:
        return None
    return a.Cast(call.args[0], call.type, method="func", func=call.func)


def as_operator(call: a.Call) -> a.Op | None:
    """The operator that a function is; None where there is none."""
    name = OPERATORS.get((call.func.name, call.func.arg_types)) if call.func.is_builtin else None
    # a function of other types, or one of a schema, is no operator that is known
    if name is None or len(call.args) != 2:
        return None
    left, right = (x.type for x in call.args)
    found = operator(name, left, right)
    return None if found is None else a.Op(found, call.args, call.type)
