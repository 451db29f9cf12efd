"""Serving replacements: which text has one, whether it may run here and now, and running it.

Pure: bytes and records in, bytes and decisions out. Must not know sockets, stores or the optimiser.
"""
