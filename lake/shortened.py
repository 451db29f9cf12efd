"""Words that lost their vowels: `cntry`, `elvtn`, `prmry`.

Owns a list of words that data are named by, the more common first, and finding the one a run of consonants
stands for. Must not know abbreviations with a meaning of their own (`names.ABBREVIATIONS`).
"""

from __future__ import annotations

from functools import lru_cache

_WORDS = """
country name number customer product order date year month price amount total quantity address account code
type status state city region category description value count percent population average minimum maximum
department employee manager supplier vendor company student teacher school college university course grade
subject score rating level rank position title gender birth death age height weight length width depth
distance speed duration time hour minute second period quarter season week weekday start end begin open close
created updated deleted modified registered payment invoice receipt transaction balance credit debit currency
salary income wage bonus discount tax revenue profit cost budget expense sales market brand model manufacturer
vehicle engine fuel color size material style temperature pressure humidity precipitation rainfall wind
weather station sensor reading measurement voltage current power energy latitude longitude elevation altitude
location street district county province territory continent postal zone area surface volume density mass
capacity latency frequency ratio rate index factor coefficient primary secondary current previous latest
dominant major minor volcano mountain river lake ocean island forest species genus family order habitat animal
plant flower bird mammal patient doctor hospital clinic diagnosis treatment disease symptom drug dosage
prescription blood heart player team club league match goal tournament competition stadium coach referee
transfer contract agent airport airline flight carrier passenger aircraft departure arrival origin destination
delay gate terminal ticket booking reservation hotel room guest restaurant menu dish recipe ingredient
calories protein track album artist genre playlist song music band concert movie film director actor actress
episode series channel video language author writer publisher publication book chapter edition library journal
article citation newspaper magazine editor reader review comment message subject content text label note
remark reason result outcome response request process method project task phase priority severity incident
ticket support service request server client user password session login device platform browser version
release build branch commit repository software hardware network domain website page visitor click impression
campaign advertisement conversion lead prospect opportunity stage owner member group role permission license
certificate document file folder record entry item line detail summary report analysis dataset sample survey
question answer respondent participant experiment election candidate party vote voter turnout district senator
governor president minister parliament government agency ministry court judge case crime offense arrest prison
sentence victim weapon police officer accident injury fatality damage insurance policy claim premium coverage
property house apartment building floor bedroom bathroom garage garden mortgage loan interest deposit branch
bank asset liability equity share stock exchange trade export import tariff shipment warehouse inventory
storage container package delivery courier route driver truck trailer trip journey mileage consumption
emission production harvest yield crop farm field variety soil fertilizer irrigation livestock cattle milk
meat wheat barley maize coffee sugar alcohol beverage serving bottle winery brewery household resident citizen
immigrant nationality ethnicity religion marriage divorce child parent father mother spouse sibling education
degree diploma major occupation profession industry sector employment unemployment retirement pension worker
labor union standard average median deviation variance minimum maximum lower upper left right north south east
west front back inner outer element symbol atomic melting boiling chemical reaction compound mixture solution
formula crystal mineral rock planet star galaxy orbit
"""
_VOWELS = frozenset("aeiou")
_LEAST = 4


def _skeleton(word: str) -> str:
    return word[0] + "".join(ch for ch in word[1:] if ch not in _VOWELS)


def _by_skeleton() -> dict[str, str]:
    found: dict[str, str] = {}
    for word in _WORDS.split():
        if len(word) > _LEAST:
            # the first word of a skeleton is the most common one
            found.setdefault(_skeleton(word), word)
            # double consonants may be written once: `cmt` of `commit`
            single = "".join(
                ch for i, ch in enumerate(_skeleton(word)) if i == 0 or ch != _skeleton(word)[i - 1]
            )
            found.setdefault(single, word)
    return found


_FULL = _by_skeleton()
_KNOWN = frozenset(_WORDS.split())


def known(word: str) -> bool:
    """Is it a word that data are named by, so that it is not short for others?"""
    return word in _KNOWN


@lru_cache(maxsize=50_000)
def written_out(word: str) -> str | None:
    """The word that a run of consonants stands for, or None: the whole skeleton, or the beginning of a single
    one.
    """
    if len(word) < _LEAST or not word.isascii() or not word.isalpha() or _VOWELS & set(word[1:]):
        return None
    if (found := _FULL.get(word)) is not None:
        return found
    # of several words none is surely meant
    longer = {full for skeleton, full in _FULL.items() if skeleton.startswith(word)}
    return longer.pop() if len(longer) == 1 else None
