"""Questions in plain language to SQL."""

if __name__ != "rewright.ask":
    raise ImportError("import rewright.ask: the top-level folders are parts of the package rewright")
