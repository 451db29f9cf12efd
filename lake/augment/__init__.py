"""Columns from a lake's tables that make the prediction of a target better."""
