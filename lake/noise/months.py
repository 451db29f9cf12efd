"""Months as people name them in seven languages: `March`, `mars`, `mrt`, `Mär`.

Owns the words. Must not know columns.
"""

from __future__ import annotations

from collections import defaultdict

from rewright.lake.names import strip_marks

_WORDS = """
january januar janvier enero gennaio janeiro januari ene jan janv
february februar fevrier febrero febbraio fevereiro februari feb fevr
march marz mars marzo marco maart marts mar mrt mrz
april avril abril aprile apr
may mai mayo maggio maio mei maj
june juni juin junio giugno junho jun
july juli juillet julio luglio julho jul juil
august aout agosto augustus aug
september septembre septiembre settembre setembro sept sep
october oktober octobre octubre ottobre outubro oct okt
november novembre noviembre novembro nov
december dezember decembre diciembre dicembre dezembro desember dec dez des
"""
_SHORT = 3


def _forms() -> dict[str, int]:
    """Word → month, with the first three letters of each where they are of no other month."""
    found: dict[str, int] = {}
    cut: defaultdict[str, set[int]] = defaultdict(set)
    for month, line in enumerate(_WORDS.split("\n")[1:-1], start=1):
        for word in line.split():
            found[word] = month
            cut[word[:_SHORT]].add(month)
    # a whole word goes before what another one is cut to
    return {**{short: min(months) for short, months in cut.items() if len(months) == 1}, **found}


_MONTH_OF = _forms()


def month_of(word: str) -> int | None:
    """The number of the month that a word names, whatever its case and marks; None for other words."""
    return _MONTH_OF.get(strip_marks(word).strip(" .").lower())
