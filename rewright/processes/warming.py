"""Loading and running what a held query needs, before there is one.

The first rewrite of a process takes longer than the next ones: the solver, the rules and the tables of
built-in functions are loaded when first used. Must not know jobs.
"""

from __future__ import annotations

from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.rules import RULES
from rewright.rewrite.rules.apply import applications
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql

_SCHEMA = (
    "create table a (id int primary key, k int not null, n numeric(10,2)); create table b (id int primary "
    "key, k int, n numeric(10,2))"
)
_QUERY = (
    "select sum(a.n) from a where a.n < (select avg(c.n) from a c where c.k = a.k) and a.k in (select b.id "
    "from b where b.k > 1)"
)
_SECONDS = 1.0


def warm_up() -> int:
    """Rewrite a small query in several ways and prove each; how many were proved."""
    catalog = catalog_from_ddl(_SCHEMA)
    query = bind(_QUERY, catalog)
    prover = LinkProver(catalog)
    made = [to_sql(m.query, catalog=catalog) for m in applications(query, catalog, RULES)]
    return sum(prover.prove(_QUERY, text, _SECONDS) is not None for text in made)
