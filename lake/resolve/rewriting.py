"""Writing the real query: imagined tables and columns in the user's tree replaced by what they were resolved
to.

Owns the transformation of the statement. Must not choose mappings. Values are corrected here too, each
correction noted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from rewright.engines.duckdb.quoting import quoted
from rewright.lake import names
from rewright.lake.catalog.model import Column, Family, Noise, Values
from rewright.lake.index import LakeIndex
from rewright.lake.joins.keys import JoinKey, KeyFinder, mixed
from rewright.lake.noise.clean import clean_cte, clean_expression
from rewright.lake.noise.detect import readable
from rewright.lake.noise.numbers import notation_of, unit_of
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.conditions import (
    columns_of,
    is_site_table,
    joined_away,
    joined_by,
    take_conditions,
)
from rewright.lake.resolve.corrections import Corrector, Written, part_of
from rewright.lake.resolve.edges import LOOKED_AT, told_role
from rewright.lake.resolve.imagined import ImaginedColumn, Site
from rewright.lake.resolve.literals import in_digits
from rewright.lake.resolve.marks import made, put
from rewright.lake.resolve.multiplied import multiplied
from rewright.lake.resolve.own_tree import SiteEdit
from rewright.lake.resolve.units import turned
from rewright.lake.resolve.values import ValueMatcher

_PARTS_OF_ONE = frozenset({"share", "rate", "ratio", "fraction", "probability", "proportion", "portion"})
"""Words that call a number a part of one."""
# more than the difference of qualities that two good keys have
_USED = 0.3
"""What is held against joining two references by the same columns."""


class Writer:
    """Rewrites one statement's sites in place; then `finish` adds the CTEs."""

    def __init__(
        self,
        index: LakeIndex,
        matcher: ValueMatcher,
        *,
        correct_values: bool = True,
        clean: bool = True,
        closest: bool = False,
        keys: KeyFinder | None = None,
    ) -> None:
        self._keys = keys
        self._placed: dict[str, tuple[str, str]] = {}
        self._index = index
        self._clean = clean
        self.written = Written()
        # aliases of the client that no table of the lake may take
        self._taken: set[str] = set()
        self._as_written: list[Column] = []
        """Columns of numbers written with signs that are only shown, and tables of which others are more."""
        self._digits: list[Column] = []
        """Days of digits that are compared with such digits, and stay as they are."""
        self._calculated: set[str] = set()
        self._turned: dict[tuple[str, str], float | None] = {}
        """What the numbers of a column are multiplied by to be in the unit that was first asked for."""
        self._once: dict[str, tuple[str, ...]] = {}
        """Tables of one SELECT that are joined by their different rows."""
        self._once_as: dict[str, tuple[str, tuple[str, ...]]] = {}
        """CTEs of such rows: table and columns."""
        self.sites: list[SiteEdit] = []
        self.ctes: list[tuple[str, str]] = []
        """The CTEs that were added, in DuckDB's dialect."""
        self._corrector = Corrector(index, matcher, self.written, closest=closest) if correct_values else None

    def apply(self, site: Site, candidate: Candidate) -> None:
        """Replace one site's tables and columns."""
        # real tables that come in must not hide an alias of the client
        self._taken |= {t.alias_or_name.lower() for t in site.select.find_all(exp.Table)}
        aliases = self._aliases(site, candidate)
        if self._keys is not None:
            found = multiplied(site, candidate, self._keys)
            self._once = found.once
            self.written.multiplied += found.doubts
        # Before the FROM is replaced: the conditions still name the imagined tables by their aliases.
        correlated = self._correlated(site, candidate, aliases)
        for relation in site.relations:
            home = candidate.homes[relation.alias]
            self._placed[relation.alias.lower()] = (home, aliases[home])
        twins = {
            (twin.alias_or_name.lower(), candidate.homes[r.alias]): twin.alias_or_name
            for r in site.relations
            for twin in r.twins
        }
        in_percent = any(
            self._told_in_percent(c, real) for c in site.columns() if (real := candidate.column_of(c))
        )
        for imagined in site.columns():
            # a key that only joins is not needed: real keys join instead
            if imagined.only_key:
                continue
            real = candidate.column_of(imagined)
            # noted and left standing: the statement then fails to bind, and tells the name
            if real is None:
                self.written.missing_columns.append(imagined.name)
                continue
            self._read(imagined, real, in_percent=in_percent)
            self._put(imagined, real, aliases[real.table], twins)
        self._join_twins(site, candidate, aliases)
        self._replace_conditions(site, candidate, aliases, correlated)

    def _replace_conditions(
        self,
        site: Site,
        candidate: Candidate,
        aliases: dict[str, str],
        correlated: Sequence[exp.Expression],
    ) -> None:
        """FROM and the conditions of the imagined tables in terms of the real ones."""
        taken = take_conditions(site)
        added = [*correlated, *joined_away(site, candidate, aliases, self._index.halves)]
        self._replace_from(site, candidate, aliases)
        for relation, told in taken.kept:
            # in WHERE it would drop the rows that an outer join pads
            if not (relation.outer and self._join_on(site, aliases[candidate.homes[relation.alias]], told)):
                added.append(told)
                self.written.outer_filtered |= relation.outer
        for told in added:
            site.select.where(told, copy=False)
        self.sites.append(SiteEdit(site.select, added, taken.dropped))

    def _read(self, imagined: ImaginedColumn, real: Column, *, in_percent: bool) -> None:
        """Note how a column is read: in which unit, whether to calculate with it; its tests are corrected."""
        # who tells one column in percent reads the others so
        # hundredths and parts of one in one query would be compared with one another
        percent = in_percent and self._in_percent(real)
        factor = self._factor(imagined, real)
        if self._corrector is not None:
            for test in imagined.tests:
                # numbers asked of a column in percent, or in another unit, are converted with it
                if not ((percent or factor) and isinstance(test.value, (int, float))):
                    self._corrector.correct(test, imagined, real)
        if not percent and self._in_percent(real) and not _said_in_parts(imagined):
            self.written.in_parts.append(f"{real.table}.{real.name}")
        if real.family is Family.INTEGER and any(in_digits(t.value) for t in imagined.tests):
            # `dt >= 20230101`: the numbers are asked for as they stand
            self._digits.append(real)
        self._use(
            real,
            percent=percent,
            calculated=imagined.numeric
            or imagined.extreme
            or imagined.sorted
            or factor is not None
            or self._asked_in_its_unit(imagined, real)
            or any(not isinstance(t.value, str) for t in imagined.tests),
        )

    def _factor(self, imagined: ImaginedColumn, real: Column) -> float | None:
        """What the column's numbers are multiplied by; a column is turned into one unit in all of a query."""
        factor = turned(imagined.name, real, self._index.noted(real.table)) if self._clean else None
        first = self._turned.setdefault(real.key, factor)
        if first != factor:
            self.written.two_units.append(f"{real.table}.{real.name}")
        elif factor is not None:
            told = {
                "column": f"{real.table}.{real.name}",
                "from": real.name,
                "to": imagined.name,
                "how": "unit",
            }
            if told not in self.written.corrections:
                self.written.corrections.append(told)
        return first

    @staticmethod
    def _put(
        imagined: ImaginedColumn, real: Column, alias: str, twins: Mapping[tuple[str, str], str]
    ) -> None:
        """The real column in the place of the imagined one, wherever the site names it."""
        part = _asked_part(imagined, real)
        for node in imagined.nodes:
            # who writes EXTRACT asks for the part already
            if part is not None and node.parent is not None and not isinstance(node.parent, exp.Extract):
                part_of(part, node)
            if node.parent is not None:
                # a table that the query names twice keeps both its aliases
                # by the alias that this very node was written with
                table = twins.get((node.table.lower(), real.table), alias)
                put(
                    node,
                    exp.column(
                        exp.to_identifier(real.name, quoted=True),
                        table=exp.to_identifier(table, quoted=True),
                    ),
                )

    def _join_on(self, site: Site, alias: str, condition: exp.Expression) -> bool:
        """Put a condition of an outer join into it. False: there is none with that table any more."""
        for join in site.select.args.get("joins") or ():
            # only joins that were written here: a client's own join has its condition
            if join.meta.get("made") and join.side == "LEFT" and join.this.alias_or_name == alias:
                join.set("on", exp.and_(join.args["on"], condition, copy=False))
                return True
        return False

    def finish(self, tree: exp.Expression) -> exp.Expression:
        """Add the CTEs of cleaned and united tables in front."""
        # an answer in which `$40.17` has become a number does not show `$4.73` beside it
        # numbers and texts of one column must not stand in one answer
        for real in self._as_written:
            if real.table in self._calculated:
                self._use(real, calculated=True)
        ctes: list[tuple[str, str]] = []
        labels = self._corrector.labels if self._corrector is not None else {}
        # cleaned tables first, as unions and rows taken once read them
        for name, expressions in self.written.cleaned.items():
            # a union is not cleaned itself: its parts are
            if name not in self._index.unions:
                ctes.append((f"clean_{name}", clean_cte(name, expressions)))
        for name in self.written.unions:
            body = self._index.unions[name].sql(labels.get(name))
            for part in self._index.unions[name].part_names():
                # A union over parts that are cleaned reads the cleaned ones, which stand before it in WITH.
                if part in self.written.cleaned:
                    # the body was written by the index, in which a part stands as FROM "part" and in no other
                    # way
                    body = body.replace(f'FROM "{part}"', f'FROM "clean_{part}"')
            ctes.append((name, body))
        for cte, (name, columns) in self._once_as.items():
            cleaned = name in self.written.cleaned and name not in self._index.unions
            source = quoted(f"clean_{name}" if cleaned else name)
            ctes.append((cte, f"SELECT DISTINCT {', '.join(map(quoted, columns))} FROM {source}"))
        self.ctes = ctes
        query = tree
        with_ = exp.With(expressions=[_cte(name, sql) for name, sql in ctes])
        if ctes and isinstance(query, (exp.Select, exp.SetOperation, exp.Subquery)):
            before = query.args.get("with_") or query.args.get("with")
            if before is not None:
                # In front of the client's own CTEs, which may read the cleaned tables.
                before.set("expressions", [*with_.expressions, *before.expressions])
            else:
                query.set("with_" if "with_" in exp.Select.arg_types else "with", with_)
        return query

    def _correlated(self, site: Site, candidate: Candidate, aliases: dict[str, str]) -> list[exp.Expression]:
        """Joins with a table of an enclosing SELECT: cut out, and given back on the real tables' best key.

        Enclosing SELECTs are written first. Without a key the condition stays, and the statement fails to
        bind.
        """
        where = site.select.args.get("where")
        if where is None or self._keys is None:
            return []
        own = {r.alias.lower(): r.alias for r in site.relations}
        lone = site.relations[0].alias if len(site.relations) == 1 else None
        out: list[exp.Expression] = []
        # each condition of the conjunction by itself; beneath an OR it is no join
        for part in list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]:
            node = part.unnest()
            if not (
                isinstance(node, exp.EQ)
                and isinstance(node.this, exp.Column)
                and isinstance(node.expression, exp.Column)
            ):
                continue
            # either side may be the inner one
            for inner, outer in ((node.this, node.expression), (node.expression, node.this)):
                # a bare name is the only table's, where there is one alone
                mine = own.get(inner.table.lower(), None if inner.table else lone)
                theirs = self._placed.get(outer.table.lower())
                # both are tables of this SELECT: an ordinary join, or the outer name is not known
                if mine is None or theirs is None or outer.table.lower() in own:
                    continue
                home = candidate.homes[mine]
                # a table with itself needs no key between two tables
                found = self._keys.keys(home, theirs[0]) if home != theirs[0] else []
                if found:
                    out.append(self._joined_by(found[0], {**aliases, theirs[0]: theirs[1]}))
                    # it is asked of the real tables now: here nothing is left to ask
                    put(part, exp.true())
                break
        return out

    def _join_twins(self, site: Site, candidate: Candidate, aliases: dict[str, str]) -> None:
        """A table joined twice, by two keys (home and away club): the second reference gets the key that its
        own join speaks of.
        """
        if self._keys is None:
            return
        used = {columns_of(key) for key in candidate.joins}
        twin_of = {t.alias_or_name.lower(): r for r in site.relations for t in r.twins}
        own = {r.alias.lower(): r for r in site.relations}
        for node in list(site.select.find_all(exp.EQ)) if twin_of else ():
            # a subquery's conditions are its own site's affair
            if node.parent_select is not site.select:
                continue
            for x, y in ((node.this, node.expression), (node.expression, node.this)):
                if not (isinstance(x, exp.Column) and isinstance(y, exp.Column)):
                    break
                twin, other = twin_of.get(x.table.lower()), own.get(y.table.lower())
                if twin is None or other is None or twin is other:
                    continue
                a, b = candidate.homes[other.alias], candidate.homes[twin.alias]
                # more keys are looked at, as the best may be taken by the first reference
                found = self._keys.keys(a, b, top=LOOKED_AT) if a != b else []
                if found:
                    asked = (other.name, twin.name)
                    # a second reference is mostly another column than the first
                    best = max(
                        found,
                        key=lambda k: (
                            # the role that the query's own condition names, `home` or `away`, chooses
                            k.quality
                            + max(told_role(y.name, real, asked) for real, _ in k.pairs)
                            - (_USED if columns_of(k) in used else 0.0)
                        ),
                    )
                    used.add(columns_of(best))
                    put(
                        node,
                        self._joined_by(best, {**aliases, b: x.table}),
                    )
                break

    def _aliases(self, site: Site, candidate: Candidate) -> dict[str, str]:
        """Real table → alias: the user's own alias where a relation has its home there."""
        out: dict[str, str] = {}
        for relation in site.relations:
            home = candidate.homes.get(relation.alias)
            if home is not None and home not in out:
                # An alias of the client's own is kept, since other parts of the query may name it.
                # two relations may have one home; the first one's alias stands for it
                out[home] = relation.alias if relation.alias != relation.name else home
        used = {alias.lower() for alias in out.values()}
        for table in candidate.tables:
            if table not in out:
                alias, n = table, 2
                while alias.lower() in used:
                    # numbered until no alias is met twice, whatever the client has named so
                    alias, n = f"{table}_{n}", n + 1
                out[table] = alias
                used.add(alias.lower())
        return out

    def _told_in_percent(self, imagined: ImaginedColumn, real: Column) -> bool:
        """Does the query compare `90 %` with numbers like 60? Then its numbers are hundredths, and what it is
        shown, too.
        """
        told = [abs(t.value) for t in imagined.tests if isinstance(t.value, (int, float))]
        bounds = real.bounds()
        if not told or bounds is None or real.family is not Family.TEXT or not real.meaning.numeric:
            return False
        most = max(abs(bounds[0]), abs(bounds[1]))
        # with equal bounds `90` could be 90 % or ninety: only above all values it is certain
        # more than any of its values as parts of one, and not too much as hundredths
        return most < max(told) <= 100.0 * most and self._in_percent(real)

    def _asked_in_its_unit(self, imagined: ImaginedColumn, real: Column) -> bool:
        """`term_years` of `19 yrs`: who names the unit asks for the number."""
        if real.family is not Family.TEXT or not names.without_unit(imagined.name):
            return False
        asked = names.words(imagined.name)[-1]
        units = {unit_of(value) for value, _ in self._index.values(real).counts}
        # all values have to be in the unit that the name says
        return all(asked == names.words(f"{real.name} {unit}")[-1] for unit in units)

    def _in_percent(self, real: Column) -> bool:
        """Are its values percents that would be read as parts of one?"""
        texts = real.family is Family.TEXT and real.meaning.numeric
        return texts and notation_of(real.name, self._index.values(real).counts).fraction

    def _use(self, real: Column, *, calculated: bool = False, percent: bool = False) -> None:
        """Note the cleaning of a column that needs it."""
        real = self._index.soiled(real)
        factor = self._turned.get(real.key)
        # days of digits that were asked for as digits are not turned into dates
        if not self._clean or not (real.noise or factor) or real in self._digits:
            return
        if Noise.FORMATTED in real.noise:
            # where it is only shown, `$40.17` says more than 40.17
            if not calculated and not self._with_commas(real):
                self._as_written.append(real)
                return
            self._calculated.add(real.table)
        values = self._index.values(real)
        if clean_expression(real, values, percent=percent) is None and factor is None:
            # nothing of the column can be read: it stays as it is
            return
        self._note_unread(real, values)
        # the parts of a union are cleaned alike: what is `Paid` in one must not become `paid` in another
        united = self._index.unions.get(real.table)
        parts = united.held_in(real.name) if united is not None else [(real.table, real.name)]
        for table, name in parts:
            held = self._index.tables[table].column(name)
            # a part may hold it as numbers already: there is nothing to clean
            if held is None:
                continue
            soiled = held.family is Family.TEXT or Noise.DATES in held.noise
            own = clean_expression(replace(real, name=name), values, percent=percent) if soiled else None
            if factor is not None:
                # digits behind the last that a double is sure of come of the factor
                own = f"round(CAST({own or quoted(name)} AS DOUBLE) * {factor!r}, 9)"
            if own is not None:
                # uses of a column want the same numbers
                self.written.cleaned.setdefault(table, {})[held.name] = own

    def _with_commas(self, real: Column) -> bool:
        """Are its values bare numbers with decimal commas? They say nothing but the number."""
        counts = self._index.values(real).counts
        bare = all(re.fullmatch(r"\s*[-+]?\d+(?:,\d+)?\s*", value) for value, _ in counts)
        # with commas in groups of three it is a thousand, not a fraction
        return bare and not notation_of(real.name, counts).comma_groups

    def _note_unread(self, real: Column, values: Values) -> None:
        """What the cleaning makes NULL although it says something."""
        if not {Noise.NUMBERS, Noise.FORMATTED, Noise.DATES} & set(real.noise):
            return
        lost = [(value, n) for value, n in values.counts if not readable(value, real.meaning)]
        if lost:
            told = ", ".join(repr(value[:30]) for value, _ in lost[:3])
            rows = sum(n for _, n in lost)
            self.written.unread[f"{real.table}.{real.name}"] = f"{rows} rows: {told}"

    def _replace_from(self, site: Site, candidate: Candidate, aliases: dict[str, str]) -> None:
        select = site.select
        for key in candidate.joins:
            # what tables are joined on is cleaned on both sides, or nothing would meet
            for x, y in key.pairs:
                self._use(x)
                self._use(y)
        derived = [j for j in select.args.get("joins") or () if not is_site_table(j.this, site)]
        for relation in site.relations:
            for twin in relation.twins:
                home = candidate.homes[relation.alias]
                twin.replace(self._table(home, {home: twin.alias_or_name}))
        old = select.args.get("from_") or select.args.get("from")
        if old is not None and not is_site_table(old.this, site):
            # A subquery that stood first in FROM is joined behind the real tables; the conditions in WHERE
            # still tie it.
            # CROSS, as its conditions are all in WHERE
            derived = [exp.Join(this=old.this, kind="CROSS"), *derived]
        first, *others = self._ordered(candidate)
        select.set("joins", [])
        select.from_(self._table(first, aliases), copy=False)
        outer = self._outer(site, candidate)
        for table, key in others:
            on = self._joined_by(key, aliases)
            join = made(exp.Join(this=self._table(table, aliases), on=on))
            if table in outer:
                join.set("side", "LEFT")
            select.append("joins", join)
        for join in derived:
            select.append("joins", join)

    def _ordered(self, candidate: Candidate) -> list[Any]:
        """Tables in join order: the first home first, each with the key to an earlier one."""
        first = next(iter(candidate.homes.values()), candidate.tables[0])
        placed, left = {first}, list(candidate.joins)
        out: list[Any] = [first]
        # each round places one table; a key between two that are placed already would close a circle
        while left:
            for key in left:
                if key.a in placed and key.b not in placed:
                    out.append((key.b, key))
                    placed.add(key.b)
                elif key.b in placed and key.a not in placed:
                    out.append((key.a, key.flipped()))
                    placed.add(key.a)
                else:
                    continue
                left.remove(key)
                break
            else:
                # tables that no key leads to are left out, and miss their columns
                break
        return out

    def _outer(self, site: Site, candidate: Candidate) -> set[str]:
        """Tables the user joined LEFT, where they are still tables of their own."""
        homes = candidate.homes
        first = homes.get(site.relations[0].alias)
        # the table in FROM cannot be padded
        return {homes[r.alias] for r in site.relations if r.outer and homes.get(r.alias) not in {None, first}}

    def _table(self, name: str, aliases: dict[str, str]) -> exp.Table:
        real = name
        if name in self._index.unions:
            if name not in self.written.unions:
                self.written.unions.append(name)
        elif name in self.written.cleaned:
            real = f"clean_{name}"
        if (columns := self._once.get(name)) is not None:
            real = f"once_{name}"
            # another SELECT may ask for other columns of it
            # another name for other columns of the same table
            while self._once_as.setdefault(real, (name, columns)) != (name, columns):
                real += "_"
            self.written.once[name] = columns
        table = exp.Table(this=exp.to_identifier(real, quoted=True))
        table.set("alias", exp.TableAlias(this=exp.to_identifier(aliases[name], quoted=True)))
        return made(table)

    def _joined_by(self, key: JoinKey, aliases: dict[str, str]) -> exp.Expression:
        return joined_by(key, aliases, self._cleaned_mixed, self._index.spelt_otherwise)

    def _cleaned_mixed(self, x: Column, y: Column) -> bool:
        # two columns that are both numbers once cleaned need not be compared as texts
        # `12` and 12 are compared as numbers once the text is cleaned
        return mixed(x, y) and not (x.meaning.numeric and y.meaning.numeric)


def _said_in_parts(imagined: ImaginedColumn) -> bool:
    """Does the query say how it reads percents: by the name of a share, or by a number beside them?"""
    told = set(names.words(imagined.name))
    # a number beside it shows whether 0.9 or 90 is meant
    return bool(told & _PARTS_OF_ONE) or any(isinstance(t.value, (int, float)) for t in imagined.tests)


def _asked_part(imagined: ImaginedColumn, real: Column) -> str | None:
    """`sale_year` of a date column is its year, where the query does nothing to say otherwise."""
    if (
        real.meaning is not Family.DATE
        or imagined.dated
        or any(isinstance(t.value, str) for t in imagined.tests)
    ):
        return None
    told = set(names.words(imagined.name))
    # a name with `date` in it asks for the whole day
    return next((p.upper() for p in ("year", "month", "day") if p in told and "date" not in told), None)


def name_outputs(tree: exp.Expression) -> None:
    """Keep the client's column names: an unaliased column gets its own name as alias. Before `sites_of` reads
    the tree.
    """
    for select in tree.find_all(exp.Select):
        for item in list(select.expressions):
            # `*` gives the real tables' names, whatever is done here
            if isinstance(item, exp.Column) and not isinstance(item.this, exp.Star):
                item.replace(exp.Alias(this=item.copy(), alias=exp.to_identifier(item.name, quoted=True)))


def _cte(name: str, sql: str) -> exp.CTE:
    import sqlglot

    return exp.CTE(
        this=sqlglot.parse_one(sql, read="duckdb"),
        alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)),
    )
