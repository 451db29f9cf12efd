"""Talking to database servers: catalog snapshots, statistics, EXPLAIN, read-only execution, scratch databases."""
