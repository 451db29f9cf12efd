"""The store: rewrites with their evidence, timings, resolutions, lessons; schema and migrations."""

if __name__ != "rewright.store":
    raise ImportError("import rewright.store: the top-level folders are parts of the package rewright")
