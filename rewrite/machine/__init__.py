"""The finite state machine of a rewrite, and what drives it."""
