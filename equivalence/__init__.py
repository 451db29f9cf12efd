"""The checker: is this the same query? Verdicts, proofs, counterexamples, generated databases."""

if __name__ != "rewright.equivalence":
    raise ImportError("import rewright.equivalence: the top-level folders are parts of the package rewright")
