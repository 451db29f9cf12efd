"""DuckDB over a folder of files, locked down: nothing outside the folders, no
configuration, no extensions.
"""
