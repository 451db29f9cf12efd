"""Rewright's tools for a coding agent, over the Model Context Protocol: verify, rewrite, hint, plan and a
lake's SQL.
"""
