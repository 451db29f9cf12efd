"""Web pages over the store."""

if __name__ != "rewright.console":
    raise ImportError("import rewright.console: the top-level folders are parts of the package rewright")
