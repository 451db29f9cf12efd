"""Filling the packages' ports with each other: the only place that knows them all."""
