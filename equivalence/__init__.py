"""The checker: is this the same query? Verdicts, proofs, counterexamples, generated databases."""
