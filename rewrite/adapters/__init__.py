"""The rewriter's ports filled with the other packages: sessions, the checker, rules, the store."""
