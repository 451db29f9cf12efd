"""Web pages over the store."""
