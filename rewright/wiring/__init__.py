"""Filling the houses' ports with each other: the only place that knows them all."""
