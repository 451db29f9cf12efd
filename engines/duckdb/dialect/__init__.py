"""What a client's SQL means, as PostgreSQL's own analyser says, in DuckDB's dialect or run by PostgreSQL."""
