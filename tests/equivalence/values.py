"""Values on which claims about built-in types fall: ends of ranges, infinities, emptiness, equals that look
different.
"""

from __future__ import annotations

_TEXTS = ("", " ", "a", "A ", "\\", "%", "é", "0", "-12", "2000-01-01", "NaN", "infinity")
_NUMBERS = ("0", "1", "-1", "2", "-7", "10")
_FLOATS = ("0", "-0", "1.5", "-2", "NaN", "Infinity", "-Infinity", "1e-30", "1e30")
_DAYS = ("2000-02-29", "infinity", "-infinity", "4714-11-24 BC", "0001-12-31 BC", "0001-01-01")
_MOMENTS = (
    *("2000-02-29 12:00", "infinity", "-infinity", "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999"),
    *("1969-12-31 23:59:59.5", "0001-12-31 23:00 BC"),
)
# type -> the texts of its values
VALUES: dict[str, tuple[str, ...]] = {
    "bool": ("t", "f"),
    "int2": (*_NUMBERS, "32767", "-32768"),
    "int4": (*_NUMBERS, "2147483647", "-2147483648"),
    "int8": (*_NUMBERS, "9223372036854775807", "-9223372036854775808"),
    "numeric": ("0", "1.0", "1.00", "-1.5", "NaN", "Infinity", "-Infinity", "1e1000", "1e-1000", "1" * 25),
    "numeric(500,0)": ("0", "1e400", "-1", "NaN"),
    "numeric(500,450)": ("0", "1e-400", "1e40", "-1"),
    "numeric(10,2)": ("0", "0.01", "-99999999.99"),
    "float4": _FLOATS,
    "float8": (*_FLOATS, "1e308", "1e-308", "5e-324"),
    "text": _TEXTS,
    "varchar": _TEXTS,
    "bpchar": (*_TEXTS, "a  ", "a"),
    "name": _TEXTS,
    '"char"': ("", "a", "\\377"),
    "date": (*_DAYS, "5874897-12-31", "294277-01-01"),
    "time": ("00:00", "24:00", "23:59:59.999999", "12:30"),
    "timetz": ("00:00+15:59", "24:00-15:59", "12:00+00", "13:00+01"),
    "timestamp": _MOMENTS,
    "timestamptz": (
        "2000-02-29 12:00+00",
        "infinity",
        "-infinity",
        "4714-11-24 00:00:00+00 BC",
        "294276-12-31 23:59:59+00",
    ),
    "interval": (
        "0",
        "1 mon",
        "30 days",
        "720 hours",
        "-1 day",
        "infinity",
        "-infinity",
        "170000000 years",
        "1 microsecond",
    ),
    "uuid": ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    "bytea": ("", "\\x00", "\\xff", "\\x6100"),
    '"bit"': ("", "0", "1", "101"),
    "varbit": ("", "0", "101"),
    "oid": ("0", "1", "4294967295"),
    "int4[]": ("{}", "{NULL}", "{1,NULL}", "{1,2}", "{{1,2},{3,4}}", "[0:1]={1,2}"),
    "text[]": ("{}", "{NULL}", '{"",a}', "{a}"),
    "numeric[]": ("{}", "{1.0}", "{1.00}", "{NaN,NULL}"),
    "float8[]": ("{0}", "{-0}"),
    "int4range": ("empty", "(,)", "[1,2)", "(,5)", "[5,)"),
    "numrange": ("empty", "(,)", "[1.0,2.0]", "[1.00,2.00]"),
    "daterange": ("empty", "(,)", "[-infinity,infinity]"),
    "int4multirange": ("{}", "{(,)}", "{[1,2),[5,)}"),
    "nummultirange": ("{}", "{[1.0,2]}", "{[1.00,2]}"),
    "jsonb": ("null", "1", "1.0", '"a"', "{}", "[]", '{"a":null}', "[1.00]", "true"),
    "json": ("null", "1", "1.0", '"a"', "{}", "[]", '{"a":null}'),
    "inet": ("0.0.0.0/0", "::/0", "1.2.3.4", "1.2.3.4/8"),
    "money": ("0", "-92233720368547758.08", "12.5"),
}
# what casts are made to, beside the types themselves
TARGETS = (
    *(
        "varchar(2)",
        "char(2)",
        "numeric(4,2)",
        "numeric(3,0)",
        "bit(2)",
        "bit varying(2)",
        "time(0)",
        "timetz(0)",
    ),
    *("timestamp(0)", "timestamptz(0)", "interval(0)", "interval year", "regclass", "int8[]", "varchar(1)[]"),
)
# of polymorphic parameters
ACTUAL = {
    "any": ("int4", "text"),
    "anyelement": ("int4", "numeric"),
    "anynonarray": ("int4", "text"),
    "anycompatible": ("int4", "text"),
    "anycompatiblenonarray": ("int4",),
    "anyarray": ("int4[]", "text[]"),
    "anycompatiblearray": ("int4[]", "text[]"),
    "anyrange": ("int4range", "numrange"),
    "anycompatiblerange": ("int4range",),
    "anymultirange": ("int4multirange",),
    "anycompatiblemultirange": ("int4multirange",),
    "_int4": ("int4[]",),
    "_text": ("text[]",),
    "_numeric": ("numeric[]",),
    "_float8": ("float8[]",),
    "char": ('"char"',),
    "bit": ('"bit"',),
}
