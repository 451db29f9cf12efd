"""Writing the real query: imagined tables and columns in the user's tree replaced by what they were resolved
to.

Owns the transformation of the statement. Must not choose mappings. Values are corrected here too, each
correction noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family, Noise, Values
from rewright.lake.index import LakeIndex
from rewright.lake.joins.keys import JoinKey, KeyFinder, mixed
from rewright.lake.noise.clean import clean_cte, clean_expression
from rewright.lake.noise.detect import readable
from rewright.lake.noise.values import plain_number, truth
from rewright.lake.resolve.imagined import ImaginedColumn, Site, Test
from rewright.lake.resolve.sources import Candidate, told_role
from rewright.lake.resolve.units import unit_factor
from rewright.lake.resolve.values import SURE, Match, ValueMatcher

_CLOSE = 0.33
_AHEAD = 0.06
_USED = 0.3
"""What is held against joining two references by the same columns."""


@dataclass(slots=True)
class Written:
    """What was done while writing: value corrections, doubts, cleaned columns."""

    corrections: list[dict[str, Any]] = field(default_factory=list)
    missing_values: list[dict[str, Any]] = field(default_factory=list)
    missing_columns: list[str] = field(default_factory=list)
    cleaned: dict[str, dict[str, str]] = field(default_factory=dict)
    unions: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


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
        self._closest = closest
        self._index = index
        self._matcher = matcher
        self._correct = correct_values
        self._clean = clean
        self.written = Written()
        self._taken: set[str] = set()
        self._labels: dict[str, dict[str | int, str]] = {}

    def apply(self, site: Site, candidate: Candidate) -> None:
        """Replace one site's tables and columns."""
        self._taken |= {t.alias_or_name.lower() for t in site.select.find_all(exp.Table)}
        aliases = self._aliases(site, candidate)
        correlated = self._correlated(site, candidate, aliases)
        for relation in site.relations:
            home = candidate.homes[relation.alias]
            self._placed[relation.alias.lower()] = (home, aliases[home])
        twins = {
            (twin.alias_or_name.lower(), candidate.homes[r.alias]): twin.alias_or_name
            for r in site.relations
            for twin in r.twins
        }
        for imagined in site.columns():
            real = candidate.column_of(imagined)
            if imagined.only_key:
                continue
            if real is None:
                self.written.missing_columns.append(imagined.name)
                continue
            for test in imagined.tests:
                self._correct_test(test, imagined, real)
            self._use(
                real,
                calculated=imagined.numeric
                or imagined.extreme
                or imagined.sorted
                or any(not isinstance(t.value, str) for t in imagined.tests),
            )
            part = _asked_part(imagined, real)
            for node in imagined.nodes:
                if part is not None and node.parent is not None and not isinstance(node.parent, exp.Extract):
                    _part_of(part, node)
                if node.parent is not None:
                    alias = twins.get((node.table.lower(), real.table), aliases[real.table])
                    node.replace(
                        exp.column(
                            exp.to_identifier(real.name, quoted=True),
                            table=exp.to_identifier(alias, quoted=True),
                        )
                    )
        self._join_twins(site, candidate, aliases)
        kept = _take_conditions(site)
        self._replace_from(site, candidate, aliases)
        for condition in (*kept, *correlated, *_joined_away(site, candidate, aliases)):
            site.select.where(condition, copy=False)

    def finish(self, tree: exp.Expression) -> exp.Expression:
        """Add the CTEs of cleaned and united tables in front."""
        ctes: list[tuple[str, str]] = []
        for name, columns in self.written.cleaned.items():
            if name not in self._index.unions:
                ctes.append((f"clean_{name}", clean_cte(name, columns)))
        for name in self.written.unions:
            body = self._index.unions[name].sql(self._labels.get(name))
            for part in self._index.unions[name].part_names():
                if part in self.written.cleaned:
                    body = body.replace(f'FROM "{part}"', f'FROM "clean_{part}"')
            ctes.append((name, body))
        query = tree
        with_ = exp.With(expressions=[_cte(name, sql) for name, sql in ctes])
        if ctes and isinstance(query, (exp.Select, exp.SetOperation, exp.Subquery)):
            before = query.args.get("with_") or query.args.get("with")
            if before is not None:
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
        for part in list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]:
            node = part.unnest()
            if not (
                isinstance(node, exp.EQ)
                and isinstance(node.this, exp.Column)
                and isinstance(node.expression, exp.Column)
            ):
                continue
            for inner, outer in ((node.this, node.expression), (node.expression, node.this)):
                mine = own.get(inner.table.lower(), None if inner.table else lone)
                theirs = self._placed.get(outer.table.lower())
                if mine is None or theirs is None or outer.table.lower() in own:
                    continue
                home = candidate.homes[mine]
                found = self._keys.keys(home, theirs[0]) if home != theirs[0] else []
                if found:
                    out.append(_condition(found[0], {**aliases, theirs[0]: theirs[1]}, self._cleaned_mixed))
                    part.replace(exp.true())
                break
        return out

    def _join_twins(self, site: Site, candidate: Candidate, aliases: dict[str, str]) -> None:
        """A table joined twice, by two keys (home and away club): the second reference gets the key that its
        own join speaks of.
        """
        if self._keys is None:
            return
        used = {_columns_of(key) for key in candidate.joins}
        twin_of = {t.alias_or_name.lower(): r for r in site.relations for t in r.twins}
        own = {r.alias.lower(): r for r in site.relations}
        for node in list(site.select.find_all(exp.EQ)) if twin_of else ():
            if node.parent_select is not site.select:
                continue
            for x, y in ((node.this, node.expression), (node.expression, node.this)):
                if not (isinstance(x, exp.Column) and isinstance(y, exp.Column)):
                    break
                twin, other = twin_of.get(x.table.lower()), own.get(y.table.lower())
                if twin is None or other is None or twin is other:
                    continue
                a, b = candidate.homes[other.alias], candidate.homes[twin.alias]
                found = self._keys.keys(a, b) if a != b else []
                if found:
                    asked = (other.name, twin.name)
                    # a second reference is mostly another column than the first
                    best = max(
                        found,
                        key=lambda k: (
                            k.quality
                            + told_role(y.name, k.pairs[0][0], asked)
                            - (_USED if _columns_of(k) in used else 0.0)
                        ),
                    )
                    used.add(_columns_of(best))
                    node.replace(_condition(best, {**aliases, b: x.table}, self._cleaned_mixed))
                break

    def _aliases(self, site: Site, candidate: Candidate) -> dict[str, str]:
        """Real table → alias: the user's own alias where a relation has its home there."""
        out: dict[str, str] = {}
        for relation in site.relations:
            home = candidate.homes.get(relation.alias)
            if home is not None and home not in out:
                out[home] = relation.alias if relation.alias != relation.name else home
        used = {alias.lower() for alias in out.values()}
        for table in candidate.tables:
            if table not in out:
                alias, n = table, 2
                while alias.lower() in used:
                    alias, n = f"{table}_{n}", n + 1
                out[table] = alias
                used.add(alias.lower())
        return out

    def _use(self, real: Column, *, calculated: bool = False) -> None:
        """Note the cleaning of a column that needs it."""
        real = self._index.soiled(real)
        if not self._clean or not real.noise or (Noise.FORMATTED in real.noise and not calculated):
            return
        values = self._index.values(real)
        expression = clean_expression(real, values)
        if expression is None:
            return
        self._note_unread(real, values)
        # the parts of a union are cleaned alike: what is `Paid` in one must not become `paid` in another
        united = self._index.unions.get(real.table)
        parts = united.held_in(real.name) if united is not None else [(real.table, real.name)]
        for table, name in parts:
            held = self._index.tables[table].column(name)
            if held is not None and held.family is Family.TEXT:
                own = expression if name == real.name else clean_expression(replace(real, name=name), values)
                self.written.cleaned.setdefault(table, {})[held.name] = own or expression

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
            for x, y in key.pairs:
                self._use(x)
                self._use(y)
        derived = [j for j in select.args.get("joins") or () if not _is_site_table(j.this, site)]
        for relation in site.relations:
            for twin in relation.twins:
                home = candidate.homes[relation.alias]
                twin.replace(self._table(home, {home: twin.alias_or_name}))
        old = select.args.get("from_") or select.args.get("from")
        if old is not None and not _is_site_table(old.this, site):
            derived = [exp.Join(this=old.this, kind="CROSS"), *derived]
        first, *others = self._ordered(candidate)
        select.set("joins", [])
        select.from_(self._table(first, aliases), copy=False)
        outer = self._outer(site, candidate)
        for table, key in others:
            join = exp.Join(
                this=self._table(table, aliases), on=_condition(key, aliases, self._cleaned_mixed)
            )
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
                break
        return out

    def _outer(self, site: Site, candidate: Candidate) -> set[str]:
        """Tables the user joined LEFT, where they are still tables of their own."""
        homes = candidate.homes
        first = homes.get(site.relations[0].alias)
        return {homes[r.alias] for r in site.relations if r.outer and homes.get(r.alias) not in {None, first}}

    def _table(self, name: str, aliases: dict[str, str]) -> exp.Table:
        real = name
        if name in self._index.unions:
            if name not in self.written.unions:
                self.written.unions.append(name)
        elif name in self.written.cleaned:
            real = f"clean_{name}"
        table = exp.Table(this=exp.to_identifier(real, quoted=True))
        table.set("alias", exp.TableAlias(this=exp.to_identifier(aliases[name], quoted=True)))
        return table

    def _cleaned_mixed(self, x: Column, y: Column) -> bool:
        return mixed(x, y) and not (x.meaning.numeric and y.meaning.numeric)

    def _correct_test(self, test: Test, imagined: ImaginedColumn, real: Column) -> None:
        if not self._correct or test.node.parent is None:
            return
        fixed = self._fixed(test, imagined, real)
        if fixed is not None:
            self.written.corrections.append(
                {
                    "column": f"{real.table}.{real.name}",
                    "from": _plain(test.value),
                    "to": fixed[1],
                    "how": fixed[2],
                }
            )
            test.node.replace(fixed[0])

    def _fixed(
        self, test: Test, imagined: ImaginedColumn, real: Column
    ) -> tuple[exp.Expression, Any, str] | None:
        """The literal to put instead: (node, value, why), or None to leave it."""
        value = test.value
        if isinstance(value, bool):
            return self._fixed_truth(value, real)
        if isinstance(value, str):
            if test.op == "like":
                return self._fixed_pattern(test, value, real)
            if test.op in {"=", "<>"}:
                return self._fixed_text(value, imagined, real)
            return None
        if test.op in {"=", "<>"} and real.meaning is Family.TEXT:
            told = self._matcher.best(real, str(value))
            return (
                (exp.Literal.string(told.value), told.value, told.how)
                if told is not None and told.score >= SURE
                else None
            )
        if isinstance(value, (int, float)) and real.meaning is Family.BOOLEAN and value in {0, 1}:
            return exp.Boolean(this=bool(value)), bool(value), "truth value"
        return _fixed_number(test, float(value), imagined, real)

    def _fixed_truth(self, value: bool, real: Column) -> tuple[exp.Expression, Any, str] | None:
        if real.meaning is Family.BOOLEAN:
            return None
        for held, _ in self._index.cleaned(real):
            if truth(held) is value:
                node = exp.Literal.number(held) if real.meaning.numeric else exp.Literal.string(held)
                return node, held, "truth value"
        return None

    def _fixed_text(
        self, value: str, imagined: ImaginedColumn, real: Column
    ) -> tuple[exp.Expression, Any, str] | None:
        if real.meaning is Family.BOOLEAN:
            told = truth(value)
            return (exp.Boolean(this=told), told, "truth value") if told is not None else None
        if real.meaning.numeric and not plain_number(value):
            return self._fixed_number_word(value, real)
        if real.meaning.numeric or real.meaning is Family.DATE:
            return None
        match = self._matcher.best(real, value)
        if match is not None and match.score >= SURE:
            if match.value != value and self._relabelled(real, match.value, value):
                return None
            return (exp.Literal.string(match.value), match.value, match.how) if match.value != value else None
        ranked = self._matcher.ranked(real, value)
        closest = [m.value for m in ranked]
        self.written.missing_values.append(
            {
                "column": f"{real.table}.{real.name}",
                "imagined": imagined.name,
                "value": value,
                "closest": closest,
            }
        )
        if self._closest and _stands_out(ranked):
            # a guess, and told as one: nothing at all is surely not what was meant
            return exp.Literal.string(closest[0]), closest[0], "closest"
        return None

    def _relabelled(self, real: Column, mark: str, asked: str) -> bool:
        """A part of a union is called as the client calls it: its name is a file's,
        and no value of the lake.
        """
        united = self._index.unions.get(real.table)
        if united is None or united.mark != real.name or not any(m == mark for _, m in united.parts):
            return False
        labels = self._labels.setdefault(real.table, {})
        return labels.setdefault(mark, asked) == asked

    def _fixed_number_word(self, value: str, real: Column) -> tuple[exp.Expression, Any, str] | None:
        """`July` against 7, `yes` against 1."""
        match = self._matcher.best(real, value)
        if match is not None and match.score >= SURE and match.how in {"month", "number word", "truth value"}:
            return exp.Literal.number(match.value), match.value, match.how
        self.written.missing_values.append(
            {"column": f"{real.table}.{real.name}", "value": value, "closest": []}
        )
        return None

    def _fixed_pattern(
        self, test: Test, pattern: str, real: Column
    ) -> tuple[exp.Expression, Any, str] | None:
        regex = "".join({"%": ".*", "_": "."}.get(ch, re.escape(ch)) for ch in pattern)
        values = [v for v, _ in self._index.cleaned(real)]
        if not values or any(re.fullmatch(regex, v, re.DOTALL) for v in values):
            return None
        if any(re.fullmatch(regex, v, re.DOTALL | re.IGNORECASE) for v in values):
            like = test.node.parent
            if isinstance(like, exp.Like):
                like.replace(exp.ILike(this=like.this, expression=like.expression))
                self.written.corrections.append(
                    {"column": f"{real.table}.{real.name}", "from": pattern, "to": pattern, "how": "case"}
                )
        else:
            self.written.missing_values.append(
                {"column": f"{real.table}.{real.name}", "value": pattern, "closest": []}
            )
        return None


def _stands_out(ranked: list[Match]) -> bool:
    """Is the first clearly closer than the second?"""
    if not ranked or ranked[0].score < _CLOSE:
        return False
    return len(ranked) == 1 or ranked[0].score - ranked[1].score >= _AHEAD


def _fixed_number(
    test: Test, value: float, imagined: ImaginedColumn, real: Column
) -> tuple[exp.Expression, Any, str] | None:
    """Numbers in another unit, years against dates."""
    if real.meaning is Family.DATE and 1000 <= value <= 2200 and float(value).is_integer():
        column = test.node.parent
        if isinstance(column, exp.Expression):
            for node in list(column.find_all(exp.Column)):
                if node.parent is column:
                    _part_of("YEAR", node)
        return None
    bounds = real.bounds()
    if bounds is None or not real.meaning.numeric:
        return None
    factor, stated = unit_factor(imagined.name, real, value)
    if factor == 1.0 or (_inside(value, bounds) and not stated) or not _near(value * factor, bounds):
        return None
    scaled = round(value * factor, 9)
    text = f"{scaled:g}" if abs(scaled) < 1e15 else repr(scaled)
    return exp.Literal.number(text), scaled, "unit"


def _part_of(part: str, node: exp.Column) -> None:
    """Put EXTRACT around a column, the column itself staying what it is."""
    wrapped = exp.Extract(this=exp.var(part), expression=exp.null())
    node.replace(wrapped)
    wrapped.set("expression", node)


def _asked_part(imagined: ImaginedColumn, real: Column) -> str | None:
    """`sale_year` of a date column is its year, where the query does nothing to say otherwise."""
    if (
        real.meaning is not Family.DATE
        or imagined.dated
        or any(isinstance(t.value, str) for t in imagined.tests)
    ):
        return None
    told = set(names.words(imagined.name))
    return next((p.upper() for p in ("year", "month", "day") if p in told and "date" not in told), None)


def _near(value: float, bounds: tuple[float, float]) -> bool:
    """Within the range, or not far outside it: a filter may well keep all or nothing."""
    low, high = bounds
    return low - abs(low) * 0.5 <= value <= high + abs(high) * 0.5


def _inside(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _condition(
    key: JoinKey, aliases: dict[str, str], as_text: Callable[[Column, Column], bool]
) -> exp.Expression:
    parts: list[exp.Expression] = []
    for x, y in key.pairs:
        sides: list[exp.Expression] = [
            exp.column(
                exp.to_identifier(c.name, quoted=True), table=exp.to_identifier(aliases[c.table], quoted=True)
            )
            for c in (x, y)
        ]
        if as_text(x, y):
            sides = [exp.cast(side, "VARCHAR") for side in sides]
        parts.append(exp.EQ(this=sides[0], expression=sides[1]))
    return exp.and_(*parts) if len(parts) > 1 else parts[0]


def _joined_away(site: Site, candidate: Candidate, aliases: dict[str, str]) -> Iterator[exp.Expression]:
    """Of a table of classes that there is not, joined by its key: the join would have left out rows without a
    class.
    """
    homes = [candidate.homes[r.alias] for r in site.relations]
    for relation in site.relations:
        keys = [c for c in relation.columns.values() if c.only_key and c.joined]
        if relation.outer or homes.count(candidate.homes[relation.alias]) < 2 or len(keys) != 1:
            continue
        if not set(names.words(keys[0].name)) <= names.KEY_WORDS:
            continue
        for column in relation.columns.values():
            real = candidate.column_of(column)
            if real is not None and real.nulls and not column.only_key:
                yield (
                    exp.column(
                        exp.to_identifier(real.name, quoted=True),
                        table=exp.to_identifier(aliases[real.table], quoted=True),
                    )
                    .is_(exp.null())
                    .not_()
                )


def _columns_of(key: JoinKey) -> frozenset[tuple[str, str]]:
    return frozenset(c.key for pair in key.pairs for c in pair)


def _is_site_table(node: exp.Expression, site: Site) -> bool:
    return any(r.node is node for r in site.relations)


def _take_conditions(site: Site) -> list[exp.Expression]:
    """Conditions the user wrote, cut from ON and WHERE: imagined joins are dropped, the rest of ON is
    returned.
    """
    kept: list[exp.Expression] = []
    keys = {id(n) for c in site.columns() for n in c.nodes if n.parent is not None}
    # tables joined with themselves and subqueries keep the conditions they were written with
    twins = {t.alias_or_name.lower() for r in site.relations for t in r.twins}
    source = site.select.args.get("from_") or site.select.args.get("from")
    sources = [source, *(site.select.args.get("joins") or ())]
    twins |= {
        s.this.alias_or_name.lower() for s in sources if s is not None and not _is_site_table(s.this, site)
    }
    for join in site.select.args.get("joins") or ():
        on = join.args.get("on")
        if _is_site_table(join.this, site):
            parts = list(on.flatten()) if isinstance(on, exp.And) else [on] if on is not None else []
            kept += [part.copy() for part in parts if not _joins_imagined(part, keys, twins)]
    where = site.select.args.get("where")
    if where is not None:
        parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
        left = [part for part in parts if not _joins_imagined(part, keys, twins)]
        if len(left) < len(parts):
            site.select.set("where", exp.Where(this=exp.and_(*left)) if left else None)
    return kept


def _joins_imagined(part: exp.Expression, keys: set[int], twins: set[str]) -> bool:
    """An equality of columns of two imagined tables, still as written (or only half replaced)."""
    if isinstance(part, exp.Paren):
        return _joins_imagined(part.this, keys, twins)
    if not (
        isinstance(part, exp.EQ)
        and isinstance(part.this, exp.Column)
        and isinstance(part.expression, exp.Column)
    ):
        return False
    if {part.this.table.lower(), part.expression.table.lower()} & twins:
        # a table joined with itself keeps the condition it was written with
        return False
    return part.this.table != part.expression.table or id(part.this) in keys or id(part.expression) in keys


def name_outputs(tree: exp.Expression) -> None:
    """Keep the client's column names: an unaliased column gets its own name as alias. Before `sites_of` reads
    the tree.
    """
    for select in tree.find_all(exp.Select):
        for item in list(select.expressions):
            if isinstance(item, exp.Column) and not isinstance(item.this, exp.Star):
                item.replace(exp.Alias(this=item.copy(), alias=exp.to_identifier(item.name, quoted=True)))


def _cte(name: str, sql: str) -> exp.CTE:
    import sqlglot

    return exp.CTE(
        this=sqlglot.parse_one(sql, read="duckdb"),
        alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)),
    )


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool)) else str(value)
