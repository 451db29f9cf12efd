"""The rewriter's ports filled with the other houses: sessions, the checker, rules, the store."""
