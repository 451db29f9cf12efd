"""Authentication, both sides of it, without I/O: messages in, messages out."""
