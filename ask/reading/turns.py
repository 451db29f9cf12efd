"""Turns of phrase that say nothing of their own, or say it in a way that other words say more plainly.

Owns replacing them in the text of a question, before its words are linked. A turn that changes what is asked
for stays, so that it is read or refused.
"""

from __future__ import annotations

import re
from collections.abc import Container

# turns of the modules beside first, as later ones look for what those leave
from rewright.ask.reading.asked_of import ASKED_OF
from rewright.ask.reading.everyday import EVERYDAY
from rewright.ask.reading.spoken import SPOKEN

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_MEASURE = r"(?:average|mean|median|total|number|maximum|minimum|highest|lowest|sum)"
_WORD = r"(?:the\s+)?(?:exact\s+)?(?:word|words|string|text|phrase|term|substring)\s+"
_TURNS = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        *ASKED_OF,
        *SPOKEN,
        *EVERYDAY,
        # `have not sold a single policy`, `no claim at all`
        (r"\b(not|never|\w+n['’]t)\b([^.?!,]*?)\ba single\b", r"\1\2any"),
        (r"\b(no|not|never|without)\b([^.?!,]*?)\s+at all\b", r"\1\2"),
        (r"\b(without|have|has|had|did|do|does) (?:even )?(?:a single|one single) ", r"\1 any "),
        (r"\b(?:right now|at the moment|at present|as of (?:now|today))\b", "currently"),
        # `are there any owners without a boat? which ones?`
        (
            (
                r"^(?:are|is) there (?:any |an? )?(.+?)\?\s*(?:if so,? )?"
                r"(?:which|who|what)(?: ones?| are they)?\?*$"
            ),
            r"list the \1",
        ),
        (r"^do (?:we|you|they) have any (?=\w)", "are there any "),
        # `the highest and lowest fee`
        (
            (
                r"(?<!between )(?<!between the )\b(highest|largest|greatest) and (?:the )?"
                r"(?:lowest|smallest) (?=(?!paid|rated|ranked|priced|valued)\w)"
            ),
            "maximum and minimum ",
        ),
        (
            (
                r"(?<!between )(?<!between the )\b(lowest|smallest) and (?:the )?"
                r"(?:highest|largest|greatest) (?=(?!paid|rated|ranked|priced|valued)\w)"
            ),
            "minimum and maximum ",
        ),
        # `the highest declared value in total`
        (
            (
                r"\b(highest|largest|greatest|biggest|lowest|smallest) (?!total\b|number\b)"
                r"((?:(?!in\b)\w+ ){1,3})(?:in total|overall|altogether)(?=\W*$)"
            ),
            r"\1 total \2",
        ),
        # `airlines that are not part of any alliance`
        (
            (
                r"\b(?:are|is|were|was) not (?:a )?(?:part of|in|on|assigned to|a member of|members of)"
                r" (?:any|an?) "
            ),
            "have no ",
        ),
        (r"\b(?:do|does|did) not belong to (?:any|an?) ", "have no "),
        # `which employee supervises Bo Lind?`
        (
            (
                r"^which \w+ (supervises|supervised|manages|managed|oversees|mentors|mentored|bosses)"
                r" (?=[A-Z]\w+ [A-Z])"
            ),
            r"who \1 ",
        ),
        # `treated more than twice`
        (r"\b(than|least|most|exactly|only) (?:twice|two times)\b", r"\1 2 times"),
        (r"\b(than|least|exactly) once\b", r"\1 1 times"),
        # `who no longer work here`, `players still with us`
        (
            (
                r"\b(?:that |which |who )?(?:are |is )?no longer (?:works?|employed|active|here|with us)"
                r"(?: here| for us| with us)?\b"
            ),
            "no longer",
        ),
        (r"\b(left|quit) (?:the|our) (?:company|firm|business|organi[sz]ation|team|staff)(?=\W*$)", r"\1"),
        (r"\bstill (?:with us|working here|working for us|work here|work for us|here)\b", "still"),
        (r"\b(?:in|into) force\b", "valid"),
        (r"\b(?:is|are|was|were) (?:currently )?out of stock\b", "have a stock of 0"),
        # `season by season`
        (r"\b(\w+) by \1\b", r"for each \1"),
        # `the most recently hired employee`
        (r"\bmost recently (\w+ed) (\w+)(?=\W*$)", r"\2 with the latest \1 date"),
        (r"\b(with|has|have|had) no (?:known|recorded|listed|stated) (?=\w)", r"\1 no "),
        # `which object was acquired most recently?`
        (
            r"^(which|what) (\w+) (?:was|were) (\w+) (?:the )?(?:most recently|last|latest)\s*\?*$",
            r"\1 \2 has the latest \3 date?",
        ),
        (
            r"^(which|what) (\w+) (?:(?:has|have) (?:been )?)?(\w+ed) (?:the )?most recently\s*\?*$",
            r"\1 \2 has the latest \3 date?",
        ),
        (
            r"^(which|what) (\w+) (?:was|were) (\w+ed) (?:the )?(?:first|earliest)\s*\?*$",
            r"\1 \2 has the earliest \3 date?",
        ),
        # `total hours by each team, top 5`
        (r"(?<=\w),\s*(?:the )?top (\d+|two|three|five|ten)\s*[.?]?$", r", highest first, limited to \1"),
        # `which soil is most common?`
        (
            (
                r"^(?:which|what) (\w+) (?:is|are|was|were) (?:the )?(most|least) "
                r"(common|frequent|popular)\s*\?*$"
            ),
            r"what is the \2 \3 \1?",
        ),
        # `when was Oak Farm last inspected?`
        (r"^when (?:was|were) (.+?) last (\w+ed)\s*\?*$", r"what is the latest \2 date of \1?"),
        (r",? with how many (?:of them )?(?:they|it) (?:have|has|own|owns)(?=\W*$)", " and how many"),
        (r"\b(?:along|together) with (?=(?:the|their|its)\b)", "and "),
        (
            r"\b(percentage|percent|share|proportion|fraction)( of [^.?!]*?) got (?=\w+ed\b)",
            r"\1\2 were ",
        ),
        # `what has been paid out`: phrasal verbs whose verb says it alone
        (r"\b(paid|pay|pays|paying|carried|carry|carries|handed|given|lent) out\b", r"\1"),
        (r"\bcarried\b", "done"),
        (r"^what (?:do|does|did) (.+?) (?:add|sum) up to\s*\?*$", r"what is the total of \1?"),
        (r"\b(?:add|adds|added|sum|sums) up to\b", "total"),
        (r"\b(?:up )?(?:so far|until now|till now|to date)(?=\W*$)", ""),
        # `when was the last complaint raised?`
        (
            (
                r"^when (?:was|were) the (?:last|latest|most recent) (\w+) "
                r"(\w+ed|built|sold|held|sent|paid)\s*\?*$"
            ),
            r"what is the latest \2 date among \1s?",
        ),
        (
            (
                r"^when (?:was|were) the (?:first|earliest) (\w+) "
                r"(\w+ed|built|sold|held|sent|paid)\s*\?*$"
            ),
            r"what is the earliest \2 date among \1s?",
        ),
        # `how many days on average until an invoice gets paid?`
        (
            (
                r"^how (?:long|many days)(?: does it take)?( on average)? until (?:an? |the )?(\w+) "
                r"(?:is|are|gets?|was|were) (\w+ed|built|sold|held|sent|paid)( on average)?\s*\?*$"
            ),
            r"how long does it take\1\4 to \3 the \2?",
        ),
        # `in which country do most of our linguists live?`
        (
            (
                r"^in (?:which|what) (\w+) do most (?:of )?(?:our |the |these )?(\w+) "
                r"(?:live|reside|work|happen|occur)\s*\?*$"
            ),
            r"which \1 has the most \2?",
        ),
        # `when was X released?`: one thing's date
        (
            r"^when (?:was|were) (.+?) (\w+ed|born|built|sold|held|sent|paid)\s*\?*$",
            r"what is the \2 date of \1?",
        ),
        # `when was the last hearing at X?`: the date of the last one
        (
            r"^when (?:was|is) the (?:last|latest|most recent) (\w+)\b(.*?)\s*\?*$",
            r"what is the latest date among \1s\2?",
        ),
        (
            r"^when (?:was|is) the (?:first|earliest) (\w+)\b(.*?)\s*\?*$",
            r"what is the earliest date among \1s\2?",
        ),
        # `recorded in 2021 but released in 2022`
        (r",?\s+\bbut\b(?!\s+(?:only|for|rather|instead|also))", " and"),
        (r",?\s+\bbut also\b", " and also"),
        (r"\b(last|past) ((?:\w+ )?(?:days?|weeks?|months?|years?)) from (?:today|now)\b", r"\1 \2"),
        # `deferrals per 100 donations`
        (
            (
                r"^how many (\w+) (?:are|were|do|did) (?:there|we have|we had) (?:per|for every|for each) "
                r"(?:100|hundred|a hundred) (\w+)"
            ),
            r"what is the ratio of \1 to \2 as a percentage",
        ),
        (r"\b(?:takes?|took|taking|taken) place\b", "happened"),
        (r"\b(?:take|takes|took|taking|taken) part\b", "participated"),
        # a verb, no last name
        (r"\b(?:last|lasts|lasted) (?=(?:longer|shorter) than\b)", "are "),
        (r"\blast (?=(?:more|less|over|under|at least|at most|up to|between|for)\b)", "lasted "),
        # `in the 1990s`
        (r"\b(?:in|during|from|of) the (?:(19|20)(\d)0)'?s\b", r"between \1\g<2>0 and \1\g<2>9"),
        # `between one donation and the next`
        (
            r"\b(?:between|from) (?:one|an?) (\w+) (?:and|to) (?:the|his|her|its|their) next(?: one| \1)?\b",
            r"between consecutive \1s",
        ),
        (
            (
                r"\b(average|mean|median|maximum|minimum) (?:time|interval|gap|period|wait)"
                r"(?: in days)? between (?=(?:two |each )?(?:consecutive|successive))"
            ),
            r"\1 number of days between ",
        ),
        (r"\btwo (?=consecutive\b|successive\b)", ""),
        (
            r"\b(consecutive|successive) (\w+) (of|by|from) (?:an?|one|the(?! same)) (?=\w)",
            r"\1 \2 \3 the same ",
        ),
        (r"\bnon-(?=[a-z])", "non "),
        (r"\b(?:different |distinct |unique )?combinations of (?=\w)", ""),
        # `the number of customer signups`: of customers
        (
            r"\b(?:the )?(?:total )?(?:number of )?((?!total|number|many)\w{4,}?)s? sign-?ups\b",
            r"number of \1s",
        ),
        (r"\btotal sign-?ups\b", "total count"),
        # `filled after they were needed`: two columns of a row
        (r"\b(after|before) (?:they|it) (?:were|was|are|is|had been|has been) (?=\w+\W*$)", r"\1 "),
        # `which reason for deferral is the most frequent?`
        (
            (
                r"^(?:which|what) (\w+ (?:for|of|in) .+?) (?:is|are|was|were) (?:the )?"
                r"(most|least) (common|frequent|popular)\s*\?*$"
            ),
            r"what is the \2 \3 \1?",
        ),
        # `the number of jobs for each kind, ordered by number`
        (
            (
                r"\b(number of|how many)\b([^.?!]*?)\b((?:order|sort)(?:ed)?|ranked) by (?:the )?number"
                r"(?= (?:desc|asc|from|in\b)|\W*$)"
            ),
            r"\1\2\3 by count",
        ),
        (r"\b(?:as )?(?:against|opposed to) (?=(?:that|those) of\b)", "compared with "),
        # `rank the drivers by total fare`
        (
            (
                r"^rank (?:all )?(?:of )?(?:the )?(\w+(?: \w+)?) by ((?:their |the )?"
                r"(?:total|average|number of|sum of|maximum|minimum)\b[^.?!,]*)(?=\W*$)"
            ),
            r"\2 for each \1, highest first",
        ),
        (r"\bof (?:ours|theirs|hers|his)\b", ""),
        # `shops rated above 4`
        (
            r"\brated (?=(?:above|over|below|under|at least|at most|(?:higher|lower|more|less) than)\b)",
            "with a rating ",
        ),
        # `the average cost of repairs and that of inspections`: the same measure again
        (
            (
                rf"\b(between|of) ((?:the )?{_MEASURE}\b(?:(?! of | for | in ).)*) (of|for|in) "
                r"((?:(?! and ).)+?) (and|to|with) (?:that|those|the one|the ones) (?:of|for|in) "
            ),
            r"\1 \2 \3 \4 \5 \2 \3 ",
        ),
        # `the ratio of papers published in 2020 to those published in 2021`, `... to all papers`
        (
            (
                r"\b(ratio|proportion) of ((?:the number of )?)(?!the\b)(\w+) ((?:(?! to ).)+?) to "
                r"(?:the number of )?(?:those|the ones|ones) "
            ),
            r"\1 of \2\3 \4 to \2\3 ",
        ),
        (r"\b(ratio|proportion)( of (?:(?! to ).)+?) to all (?:of )?(?:the )?(?=\w)", r"\1\2 to "),
        # `how many more complaints were received in 2025 than in 2024?`
        (
            (
                r"^how many more (\w+) (?:were|was|did|do|have|had|are|came)\b((?:(?! in ).)*?) in "
                r"(\w+(?: \d{4})?) than (?:in )?(\w+(?: \d{4})?)\s*\?*$"
            ),
            r"change in the number of \1\2 from \4 to \3",
        ),
        # `the busiest day for complaints`
        (
            r"\b(busiest|quietest) (day|weekday|month|quarter|year|week|hour) (?:for|of|in) (\w+)(?=\W*$)",
            lambda m: f"{m[2]} with the {'most' if m[1].lower() == 'busiest' else 'fewest'} {m[3]}",
        ),
        (
            (
                r"\b(average|mean|maximum|minimum) length of (?:an?|the|each) (\w+) in "
                r"(minutes|hours|days|weeks)\b"
            ),
            r"\1 duration of \2s in \3",
        ),
        # `answered within 7 days`
        (
            (
                r"\b(?<!not )(\w+(?:ed|id|nt|lt)) within (?:the |a |an )?(\d+|one|two|three) "
                r"(minutes?|hours?|days?|weeks?)(?! (?:of|after|from|before)\b)"
            ),
            r"\1 in at most \2 \3",
        ),
        # `donors who gave in both 2023 and 2024`
        (r"\bin both (\d{4}) and (\d{4})\b", r"both in \1 and in \2"),
        (rf"\bin both ({_MONTH}) and ({_MONTH}) (\d{{4}})\b", r"both in \1 \3 and in \2 \3"),
        # `the average number of days it took to answer a complaint`
        (r"\b(?:that )?it (?:took|takes|has taken) to (?=\w+ (?:an?|the|each)\b)", "to "),
        (r"\b(?:in|by) total and on average\b", "total and average"),
    )
)
_IN_A_NAME = re.compile(
    r"\b(?:(?:that|which|who) )?(?:has|have|had|having|with|contains?|containing|mentions?|mentioning"
    r"|includes?|including) (?:the words? )?"
    r"(?:(?:'(?P<quoted>[^']+)'|\"(?P<double>[^\"]+)\") (?:anywhere )?in (?:its|their|the)"
    r"|(?P<bare>[A-Z]\w*) in (?:its|their)) (?P<where>\w+(?: \w+)?)(?=\W*(?:$|[.?!]\s))"
)
_MENTIONING = re.compile(
    r"\bmention(?:s|ing)? (?:the )?(?:words? )?['\"]?(?!(?:in|by|at|of|on|for|to|any|no|it|them)\b)"
    r"(?P<said>\w+(?: \w+){0,2})['\"]?(?=\W*$)",
    re.IGNORECASE,
)
_CONTAINING = re.compile(
    rf"\b(contain(?:s|ing)?|includ(?:es|ing)|with|having|has|have)\s+{_WORD}(?=\w)(?P<said>\w[\w-]*)",
    re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"\b((?:start|begin|end)(?:s|ing)?\s+(?:with|in|on))\s+(?:(?:the|an?)\s+)?(?:capital\s+)?"
    r"(?:letter\s+|letters\s+)?(?P<said>[A-Z])(?=\W|$)"
)
_AFFIX = re.compile(
    r"\b((?:start|begin|end)(?:s|ing)?)\s+(?:(?P<way>with)|in|on)\s+(?P<said>@?\w[\w@.-]*\w)(?=\W|$)"
)
_ONLY_GROUPS = re.compile(
    r",\s*(?:but\s+)?only\s+(?:for\s+)?(?=\w+\s+(?:with|that|who|which|having)\b)", re.IGNORECASE
)


# verbs of four letters on: shorter ones with a particle (`go up`) name no column
_PARTICLE = re.compile(r"\b(?P<verb>[a-z]{4,}) (?P<particle>up|off|out|in|back|down)\b", re.IGNORECASE)


def joined_verbs(question: str, known: Container[str]) -> str:
    """`picked up at` as the data spells it, `pickup at`, where it knows such a word."""

    def joined(match: re.Match[str]) -> str:
        verb = re.sub(r"(?:ing|ed|s)$", "", match["verb"].lower())
        # `picking up`: the stem as it is, without a doubled letter, or with its e
        stems = (verb, verb[:-1] if verb[-2:-1] == verb[-1:] else verb, f"{verb}e")
        # only words that the data has: else a verb and its particle stay two words
        found = (stem + match["particle"].lower() for stem in stems)
        return next((word for word in found if word in known), match[0])

    return _PARTICLE.sub(joined, question)


_HEADCOUNT = re.compile(r"\b(?:the )?head ?count\b", re.IGNORECASE)


def headcounts(question: str, known: Container[str]) -> str:
    """`headcount by country`, where no column is called so: how many employees there are."""
    return question if "headcount" in known else _HEADCOUNT.sub("number of employees", question)


_LENGTH = re.compile(
    r"\b(average|mean|maximum|minimum) length of (?:an?|the|each) (?P<what>\w+?)s?"
    r"(?=\W*$| (?:for|per|in|by|at|of)\b)",
    re.IGNORECASE,
)


def lengths(question: str, known: Container[str]) -> str:
    """`the average length of a stay`, where no column is called so: how long they last."""
    if any(word in known for word in ("length", "duration", "minutes", "long")):
        return question
    return _LENGTH.sub(r"\1 duration of \g<what>s", question)


_SORT_OF_MONEY = re.compile(
    r"\b(?P<by>by )?(?P<sort>prize|grant|award|bonus|tip|fine|ticket|rent|price|wage|reward|sponsorship"
    r"|insurance|transfer) money\b",
    re.IGNORECASE,
)


def sorts_of_money(question: str, known: Container[str]) -> str:
    """`teams by prize money`, where no column speaks of money: by their prizes."""
    if "money" in known:
        return question
    return _SORT_OF_MONEY.sub(lambda m: f"by total {m['sort']}" if m["by"] else m["sort"], question)


_WEEKDAY = re.compile(r"\bday(s?) of the week\b", re.IGNORECASE)


def weekdays(question: str, known: Container[str]) -> str:
    """`for each day of the week` as the data knows it: by a column of days, else by the weekday of a date."""
    return _WEEKDAY.sub(r"day\1" if "day" in known else r"weekday\1", question)


def _whose(match: re.Match[str]) -> str:
    """`stations that have 'Road' in their name`."""
    said = match["quoted"] or match["double"] or match["bare"]
    return f"whose {match['where']} contains '{said}'"


def _affixed(match: re.Match[str]) -> str:
    """`a name starting with Mac`, `addresses that end in gmail.com`: what is a part of a text, no time and
    no place.
    """
    # an address or a number with a point is a part of a text; other small words are times and places
    said = match["said"]
    part = ("." in said or "@" in said) and any(ch.isalpha() for ch in said)
    if not part and (match["way"] is None or not said[0].isupper()):
        return match[0]
    return f"{match[1]} with '{said}'"


def plainer(question: str) -> str:
    """The question with turns of phrase said plainly; words that are to be looked for in quotes."""
    # in their order: a turn may make what another one replaces
    for pattern, said in _TURNS:
        question = pattern.sub(said, question)
    question = _CONTAINING.sub(lambda m: f"{m[1]} the word '{m['said']}'", question)
    question = _IN_A_NAME.sub(_whose, question)
    question = _MENTIONING.sub(lambda m: f"containing the word '{m['said']}'", question)
    question = _BEGINNING.sub(lambda m: f"{m[1]} '{m['said']}'", question)
    question = _AFFIX.sub(_affixed, question)
    return _ONLY_GROUPS.sub(". Only ", question)
