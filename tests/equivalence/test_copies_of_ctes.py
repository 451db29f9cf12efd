"""CTEs that several read, each another part of it: in their places only what is read there is compared."""

from __future__ import annotations

import json
from typing import cast

import pytest

from rewright.equivalence.certificates import Texts, certify
from rewright.equivalence.decomposition.parts import is_same, views
from rewright.equivalence.proof import Composite, Proof, check_proof
from rewright.equivalence.recheck.check import recheck
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import prover

SCHEMA = "create table sale (shop int not null, item int not null, amount int not null, kind text);"
CATALOG = catalog_from_ddl(SCHEMA)
proved = prover(CATALOG)

TOTALS = (
    "select shop, item, 'a' as side, count(*) as n, max(amount) as most from sale group by shop, item "
    "union all select shop, item, 'b', count(*), max(amount) from sale where kind = 'x' group by shop, item"
)


def of_cte(body: str, reads: str) -> tuple[str, str]:
    """The query with the CTE ``c``, and the one with its body in each place."""
    return f"with c as ({body}) {reads}", reads.replace("from c ", f"from ({body}) ").replace(
        "join c ", f"join ({body}) "
    )


SAME = (
    of_cte(TOTALS, "select x.n, y.item from c x join c y on y.shop = x.shop and y.side = 'b' where x.side = 'a'"),
    of_cte(TOTALS, "select x.n, y.n, z.most from c x join c y on y.shop = x.shop join c z on z.item = x.item"),
    of_cte("select shop, item, amount from sale where amount > 5", "select x.shop, y.item from c x join c y on y.amount = x.amount"),
)  # fmt: skip
DIFFERENT = (
    # duplicates are told apart by what nobody reads further out
    (
        "with c as (select distinct shop, item from sale) select x.shop, y.item from c x join c y on y.shop = x.shop",
        "select x.shop, y.item from (select distinct shop from sale) x join (select distinct shop, item from sale) y on y.shop = x.shop",
    ),
    (
        "with c as (select shop, item from sale union select item, shop from sale) select x.shop, y.item from c x join c y on y.shop = x.shop",
        "select x.shop, y.item from (select shop from sale union select item from sale) x join (select shop, item from sale union select item, shop from sale) y on y.shop = x.shop",
    ),
    # rows that it makes
    (
        "with c as (select shop, generate_series(1, amount) as g from sale) select x.shop, y.g from c x join c y on y.shop = x.shop",
        "select x.shop, y.g from (select shop from sale) x join (select shop, generate_series(1, amount) as g from sale) y on y.shop = x.shop",
    ),
)  # fmt: skip
FAILING = (
    # computed once, of all rows, by the one; of those that are joined by the other
    of_cte("select shop, 10 / amount as q from sale", "select x.shop, y.q from c x join c y on y.shop = x.shop where x.shop > 5"),
    ("with c as materialized (select shop, 10 / amount as q from sale) select shop from c", "select shop from sale"),
)  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SAME)
def test_nothing_is_left_to_be_searched_for(first: str, second: str) -> None:
    assert is_same(next(views(bind(first, CATALOG), bind(second, CATALOG), CATALOG)))
    found = proved(first, second)
    assert found is not None
    assert found.modulo == ()
    proof = cast("Proof | Composite", found.proof)
    assert check_proof(proof, bind(first, CATALOG), bind(second, CATALOG), CATALOG) is None
    document = certify(found, Texts(SCHEMA, first, second), CATALOG.digest(), 60.0)
    checked = recheck(json.dumps(document).encode(), 120.0)
    assert (checked.word, checked.reason) == ("good", "")


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_decides_on_rows_is_read(first: str, second: str) -> None:
    assert proved(first, second) is None


@pytest.mark.parametrize(("first", "second"), FAILING)
def test_what_may_fail_is_computed_of_other_rows(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is None or "errors" in found.modulo
