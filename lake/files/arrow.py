"""Files of Arrow and Feather as Parquet. Needs pyarrow (the extra `arrow`)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from rewright.lake.files.bounds import MOST_BYTES, Allowance
from rewright.lake.files.pieces import Piece, Unserved


def table_of_arrow(path: Path, out: Path) -> list[Piece]:
    """The one table of the file, batch by batch.

    :raises Unserved: damaged, or pyarrow is not installed.
    """
    try:
        ipc: Any = importlib.import_module("pyarrow.ipc")
        parquet: Any = importlib.import_module("pyarrow.parquet")
        feather: Any = importlib.import_module("pyarrow.feather")
    except ImportError as error:
        raise Unserved("not served: Arrow needs the extra arrow: pip install 'rewright[arrow]'") from error
    target = out / "table.parquet"
    allowance = Allowance(path.stat().st_size, MOST_BYTES)
    with path.open("rb") as file:
        magic = file.read(6)
    try:
        if magic[:4] == b"FEA1":
            parquet.write_table(feather.read_table(path), target)
            return [Piece(path, target)]
        opened = ipc.open_file if magic == b"ARROW1" else ipc.open_stream
        with opened(str(path)) if magic == b"ARROW1" else opened(path.open("rb")) as reader:
            batches = (
                (reader.get_batch(i) for i in range(reader.num_record_batches))
                if magic == b"ARROW1"
                else reader
            )
            with parquet.ParquetWriter(target, reader.schema) as writer:
                for batch in batches:
                    allowance.take(batch.nbytes)
                    writer.write_batch(batch)
    except (OSError, ValueError, TypeError) as error:
        raise Unserved(f"not served: Arrow, but it cannot be read ({type(error).__name__})") from error
    return [Piece(path, target)]
