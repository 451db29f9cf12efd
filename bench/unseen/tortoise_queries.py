"""Prints the SQL that Tortoise makes of idiomatic queries over the shop, as lines of JSON ({id, query}).

python bench/unseen/tortoise_queries.py > FILE     (needs tortoise-orm and asyncpg, which the project does not)

The models describe `shop.sql`; no server is asked.
"""

from __future__ import annotations

import asyncio
import json
import re

from tortoise import Tortoise, fields
from tortoise.expressions import Q, RawSQL, Subquery
from tortoise.functions import Count, Sum
from tortoise.models import Model


class Customer(Model):
    id = fields.IntField(primary_key=True)
    email = fields.TextField()
    name = fields.TextField()
    country = fields.CharField(2)
    segment = fields.TextField(null=True)
    orders: fields.ReverseRelation[Order]

    class Meta:
        table = "customers"


class Order(Model):
    id = fields.IntField(primary_key=True)
    customer = fields.ForeignKeyField("models.Customer", "orders")
    placed_at = fields.DatetimeField()
    status = fields.TextField()
    total = fields.DecimalField(12, 2, null=True)

    class Meta:
        table = "orders"


class Payment(Model):
    id = fields.IntField(primary_key=True)
    order = fields.ForeignKeyField("models.Order", "payments")
    amount = fields.DecimalField(12, 2)
    failed = fields.BooleanField()

    class Meta:
        table = "payments"


class Return(Model):
    id = fields.IntField(primary_key=True)
    order = fields.ForeignKeyField("models.Order", "returns", null=True)
    reason = fields.TextField(null=True)

    class Meta:
        table = "returns"


QUERIES = {
    "tt-annotate-page": lambda: (
        Customer.all().annotate(n=Count("orders")).order_by("name", "id").limit(25).values("id", "name", "n")
    ),
    "tt-two-distinct-counts": lambda: (
        Order.filter(status="cancelled")
        .annotate(payments_n=Count("payments", distinct=True), returns_n=Count("returns", distinct=True))
        .order_by("id")
        .values("id", "payments_n", "returns_n")
    ),
    "tt-sum-having": lambda: (
        Customer.all()
        .annotate(spent=Sum("orders__total"))
        .filter(spent__gte=60000)
        .order_by("id")
        .values("id", "spent")
    ),
    "tt-in-subquery": lambda: (
        Customer.filter(
            id__in=Subquery(Order.filter(returns__reason="late").values("customer_id")), country="FR"
        )
        .order_by("id")
        .values("id", "email")
    ),
    "tt-not-in-subquery": lambda: (
        Customer.filter(~Q(id__in=Subquery(Order.filter(status="cancelled").values("customer_id"))))
        .order_by("id")
        .values("id", "email")
    ),
    "tt-distinct-join": lambda: (
        Customer.filter(orders__payments__failed=True)
        .distinct()
        .order_by("name", "id")
        .limit(20)
        .values("id", "name")
    ),
    "tt-raw-count": lambda: (
        Customer.filter(segment="trade")
        .annotate(n=RawSQL('(SELECT COUNT(*) FROM "orders" o WHERE o."customer_id" = "customers"."id")'))
        .order_by("-n", "id")
        .limit(20)
        .values("id", "n")
    ),
    "tt-related-or": lambda: (
        Order.filter(Q(payments__failed=True) | Q(returns__reason="late"))
        .distinct()
        .order_by("id")
        .values("id", "status")
    ),
}


async def main() -> None:
    await Tortoise.init(db_url="asyncpg://u:p@127.0.0.1:1/none", modules={"models": ["__main__"]})
    for name, make in QUERIES.items():
        query = make()
        query._make_query()
        text, values = query.query.get_parameterized_sql()
        print(json.dumps({"id": name, "query": inlined(text, values)}))


def inlined(text: str, values: list[object]) -> str:
    """The query with its values in place of the parameters, as the simple protocol would carry them."""
    return re.sub(r"\$(\d+)", lambda found: literal(values[int(found[1]) - 1]), text)


def literal(value: object) -> str:
    if isinstance(value, bool | int):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"


asyncio.run(main())
