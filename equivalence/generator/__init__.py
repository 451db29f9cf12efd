"""Databases that satisfy a schema and are likely to tell two queries apart."""
