"""Which tables join, on what: scores, candidate pairs, the graph and its paths."""
