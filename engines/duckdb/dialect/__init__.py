"""What a client's SQL means, as PostgreSQL's own analyser says, in DuckDB's words or on PostgreSQL itself."""
