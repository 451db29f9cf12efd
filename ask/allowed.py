"""The lists that say what a generated query may be made of: syntax nodes, functions, operators, types.

Owns the lists alone; `rewright.ask.safety` judges by them. What is not listed is refused, so a new kind of
node or a function of a newer server is refused until somebody has looked at it. Left out on purpose: what
sleeps, locks, reads or writes files, settings, sequences and large objects, runs SQL given as text, or
allocates by an argument.
"""

from __future__ import annotations

NODES = frozenset(
    {
        *(
            "RawStmt",
            "SelectStmt",
            "ResTarget",
            "ColumnRef",
            "A_Star",
            "A_Const",
            "A_Expr",
            "BoolExpr",
            "NullTest",
        ),
        *(
            "BooleanTest",
            "FuncCall",
            "TypeCast",
            "TypeName",
            "SubLink",
            "CaseExpr",
            "CaseWhen",
            "CoalesceExpr",
        ),
        *(
            "MinMaxExpr",
            "SortBy",
            "WindowDef",
            "RangeVar",
            "RangeSubselect",
            "RangeFunction",
            "JoinExpr",
            "Alias",
        ),
        *("WithClause", "CommonTableExpr", "GroupingSet", "GroupingFunc", "A_ArrayExpr", "A_Indirection"),
        *("A_Indices", "RowExpr", "SQLValueFunction", "CollateClause", "List"),
        *("String", "Integer", "Float", "Boolean", "BitString"),
    }
)

AGGREGATES = frozenset(
    {
        *(
            "count",
            "sum",
            "avg",
            "min",
            "max",
            "bool_and",
            "bool_or",
            "every",
            "any_value",
            "string_agg",
            "array_agg",
        ),
        *("stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp", "corr", "covar_pop"),
        *("covar_samp", "regr_slope", "regr_intercept", "regr_r2", "regr_count", "percentile_cont"),
        *("percentile_disc", "mode", "json_agg", "jsonb_agg", "bit_and", "bit_or"),
    }
)
WINDOWS = frozenset(
    {
        *(
            "row_number",
            "rank",
            "dense_rank",
            "percent_rank",
            "cume_dist",
            "ntile",
            "lag",
            "lead",
            "first_value",
        ),
        *("last_value", "nth_value"),
    }
)
SCALARS = frozenset(
    {
        # numbers
        *(
            "abs",
            "ceil",
            "ceiling",
            "floor",
            "round",
            "trunc",
            "sign",
            "sqrt",
            "cbrt",
            "exp",
            "ln",
            "log",
            "log10",
        ),
        *(
            "mod",
            "div",
            "degrees",
            "radians",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "atan2",
            "pi",
            "gcd",
            "lcm",
        ),
        *("width_bucket", "power", "pow", "scale", "trim_scale"),
        # texts
        *(
            "lower",
            "upper",
            "initcap",
            "length",
            "char_length",
            "character_length",
            "octet_length",
            "btrim",
            "ltrim",
        ),
        *(
            "rtrim",
            "trim",
            "substr",
            "substring",
            "left",
            "right",
            "position",
            "strpos",
            "replace",
            "translate",
        ),
        *("reverse", "concat", "concat_ws", "split_part", "starts_with", "ascii", "chr", "md5", "overlay"),
        *("regexp_replace", "regexp_match", "regexp_matches", "regexp_count", "regexp_like", "regexp_substr"),
        *("string_to_array", "array_to_string", "lpad", "rpad", "repeat", "similar_to_escape"),
        # times
        *(
            "now",
            "age",
            "date_part",
            "extract",
            "date_trunc",
            "date_bin",
            "make_date",
            "make_time",
            "make_timestamp",
        ),
        *(
            "make_timestamptz",
            "make_interval",
            "to_date",
            "to_timestamp",
            "to_char",
            "to_number",
            "justify_days",
        ),
        *(
            "justify_hours",
            "justify_interval",
            "timezone",
            "isfinite",
            "date",
            "overlaps",
            "time",
            "timestamp",
        ),
        # nulls, arrays, documents
        *(
            "nullif",
            "num_nulls",
            "num_nonnulls",
            "cardinality",
            "array_length",
            "array_position",
            "array_remove",
        ),
        *("array_append", "array_prepend", "array_cat", "jsonb_array_length", "json_array_length"),
        *("jsonb_extract_path", "jsonb_extract_path_text", "json_extract_path", "json_extract_path_text"),
        *("jsonb_typeof", "json_typeof", "int4", "int8", "float8", "numeric", "text"),
    }
)
SETS = frozenset(
    {
        *("generate_series", "unnest", "regexp_split_to_table", "string_to_table", "jsonb_array_elements"),
        *(
            "jsonb_array_elements_text",
            "json_array_elements",
            "json_array_elements_text",
            "jsonb_object_keys",
        ),
        *("json_object_keys", "jsonb_each", "jsonb_each_text", "json_each", "json_each_text"),
    }
)
FUNCTIONS = AGGREGATES | WINDOWS | SCALARS | SETS

# the second argument says how much is allocated: it must be a small constant
SIZED = frozenset({"lpad", "rpad", "repeat"})
LARGEST_SIZE = 1000

OPERATORS = frozenset(
    {
        *("=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^", "||", "|/", "@"),
        *("~~", "!~~", "~~*", "!~~*", "~", "!~", "~*", "!~*", "^@"),
        *("->", "->>", "#>", "#>>", "@>", "<@", "&&", "?", "?|", "?&"),
    }
)

TYPES = frozenset(
    {
        *(
            "bool",
            "boolean",
            "int2",
            "int4",
            "int8",
            "smallint",
            "integer",
            "int",
            "bigint",
            "numeric",
            "decimal",
        ),
        *("float4", "float8", "real", "text", "varchar", "bpchar", "char", "name", "date", "time", "timetz"),
        *(
            "timestamp",
            "timestamptz",
            "interval",
            "uuid",
            "json",
            "jsonb",
            "bytea",
            "inet",
            "cidr",
            "macaddr",
        ),
        *("money", "bit", "varbit"),
    }
)
"""Types whose input and output are the server's own and touch nothing else: no regclass and its kin, no
domains.
"""
