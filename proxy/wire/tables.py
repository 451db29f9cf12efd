"""Tables by type byte for walking over messages without decoding them.

Owns which types are looked at on either side. Must not know what is done about them.
"""

from __future__ import annotations

from struct import Struct

# (type byte, length): what a header says. `step` = length + 1 is the distance to the next header.
HEADER = Struct("!BI")
# type and length; the length counts itself and not the type
HEADER_SIZE = 5

Q, PARSE, BIND, DESCRIBE, EXECUTE, CLOSE, SYNC, FLUSH, TERMINATE, CALL = b"QPBDECSHXF"
COPY_DATA, COPY_DONE, COPY_FAIL, PASSWORD = b"dcfp"

READY, ERROR, PARAMETER, COMPLETE, NOTICE, NOTIFICATION, DATA_ROW, ROW_DESCRIPTION, NO_DATA = b"ZESCNADTn"
PARAMETER_DESCRIPTION, PARSED, BOUND, CLOSED, SUSPENDED, EMPTY = b"t123sI"
AUTHENTICATION, KEY_DATA, NEGOTIATE = b"RKv"


def table(types: bytes) -> bytes:
    """256 bytes: 1 at each type byte that is looked at."""
    return bytes(1 if kind in types else 0 for kind in range(256))


FRONTEND_KNOWN = table(b"QPBDECSHXFdcfp")
BACKEND_KNOWN = table(b"ZESCNADTnt123sIRKvGHWdcV")

# the messages that end the reply to one frontend message
COMPLETIONS = table(b"123TnCIs")
