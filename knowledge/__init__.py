"""Rewrite knowledge units, their index, guidance and lessons."""

if __name__ != "rewright.knowledge":
    raise ImportError("import rewright.knowledge: the top-level folders are parts of the package rewright")
