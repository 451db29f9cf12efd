"""Prints the SQL that Pony makes of idiomatic queries over the shop, as lines of JSON ({id, query}).

python bench/unseen/pony_queries.py > FILE     (needs pony and psycopg2-binary, which the project does not)

The entities describe `shop.sql`; no server is asked.
"""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal

from pony.orm import (
    Database,
    Optional,
    PrimaryKey,
    Required,
    Set,
    avg,
    count,
    db_session,
    desc,
    exists,
    max,
    select,
    sum,
)
from pony.orm.core import Query, QueryResult
from pony.orm.dbproviders.postgres import PGProvider
from psycopg2.extensions import adapt


class Nowhere:
    """In place of Pony's pool of connections."""

    def connect(self) -> tuple[Nowhere, bool]:
        return self, True

    def release(self, connection: object) -> None:
        pass


class Printer(PGProvider):
    """Prints for PostgreSQL 16 without asking a server for its version."""

    server_version = 160000

    def inspect_connection(self, connection: object) -> None:
        pass


database = Database()
database.bind(Printer, pony_pool_mockup=Nowhere())


class Customer(database.Entity):
    _table_ = "customers"
    id = PrimaryKey(int)
    name = Required(str)
    country = Required(str)
    segment = Optional(str, nullable=True)
    orders = Set("Order")


class Product(database.Entity):
    _table_ = "products"
    id = PrimaryKey(int)
    sku = Required(str)
    price = Required(Decimal)
    active = Required(bool)
    lines = Set("Line")


class Order(database.Entity):
    _table_ = "orders"
    id = PrimaryKey(int)
    customer = Required(Customer, column="customer_id")
    placed_at = Required(datetime)
    status = Required(str)
    total = Optional(Decimal)
    lines = Set("Line")
    payments = Set("Payment")


class Line(database.Entity):
    _table_ = "order_lines"
    order = Required(Order, column="order_id")
    line_no = Required(int)
    product = Required(Product, column="product_id")
    quantity = Required(int)
    unit_price = Required(Decimal)
    PrimaryKey(order, line_no)


class Payment(database.Entity):
    _table_ = "payments"
    id = PrimaryKey(int)
    order = Required(Order, column="order_id")
    amount = Required(Decimal)
    paid_at = Required(datetime)
    failed = Required(bool)


database.generate_mapping(check_tables=False)
LATE = datetime(2024, 10, 1)

QUERIES = {
    "pn-counts-page": lambda: (
        select((c.id, c.name, count(c.orders)) for c in Customer).order_by(2, 1).limit(25, offset=50)
    ),
    "pn-two-relations": lambda: select(
        (o.id, count(o.lines), count(o.payments)) for o in Order if o.status == "cancelled"
    ).order_by(1),
    "pn-filtered-count": lambda: select(
        c for c in Customer if c.country == "FR" and count(o for o in c.orders if o.status == "cancelled") > 2
    ).order_by(Customer.id),
    "pn-sum-against-total": lambda: select(
        o
        for o in Order
        if o.placed_at >= LATE and sum(p.amount for p in o.payments if not p.failed) < o.total
    ).order_by(Order.id),
    "pn-latest-of-each": lambda: select(
        o
        for o in Order
        if o.customer.segment == "trade"
        and o.placed_at == max(x.placed_at for x in Order if x.customer == o.customer)
    ).order_by(Order.id),
    "pn-not-exists-nested": lambda: select(
        c
        for c in Customer
        if c.segment == "trade"
        and not exists(line for o in c.orders for line in o.lines if line.product.price > 190)
    ).order_by(Customer.id),
    "pn-not-in-generator": lambda: select(
        p
        for p in Product
        if p.active and p not in (line.product for line in Line if line.order.placed_at >= LATE)
    ).order_by(Product.id),
    "pn-large-lines": lambda: select(
        line
        for line in Line
        if line.order.placed_at >= LATE
        and line.quantity > 1.6 * avg(x.quantity for x in Line if x.product == line.product)
    ).order_by(Line.order, Line.line_no),
    "pn-year-by-country": lambda: select(
        (o.customer.country, count(o), sum(o.total)) for o in Order if o.placed_at.year == 2024
    ).order_by(1),
    "pn-attribute-lift": lambda: (
        select(o.customer for o in Order for p in o.payments if p.failed and p.amount > 1500)
        .order_by(lambda c: (c.name, c.id))
        .limit(20)
    ),
    "pn-last-order-list": lambda: (
        select(
            (c.id, c.name, max(c.orders.placed_at), sum(c.orders.total))
            for c in Customer
            if c.country == "JP"
        )
        .order_by(lambda i, _name, last, _spent: (desc(last), i))
        .limit(30)
    ),
    "pn-any-of-two": lambda: select(
        o
        for o in Order
        if o.placed_at >= LATE
        and (exists(p for p in o.payments if p.failed) or exists(x for x in o.lines if x.quantity >= 5))
    ).order_by(Order.id),
}


def printed(made: Query | QueryResult) -> str:
    """The statement with its values in place of the parameters, as psycopg2 sends it."""
    if isinstance(made, QueryResult):
        sql, values, *_ = made._query._construct_sql_and_arguments(made._limit, made._offset)
    else:
        sql, values, *_ = made._construct_sql_and_arguments()
    told = {name: adapt(value).getquoted().decode("utf-8") for name, value in (values or {}).items()}
    return " ".join((sql % told if told else sql).split())


with db_session:
    for name, make in QUERIES.items():
        print(json.dumps({"id": name, "query": printed(make())}))
