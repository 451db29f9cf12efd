"""What phrases mean in one question: the column of several, the label and key of a row, the time of a table.

Owns these choices and what they cost in confidence. Must not know the grammar.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewright.ask.context import ColumnContext, Context, TableContext
from rewright.ask.reading import table_columns
from rewright.ask.reading.adjectives import SAME
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.labels import label_of
from rewright.ask.reading.link import Link
from rewright.ask.reading.rows import key_of, only_named
from rewright.ask.reading.unit_names import Unit, numbers_with_units
from rewright.ask.reading.vocabulary import Vocabulary
from rewright.ask.reading.vocabulary import key_of as key_of_phrase
from rewright.ask.reading.words import listed, stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

_THEIR_OWN = 0.92
_BETTER = 0.9
"""Fit of a name that says more than a part of it."""
# two columns this near to one another are equally meant
_TIE = 0.03
_ELSEWHERE = 0.75
_WORD_FOR = 0.9
_ANOTHER_WORD = 0.8
_OWN = {"duration", "length", "weight", "height", "size", "age"}
"""What a thing has itself: another word for it in a table that nobody spoke of is something else's."""
_DOERS = ("er", "or", "ers", "ors")
# a table's whole name fits at least so well, whatever else it may be
_WHOLE_NAME = 0.75
_QUALIFIES = 0.8
_MEASURED = frozenset(listed("price cost fee level limit rate salary wage"))
_NO_NAMES = frozenset(
    listed(
        "mail email phone telephone url link comment note description address country city password type "
        "status"
    )
)
"""Words of texts that tell rows apart without naming them."""
_PLACES, _ENOUGH_ROWS = frozenset(listed("city town country")), 8
"""Where rows are, which names them if there is one in each place; rows of which that can be said."""


def _same_of(nouns: Sequence[str]) -> set[str]:
    return {other for noun in nouns for other in SAME.get(noun, ())}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A decision of the reader's that may be wrong, and what it is worth (0 to 1)."""

    about: str
    worth: float


class Scope:
    """The tables spoken of, nearest ones first where a phrase could be of several."""

    def __init__(
        self, links: Sequence[Link], context: Context, vocabulary: Vocabulary, question: str
    ) -> None:
        self.links = links
        self.context = context
        self.vocabulary = vocabulary
        # words as they stand in the question: links have lost articles and prepositions
        self.roles = tuple(w.strip(".,;:?!\"'()").lower() for w in question.split())
        self.numbered = numbers_with_units(question)
        """The units behind the question's numbers."""
        self.doubts: list[Doubt] = []
        self.called: dict[TableRef, ColumnContext] = {}
        """What a hint calls the name of a table's rows."""
        self.hinted: frozenset[str] = frozenset()
        """Names of columns that a hint spells."""
        self.continued = False
        """Whether the question follows up one before it, whose words are not all among these."""
        self._taken: set[tuple[str, object]] = set()
        self.mentioned: list[TableContext] = []
        # nearest first, as the passes take the first that has what they need
        for link in links:
            if link.tables and link.mark in {"table", "relation"} and link.tables[0] not in self.mentioned:
                self.mentioned.append(link.tables[0])
        # a participle mentions the table of its deed or doer, but asks nothing of it
        verbs = [link for link in links if link.mark == "relation" or link.word.endswith("ed")]
        spoken = (link for link in links if link.mark == "table" and not link.word.endswith("ed"))
        nouns = {t.ref for link in spoken for t in link.tables[:1]}
        # `collected in each country`, by collectors: of whom nothing else is said
        doers = {t.ref for link in verbs for t in link.tables[:1]} - nouns
        self._done_by = {ref for ref in doers if vocabulary.table_words[ref][-1].endswith(_DOERS)}
        for link in links:
            owners = {c.table for c in link.columns} if link.mark == "column" else set()
            if len(owners) == 1 and (owner := context.table(next(iter(owners)))) not in self.mentioned:
                self.mentioned.append(owner)

    def words(self, what: ColumnContext | TableContext) -> tuple[str, ...]:
        if isinstance(what, TableContext):
            return self.vocabulary.table_words[what.ref]
        return self.vocabulary.words(what)

    def sure(self, fit: float) -> None:
        """A phrase that fits less well makes the reading less likely."""
        # the worth falls with the fit: a synonym costs little, a word that is only near much
        if fit < 0.5:
            self.doubt("a word that is only near a name", 0.5 + fit / 2)
        elif fit < 0.8:
            self.doubt("a word that is only part of a name", 0.65 + 0.4 * fit)
        elif fit < 0.9:
            self.doubt("another word for a name", 0.97)

    def _sure_once(self, link: Link, what: object, fit: float) -> None:
        """The same word taken for the same thing again is the same decision."""
        if (link.word, what) not in self._taken:
            self._taken.add((link.word, what))
            self.sure(fit)

    def doubt(self, about: str, worth: float, *, once: bool = False) -> None:
        """A decision that may be wrong; ``worth`` (0 to 1) is what confidence is multiplied by.

        ``once``: a decision that is the same wherever it is made.
        """
        doubt = Doubt(about, worth)
        # certain decisions leave no trace, or the list of doubts would say nothing
        if worth < 1 and not (once and doubt in self.doubts):
            self.doubts.append(doubt)

    @property
    def confidence(self) -> float:
        return math.prod(d.worth for d in self.doubts)

    # -- one of several

    def table(self, link: Link) -> TableContext:
        best = max(link.fit(t) for t in link.tables)
        # the first that fits is taken only where no other fits as well
        kept = [t for t in link.tables if link.fit(t) >= best - _TIE]
        if len(kept) > 1:
            raise Unclear(f"{link.text} may be one of several tables: {', '.join(t.ref.name for t in kept)}")
        self._sure_once(link, kept[0].ref, best)
        others = [c for c in link.columns if not self._tells_of(c, kept[0])]
        # in part a column's name too: the table is the likelier, not the only meaning
        if best < _WHOLE_NAME and any(link.fit(c) >= best for c in others):
            self.doubt(f"whether {link.text} means {kept[0].ref.name} or a column", _ELSEWHERE)
        return kept[0]

    def _tells_of(self, column: ColumnContext, table: TableContext) -> bool:
        """Whether a column says no more than the rows of a table: its own key or date, or one that refers to
        them.
        """
        if column.table == table.ref:
            return self._tells_a_row(column)
        return any(j.one.table == table.ref and column in j.keys for j in self.context.joins)

    def _tells_a_row(self, column: ColumnContext) -> bool:
        """A key or a date of the rows of a table: no more than the rows themselves."""
        return column.key or column.kind == "date" or self.words(column)[-1] in names.KEY_WORDS

    def column(self, link: Link, kinds: Iterable[str] = ()) -> ColumnContext:
        """The column a phrase means: of the tables spoken of the nearest, else the only one there is. Raises
        Unclear.
        """
        wanted = set(kinds)
        # no column of the kind that is needed: the caller says why the others will not do
        held = [c for c in link.columns if not wanted or c.kind in wanted] or list(link.columns)
        if not held:
            raise Unclear(f"no column is meant by {link.text}")
        ranked = sorted(((self._score(link, c), c) for c in held), key=lambda pair: -pair[0])
        best, column = ranked[0]
        tied = [
            # a key and its reference hold the same, so they do not rival one another
            c
            for score, c in ranked
            if score > best - _TIE and (c == column or not self._same(column, c))
        ]
        # columns that the spoken tables lead to are theirs; those of strangers need to be named
        near = self._of_their_own(tied) if len(tied) > 1 else []
        near = self._of_a_named_row(tied) if len(tied) > 1 and len(near) != 1 else near
        if len(near) == 1:
            column = near[0]
            self.doubt("which of several tables' columns is meant", _THEIR_OWN)
        elif len(tied) > 1:
            where = ", ".join(sorted({f"{c.table.name}.{c.name}" for s, c in ranked if s > best - _TIE}))
            raise Unclear(f"{link.text} may be one of several: {where}")
        self._sure_once(link, (column.table, column.name), link.fit(column))
        # not a tie, but near: the choice is taken and counted against the reading
        if len(ranked) > 1 and ranked[1][0] > best - 0.12:
            self.doubt("which of two columns is meant", self._either(link, column, ranked[1][1]))
        self._doubt_elsewhere(link, column, held)
        return column

    def _doubt_elsewhere(self, link: Link, column: ColumnContext, held: Sequence[ColumnContext]) -> None:
        """Signs that another column than that of those ``held`` is meant."""
        # another column of that name fits better and was left out for its kind only
        if any(link.fit(c) >= _BETTER > link.fit(column) for c in link.columns if c not in held):
            self.doubt(f"whether {link.text} means {column.table.name}.{column.name}", _ELSEWHERE)
        spoken = {t.ref for one in self.links if one.mark == "table" for t in one.tables[:1]}
        other = self.said_table(link) is None and not {column.table} & spoken and len(spoken) > 0
        if other and link.fit(column) < _WORD_FOR and link.word in _OWN:
            self.doubt(f"whether {link.text} means {column.table.name}.{column.name}", _ANOTHER_WORD)
        if self._only_qualifies(link, column):
            self.doubt(f"whether {link.text} means {column.table.name}.{column.name}", _QUALIFIES)
        if self._nearer(link, column):
            self.doubt(f"whether {column.table.name}.{column.name} is meant by {link.text}", _ELSEWHERE)

    def _of_a_named_row(self, tied: Sequence[ColumnContext]) -> list[ColumnContext]:
        """`the price of Chai`, of products and of orders of them: that of the row which is named."""
        held = [c for link in self.links if link.mark == "value" for c, _ in link.values]
        # with a table or several rows named it may be said of another one
        if any(link.mark == "table" for link in self.links) or len({c.table for c in held}) != 1:
            return []
        names_it = held[0] in self.label(self.context.table(held[0].table))
        return [c for c in tied if c.table == held[0].table] if names_it else []

    def _either(self, link: Link, column: ColumnContext, other: ColumnContext) -> float:
        """`which device is used the most`, of sessions with a device_type or of settings with others."""
        spoken = any(one.mark in {"table", "value", "quoted"} for one in self.links)
        partly = link.fit(column) < _BETTER and self.said_table(link) is None
        # with nothing spoken of beside it the word alone has to tell the table
        return _ELSEWHERE if partly and not spoken and column.table != other.table else 0.96

    def _only_qualifies(self, link: Link, column: ColumnContext) -> bool:
        """`the most units`, of a unit_price: a word before the noun that says what is measured."""
        said = {stem(w) for w in link.word.split()}
        nouns = [w for w in self.words(column) if w in _MEASURED]
        meant = set(map(stem, (*nouns, *_same_of(nouns))))
        # the noun itself is said, by its word or by another for it
        return column.kind == "number" and bool(nouns) and not said & meant

    def _of_their_own(self, found: Sequence[ColumnContext]) -> list[ColumnContext]:
        """`concerts per city`: the city of their venue, of which each has one, and not of customers."""
        spoken = {t.ref for one in self.links if one.mark == "table" for t in one.tables[:1]}
        if not spoken:
            # `the total deposit per city`: of those that own what is measured
            owners = [{c.table for c in one.columns} for one in self.links if one.mark == "column"]
            spoken = {next(iter(held)) for held in owners if len(held) == 1}
        told = set[TableRef]().union(*(self.told_by(ref) for ref in spoken))
        own = [c for c in found if c.table in told]
        # `the average amount per donor type`: of what refers to donors
        refer = {j.many.table for j in self.context.joins if j.one.table in spoken}
        return own or [c for c in found if c.table in refer]

    def said_table(self, link: Link) -> TableContext | None:
        """The table whose rows a column's phrase names with it: `names of merchants`."""
        owners = {c.table for c in link.columns} if link.mark == "column" else set()
        if len(owners) != 1:
            return None
        table = self.context.table(next(iter(owners)))
        said = {stem(w) for w in link.word.split()}
        return table if {stem(w) for w in self.vocabulary.table_words[table.ref]} <= said else None

    def _about(self, link: Link, ref: TableRef) -> bool:
        table = self.said_table(link)
        return any(t.ref == ref for t in link.tables[:1]) or (table is not None and table.ref == ref)

    def _nearer(self, link: Link, column: ColumnContext) -> bool:
        """Whether a table spoken of has a column that the phrase partly names, and the one taken is of
        another.
        """
        spoken = {t.ref for other in self.links if other.mark == "table" for t in other.tables[:1]}
        said = {stem(word) for word in link.word.split()}
        whole = {stem(w) for w in self.vocabulary.table_words[column.table]} <= said
        if column.table in spoken or column.key or whole:
            return False
        partly = self.vocabulary.columns.get(key_of_phrase(link.word.split()), {})
        return any(c.table in spoken and c.kind == column.kind for c in partly)

    def _score(self, link: Link, column: ColumnContext) -> float:
        score = link.fit(column)
        at = next((i for i, other in enumerate(self.links) if other is link), 0)
        distances = [
            # before the phrase counts a little farther than behind: `names of customers`
            abs(i - at) + (0.5 if i < at else 0)
            for i, other in enumerate(self.links)
            if i != at and self._about(other, column.table)
        ]
        # the nearer the table stands, the likelier its column; from five words on no nearer
        if distances and column.table not in self._done_by:
            score += 0.3 - 0.04 * min(*distances, 5)
        elif any(t.ref == column.table for t in self.mentioned) and column.table not in self._done_by:
            score += 0.05
        said = {stem(word) for word in link.word.split()}
        if {stem(w) for w in self.vocabulary.table_words[column.table]} <= said:
            score += 0.2
        # of columns that fit alike the key is what is usually meant
        return score + (0.02 if column.key else 0.0)

    def _same(self, a: ColumnContext, b: ColumnContext) -> bool:
        """A key and the column that refers to it say the same of joined rows."""
        pair = {(a.table, a.name), (b.table, b.name)}
        return any(
            {(many.table, many.name), (one.table, one.name)} == pair
            for j in self.context.joins
            for many, one in j.pairs
        )

    # -- of a table

    def label(self, table: TableContext) -> tuple[ColumnContext, ...]:
        """The columns by which a person knows a row: its name or title, first and last name, else its key."""
        said = self.called.get(table.ref)
        return label_of(self, table) if said is None else (said,)

    def first_text(self, table: TableContext) -> ColumnContext | None:
        """Where a number or a code is the key, the column right after it, if it tells the rows apart and
        refers to nothing.
        """
        key = key_of(table)
        if (
            key is None
            or not (key.kind == "number" or self._code(key))
            # columns of keys come first in schemas, and what names the row right behind them
            or table.columns[0] != key
            or len(table.columns) < 2
        ):
            return None
        column = table.columns[1]
        refers = self.context.refers(column)
        told = set(self.words(column))
        # `city` of ten consulates, each in its own
        # in fewer rows each having a place of its own is chance
        place = told <= _PLACES and table.rows >= _ENOUGH_ROWS and not column.nulls
        plain = column.kind == "text" and column.unique and (place or not told & _NO_NAMES)
        return column if plain and not refers else None

    def _code(self, key: ColumnContext) -> bool:
        return self.words(key)[-1] in names.KEY_WORDS

    def key(self, table: TableContext) -> ColumnContext:
        key = key_of(table)
        # an id that is not unique in the sample may still be the key nobody declared
        ids = [c for c in table.columns if self.words(c)[-1] == "id" or c.name.lower() == "id"]
        if key is None and len(ids) == 1:
            return ids[0]
        if key is None:
            raise Unclear(f"nothing identifies a row of {table.ref.name}")
        return key

    def told_apart(self, table: TableContext) -> tuple[ColumnContext, ...]:
        """The columns by which rows that are named are grouped: the key and the names.

        The names alone where the key is another row's and only happens to be unique: a category of a business
        is told by its name, not by whose it is; and where nothing else is known of the rows. Raises Unclear.
        """
        label = self.label(table)
        key = key_of(table)
        # a unique reference is another row's key, and groups by it are groups of that row
        refers = {k for j in self.context.joins if j.one.table != table.ref for k in j.keys}
        if key is None and table.composed:
            return tuple(dict.fromkeys((*table.composed, *label)))
        if key is None or (not key.key and key in refers and key not in label):
            return label
        if self.only_named(table):
            return label
        return tuple(dict.fromkeys((key, *label)))

    def only_named(self, table: TableContext) -> bool:
        """Whether nothing else is known of the table's rows than what they are called and belong to."""
        found = only_named(self.context, table, self.label(table))
        if found:
            self.doubt(f"whether rows of {table.ref.name} with the same name are one", 0.95, once=True)
        return found

    def property(
        self, table: TableContext, steps: Sequence[tuple[str, str]], units: Sequence[Unit] = ()
    ) -> tuple[ColumnContext, str]:
        """The first column of the table that an adjective may be of, and which way; of those that are
        measured in what a number beside it is. Raises Unclear.
        """
        return table_columns.property_of(self, table, steps, units)

    def happening(self, dates: Sequence[ColumnContext]) -> ColumnContext | None:
        """Of several dates the one at which it takes place, or which every row has."""
        found = table_columns.happening(self, dates)
        return table_columns.always_there(self, dates, self.roles) if found is None else found

    def times(self, table: TableContext) -> list[ColumnContext]:
        """Columns that say when: dates, years, names of months."""
        # the choice of dates has a module of its own; the scope only lends its words
        return table_columns.times(self, table)

    def months(self, table: TableContext) -> list[ColumnContext]:
        """Columns of a month alone."""
        return table_columns.months(self, table)

    def audits(self, column: ColumnContext) -> bool:
        """Whether a date only says when a row was written."""
        return table_columns.audits(self, column)

    def told_by(self, ref: TableRef) -> set[TableRef]:
        """The tables of which a row of this one has one row at most, itself among them."""
        found, waiting = {ref}, [ref]
        while waiting:
            table = waiting.pop()
            # parents, and children that are declared single: both are one row for each
            after = {j.one.table for j in self.context.joins if j.many.table == table} - found
            after |= {j.many.table for j in self.context.joins if j.one.table == table and j.single} - found
            found |= after
            waiting += after
        return found

    def always_with(self, ref: TableRef) -> set[TableRef]:
        """The tables of which each row of this one has one row, itself among them."""
        found, waiting = {ref}, [ref]
        while waiting:
            table = waiting.pop()
            held = [
                # a nullable key leads some rows nowhere
                j
                for j in self.context.joins
                if j.many.table == table and not any(k.nulls for k in j.keys)
            ]
            after = {j.one.table for j in held} - found
            found |= after
            waiting += after
        return found

    def near(self, at: Link, *, after_first: bool = True) -> TableContext | None:
        """The table spoken of nearest to a phrase."""
        place = next((i for i, other in enumerate(self.links) if other is at), 0)
        # equally near tables: by default the one behind is meant, as in `names of customers`
        found = sorted(
            (abs(i - place) + (0.5 if (i < place) == after_first else 0), i)
            for i, other in enumerate(self.links)
            if other.tables and other.mark == "table" and other is not at
        )
        return self.links[found[0][1]].tables[0] if found else (self.mentioned[0] if self.mentioned else None)

    def said(self) -> list[TableRef]:
        """The tables in the order in which the question speaks of them, their columns or values."""
        found = list[TableRef]()
        for link in self.links:
            named = {c.table for c in link.columns} if link.mark == "column" else set()
            held = {c.table for c, _ in link.values} if link.mark in {"value", "quoted"} else set()
            if link.mark in {"table", "relation"} and link.tables:
                found.append(link.tables[0].ref)
            elif len(named | held) == 1:
                found += named | held
        return list(dict.fromkeys(found))

    def refs(self) -> list[TableRef]:
        return [t.ref for t in self.mentioned]
