"""pg_hint_plan hints: base, recommendation, validation, injection."""
