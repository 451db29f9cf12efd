"""The words of questions that are not the data's: forms, comparisons, superlatives, verbs that only relate,
words that say nothing.

Owns the vocabulary of English questions. Must not know a schema.
"""

from __future__ import annotations

from rewright.ask.reading.adjectives import ADJECTIVES


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _of(mark: str, phrases: str) -> dict[str, str]:
    return dict.fromkeys((phrase.strip() for phrase in phrases.split(",")), mark)


GRAMMAR: dict[str, str] = {
    **_of(
        "count",
        "how many, number of, the number of, the number, the count, their number, count of, "
        "total number of, total count of, overall number of, "
        "count, counts, no. of, how often, "
        "number of times, frequency of, quantity of, total counts of, respective counts, number of distinct "
        "times",
    ),
    **_of("avg", "average, mean, avg, the average number of, average of, mean of, on average"),
    **_of(
        "sum",
        "total, sum of, sum, combined, total amount of, overall total, sum total of, in total, how much, "
        "the total of",
    ),
    **_of("max", "maximum, max, maximal"),
    **_of("min", "minimum, min, minimal"),
    **_of("median", "median"),
    **_of(
        "top",
        "highest, greatest, most, maximum number of, highest number of, largest number of, greatest number "
        "of, most number of, most common, most popular, "
        "most frequent, most frequently, most often, more than any other",
    ),
    **_of(
        "bottom",
        "lowest, least, fewest, lowest number of, smallest number of, least number of, fewest number of, "
        "least common, least popular, least frequent",
    ),
    **_of("first", "top, first"),
    **_of("last", "bottom"),
    **_of(
        "each",
        "for each, for every, per, each, every, by each, grouped by, group by, group the results by, by, "
        "broken down by, split by, separately for, for all, in each, of each, for each of, "
        "in terms of, based on, according to, across different, across, for different, by different, varied "
        "by",
    ),
    **_of(
        ">",
        "more than, greater than, higher than, larger than, bigger than, above, over, exceeding, exceeds, "
        "exceed, in excess of, >, is above, were above, better than",
    ),
    **_of("<", "less than, fewer than, lower than, smaller than, below, under, <, worse than"),
    **_of(
        ">=",
        "at least, no less than, no fewer than, a minimum of, or more than, >=, greater than or equal to, "
        "minimum of, not less than",
    ),
    **_of(
        "<=",
        "at most, no more than, up to, a maximum of, <=, less than or equal to, maximum of, not more than",
    ),
    **_of("=", "exactly, equal to, equals, =, is equal to"),
    **_of("!=", "!=, <>, not equal to"),
    **_of(
        "or more",
        "or more, or higher, or above, or greater, or over, and above, or longer, and over, or later",
    ),
    **_of("or less", "or less, or fewer, or lower, or below, or under, and below"),
    **_of("after", "after, since, later than"),
    **_of("before", "before, earlier than, prior to"),
    **_of("between", "between, ranging from, in the range of, from between"),
    **_of(
        "order",
        "ordered by, sorted by, order by, sort by, order the results by, sort the results by, arranged by, "
        "ranked by, in order of, ordered from, order results by, "
        "sort them by, order them by, in the order of, rank them by, sorted from, sorted in order of, order "
        "it by, starting from, starting with the, ordered, sorted, sort, rank, ranked",
    ),
    **_of(
        "desc",
        "in descending order, descending, from highest to lowest, from most to least, from longest to "
        "shortest, from largest to smallest, from the highest to the lowest, highest first, "
        "largest to smallest, longest to shortest, most to least, newest to oldest, best to worst, "
        "biggest to smallest, most expensive to cheapest, "
        "from high to low, high to low, from large to small, from big to small, from new to old, "
        "largest first, most first, best first, biggest first, in decreasing order, highest to lowest, "
        "from newest to oldest, newest "
        "first, most recent first, in descending order of, by descending, from the top, "
        "from best to worst, in reverse alphabetical order, desc, latest first, longest first, "
        "youngest first",
    ),
    **_of(
        "asc",
        "in ascending order, ascending, from lowest to highest, from least to most, from shortest to "
        "longest, from the lowest to the highest, from smallest to largest, alphabetically, "
        "smallest to largest, shortest to longest, least to most, oldest to newest, worst to best, "
        "cheapest to most expensive, smallest to biggest, "
        "from low to high, low to high, from small to large, from old to new, from a to z, "
        "in alphabetical order, lowest first, smallest first, in increasing order, lowest to highest, from "
        "oldest to newest, oldest first, earliest first, in ascending order of, by ascending, "
        "chronologically, in chronological order, asc, shortest first, cheapest first",
    ),
    **_of(
        "without",
        "do not have any, does not have any, don't have any, doesn't have any, have no, has no, had no, "
        "have not, have never, has never, without, without any, never, with no, do not have, "
        "does not have, don't have, doesn't have, not made any, have not made any, not in any, have not "
        "issued any, not been used in any, have not been used in any, have not had any, "
        "has not had any, were never, was never, are not in any, is not in any, did not, have not been, has "
        "not been, haven't, hasn't, lack, lacks, lacking, did not have, didn't have, do not, "
        "does not, are not, is not, were not, was not, don't, doesn't, didn't, missing, not been, not made, "
        "not have, aren't, isn't, no",
    ),
    **_of(
        "distinct",
        "distinct, unique, different, the different, distinct list of, distinct list, without duplicates",
    ),
    **_of(
        "average of all",
        "above average, above the average, higher than average, higher than the average, more than the "
        "average, greater than average, greater than the average, more than average, over the average, "
        "exceeds the average, exceeding the average, above-average, longer than the average, longer than "
        "average, larger than the average, larger than average, bigger than average, "
        "greater than or equal to the average, exceed the average, better than average, heavier than "
        "average, heavier than the average, taller than average, older than average, older than the average",
    ),
    **_of(
        "below average",
        "below average, below the average, lower than average, lower than the average, less than the "
        "average, less than average, under the average, below-average, fewer than average, "
        "fewer than the average, smaller than average, smaller than the average, shorter than average, "
        "shorter than the average, cheaper than average, cheaper than the average, younger than average",
    ),
    **_of("or", "or, and/or"),
    **_of("ratio", "ratio, ratio of, the ratio of, ratio between"),
    **_of(
        "percent", "percentage of, percentage, percent of, what percent of, what percentage of, per cent of"
    ),
    **_of(
        "share",
        "proportion of, share of, fraction of, part of, portion of, what part of, proportion, share, "
        "fraction",
    ),
    **_of(
        "running",
        "running total of, running total, running sum of, running sum, running count of, cumulative, "
        "cumulative total of, cumulative sum of, running, cumulatively, cumulative total, accumulated",
    ),
    **_of(
        "change",
        "change in, change of, change, growth in, growth of, growth, increase in, increase, the change, "
        "percent change in, percentage change in, percent change, percentage change, percentage growth in, "
        "percentage growth, percent growth, growth rate of, growth rate, percentage increase in",
    ),
    **_of(
        "over",
        "year-over-year, month-over-month, quarter-over-quarter, week-over-week, day-over-day",
    ),
    **_of("difference", "difference between, difference in, difference"),
    **_of(
        "not",
        "not, non, except, excluding, other than, neither, nor, either, except for, apart from, besides, "
        "not including, rather than, exclude, ignore, ignoring, leaving out, leave out, not counting, "
        "disregard",
    ),
    **_of(
        "starts",
        "starts with, start with, starting with, begins with, begin with, beginning with, started with, "
        "starting with the letter, starts with the letter, begins with the letter, "
        "beginning with the letter, starting with letter, begin with the letter, start with the letter",
    ),
    **_of(
        "ends",
        "ends with, end with, ending with, ending in, ends in, ending with the letter, ends with the "
        "letter, ending in the letter, end in",
    ),
    **_of(
        "contains",
        "contains, contain, containing, that includes the word, including the word, containing the word, "
        "contains the word, contain the word, including the substring, contains the substring, "
        "with the word, includes the word, include the word, has the word, have the word, having the word, "
        "containing the letter, contains the letter, containing the string, containing the text",
    ),
    **_of(
        "named",
        "named, called, titled, entitled, with the name, whose name is, with name, whose title is, with the "
        "title, known as, by the name of, by the name, name is",
    ),
    **_of("summed", "added up"),
    **_of("out of", "out of, out of all"),
    **_of(
        "relation",
        "ended up as, ended up being, turned out to be, "
        "turned out, amount of time, list of, lists of, number of records in, kind of, type of relevant",
    ),
    **_of("than", "than"),
    **_of("compare", "compare, compared to, compared with, versus, vs"),
    **_of("more", "more, higher, greater, larger, bigger"),
    **_of("fewer", "fewer, less, lower, smaller"),
    **_of("there", "there"),
    **_of("how long", "how long"),
    **_of("duration", "duration, durations"),
    **_of("gap", "consecutive, two consecutive, successive, two successive, each consecutive"),
    **_of("within", "of the same, by the same, for the same, from the same, at the same, in the same"),
    **_of(
        "unread",
        "no longer, any longer, as of, first time, second, third, fourth, same, respectively than, trend, "
        "rank of, "
        "previous, next, correlation, "
        "twice, double, half, standard deviation, variance, if, predict, "
        "forecast, only, exclusively, other, another, others, always, all of, "
        "in common, every time, most of, all day, all night, all week, all month, all year, every second, "
        "every third, every other, every few",
    ),
}
"""Phrases with a meaning of their own, and the mark that stands for it; `unread` ones make a refusal."""

GRAMMAR = {
    f"{comparative} than {average}": "average of all"
    for comparative, adjective in ADJECTIVES.items()
    if adjective.sort == "comparative"
    for average in ("average", "the average")
} | GRAMMAR

GRAMMAR |= {
    f"{verb} {phrase}": mark
    for verb in ("is", "are", "was", "were")
    for phrase, mark in tuple(GRAMMAR.items())
    if mark in {"average of all", "below average"}
}

TIME_UNITS = {
    **{unit: unit for unit in ("year", "month", "quarter", "week", "day")},
    **{f"{unit}s": unit for unit in ("year", "month", "quarter", "week", "day")},
    "decade": "decade",
    "decades": "decade",
    "date": "day",
    "weekday": "weekday",
    "weekdays": "weekday",
}
"""Words for parts of a date by which rows are grouped."""

PERIODIC = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
    "annual": "year",
}
"""Adjectives that group by a part of a date."""

RETURNING = _set(
    "return give show include provide list display report output find get tell name select present"
)
"""Verbs that open a sentence that lists what is wanted."""

OTHER_QUESTIONS = _set("is are was were do does did has have had can could where when why should will would")
"""First words of questions for a yes or no, a place or a reason: the rows that the rest would list do not
answer them.
"""

FILLERS = _set(
    "'s we our a about both should relevant how across all along also among amongst an and answer any are "
    "as at based be been "
    "calculate can compute consider considering corresponding could data database detail details "
    "determine did display do does each's entire find for from get give given had has have he her here "
    "him his i i'd i'm in include including information into is it its just know let's list me "
    " of on one ones overall please provide record records respective "
    "respectively result results return s see she show so starting such table tables tell terms "
    "that the their them then there these they this those to too us use using varies various vary want "
    "altogether already yet ever "
    "was well were what what's whats when where which who who's whom whose will with would you"
)

RELATING = _set(
    "ask asks asked "
    "about appear appeared appearing appears assigned associated attached attend attended available "
    "being belong belonging belongs borrow borrowed borrows bought bring bringing brings "
    "brought buy buying buys came come comes concerning "
    "conducted connected contain contained containing contains cover covering covers create created "
    "done handle handles earn earned earns employ employed employs enroll enrolled exist exists feature "
    "featured "
    "features featuring flow flows found get gets given go goes got gotten handled happen happened "
    "having held hold host hosted hosting include includes involve involved involving issued keep kept "
    "led linked listed live lives living located made make makes making member members occur occurred "
    "offer offered offering offers   own owned owns paired participate participated "
    "participates perform performed placed placing play played plays posted presented produce produced "
    "produces publish published ran receive received receives receiving recorded regarding registered "
    "related rented reported run runs score scored sell sells send sends sent serve served serves "
    "serving situated sold start started stored supplied supplies supply supplying take taken taught "
    "housed houses housing "
    "grow grows grown growing holds support supports supported gave gives giving provides provided providing "
    "saw sees organise organised organize organized organises organizes arrange arranged commanded "
    "spend spends spending spent operate operates operated operating shown showed carried carry carries "
    "ride rides rode ridden drive drives drove driven travelled traveled "
    "present presents presenting broadcast broadcasts broadcasting air aired airs manage manages managed "
    "managing "
    "direct directs directed directing star stars starred starring sing sings sang sung lead leads leading "
    "visit visits visiting design designs designed develop develops developed manufacture manufactures "
    "manufactured measure measures measured measuring monitor monitors monitored collect collects collected "
    "collecting study studies studied studying allow allows allowed allowing apply applies applied applying "
    "submit submits submitted submitting "
    "fly flies flying flew flown compose composes composed join joins "
    "teach teaches teaching through tied took treated used visited went win wins won work worked "
    "working works write writes written wrote"
)
"""Verbs that say no more than that rows belong together; a verb outside them must be found in the data."""

OUTCOMES = _set(
    "failed passed cancelled canceled rejected refused declined denied approved accepted missed lost "
    "skipped delayed "
    "declared overturned completed finished abandoned withdrawn broken stolen deleted closed expired "
    "suspended"
)
"""Verbs that say how a thing ended, which some column must hold: never left out."""

INNER = _set("of the a an")
"""What may stand within a phrase."""
