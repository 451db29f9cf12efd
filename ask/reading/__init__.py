"""A question read without a model: its words linked, its form understood, one query written, or a refusal
that says why.

``rewright.ask.reading.api.read`` is the entrance.
"""
