"""The lake: SQL over an imagined schema, answered from the tables that really exist."""

if __name__ != "rewright.lake":
    raise ImportError("import rewright.lake: the top-level folders are parts of the package rewright")
