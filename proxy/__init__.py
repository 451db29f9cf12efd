"""The wire: codec, relay, sessions, routing, serving. Sans-I/O, except for thin shells."""

if __name__ != "rewright.proxy":
    raise ImportError("import rewright.proxy: the top-level folders are parts of the package rewright")
