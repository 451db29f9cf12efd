"""Reflection: typed stages, judges, a critic, and the stage that is to blame done again (REFLECT-SQL, section
3 and algorithm 1).
"""
