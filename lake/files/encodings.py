"""In which encoding a text is that is not UTF-8.

Owns the guess and the letters it rests on. A code page is believed where one of its languages has nearly all
letters that the text then shows: Western Europe's, which are the most usual, before the others, and of these
the one that explains most. It must not know files.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

MARKED = re.compile(rb"[@-~\x80-\xff]*[\x80-\xff][@-~\x80-\xff]*")
"""Words with bytes beyond ASCII: second bytes of Eastern Asia's encodings may be ASCII from `@` on."""
_SURE = 0.97
_CLEARLY = 0.05
"""So much more of the letters must be explained by anything but Western Europe's page."""
_USUALLY = 0.9
"""Of names in Chinese or Japanese a tenth has rarer characters."""
_FEWEST = 3
"""Fewer words do not speak for a page of another part of the world."""
_DIVERSE = 5
"""Nor do fewer letters where two languages of Western Europe have them all, as in a list of customers."""

_WESTERN = (
    "äöüß",
    "àâæçéèêëîïôœùûüÿ",
    "áéíñóúü",
    "áâãàçéêíóôõúü",
    "àèéìíîòóùú",
    "éëïóöüèêáàíúâîôûç",
    "æøåéöäòóô",
    "åäöéü",
    "äöåšž",
    "áðéíóúýþæöø",
    "àçéèíïóòúü",
    "äõöüšž",
    "ëç",
)
_CENTRAL = (
    "ąćęłńóśźż",
    "áčďéěíňóřšťúůýž",
    "áäčďéíĺľňóôŕšťúýž",
    "áéíóöőúüű",
    "čćđšž",
    "ăâîşţ",
)
_BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž")
_TURKISH = ("çğıiöşüâîû",)
_CYRILLIC = (
    "".join(map(chr, range(0x430, 0x450))) + "ё",
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "абвгдђежзијклљмнњопрстћуфхцчџш",
)
_GREEK = ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",)
_HEBREW = ("".join(map(chr, range(0x5D0, 0x5EB))),)
_PAGES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("cp1250", "Windows-1250", _CENTRAL),
    ("iso8859-2", "Latin-2", _CENTRAL),
    ("cp1254", "Windows-1254", _TURKISH),
    ("cp1257", "Windows-1257", _BALTIC),
    ("cp1251", "Windows-1251", _CYRILLIC),
    ("cp1255", "Windows-1255", _HEBREW),
    ("koi8-u", "KOI8", _CYRILLIC),
    ("cp866", "code page 866", _CYRILLIC),
    ("iso8859-5", "ISO 8859-5", _CYRILLIC),
    ("cp1253", "Windows-1253", _GREEK),
    ("iso8859-7", "ISO 8859-7", _GREEK),
    ("cp850", "code page 850", _WESTERN),
    ("cp852", "code page 852", _CENTRAL),
    ("mac-roman", "Mac Roman", _WESTERN),
)
_OTHER_SCRIPTS = (_CYRILLIC, _GREEK, _HEBREW)
_ASCII = re.compile(r"[A-Za-z]")
_BEFORE = frozenset("«“‘„‚‹¿¡–—…•·€£$§#’°(\"'")
"""What may stand before a word's first letter without being one of its letters."""
_BEHIND = frozenset("²³°ºª»”’›…–—™®©€¢“‘·½¼¾")
_NONE = "\0"
_COMMON = frozenset("оеаинтсрвл")


@dataclass(frozen=True, slots=True)
class Encoding:
    """Python's name of it, and how it is called."""

    name: str
    told: str


def guessed(words: Counter[bytes]) -> Encoding | None:
    """The encoding of a text by its `MARKED` words and how often each stands there; None: not known."""
    seen = {byte for word in words for byte in word if byte >= 0x80}
    western = _western(words, seen)
    letters = _letters(words, western.name)
    told = _explained(letters, _WESTERN)
    if told >= _SURE:
        return western
    pairs = (one + other for one, other in combinations(_WESTERN, 2))
    fewest = _DIVERSE if _explained(letters, pairs) >= _SURE else 1
    best, most = western, 0.0
    for found, share, distinct in (*_eastern(words), *_paged(words)):
        if share > most and distinct >= fewest:
            best, most = found, share
    if most >= _SURE and most > told + _CLEARLY and len(words) >= _FEWEST:
        return best
    # five bytes mean nothing in Windows-1252; in Latin-1 they are controls, which no text has
    if seen & set(b"\x81\x8d\x8f\x90\x9d") or _other_script(words):
        return None
    return western


def is_mostly_utf8(words: Iterable[bytes]) -> bool:
    """Two words or more, and half of all, are UTF-8: by chance hardly one is."""
    valid = [_is_valid(word) for word in words]
    return sum(valid) >= max(2, len(valid) / 2)


def _is_valid(word: bytes) -> bool:
    try:
        word.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _western(words: Counter[bytes], seen: set[int]) -> Encoding:
    # in Latin-1 these are controls, in Windows-1252 quotes, dashes and the euro sign
    if any(0x80 <= byte <= 0x9F for byte in seen):
        return Encoding("cp1252", "Windows-1252")
    first, ninth = (_explained(_letters(words, name), _WESTERN) for name in ("latin-1", "iso8859-15"))
    # nobody writes Latin-1's sign for any currency; Latin-9 has the euro there
    is_ninth = 0xA4 in seen or ninth > first
    return Encoding("iso8859-15", "Latin-9") if is_ninth else Encoding("latin-1", "Latin-1")


def _other_script(words: Counter[bytes]) -> bool:
    """Western words have one letter with a mark, or two; words that are made of such bytes are of another
    script.
    """
    runs = [(len(run), count) for word, count in words.items() for run in re.findall(rb"[\x80-\xff]+", word)]
    return sum(n * count for n, count in runs if n >= 3) > 0.5 * sum(n * count for n, count in runs)


def _paged(words: Counter[bytes]) -> Iterator[tuple[Encoding, float, int]]:
    for name, told, languages in _PAGES:
        letters = _letters(words, name, mixed=languages not in _OTHER_SCRIPTS)
        if languages is not _CYRILLIC or _reads_as_russian(letters):
            yield Encoding(name, told), _explained(letters, languages), len(letters)


def _explained(letters: Counter[str], languages: Iterable[str]) -> float:
    """The share of the letters that the language has which has most of them."""
    total = sum(letters.values())
    if not total:
        return 1.0
    return max(sum(n for letter, n in letters.items() if letter in set(known)) for known in languages) / total


def _letters(words: Counter[bytes], page: str, *, mixed: bool = True) -> Counter[str]:
    """What the words have beyond ASCII by this page; `_NONE` is what no language has. ``mixed``: such letters
    stand beside those of ASCII in one word.
    """
    found: Counter[str] = Counter()
    for word, count in words.items():
        try:
            text = word.decode(page)
        except UnicodeDecodeError:
            found[_NONE] += count
            continue
        for letter in _of_a_word(text):
            found[letter if mixed or not _ASCII.search(text) else _NONE] += count
    return found


def _of_a_word(text: str) -> Iterator[str]:
    """Its letters in lower case; signs and capitals where none stands are none of any language."""
    padded = f" {text} "
    for before, one, after in zip(padded, padded[1:], padded[2:], strict=False):
        if one < "\x80":
            continue
        if one.isalpha() and one not in "ºª":
            yield _NONE if one.isupper() and before.islower() else one.lower()[0]
        elif before.isalpha() and one in "’·":
            continue
        elif (
            unicodedata.category(one)[0] == "C"
            or (after.isalpha() and (before.isalpha() or one not in _BEFORE))
            or (before.isalpha() and one not in _BEHIND)
        ):
            yield _NONE


def _reads_as_russian(letters: Counter[str]) -> bool:
    """Ten letters are more than half of any text in Cyrillic; of another page's letters they are a third."""
    return sum(n for letter, n in letters.items() if letter in _COMMON) > 0.4 * sum(letters.values())


def _eastern(words: Counter[bytes]) -> Iterator[tuple[Encoding, float, int]]:
    """Eastern Asia's encodings by which nearly all characters are usual ones. Three have these at the same
    places and are told by which of them a text uses.
    """
    for (name, told), is_usual in _USUAL.items():
        usual = others = 0
        leads: Counter[int] = Counter()
        for word, count in words.items():
            try:
                chars = [char.encode(name) for char in word.decode(name)]
            except UnicodeError:
                others += 2 * count
                continue
            for char in chars:
                if len(char) == 2 and is_usual(*char):
                    usual += count
                elif char[0] >= 0x80:
                    others += count
                if len(char) == 2:
                    leads[char[0]] += count
        fits = _LEADS.get(name)
        if usual >= _USUALLY * (usual + others) and usual and (fits is None or fits(leads)):
            yield Encoding(name, told), 1.0, usual


def _share(leads: Mapping[int, int], first: int, last: int) -> float:
    return sum(n for lead, n in leads.items() if first <= lead <= last) / sum(leads.values())


_USUAL: Mapping[tuple[str, str], Callable[[int, int], bool]] = {
    ("cp932", "Shift-JIS"): lambda a, _: 0x88 <= a <= 0x98 or a in {0x81, 0x82, 0x83},
    ("euc_jp", "EUC-JP"): lambda a, _: 0xB0 <= a <= 0xCF or a in {0xA1, 0xA3, 0xA4, 0xA5},
    ("gb18030", "GBK"): lambda a, b: (0xB0 <= a <= 0xD7 or a in {0xA1, 0xA3}) and b >= 0xA1,
    ("cp949", "EUC-KR"): lambda a, b: (0xB0 <= a <= 0xC8 or a in {0xA1, 0xA3}) and b >= 0xA1,
    ("big5", "Big5"): lambda a, _: 0xA4 <= a <= 0xC6 or a == 0xA1,
}
_LEADS: Mapping[str, Callable[[Mapping[int, int]], bool]] = {
    "euc_jp": lambda leads: _has_kana(leads) or (not _has_last(leads) and _share(leads, 0xC9, 0xCF) > 0.1),
    "gb18030": lambda leads: _has_last(leads) and not _has_kana(leads),
    "cp949": lambda leads: _share(leads, 0xC9, 0xD7) <= 0.1 and not _has_kana(leads),
}


def _has_kana(leads: Mapping[int, int]) -> bool:
    return _share(leads, 0xA4, 0xA5) > 0.02


def _has_last(leads: Mapping[int, int]) -> bool:
    """The syllables from x to z, of which Chinese is full; Japanese has its rare characters there."""
    return _share(leads, 0xD0, 0xD7) > 0.08


def western(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are not of the text's encoding as Windows-1252 has them."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


WESTERN = "rewright-western"
codecs.register_error(WESTERN, western)
