"""Noise in values: found by profile, cleaned in CTEs over the raw tables, never in them."""
