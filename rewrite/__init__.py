"""The state machine of agents that finds faster equivalents; rules and search."""

if __name__ != "rewright.rewrite":
    raise ImportError("import rewright.rewrite: the top-level folders are parts of the package rewright")
