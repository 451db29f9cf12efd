"""Prints the SQL that SQLAlchemy makes of idiomatic queries over the shop, as lines of JSON ({id, query}).

python bench/unseen/sqlalchemy_queries.py > FILE     (needs sqlalchemy, which the project does not)

The models describe `shop.sql`; nothing is run.
"""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import (
    ForeignKey,
    ForeignKeyConstraint,
    and_,
    distinct,
    exists,
    extract,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    aliased,
    column_property,
    contains_eager,
    joinedload,
    mapped_column,
    relationship,
)


class Base(DeclarativeBase):
    pass


class Line(Base):
    __tablename__ = "order_lines"
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"), primary_key=True)
    line_no: Mapped[int] = mapped_column(primary_key=True)
    product_id: Mapped[int] = mapped_column(ForeignKey("products.id"))
    quantity: Mapped[int]
    unit_price: Mapped[float]
    product: Mapped[Product] = relationship(back_populates="lines")


class Return(Base):
    __tablename__ = "returns"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int | None]
    line_no: Mapped[int | None]
    quantity: Mapped[int]
    reason: Mapped[str | None]
    __table_args__ = (
        ForeignKeyConstraint(["order_id", "line_no"], ["order_lines.order_id", "order_lines.line_no"]),
    )


class Payment(Base):
    __tablename__ = "payments"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"))
    amount: Mapped[float]
    failed: Mapped[bool]


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(ForeignKey("customers.id"))
    placed_at: Mapped[datetime]
    status: Mapped[str]
    total: Mapped[float | None]
    customer: Mapped[Customer] = relationship(back_populates="orders")
    lines: Mapped[list[Line]] = relationship()
    payments: Mapped[list[Payment]] = relationship()


class Product(Base):
    __tablename__ = "products"
    id: Mapped[int] = mapped_column(primary_key=True)
    sku: Mapped[str]
    price: Mapped[float]
    lines: Mapped[list[Line]] = relationship(back_populates="product")

    @hybrid_property
    def sold(self) -> int:
        return sum(line.quantity for line in self.lines)

    @sold.inplace.expression
    @classmethod
    def _sold(cls):
        return (
            select(func.coalesce(func.sum(Line.quantity), 0))
            .where(Line.product_id == cls.id)
            .scalar_subquery()
        )


class Customer(Base):
    __tablename__ = "customers"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    country: Mapped[str]
    orders: Mapped[list[Order]] = relationship(back_populates="customer")


Customer.spent = column_property(
    select(func.sum(Order.total))
    .where(Order.customer_id == Customer.id)
    .correlate_except(Order)
    .scalar_subquery(),
    deferred=True,
)
Customer.order_count = column_property(
    select(func.count(Order.id))
    .where(Order.customer_id == Customer.id)
    .correlate_except(Order)
    .scalar_subquery(),
    deferred=True,
)

newest = select(
    Order.id,
    Order.customer_id,
    func.row_number()
    .over(partition_by=Order.customer_id, order_by=(Order.placed_at.desc(), Order.id.desc()))
    .label("r"),
).subquery()
other = aliased(Order)
QUERIES = {
    "sa-hybrid-filter": select(Product.id, Product.sku).where(Product.sold > 900),
    "sa-hybrid-order": select(Product.id, Product.sold.label("sold"))
    .order_by(Product.sold.desc(), Product.id)
    .limit(25),
    "sa-column-properties": select(Customer.id, Customer.spent, Customer.order_count).where(
        Customer.country == "FR"
    ),
    "sa-any": select(Customer.id).where(
        Customer.orders.any(and_(Order.status == "cancelled", Order.total > 3000))
    ),
    "sa-any-or": select(Customer.id).where(
        or_(Customer.country == "JP", Customer.orders.any(Order.total > 4000))
    ),
    "sa-not-any": select(Product.id).where(~Product.lines.any(Line.quantity > 4)),
    "sa-any-in-list": select(
        Product.id, Product.lines.any(and_(Line.quantity == 5, Line.unit_price > 190)).label("bulk")
    ),
    "sa-has-chain": select(Line.order_id, Line.line_no).where(
        Line.product.has(Product.lines.any(Line.unit_price > 199.5))
    ),
    "sa-joined-count": select(func.count()).select_from(
        select(Customer).options(joinedload(Customer.orders)).outerjoin(Order).distinct().subquery()
    ),
    "sa-fanout-sum": select(
        Customer.country,
        func.count(distinct(Order.id)),
        func.count(distinct(Payment.id)),
        func.count(distinct(Line.product_id)),
    )
    .join(Order.customer)
    .join(Order.payments)
    .join(Order.lines)
    .group_by(Customer.country),
    "sa-greatest-not-exists": select(Order.id).where(
        ~exists().where(
            other.customer_id == Order.customer_id,
            or_(
                other.placed_at > Order.placed_at,
                and_(other.placed_at == Order.placed_at, other.id > Order.id),
            ),
        )
    ),
    "sa-row-number-join": select(Customer.id, Order.total)
    .join(newest, newest.c.customer_id == Customer.id)
    .join(Order, Order.id == newest.c.id)
    .where(newest.c.r == 1),
    "sa-extract": select(func.count(Order.id), func.sum(Order.total)).where(
        extract("year", Order.placed_at) == 2024, extract("month", Order.placed_at) == 6
    ),
    "sa-scalar-compare": select(Order.id).where(
        Order.status == "open",
        Order.total
        > select(func.avg(other.total) * literal(1.2))
        .where(other.customer_id == Order.customer_id)
        .scalar_subquery(),
    ),
    "sa-exists-count": select(Customer.id, Customer.name).where(
        select(func.count(Order.id))
        .where(Order.customer_id == Customer.id, Order.status == "open")
        .scalar_subquery()
        >= 3
    ),
    "sa-page-count": select(func.count()).select_from(
        select(Customer.id, Customer.spent, Customer.order_count).order_by(Customer.name).subquery()
    ),
    "sa-in-distinct": select(Customer.id, Customer.name).where(
        Customer.id.in_(
            select(Order.customer_id)
            .join(Order.lines)
            .join(Line.product)
            .where(Product.price > 100)
            .distinct()
        )
    ),
    "sa-contains-eager": select(Order)
    .join(Order.lines)
    .options(contains_eager(Order.lines))
    .where(Line.quantity == 5)
    .distinct(),
    "sa-payments-balance": select(Order.id).where(
        Order.placed_at >= datetime(2024, 12, 1),
        Order.total
        - func.coalesce(
            select(func.sum(Payment.amount))
            .where(Payment.order_id == Order.id, ~Payment.failed)
            .scalar_subquery(),
            0,
        )
        > 0,
    ),
    "sa-returned": select(Order.id).where(
        Order.id.not_in(select(Return.order_id).where(Return.reason == "broken", Return.quantity < Order.id)),
        Order.status == "cancelled",
    ),
}


def statements() -> dict[str, str]:
    dialect = postgresql.dialect()
    return {
        name: str(q.compile(dialect=dialect, compile_kwargs={"literal_binds": True})).replace("\n", "")
        for name, q in QUERIES.items()
    }


if __name__ == "__main__":
    for name, text in statements().items():
        print(json.dumps({"id": name, "query": text}))
