"""Lakes in object storage: ``s3://bucket/prefix`` is kept as a local copy, brought up to date by size and
ETag.

Owns listing, downloading and forgetting. Must not know what the files hold. A copy keeps DuckDB locked in (it
needs no network and no credentials) and each object is read once, not once a query:
docs/decisions/0186-buckets-are-copied.md. Addresses and credentials are boto3's: AWS_ENDPOINT_URL,
AWS_PROFILE, AWS_ACCESS_KEY_ID and the others of its documentation.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.reading import SUFFIXES

SCHEME = "s3://"
FRESH_SECONDS = 15.0
"""A copy looked at so recently is not looked at again: several processes open the same lake at once."""
# bytes of one bucket's tables: a copy must not fill the disk
DEFAULT_LIMIT = 64 << 30
LIMIT_VARIABLE = "REWRIGHT_LAKE_COPY_BYTES"
_INDEX = ".objects.json"
_LOCK = ".lock"
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class _Object:
    key: str
    size: int
    etag: str


def is_remote(path: str | Path) -> bool:
    return str(path).startswith(SCHEME)


def local(path: str | Path) -> Path:
    """The folder itself, or the up-to-date copy of a bucket.

    :raises LakeError: 08001 the bucket cannot be read, 53100 it is too large to copy, 0A000 boto3 is missing.
    """
    return mirror(str(path)) if is_remote(path) else Path(path).expanduser().resolve()


def mirror(url: str, cache: Path | None = None) -> Path:
    """Bring the copy of ``s3://bucket/prefix`` up to date and return its folder (below `cache`, default the
    user's cache).

    :raises LakeError: as `local`.
    """
    bucket, prefix = _split(url)
    folder = (cache or _default_cache()) / _folder_name(bucket, prefix)
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if not _looked_at_just_now(folder):
            _synchronise(folder, bucket, prefix)
    return folder


def _synchronise(folder: Path, bucket: str, prefix: str) -> None:
    client = _client()
    objects = {
        place: found for found in _listed(client, bucket, prefix) if (place := _place(found.key, prefix))
    }
    limit = int(os.environ.get(LIMIT_VARIABLE) or DEFAULT_LIMIT)
    if (total := sum(one.size for one in objects.values())) > limit:
        raise LakeError(
            f"the tables of s3://{bucket}/{prefix} are {total} bytes; at most {limit} are copied",
            sqlstate="53100",
            hint=f"{LIMIT_VARIABLE} sets the limit",
        )
    known = _read_index(folder)
    # gone from the bucket; files that are not in the index are none of ours
    for place in known.keys() - objects.keys():
        (folder / place).unlink(missing_ok=True)
    kept: dict[str, list[object]] = {}
    for place, found in sorted(objects.items()):
        stamp: list[object] = [found.size, found.etag]
        if known.get(place) != stamp or not (folder / place).is_file():
            _download(client, bucket, found, folder, place)
        kept[place] = stamp
        # who interrupts a long copy finds most of it done the next time
        if len(kept) % 100 == 0:
            _write_index(folder, {**known, **kept}, whole=False)
    _write_index(folder, kept)


def _listed(client: Any, bucket: str, prefix: str) -> Iterator[_Object]:
    try:
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            for one in page.get("Contents", ()):
                yield _Object(str(one["Key"]), int(one["Size"]), str(one["ETag"]))
    except Exception as error:
        raise LakeError(
            f"s3://{bucket}/{prefix} cannot be read: {_short(error)}", sqlstate="08001"
        ) from error


def _download(client: Any, bucket: str, found: _Object, folder: Path, place: str) -> None:
    target = folder / place
    partial = folder / (_PARTIAL + hashlib.blake2b(place.encode(), digest_size=8).hexdigest())
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        client.download_file(bucket, found.key, str(partial))
        partial.replace(target)
    except OSError as error:
        # such a key cannot be a file here (its folder is another object's file, its name is too long): not a
        # table of the lake
        if (
            isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError)
            or error.errno == errno.ENAMETOOLONG
        ):
            return
        raise LakeError(
            f"s3://{bucket}/{found.key} cannot be kept: {error.strerror}", sqlstate="53100"
        ) from error
    except Exception as error:
        raise LakeError(
            f"s3://{bucket}/{found.key} cannot be read: {_short(error)}", sqlstate="08001"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def _place(key: str, prefix: str) -> str | None:
    """Where below the copy's folder an object is kept; None: it is no table, or its
    key would lead elsewhere.
    """
    relative = key.removeprefix(prefix) or PurePosixPath(key).name
    plain = relative.lower().removesuffix(".gz")
    parts = relative.split("/")
    if not plain.endswith(SUFFIXES) or "\0" in relative or "\\" in relative:
        return None
    if any(part in {"", ".", ".."} or part.startswith(".") for part in parts):
        return None
    return relative


def _split(url: str) -> tuple[str, str]:
    bucket, _, prefix = url.removeprefix(SCHEME).partition("/")
    if not bucket:
        raise LakeError(f"no bucket in {url}", sqlstate="08001")
    return bucket, prefix if not prefix or prefix.endswith("/") or _is_table(prefix) else prefix + "/"


def _is_table(prefix: str) -> bool:
    return prefix.lower().removesuffix(".gz").endswith(SUFFIXES)


def _folder_name(bucket: str, prefix: str) -> str:
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    return f"{bucket}-{hashlib.blake2b(f'{endpoint}|{bucket}|{prefix}'.encode(), digest_size=8).hexdigest()}"


def _default_cache() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "rewright" / "buckets"


def _client() -> Any:
    try:
        import boto3
    except ImportError as error:
        raise LakeError(
            "s3:// needs the package boto3: pip install 'rewright[s3]'", sqlstate="0A000"
        ) from error
    return boto3.client("s3")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / _LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _looked_at_just_now(folder: Path) -> bool:
    try:
        return 0 <= time.time() - (folder / _INDEX).stat().st_mtime < FRESH_SECONDS
    except OSError:
        return False


def _read_index(folder: Path) -> Mapping[str, list[object]]:
    try:
        found = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_index(folder: Path, index: Mapping[str, list[object]], *, whole: bool = True) -> None:
    partial = folder / (_INDEX + _PARTIAL)
    partial.write_text(json.dumps(index), encoding="utf-8")
    if not whole:
        # its time says when the bucket was looked at: a copy that ends here must not pass as fresh
        os.utime(partial, (0, 0))
    partial.replace(folder / _INDEX)


def _short(error: Exception) -> str:
    return str(error).split("\n")[0][:200]
