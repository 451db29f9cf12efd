"""What questions are asked of: a PostgreSQL database through one connection, or a lake. One module each.

``rewright.ask.sources.api`` states what they have in common.
"""
