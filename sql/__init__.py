"""Parsing, binding, the query algebra, printing, facts about queries, plans read from EXPLAIN. Pure: no I/O."""
