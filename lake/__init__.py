"""Queries over an imagined schema, resolved to the tables of a data lake."""
