"""Prints the SQL that Peewee makes of idiomatic queries over the shop, as lines of JSON ({id, query}).

python bench/unseen/peewee_queries.py > FILE     (needs peewee and psycopg2-binary, which the project does
not)

The models describe `shop.sql`; no server is asked.
"""

from __future__ import annotations

import json
from datetime import datetime

from peewee import (
    JOIN,
    BooleanField,
    DateTimeField,
    DecimalField,
    ForeignKeyField,
    IntegerField,
    Model,
    PostgresqlDatabase,
    TextField,
    fn,
)
from psycopg2.extensions import adapt

database = PostgresqlDatabase(None)


class Table(Model):
    class Meta:
        database = database


class Customer(Table):
    name = TextField()
    country = TextField()
    segment = TextField(null=True)

    class Meta:
        table_name = "customers"


class Product(Table):
    sku = TextField()
    active = BooleanField()

    class Meta:
        table_name = "products"


class Order(Table):
    customer = ForeignKeyField(Customer, backref="orders")
    placed_at = DateTimeField()
    status = TextField()
    coupon = TextField(null=True)
    total = DecimalField(null=True)

    class Meta:
        table_name = "orders"


class Line(Table):
    order = ForeignKeyField(Order, backref="lines")
    product = ForeignKeyField(Product, backref="lines")
    quantity = IntegerField()

    class Meta:
        table_name = "order_lines"
        primary_key = False


class Payment(Table):
    order = ForeignKeyField(Order, backref="payments")
    amount = DecimalField()
    failed = BooleanField()

    class Meta:
        table_name = "payments"


Later = Order.alias()
SPENT = Order.select(fn.SUM(Order.total)).where(Order.customer == Customer.id)
LATEST = Later.select(fn.MAX(Later.placed_at)).where(Later.customer == Order.customer)
QUERIES = {
    "pw-spent": Customer.select(Customer.id, SPENT.alias("spent")).where(Customer.segment == "trade"),
    "pw-latest-order": Order.select(Order.id, Order.total).where(Order.placed_at == LATEST),
    "pw-coupon-users": Customer.select(Customer.id, Customer.name).where(
        fn.EXISTS(Order.select(Order.id).where((Order.customer == Customer.id) & (Order.coupon == "C7")))
    ),
    "pw-never-sold": Product.select(Product.id, Product.sku).where(
        Product.id.not_in(Line.select(Line.product).where(Line.quantity > 4))
    ),
    "pw-buyers-distinct": Customer.select(Customer.id, Customer.name)
    .join(Order)
    .join(Line)
    .where(Line.quantity == 5)
    .distinct(),
    "pw-two-counts": Customer.select(
        Customer.country,
        fn.COUNT(Order.id.distinct()).alias("orders"),
        fn.COUNT(Payment.id.distinct()).alias("payments"),
    )
    .join(Order, JOIN.LEFT_OUTER)
    .join(Payment, JOIN.LEFT_OUTER)
    .group_by(Customer.country),
    "pw-month": Order.select(Order.id, Order.total).where(
        fn.date_trunc("month", Order.placed_at) == datetime.fromisoformat("2024-03-01")
    ),
    "pw-year-month": Order.select(fn.COUNT(Order.id)).where(
        (Order.placed_at.year == 2023) & (Order.placed_at.month == 6)
    ),
    "pw-frequent": Customer.select(Customer.id, Customer.name, fn.COUNT(Order.id).alias("n"))
    .join(Order, JOIN.LEFT_OUTER)
    .group_by(Customer.id, Customer.name)
    .having(fn.COUNT(Order.id) > 20),
}


def literal(value: object) -> str:
    return adapt(value).getquoted().decode()


if __name__ == "__main__":
    for name, query in QUERIES.items():
        text, parameters = query.sql()
        print(json.dumps({"id": name, "query": text % tuple(literal(p) for p in parameters)}))
