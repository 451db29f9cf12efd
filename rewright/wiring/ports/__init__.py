"""The rewriter's ports, each filled with the package that does the work; one file a port."""
