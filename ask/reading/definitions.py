"""Terms of a question that its hint defines by columns: `wide-body refers to model = 'B777'`, `CTR = clicks /
impressions`.

Owns finding such definitions, the conditions they stand for, and saying formulas in words that the grammar
reads (`the ratio of A to B`). A hint is data: of its conditions only columns that exist, operators listed
here, and literals are taken. Must not know how the rest of a question is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.evidence import written_out
from rewright.ask.reading.hint_tests import conditions_of
from rewright.ask.reading.intent import Condition
from rewright.ask.reading.link import Link
from rewright.ask.reading.odd_names import plain_name

_SAYS = (
    r"(?:refers?(?: only)? to|means?(?: that)?|stands? for"
    r"|(?:is|are|can be) (?:defined|calculated|computed) (?:as|by)|denotes?|indicates?|=|:)"
)
_DEFINES = re.compile(
    rf"^(?P<term>[^=<>:()]{{2,60}}?)\s*(?:\((?P<full>[^()=]{{2,60}})\))?\s*(?:\s{_SAYS}|[=:])\s*(?P<meaning>.+)$",
    re.IGNORECASE,
)
# hints also put the test first: `status = 'A' refers to active accounts`
_BACKWARDS = re.compile(
    r"^(?P<meaning>[\w.`\"]+\s*(?:=|<>|!=|>=|<=|>|<)\s*(?:'[^']*'|[\w.]+)|[\w.`\"]+ is (?:not )?null)"
    r"\s+(?:refers? to|means?|stands? for|denotes?|indicates?)\s+(?P<term>[^=<>]{2,60})$",
    re.IGNORECASE,
)
# and as a sentence: `a flight is delayed when dep_delay > 15`
_IS_WHEN = re.compile(
    r"^(?:an? |the )?[\w ]+? (?:is|are|counts? as|is considered|has been|have been) "
    r"(?P<term>[\w-]+(?: [\w-]+)?) (?:when|if|where) (?P<meaning>.+)$",
    re.IGNORECASE,
)
# a comma parts definitions only where another term with its verb follows; lists have commas as well
_SENTENCES = re.compile(
    r"\n|;\s*|\.(?=\s|$)|,\s+(?=[\w' -]{2,40}? (?:refers? to|means|stands? for) )", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?|and|where|here)\s+", re.IGNORECASE)
# a sign that no question holds; it stands in quotes, so that the linker leaves it as one word
_PLACE = "\u00a7"
_MARK = re.compile(rf"^{_PLACE}(\d+)$")
_CALL = re.compile(r"^(count|sum|avg|average|max|min|total)\s*\((?P<of>.*)\)$", re.IGNORECASE)
_SAID = {"count": "number of", "sum": "total", "total": "total", "avg": "average", "average": "average"}
_SAID |= {"max": "maximum", "min": "minimum"}
# a factor of 100 or `as a percentage` is said to the grammar in words, once, at the end
_PERCENT = re.compile(
    r"\s*\*\s*100(?:\.0*)?\s*%?$|^100(?:\.0*)?\s*\*\s*|,?\s*(?:expressed )?(?:as|in) (?:a )?percent\w*$",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"^case\s+when\s+(?P<when>.+?)\s+then\s+(?P<then>[\w.`]+)(?:\s+else\s+(?:0|null))?\s+end$", re.IGNORECASE
)
_IIF = re.compile(r"^iif\s*\(\s*(?P<when>.+?)\s*,\s*(?P<then>[\w.`]+)\s*,\s*(?:0|null)\s*\)$", re.IGNORECASE)
_CAST = re.compile(r"\bcast\s*\(", re.IGNORECASE)
_AS_NUMBER = re.compile(r"\s+as\s+(?:real|float|double(?: precision)?|numeric|decimal)\s*$", re.IGNORECASE)
_ELSE_ZERO = re.compile(
    r"^(?:avg|average|min|max)\s*\(\s*(?:case\b.*\belse\s+0(?:\.0+)?\s+end|iif\s*\(.*,\s*0(?:\.0+)?\s*\))\s*\)$",
    re.IGNORECASE | re.DOTALL,
)
"""An average of all rows, those that do not meet the condition as 0; of a sum they change nothing."""
_OF_WHERE = re.compile(
    r"^(?:the )?(?P<function>sum|total|average|count|number) of (?:the )?"
    r"(?P<of>[\w. ]+?) (?:where|for which) (?P<test>.+)$",
    re.IGNORECASE,
)
"""`the sum of amount where paid_on is null`"""
_EXTREME = re.compile(r"^(?:max|min)\s*\((?!\s*case\b)[^()]+\)$", re.IGNORECASE)
_WORDS = re.compile(r"\w[\w'’-]*")
_FORMS = {
    form: "(?:" + "|".join(forms) + ")"
    for forms in (
        ("has", "have", "had", "having"),
        ("is", "are", "was", "were"),
        ("does", "do", "did"),
    )
    for form in forms
}
"""Forms of a verb that a hint and its question may spell otherwise."""
_WHOLE = re.compile(r"^(?:the\s+|all\s+)+", re.IGNORECASE)
_NUMBER_OF_ALL = re.compile(r"\b(number of )(?:all |the )+", re.IGNORECASE)
_SAID_ITSELF = frozenset({"percentage", "percent", "ratio", "proportion", "average", "difference", "total"})
_SORTED_BY = (
    r"[.,;]?\s*(?:and\s+)?\b(?:sort|order|rank)(?:ed)?\s+(?:(?:the\s+)?results?\s+|them\s+)?by\s+(?:the\s+)?"
)
_PER = re.compile(r"^per\s", re.IGNORECASE)
_PRODUCT = re.compile(r"([\w.`]+)\s*(?:\*|\btimes\b|\bmultiplied by\b)\s*([\w.`]+)")
# a term of more words is a sentence that happened to match
_LONGEST = 12


@dataclass(slots=True)
class Written:
    """A question with its defined terms replaced.

    ``tests``: for each mark that stands in the text, the conditions that it stands for, by the columns that
    may be meant. ``unread``: terms of the question whose definition could not be used.
    """

    question: str
    tests: list[tuple[dict[ColumnContext, Condition], ...]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    done: int = 0
    unread: int = 0


def defined_terms(question: str, evidence: str, context: Context) -> Written:
    """The question with the terms that a hint defines by columns written out."""
    written = Written(question)
    if _PLACE in question:
        return written  # what stands for conditions here
    definitions = list(_definitions(evidence))
    spelled, done = written_out(question, evidence)
    # a definition that uses another one: the outer term is written out first, its parts then found in it
    if done and any(
        _occurs(t, spelled) and not _occurs(t, question) for terms, _ in definitions for t in terms
    ):
        # `ALC = average labour cost; labour cost = hours * hourly_rate`
        written.question, written.done = spelled, done
    for terms, meaning in definitions:
        # the short name or the full one, whichever the question says; both at once would define it twice
        for term in terms:
            found = _occurs(term, written.question)
            if found is not None and term.lower() in _SAID_ITSELF:
                break  # `what percentage of trips ...`: the grammar reads it
            if found is not None:
                _replace(written, found, term, meaning, context)
                break
    return written


def _definitions(evidence: str) -> Iterator[tuple[list[str], str]]:
    """The names of a term, and what it is said to be."""
    for sentence in _SENTENCES.split(evidence):
        text = sentence.strip().rstrip(".")
        found = _BACKWARDS.match(text) or _IS_WHEN.match(text) or _DEFINES.match(text)
        if found is None:
            continue
        named = [found["term"], found.groupdict().get("full") or ""]
        terms = [_ARTICLE.sub("", name.strip(" '\"`")) for name in named]
        if any(_PER.match(t) for t in terms):
            continue  # `PMCS (per month customer signups)`: the term groups, too
        yield [t for t in terms if len(t) > 1], found["meaning"].strip()


def _occurs(term: str, question: str) -> re.Match[str] | None:
    """Where the term stands in the question, in any number."""
    words = _WORDS.findall(term)
    if not words or len(words) > _LONGEST:
        return None
    *inner, last = map(_any_number, words)
    # `number of committed crimes` is what a question calls the number of crimes
    spelled = "".join(
        rf"(?:{p}[\s-]+)?" if i > 0 and words[i].endswith("ed") else rf"{p}[\s-]+"
        for i, p in enumerate(inner)
    )
    spelled += last
    return re.search(rf"(?<![\w'{_PLACE}]){spelled}(?![\w'])", question, re.IGNORECASE)


def _any_number(word: str) -> str:
    """A pattern for the word in any number, or in any form of a verb."""
    if (forms := _FORMS.get(word.lower())) is not None:
        return forms
    if re.search(r"[^aeiou]y$|ies$", word):
        return rf"{re.escape(re.sub('(?:y|ies)$', '', word))}(?:y|ies)"
    return rf"{re.escape(re.sub('s$', '', word))}(?:e?s)?"


def _replace(written: Written, found: re.Match[str], term: str, meaning: str, context: Context) -> None:
    # a sentence end inside a formula cuts it: half of a formula is worse than none
    if not _balanced(meaning) or meaning.count("(") != meaning.count(")"):
        written.unread += 1  # cut short
        return
    if (ranked := _as_ranked(written.question, term, meaning, context)) is not None:
        written.question = ranked
        written.done += 1
        return
    said = _as_condition(written, found, meaning, context) or _as_formula(written, meaning, context)
    if said is not None:
        text, percent = said
        # behind a formula `(in full)` says nothing more
        rest = re.sub(r"^\s*\([^()]*\)", "", written.question[found.end() :])
        # `sort by CTR` at the end ranks by what is asked for already
        rest = re.sub(rf"{_SORTED_BY}{re.escape(found[0])}\b", ",", rest, flags=re.IGNORECASE)
        rest = _returned_too(_without_their_noun(rest, text), found[0], text)
        if text.startswith("number of days between"):
            rest = re.sub(r"^((?:\s+of (?:an?|the|each) \w+)?)\s+in days\b", r"\1", rest)
        asked = written.question[: found.start()] + text + rest
        written.question = re.sub(r"\s*[?.]*\s*$", " as a percentage?", asked, count=1) if percent else asked
        written.done += 1
    elif (columns := _as_columns(meaning, context)) is not None:
        written.question = written.question[: found.start()] + columns + written.question[found.end() :]
        written.done += 1
    elif not _EXTREME.match(meaning) and _says_columns(meaning, context) and not term.isupper():
        # a definition over columns that was not read makes the answer a guess; MAX(x) is said in words as
        # well
        written.unread += 1


def _as_ranked(question: str, term: str, meaning: str, context: Context) -> str | None:
    """`the longest vessel`, where longest is said to be MAX(loa_m): the vessel with the highest."""
    extreme = _EXTREME.match(_bare(meaning))
    known = _names_of_columns(context)
    column = meaning.split("(", 1)[1].strip(' )`"').split(".")[-1] if extreme is not None else ""
    if column.lower() not in known or not re.fullmatch(r"\w{3,}est", term, re.IGNORECASE):
        return None
    end = "highest" if meaning.lower().startswith("max") else "lowest"
    asked = re.sub(
        rf"\b(is|are|was|were) (?:the )?{term}(?=\W*$)",
        f"has the {end} {column}",
        question,
        flags=re.IGNORECASE,
    )
    if asked == question:
        asked = re.sub(
            rf"\b{term} (\w+)\b", rf"\1 with the {end} {column}", question, count=1, flags=re.IGNORECASE
        )
    return asked if asked != question else None


def _without_their_noun(rest: str, said: str) -> str:
    """`passing rate of bills`, of a ratio that counts bills on both sides: of what it is, is said."""
    # `of bills that ..` says more than the noun and has to stay
    noun = re.match(r"\s+of (?:the |all )?(\w+)\b(?!\s+(?:that|which|who|with|whose)\b)", rest)
    sides = re.match(r"ratio of (.+) to (.+)$", said)
    if noun is None or sides is None or not all(side.split()[-1] == noun[1] for side in sides.groups()):
        return rest
    return rest[noun.end() :]


def _returned_too(rest: str, term: str, said: str) -> str:
    """`... Return the clinic and CTR.`: the ratio that was asked for, again."""
    if not said.startswith("ratio of "):
        return rest
    again = rf"([.?!]\s+(?:return|show|give|list|report)\b[^.?!]*?\b)(?:the )?{re.escape(term)}\b"
    return re.sub(again, r"\1the ratio", rest, flags=re.IGNORECASE)


def _says_columns(meaning: str, context: Context) -> bool:
    """Whether a definition names a column as it is spelled in the schema."""
    said = set(re.findall(r"\w+_\w+", meaning.lower()))
    return bool(said & _names_of_columns(context))


def _names_of_columns(context: Context) -> set[str]:
    """As they are, and as those of more than words are written here."""
    return {
        n for t in context.tables for c in t.columns for n in (c.name.lower(), plain_name(c.name).lower())
    }


def _as_columns(meaning: str, context: Context) -> str | None:
    """`full name refers to first_name, last_name`."""
    known = _names_of_columns(context)
    parts = [p.strip(' `"') for p in re.split(r",\s*(?:and\s+)?|\s+and\s+", meaning)]
    # all parts must be columns: `name and address` may be one column and a remark
    return " and ".join(parts) if all(p.lower() in known for p in parts) else None


# -- conditions


def _as_condition(
    written: Written, found: re.Match[str], meaning: str, context: Context
) -> tuple[str, bool] | None:
    tests = conditions_of(meaning, context)
    if not tests:
        return None
    # the noun stays outside of the mark, or no table would be named any more
    noun = _noun_at_the_end(found[0], context)
    # `still in service`, said in two words, is one condition
    return f"{_mark(written, tests, found[0])}{' ' + noun if noun else ''}", False


def _mark(written: Written, tests: Sequence[dict[ColumnContext, Condition]], text: str) -> str:
    """The word that stands for conditions until it is linked."""
    written.tests.append(tuple(tests))
    written.texts.append(text)
    return f"'{_PLACE}{len(written.tests) - 1}'"


def _noun_at_the_end(text: str, context: Context) -> str:
    """`opened shop`, of shops: rows of that table are meant."""
    words = text.split()
    last = words[-1].lower()
    tables = {w for t in context.tables for w in (t.words[-1], t.ref.name.lower())}
    return (
        words[-1]
        if len(words) > 1 and {last, last.removesuffix("s"), last.removesuffix("es"), f"{last}s"} & tables
        else ""
    )


def stands_for(links: Sequence[Link], written: Written) -> list[Link]:
    """The links, with the marks of conditions made what they stand for."""
    made = list[Link]()
    for link in links:
        # a mark counts only where it still stands alone: the linker may have joined it to words beside it
        found = _MARK.match(link.text) if link.mark == "quoted" else None
        number = int(found[1]) if found is not None else len(written.tests)
        if number < len(written.tests):
            link.text, link.mark, link.values = written.texts[number], "defined", ()
            link.tests, link.columns = written.tests[number], tuple(written.tests[number][0])
        made.append(link)
    return made


# -- formulas


def _as_formula(written: Written, meaning: str, context: Context) -> tuple[str, bool] | None:
    """A formula in words, and whether it is in percent; None for what is none."""
    text, percent = _bare(_without_casts(meaning)), False
    if (told := _OF_WHERE.match(text)) is not None and conditions_of(told["test"], context):
        function = "count" if told["function"].lower() == "number" else told["function"]
        text = f"{function}({told['of']} where {told['test']})"
    # percent signs and brackets come off in turns: `((a / b) * 100)%`
    while (shorter := _bare(_PERCENT.sub("", text))) != text:
        text, percent = shorter, True
    call = re.match(r"^(divide|subtract|multiply)\s*\((.*)\)$", text, re.IGNORECASE)
    if call is not None:
        parts = list(_split(call[2], ","))
        name = call[1].lower()
        # times 100 is the percent again, not a product of two columns
        if name == "multiply" and len(parts) == 2 and re.fullmatch(r"100(?:\.0*)?", parts[1]):
            inner = _as_formula(written, parts[0], context)
            return None if inner is None else (inner[0], True)
        words = {"divide": ("ratio of", "to"), "subtract": ("difference between", "and")}.get(name)
    else:
        parts, words = _operands(text)
    # a product of two columns of one row: `hours * rate`
    if (product := _PRODUCT.fullmatch(text)) is not None:
        return " times ".join(part.split(".")[-1].strip("`") for part in product.groups()), percent
    if words is None:
        said = _operand(written, text, context) if _CALL.match(text) and not _EXTREME.match(text) else None
        return None if said is None else (said, percent)
    if words[0] == "difference between" and len(parts) == 2 and all(_is_date(p, context) for p in parts):
        parts, words = parts[::-1], ("number of days between", "and")
    before = len(written.tests)
    operands = [_operand(written, part, context) for part in parts]
    if len(operands) != 2 or None in operands:
        return None
    rows = _rows_tested(written.tests[before:], context)
    # `COUNT(*)` has no noun; the condition beside it tells of which rows
    first, second = (re.sub(r"^number of rows\b", f"number of {rows}", said or "") for said in operands)
    return f"{words[0]} {first} {words[1]} {second}", percent


def _is_date(text: str, context: Context) -> bool:
    """Whether the text names a column of dates."""
    name = text.rsplit(".", maxsplit=1)[-1].strip('`" ').lower()
    kinds = {c.kind for t in context.tables for c in t.columns if c.name.lower() == name}
    return kinds == {"date"}


def _rows_tested(tests: Sequence[tuple[dict[ColumnContext, Condition], ...]], context: Context) -> str:
    """What `COUNT(*)` counts beside a condition: rows of the one table that it can be of."""
    tables = {c.table for one in tests for by_column in one for c in by_column}
    return " ".join(context.table(tables.pop()).words) if len(tables) == 1 else "rows"


def _operands(text: str) -> tuple[list[str], tuple[str, str] | None]:
    # division before subtraction: `(a - b) / c` splits at the slash, outside of the brackets
    for pattern, words in (
        (r"/|\bdivided by\b", ("ratio of", "to")),
        (r"\s[-\u2212]\s|\bminus\b", ("difference between", "and")),
    ):
        parts = list(_split(text, pattern))
        # more than two parts are returned too and refused later: a - b - c is no one difference
        if len(parts) > 1:
            return parts, words
    return [text], None


def _operand(written: Written, text: str, context: Context) -> str | None:
    """One side of a formula in words; None for what has parts of its own."""
    text = _bare(text)
    if _ELSE_ZERO.match(text) is not None:
        written.unread += 1
        return None
    call = _CALL.match(text)
    if call is None:
        plain = re.fullmatch(r"[\w .,'\"`-]+", text) is not None
        text = _NUMBER_OF_ALL.sub(r"\1", text)
        return _WHOLE.sub("", text.strip('`"')) if plain and len(text.split()) <= _LONGEST else None
    function, of = call[1].lower(), _bare(call["of"])
    if (case := _CASE.match(of) or _IIF.match(of)) is not None:
        function, of = _of_cases(function, case)
    elif function in {"count", "sum"} and conditions_of(of, context):
        function, of = "count", f"* where {of}"  # `COUNT(status = 'A')`
    of, where = _with_condition(of)
    tests = conditions_of(where, context) if where else []
    # a condition that is not understood must not be dropped: the measure would be of all rows
    if where and not tests:
        return None
    distinct = re.match(r"^distinct\b\s*\(?(.*?)\)?$", of, re.IGNORECASE)
    of = distinct[1] if distinct else of
    product = _PRODUCT.fullmatch(of)
    if product is not None and function in {"sum", "avg", "average", "total"} and not distinct:
        of = " times ".join(part.split(".")[-1].strip("`") for part in product.groups())
    # arithmetic inside the call is beyond the grammar's words
    if re.search(r"[()*/+=<>]", of) and of != "*":
        return None
    said = f"{_SAID[function]} {'distinct ' if distinct else ''}{'rows' if of == '*' else of.strip('`')}"
    return f"{said} {_mark(written, tests, where)}" if tests else said


def _of_cases(function: str, case: re.Match[str]) -> tuple[str, str]:
    """`COUNT(CASE WHEN c THEN 1 END)`, `SUM(CASE WHEN c THEN a ELSE 0 END)`: what is measured where c."""
    # CASE with 1 counts the rows that meet it, whether it is written as COUNT or SUM
    if case["then"] == "1":
        return "count" if function in {"count", "sum", "total"} else function, f"* where {case['when']}"
    return function, f"{case['then']} where {case['when']}"


def _with_condition(text: str) -> tuple[str, str]:
    """`gsr_pts where year = 2` as what is measured and its condition."""
    found = re.search(r"\s+where\s+", text, re.IGNORECASE)
    return (text[: found.start()].strip(), text[found.end() :].strip()) if found else (text.strip(), "")


def _bare(text: str) -> str:
    """Without the brackets that hold all of it."""
    text = text.strip().rstrip(".").strip()
    while text.startswith("(") and text.endswith(")") and len(list(_split(text[1:-1], r"\Z(?!\Z)"))) == 1:
        # `(a) / (b)` begins and ends with brackets that are not a pair
        if not _balanced(text[1:-1]):
            return text
        text = text[1:-1].strip()
    return text


def _without_casts(text: str) -> str:
    """What is cast to a number alone: ratios are of broken numbers anyway."""
    while (found := _CAST.search(text)) is not None:
        depth, end = 1, found.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        inner = _AS_NUMBER.sub("", text[found.end() : end - 1])
        if depth or len(inner) == end - 1 - found.end():
            break  # cut short, or to something else
        text = text[: found.start()] + inner + text[end:]
    return text


def _balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0


def _split(text: str, pattern: str) -> Iterator[str]:
    """The parts between a separator that stands in no brackets."""
    start = 0
    for match in re.finditer(pattern, text, re.IGNORECASE):
        # an empty match would never move on
        if _balanced(text[start : match.start()]) and match.end() > match.start():
            yield text[start : match.start()].strip()
            start = match.end()
    yield text[start:].strip()
