"""A collation that is not the order of code points, for servers built without ICU.

Owns compiling a locale of the C library into a directory (``LOCPATH``). Its order is that of the usual
linguistic collations for blanks, digits and Latin letters: punctuation, digits, then aAbBcC. Must not know
servers.
"""

from __future__ import annotations

import shutil
import string
import subprocess
import tempfile
from pathlib import Path

NAME = "en_US.UTF-8"
# what a CREATE DATABASE says to get such a collation, the best first; a server may lack any of them
LINGUISTIC = ("locale_provider icu icu_locale 'en-US'", f"locale_provider libc locale '{NAME}'")
_SECONDS = 20.0


def compile_locale(directory: Path) -> bool:
    """Make ``directory``/en_US.UTF-8 with localedef; False where that cannot be done."""
    program = shutil.which("localedef")
    if program is None:
        return False
    directory.mkdir(parents=True, exist_ok=True)
    # beside what is made of it, so that it goes with that if this process is ended here
    with tempfile.TemporaryDirectory(dir=directory.parent) as work:
        source, charmap = Path(work) / "source", Path(work) / "UTF-8"
        source.write_text(_source())
        charmap.write_text(_charmap())
        command = [program, "-c", "-f", str(charmap), "-i", str(source), str(directory / NAME)]
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
    made = next((path for path in directory.iterdir() if (path / "LC_COLLATE").exists()), None)
    return made is not None


def _symbol(character: str) -> str:
    return f"<U{ord(character):04X}>"


def _charmap() -> str:
    rows = "\n".join(f"<U{code:04X}> /x{code:02x} c{code}" for code in range(128))
    return (
        f"<code_set_name> UTF-8\n<comment_char> %\n<escape_char> /\n<mb_cur_min> 1\n<mb_cur_max> 6\n"
        f"CHARMAP\n{rows}\nEND CHARMAP\n"
    )


def _source() -> str:
    """LC_COLLATE with two levels: the letter, then lower before upper case."""
    others = [chr(code) for code in range(1, 127) if not chr(code).isalnum()]
    plain = [*others, *string.digits]
    weights = [f"{_symbol(c)} {_symbol(c)};{_symbol(c)}" for c in plain]
    for letter in string.ascii_lowercase:
        weights += [
            f"{_symbol(c)} <L{letter}>;{case}" for c, case in ((letter, "<LOW>"), (letter.upper(), "<CAP>"))
        ]
    symbols = [f"collating-symbol <L{letter}>" for letter in string.ascii_lowercase]
    order = ["<LOW>", "<CAP>"] + [f"<L{letter}>" for letter in string.ascii_lowercase]
    return "\n".join(
        [
            "comment_char %",
            "escape_char /",
            "LC_CTYPE",
            f"upper {';'.join(_symbol(c) for c in string.ascii_uppercase)}",
            f"lower {';'.join(_symbol(c) for c in string.ascii_lowercase)}",
            "END LC_CTYPE",
            "LC_COLLATE",
            "collating-symbol <LOW>",
            "collating-symbol <CAP>",
            *symbols,
            "order_start forward;forward",
            *order[:2],
            *weights[: len(plain)],
            *order[2:],
            *weights[len(plain) :],
            "UNDEFINED",
            "order_end",
            "END LC_COLLATE",
            "",
        ]
    )
