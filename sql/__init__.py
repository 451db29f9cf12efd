"""Parsing, binding, the query algebra, printing, facts about queries, plans read
from EXPLAIN. Pure: no I/O.
"""

if __name__ != "rewright.sql":
    raise ImportError("import rewright.sql: the top-level folders are parts of the package rewright")
