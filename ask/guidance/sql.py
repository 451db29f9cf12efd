"""Advice on SQL: joins, conditions, aggregates, order, several steps, syntax. Lakes are asked in
PostgreSQL's SQL, too.

Owns these tips. Their subjects are those of appendix C of APEX-SQL and of PostgreSQL's manual; the words
and the patterns are ours.
"""

from __future__ import annotations

from rewright.ask.guidance.tip import Tip
from rewright.ask.guidance.wording import EXTREME

_AGGREGATE = r"\b(total|sum|average|avg|mean|count|how many|number of|maximum|minimum)\b"
_COMPARISON = (
    r"\b(more than|less than|fewer than|greater than|at least|at most|over|under|above|below|exceed\w*"
    r"|between)\b"
)
_RATIO = r"\b(ratio|percent\w*|proportion|share of|rate of|fraction|per cent|%)"
_JOIN = r"\b(join|link\w*|relat\w+|connect\w*|match\w*)\b"

TIPS = (
    Tip(
        "join-keys",
        "joins",
        (
            "Join on the keys listed under Joins; columns that merely share a name (id, name, code) "
            "are not keys of each other."
        ),
        plan=_JOIN,
        weight=2,
    ),
    Tip(
        "join-values",
        "joins",
        ("Before joining on a pair that is not declared, check that values match, and how many are NULL."),
        schema=r"found in the data",
    ),
    Tip(
        "join-kind",
        "joins",
        (
            "Rows without a partner: JOIN drops them, LEFT JOIN keeps them (with count(t.key), which "
            "gives 0, not count(*), which gives 1)."
        ),
        question=(r"\b(all|every|each|even (if|those)|including those|without|no|never|not|zero)\b"),
        plan=r"\b(left|outer|unmatched|without)\b",
    ),
    Tip(
        "qualify",
        "joins",
        "With more than one table write every column as alias.column.",
        plan=_JOIN,
    ),
    Tip(
        "join-fan-out",
        "joins",
        (
            "A join to several rows multiplies the others: don't sum or count over two such joins at "
            "once; aggregate each side first."
        ),
        question=_AGGREGATE + r".*\band\b.*" + _AGGREGATE,
        plan=(r"\b(sum|count|total|average)\b.*" + _JOIN + r"|" + _JOIN + r".*\b(sum|count|total|average)\b"),
    ),
    Tip(
        "value-given",
        "conditions",
        ("A value the question names is a condition, with = and the column whose values look like it."),
        question=(
            r"\b(with|where|whose|named|called|in|of|from|for)\s+(\"[^\"]+\"|'[^']+'|\$\d|[A-Z][a-z]+)"
        ),
        weight=1,
    ),
    Tip(
        "comparison",
        "conditions",
        (
            '"More than", "over" and "after" exclude the bound, "at least", "from" and "up to" '
            "include it; BETWEEN includes both."
        ),
        question=_COMPARISON,
        weight=2,
    ),
    Tip(
        "any-of",
        "conditions",
        (
            "Either of several values is IN (…) or = ANY (…); both of them is two EXISTS, or GROUP "
            "BY with HAVING count(DISTINCT …) = 2."
        ),
        question=r"\b(either|any of|one of|both)\b|\b\w+ or \w+\b",
        weight=2,
    ),
    Tip(
        "anti-join",
        "conditions",
        ('"Without", "never", "no": NOT EXISTS. NOT IN gives no rows when the subquery has a NULL.'),
        question=r"\b(without|never|no|not|except|excluding|other than|neither)\b",
        weight=2,
    ),
    Tip(
        "aggregate-function",
        "aggregates",
        (
            "How many: count. In all: sum. On average: avg. Of rows count(*), of things that a join "
            "repeats count(DISTINCT key)."
        ),
        question=_AGGREGATE,
    ),
    Tip(
        "safe-division",
        "aggregates",
        ("Divide by nullif(x, 0), and one side cast to numeric: a quotient of integers is cut."),
        question=_RATIO + r"|\bdivid\w+|\baverage number\b",
        evidence=r"/|\bdivid\w+",
        weight=3,
    ),
    Tip(
        "group-by",
        "aggregates",
        (
            '"Per", "for each", "by": GROUP BY the thing\'s key (and its name, to show it): two '
            "things may share a name."
        ),
        question=r"\b(each|per|every|by (each )?\w+|for all)\b|\bin each\b",
        weight=2,
    ),
    Tip(
        "having",
        "aggregates",
        "A condition on a count, sum or average is HAVING; one on single rows is WHERE.",
        question=_AGGREGATE + r".*" + _COMPARISON + r"|" + _COMPARISON + r"\s+\w+\s+\w+s\b",
        weight=1,
    ),
    Tip(
        "no-rounding",
        "aggregates",
        "Round only if the question says to how many places.",
        question=_RATIO + r"|\b(calculate|average|avg)\b",
    ),
    Tip(
        "count-all",
        "aggregates",
        ("In a ratio or a share count every row, unless the question says distinct or unique."),
        question=_RATIO,
    ),
    Tip(
        "percentage",
        "aggregates",
        (
            "A percentage is 100.0 * part / nullif(whole, 0): begin with 100.0, or integers cut it "
            "to 0 or 100."
        ),
        question=r"\b(percent\w*|per cent)\b|%",
        weight=3,
    ),
    Tip(
        "distinct-list",
        "aggregates",
        (
            "List things once: DISTINCT where a join may repeat them; not where rows are counted, "
            "unless different ones are meant."
        ),
        question=r"^\s*(which|what are|list|name|show|give)\b|\b(distinct|different|unique)\b",
    ),
    Tip(
        "order-direction",
        "order",
        "Highest, latest, most: ORDER BY … DESC; lowest, earliest, fewest: ASC.",
        question=EXTREME + r"|\b(order|sort|rank)\w*\b",
    ),
    Tip(
        "limit-ties",
        "order",
        (
            '"The top 3" is ORDER BY with LIMIT 3. For one extreme where several may tie, compare '
            "with (SELECT max(…)) or use FETCH FIRST 1 ROW WITH TIES, so that all are shown."
        ),
        question=EXTREME,
        weight=3,
    ),
    Tip(
        "nulls-last",
        "order",
        ("DESC puts NULLs first: write NULLS LAST, or leave NULLs out, before taking the top."),
        question=EXTREME,
        weight=1,
    ),
    Tip(
        "dependent-steps",
        "steps",
        (
            "A step that needs another's result is a subquery or a WITH; don't copy numbers from an "
            "exploration."
        ),
        plan=r"\b(then|result of|from step|previous step|based on)\b",
        question=r"\b(than the average|above average|below average|than average)\b",
        weight=2,
    ),
    Tip(
        "cte",
        "steps",
        ("With three steps and more write one WITH part for each, in the order of the plan."),
        plan=r"(?:(?:^|\n)- [^\n]*){4}|\bWITH\b|\bcte\b",
    ),
    Tip(
        "quote-names",
        "syntax",
        (
            "Names with capitals, blanks, signs or reserved words stand in double quotes, as the "
            "schema shows them; strings in single quotes."
        ),
        schema=r"\"[^\"]+\"",
        weight=2,
    ),
    Tip(
        "alias",
        "syntax",
        "Name computed columns with AS and a plain lower-case name.",
        question=_RATIO + r"|" + _AGGREGATE,
    ),
    Tip(
        "alias-scope",
        "syntax",
        (
            "WHERE and HAVING don't know the names given in SELECT: repeat the expression, or filter "
            "in an outer query; GROUP BY and ORDER BY know them."
        ),
        question=_RATIO + r".*" + _COMPARISON,
        plan=(
            r"\b(computed|calculated|derived)\b.*\b(filter|where|condition)\b|\b(filter|where"
            r"|condition)\b.*\b(computed|calculated|derived)\b"
        ),
    ),
)
