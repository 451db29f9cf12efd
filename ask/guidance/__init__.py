"""Guidance: short advice on writing SQL, chosen by the words of a question and its plan, without a model
(APEX-SQL, section 3.3.1).
"""
