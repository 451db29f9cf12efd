"""Growing the knowledge base from a user's own material: collect, filter, enrich, verify, classify (QUITE
§5.1).
"""
