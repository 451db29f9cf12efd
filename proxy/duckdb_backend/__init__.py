"""The DuckDB-side server: lake queries answered here, everything else by the PostgreSQL that stands behind
the session.
"""
