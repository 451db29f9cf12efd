"""pg_hint_plan hints: base, recommendation, validation, injection."""

if __name__ != "rewright.hints":
    raise ImportError("import rewright.hints: the top-level folders are parts of the package rewright")
