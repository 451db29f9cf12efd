"""Lakes on Spark: the same tables and resolved SQL, run by Spark instead of DuckDB."""
