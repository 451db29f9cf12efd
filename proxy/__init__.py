"""The wire: codec, relay, sessions, routing, serving. Sans-I/O but for thin shells."""
