"""The configuration: what may be configured, reading it, showing it."""
