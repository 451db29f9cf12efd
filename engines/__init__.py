"""Talking to database servers: catalog snapshots, statistics, EXPLAIN, read-only execution, scratch
databases.
"""

if __name__ != "rewright.engines":
    raise ImportError("import rewright.engines: the top-level folders are parts of the package rewright")
