"""The PostgreSQL wire protocol, versions 3.0 and 3.2, without I/O: bytes in, messages out, and back.

Owns framing and the meaning of each message. Must not know sockets, sessions or SQL.
"""
