"""How the files of a lake become tables: what is in each, which belong together, and what the tables are
called.
"""
