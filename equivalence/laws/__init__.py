"""Forms in which pairs of queries are seen: each law checks its own side conditions and says what it leaves
open and rests on.
"""
