"""Patterns: a unit's pair of queries generalised by anti-unification, matched against other queries and
applied to them.
"""
