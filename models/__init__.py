"""Language models behind one small interface: litellm, replay, none; budgets, transcripts, typed replies."""

if __name__ != "rewright.models":
    raise ImportError("import rewright.models: the top-level folders are parts of the package rewright")
