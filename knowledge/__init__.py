"""Rewrite knowledge units, their index, guidance and lessons."""
