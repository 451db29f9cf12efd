"""``rewright pause`` and ``resume``: a switch in the store, and files beside it for when there is no store.

Owns where the files are and how file and store are read together. A file also says whether the store was
told. If it was, a proxy that can read the store follows the store, so that a resume on another machine takes
effect here. Must not know processes or sessions.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rewright.config.model import Config
from rewright.config.showing import without_passwords
from rewright.proxy.ports import Pause
from rewright.proxy.private_directory import shared_directory
from rewright.store.errors import StoreError

if TYPE_CHECKING:
    from rewright.store.api import Store
    from rewright.wiring.feed import StoreFeed

LOOK_SECONDS = 0.25
ALONE, WITH_STORE = "paused\n", "paused, the store was told\n"


def scope_of(config: Config) -> str:
    """What proxies that are paused together have in common: their store."""
    url = config.store.url
    name = url if _is_server(url) else str(Path(url.removeprefix("sqlite:///")).expanduser().absolute())
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _is_server(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))


def shared(config: Config) -> bool:
    """Whether proxies on other machines may use the store."""
    return _is_server(config.store.url)


def files_of(config: Config) -> tuple[Path, ...]:
    """Where a file means a pause, in the order in which they are tried; those outside the runtime directory
    survive a reboot.
    """
    url, name = config.store.url, f"paused-{scope_of(config)}"
    found = []
    if not _is_server(url):
        file = Path(url.removeprefix("sqlite:///")).expanduser()
        found.append(file.with_name(f"{file.name}.paused"))
    found.append(Path("~/.local/state/rewright").expanduser() / name)
    runtime = shared_directory(config.serve.run_dir)
    return (*found, *([runtime / name] if runtime is not None else []))


def write_files(files: Sequence[Path], text: str) -> Path | None:
    """Make the first that can be made; which. An empty file means a pause, too: a full disk takes no text."""
    for file in files:
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
        except OSError:
            continue
        try:
            os.write(opened, text.encode())
        except OSError:
            pass
        finally:
            os.close(opened)
        return file
    return None


def remove_files(files: Sequence[Path]) -> tuple[Path | None, tuple[str, ...]]:
    """The last one that was there and is gone, and those that could not be removed, with the reason."""
    gone, left = None, []
    for file in files:
        try:
            file.unlink()
            gone = file
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            left.append(f"{file}: {error.strerror}")
    return gone, tuple(left)


def read_files(files: Sequence[Path]) -> str:
    """``""``: no pause; else ALONE or WITH_STORE, the stronger first."""
    texts = {_read(file) for file in files}
    return ALONE if ALONE in texts else WITH_STORE if WITH_STORE in texts else ""


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return WITH_STORE if opened.read(100) == WITH_STORE else ALONE
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError:
        # there and not to be read (rights, a broken link): a pause all the same, the safe reading
        return ALONE if os.path.lexists(file) else ""


@dataclass(frozen=True, slots=True)
class Told:
    """What a pause or its end reached. ``file``: the one that was written, or removed; ``problems``: what
    could not be reached, and why.
    """

    store: str = ""
    file: Path | None = None
    still: bool = False  # the store can be read and not written, and says paused: so it stays
    problems: tuple[str, ...] = ()


def tell(store: Store, config: Config, paused: bool, by: str) -> Told:
    """Throw the switch in the store and in a file; what fails is in ``problems``. Blocks; never raises
    StoreError.
    """
    url, problems, reached = without_passwords(config.store.url), [], ""
    try:
        store.switches.set_paused(paused, by=by)
        reached = url
    except StoreError as error:
        problems.append(f"store {url}: {error}")
    files = files_of(config)
    if not paused:
        gone, left = remove_files(files)
        return Told(reached, gone, not reached and _says_paused(store), (*problems, *left))
    # a store of our own may be replaced by an empty one; a shared one is what other machines resume
    written = write_files(files, WITH_STORE if reached and _is_server(config.store.url) else ALONE)
    if written is None:
        problems.append(f"no file could be made: {', '.join(map(str, files))}")
    return Told(reached, written, problems=tuple(problems))


def _says_paused(store: Store) -> bool:
    try:
        return store.switches.paused()
    except StoreError:
        return False


class PauseWatch(Pause):
    """The proxy's ``Pause`` port: the store's switch, the files, and what the supervisor was told by a
    signal.
    """

    def __init__(self, files: Sequence[Path], feed: StoreFeed, on_change: Callable[[bool], None]) -> None:
        self.signalled = False
        self._files = tuple(files)
        self._feed = feed
        self._on_change = on_change
        self._said = read_files(self._files)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pause-watch", daemon=True)

    @property
    def paused(self) -> bool:
        # a file whose pause the store knows counts only while the store can't be read
        by_file = self._said == ALONE or (self._said == WITH_STORE and not self._feed.healthy)
        return self.signalled or self._feed.paused or by_file

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _run(self) -> None:
        before = False
        while True:
            self._said = read_files(self._files)
            if self.paused != before:
                before = not before
                self._on_change(before)
            if self._stop.wait(LOOK_SECONDS):
                return
