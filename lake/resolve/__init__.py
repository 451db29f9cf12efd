"""Resolving SQL over an imagined schema to the tables that exist, without a model."""
