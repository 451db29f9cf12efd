"""Advice on what a question and its evidence ask for: evidence, texts, output, tables, columns.

Owns these tips. Their subjects are those of appendix C of APEX-SQL; the words and the patterns are ours.
"""

from __future__ import annotations

from rewright.ask.guidance.tip import Tip

_QUOTED = r"(\"[^\"]+\"|'[^']+'|“[^”]+”|\$\d)"
EXTREMES = (
    "highest|lowest|top|bottom|max|maximum|min|minimum|best|worst|most|least|fewest|largest|smallest|biggest"
    "|longest|shortest|latest|earliest|newest|oldest|cheapest|youngest"
)
EXTREME = rf"\b({EXTREMES})\b"

TIPS = (
    Tip(
        "evidence-column",
        "evidence",
        "Where the evidence names a column, use that column and not one like it.",
        evidence=r"\w+\s*=|\bcolumn\b",
        weight=3,
    ),
    Tip(
        "evidence-formula",
        "evidence",
        "Compute exactly the formula of the evidence, operand by operand.",
        evidence=r"[-+*/]|\bdivided by\b|\bsum of\b|\baverage of\b",
        weight=3,
    ),
    Tip(
        "evidence-value",
        "evidence",
        "Where the evidence says which code stands for a word, compare with the code.",
        evidence=r"stands for|\bmeans?\b|represents?|\bis coded\b",
        weight=3,
    ),
    Tip(
        "evidence-term",
        "evidence",
        ("Where the evidence says what a term refers to, take it in that meaning and no other."),
        evidence=r"refers? to|defined as|denotes?",
        weight=3,
    ),
    Tip(
        "evidence-no-shortcut",
        "evidence",
        (
            "Don't simplify a formula of the evidence, nor swap in a function that looks the same: "
            "avg(x) leaves out NULLs, sum(x) / count(*) does not."
        ),
        evidence=r"\b(sum|count|avg|average)\b.*[/*]|[/*].*\b(sum|count|avg|average)\b",
        weight=2,
    ),
    Tip(
        "evidence-condition",
        "evidence",
        ("Turn each condition of the evidence into a condition of the query, with its own bounds."),
        evidence=r"[<>]|\bbetween\b|\bwhere\b|\bif\b|\bat least\b|\bgreater\b|\bless\b",
        weight=2,
    ),
    Tip(
        "exact-match",
        "texts",
        ("A value that the question gives in full is compared with =, spelled as the data spells it."),
        question=_QUOTED,
        weight=2,
    ),
    Tip(
        "like-only-partial",
        "texts",
        (
            "Use LIKE or ILIKE only where the question asks for a part of a text; % and _ in the "
            "pattern are wildcards."
        ),
        question=(r"\b(contain\w*|includ\w*|start\w* with|begin\w* with|end\w* with|like|substring)\b"),
        weight=2,
    ),
    Tip(
        "found-value",
        "texts",
        (
            "Once an exploration shows how the data spells a value, compare with = and that "
            "spelling; text comparison minds case, so lower(x) = lower('…') where spellings vary."
        ),
        question=_QUOTED,
        plan=r"\b(spell\w*|case|explor\w*|distinct values)\b",
    ),
    Tip(
        "match-kind",
        "texts",
        (
            "Names may be stored in full or in part: decide between =, a prefix ('X%'), a suffix "
            "('%X') and a part ('%X%') by what the question means."
        ),
        question=r"\b(named|called|titled|whose (name|title)|description)\b",
    ),
    Tip(
        "no-sort-columns",
        "output",
        ("A column that only orders the rows is not returned, unless the question asks for it."),
        question=EXTREME + r"|\b(order|sort|rank)(ed)? by\b",
        weight=2,
    ),
    Tip(
        "column-order",
        "output",
        "Return the columns in the order in which the question names them.",
        question=(
            r"\b(what|list|show|give|return|find|name)\b.*\b\w+ (and|,) (their|its|the|his|her)?\s*\w+"
        ),
        weight=1,
    ),
    Tip(
        "no-filter-columns",
        "output",
        "A column that only filters is not returned.",
        question=(
            r"^(what|list|name|show|give|find|which)\b.*\b(where|with|whose|that have|who have|in"
            r"|from)\b"
        ),
    ),
    Tip(
        "count-alone",
        "output",
        '"How many" is answered by one number: return the count and nothing else.',
        question=(r"^\s*(how many|what is the (total )?number of|count)\b(?!.*\b(each|per|by|every)\b)"),
        weight=2,
    ),
    Tip(
        "only-requested",
        "output",
        (
            'Return what is asked for and no more columns: a name for "which" or "who", with its key '
            "only if it is asked for."
        ),
        question=r"^\s*(which|who|whose|what)\b",
        weight=1,
    ),
    Tip(
        "one-table",
        "tables",
        "If one table holds all that is needed, don't join.",
        plan=r"\bjoin|relat\w+ |link\w* ",
    ),
    Tip(
        "join-when-needed",
        "tables",
        (
            "Join a table only for a column that is returned, filtered, grouped or computed with, or "
            "to get from one such table to another."
        ),
        plan=r"\bjoin",
        question=r"\b\w+ and (their|its|his|her) \w+",
    ),
    Tip(
        "simplest",
        "tables",
        (
            "Prefer the simplest query that says the whole question: no conditions, joins or "
            "subqueries beyond it."
        ),
        plan=r"\bnested\b|\bsubquer|(join.*){4}",
    ),
    Tip(
        "parenthesised-name",
        "columns",
        ("Words in parentheses in a column's name belong to the name; they are no condition."),
        schema=r"\"[^\"]*\([^\"]*\"",
    ),
    Tip(
        "parenthesised-question",
        "columns",
        (
            "Words in parentheses in the question explain it; make a condition of them only where "
            "they restrict what is asked."
        ),
        question=r"\(.+\)",
        evidence=r"\(.+\)",
    ),
    Tip(
        "name-first",
        "columns",
        (
            "For a thing the plan names, look first for a column of that name, in any case, singular "
            "or plural, with or without the table's name."
        ),
        plan=r"\b(find|identify|locate|look up|determine)\b",
    ),
    Tip(
        "meaning-next",
        "columns",
        (
            "Where no name fits, look for a column of that meaning: its comment and its values tell "
            "more than its name."
        ),
        plan=r"\b(unclear|meaning|ambiguous|corresponds?|no such|not obvious)\b",
    ),
    Tip(
        "columns-exist",
        "columns",
        ("Use only columns that the schema shows; a column that would be convenient may not exist."),
        plan=r"\b(assum\w+|presum\w+|should exist|may exist)\b",
        question=r"\b(status|type|category|kind)\b",
    ),
)
