"""The rewriter's ports, each filled with the house that does the work; one file a port."""
