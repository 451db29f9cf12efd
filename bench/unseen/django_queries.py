"""Prints the SQL that Django makes of idiomatic queries over the helpdesk, as lines of JSON ({id, query}).

python bench/unseen/django_queries.py DSN > FILE     (needs django and psycopg2-binary, which the project does
not)

The models describe `helpdesk.sql`; nothing is run but what the driver needs to quote literals.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from urllib.parse import urlsplit

import django
from django.apps import AppConfig
from django.conf import settings


class Desk(AppConfig):
    """The application that the models below belong to; without it Django finds no
    relation from its far end.
    """

    path = "."


address = urlsplit(sys.argv[1])
settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": address.path[1:],
            "USER": address.username,
            "PASSWORD": address.password,
            "HOST": address.hostname,
            "PORT": address.port,
        }
    },
    USE_TZ=True,
    INSTALLED_APPS=[Desk("desk", sys.modules[__name__])],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.db import connection, models  # noqa: E402 - Django is set up above
from django.db.models import (  # noqa: E402 - Django is set up above
    Avg,
    Count,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Window,
)
from django.db.models.functions import Coalesce, Lower, RowNumber, TruncMonth  # noqa: E402 - Django is set up above


class Org(models.Model):
    name = models.CharField(max_length=80)
    plan = models.CharField(max_length=20)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        app_label, db_table = "desk", "orgs"


class User(models.Model):
    org = models.ForeignKey(Org, models.CASCADE, null=True, related_name="users")
    email = models.CharField(max_length=120, unique=True)
    full_name = models.CharField(max_length=120)
    role = models.CharField(max_length=12)
    is_active = models.BooleanField()
    joined_at = models.DateTimeField()

    class Meta:
        app_label, db_table = "desk", "users"


class Tag(models.Model):
    name = models.CharField(max_length=40, unique=True)

    class Meta:
        app_label, db_table = "desk", "tags"


class Ticket(models.Model):
    org = models.ForeignKey(Org, models.CASCADE, related_name="tickets")
    requester = models.ForeignKey(User, models.CASCADE, related_name="requested")
    assignee = models.ForeignKey(User, models.CASCADE, null=True, related_name="assigned")
    parent = models.ForeignKey("self", models.CASCADE, null=True, related_name="children")
    subject = models.CharField(max_length=200)
    status = models.CharField(max_length=12)
    priority = models.IntegerField()
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    tags = models.ManyToManyField(Tag, through="TicketTag", related_name="tickets")

    class Meta:
        app_label, db_table = "desk", "tickets"


class TicketTag(models.Model):
    ticket = models.ForeignKey(Ticket, models.CASCADE)
    tag = models.ForeignKey(Tag, models.CASCADE)

    class Meta:
        app_label, db_table = "desk", "ticket_tags"


class Comment(models.Model):
    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="comments")
    author = models.ForeignKey(User, models.CASCADE, null=True, related_name="comments")
    body = models.TextField()
    is_public = models.BooleanField()
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        app_label, db_table = "desk", "comments"


class Event(models.Model):
    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="events")
    actor = models.ForeignKey(User, models.DO_NOTHING, null=True, related_name="+", db_constraint=False)
    kind = models.CharField(max_length=20)
    at = models.DateTimeField()
    minutes = models.IntegerField(null=True)

    class Meta:
        app_label, db_table = "desk", "events"


class BlockedSender(models.Model):
    email = models.CharField(max_length=120, null=True, primary_key=False)
    reason = models.TextField(null=True)

    class Meta:
        app_label, db_table = "desk", "blocked_senders"


def day(year: int, month: int, number: int = 1) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


T, U, C, E = Ticket.objects, User.objects, Comment.objects, Event.objects
events_of = Event.objects.filter(ticket=OuterRef("pk"))
worked = events_of.order_by().values("ticket").annotate(total=Sum("minutes")).values("total")
counted = events_of.order_by().values("ticket").annotate(n=Count("pk")).values("n")

QUERIES: dict[str, QuerySet] = {
    "dj-exists-filter": T.filter(Exists(events_of.filter(kind="escalate"))).values("id", "subject"),
    "dj-exists-annotate": T.filter(opened_at__gte=day(2024, 11, 10))
    .annotate(escalated=Exists(events_of.filter(kind="escalate")))
    .values("id", "escalated"),
    "dj-not-exists": T.filter(~Exists(events_of.filter(actor=OuterRef("assignee"))), status="open").values(
        "id"
    ),
    "dj-exists-or": T.filter(
        Q(Exists(events_of.filter(kind="escalate", minutes=None))) | Q(priority=5),
        opened_at__gte=day(2024, 10),
    ).values("id"),
    "dj-subquery-sum": T.filter(opened_at__gte=day(2024, 11))
    .annotate(worked=Coalesce(Subquery(worked), 0))
    .values("id", "worked"),
    "dj-subquery-sum-filter": T.filter(opened_at__gte=day(2024, 10, 20))
    .annotate(worked=Subquery(worked))
    .filter(worked__gt=120)
    .values("id", "worked"),
    "dj-subquery-count-order": T.filter(org_id=2)
    .annotate(n=Coalesce(Subquery(counted), 0))
    .order_by("-n", "id")
    .values("id", "n")[:20],
    "dj-subquery-latest": T.filter(opened_at__gte=day(2024, 11, 10))
    .annotate(last=Subquery(events_of.order_by("-at", "-id").values("kind")[:1]))
    .values("id", "last"),
    "dj-subquery-latest-filter": T.filter(opened_at__gte=day(2024, 11))
    .annotate(last=Subquery(events_of.order_by("-at", "-id").values("kind")[:1]))
    .filter(last="escalate")
    .values("id"),
    "dj-two-subqueries": Org.objects.annotate(
        worked=Subquery(
            E.filter(ticket__org=OuterRef("pk"))
            .order_by()
            .values("ticket__org")
            .annotate(t=Sum("minutes"))
            .values("t")
        ),
        last=Subquery(
            E.filter(ticket__org=OuterRef("pk"))
            .order_by()
            .values("ticket__org")
            .annotate(t=Max("at"))
            .values("t")
        ),
    ).values("id", "name", "worked", "last"),
    "dj-user-comments": U.filter(role="agent")
    .annotate(
        n=Subquery(
            C.filter(author=OuterRef("pk"), deleted_at=None)
            .order_by()
            .values("author")
            .annotate(n=Count("pk"))
            .values("n")
        )
    )
    .values("id", "n"),
    "dj-exclude-m2m": T.exclude(tags__name="tag-1").values("id"),
    "dj-exclude-reverse": T.exclude(events__kind="escalate", events__minutes__gt=5).values("id"),
    "dj-exclude-nullable": U.exclude(comments__is_public=False).values("id"),
    "dj-exclude-not-in": U.exclude(id__in=C.filter(deleted_at__isnull=False).values("author")).values("id"),
    "dj-count-two-joins": Org.objects.annotate(
        n=Count("tickets", distinct=True), m=Count("users", distinct=True)
    ).values("id", "n", "m"),
    "dj-count-three-joins": T.filter(opened_at__gte=day(2024, 6))
    .annotate(
        c=Count("comments", distinct=True), e=Count("events", distinct=True), g=Count("tags", distinct=True)
    )
    .values("id", "c", "e", "g"),
    "dj-org-comments-events": Org.objects.annotate(
        c=Count("tickets__comments", distinct=True), e=Count("tickets__events", distinct=True)
    ).values("id", "c", "e"),
    "dj-max-two-joins": T.filter(opened_at__gte=day(2023, 6))
    .annotate(c=Max("comments__created_at"), e=Max("events__at"), f=Min("events__at"))
    .values("id", "c", "e", "f"),
    "dj-annotate-distinct": T.filter(tags__id__lt=40, events__kind="worklog")
    .distinct()
    .values("id", "subject", "status"),
    "dj-filter-chain": T.filter(tags__id=1)
    .filter(tags__id=2)
    .filter(events__kind="worklog")
    .distinct()
    .values("id"),
    "dj-or-joins": T.filter(Q(comments__author_id=7) | Q(assignee_id=7)).distinct().values("id"),
    "dj-or-events": U.filter(Q(requested__events__kind="escalate") | Q(role="agent")).distinct().values("id"),
    "dj-trunc-month": E.filter(at__year=2024, at__month=3).values("kind").annotate(n=Count("id")),
    "dj-date-lookup": E.filter(at__date=day(2024, 3, 5).date()).values("kind").annotate(n=Count("id")),
    "dj-month-series": T.annotate(m=TruncMonth("opened_at"))
    .values("m")
    .annotate(n=Count("id", distinct=True), c=Count("comments", distinct=True))
    .order_by("m"),
    "dj-iexact": U.annotate(low=Lower("email"))
    .filter(low__in=C.filter(created_at__gte=day(2024, 11)).annotate(e=Lower("author__email")).values("e"))
    .values("id"),
    "dj-window-filter": T.annotate(
        r=Window(RowNumber(), partition_by=[F("org")], order_by=[F("opened_at").desc(), F("id").desc()]),
        n=Coalesce(Subquery(counted), 0),
    )
    .filter(r=1, org_id__lt=5)
    .values("id", "r", "n"),
    "dj-having-avg": U.filter(role="agent")
    .annotate(n=Count("assigned", distinct=True), m=Avg("assigned__events__minutes"))
    .filter(n__gt=5)
    .values("id", "n", "m"),
    "dj-in-subquery-chain": T.filter(
        id__in=E.filter(kind="escalate", actor__in=U.filter(role="agent", is_active=True)).values("ticket"),
        requester__in=U.filter(is_active=True),
    ).values("id", "subject"),
    "dj-aggregate-filtered": Org.objects.annotate(
        open=Count("tickets", filter=Q(tickets__status="open"), distinct=True),
        escalated=Count("tickets", filter=Q(tickets__events__kind="escalate"), distinct=True),
    ).values("id", "open", "escalated"),
    "dj-f-outer-avg": E.filter(
        at__gte=day(2024, 11),
        minutes__gt=Subquery(
            Event.objects.filter(kind=OuterRef("kind"), at__gte=day(2024, 10))
            .order_by()
            .values("kind")
            .annotate(a=Avg("minutes"))
            .values("a")
        ),
    ).values("id", "minutes"),
}
# What a paginator or .count() and .exists() send
COUNTS: dict[str, QuerySet] = {
    "dj-page-count-distinct": T.filter(events__kind__in=["escalate", "worklog"])
    .distinct()
    .order_by("subject"),
    "dj-page-count-annotated": T.annotate(worked=Subquery(worked)).filter(
        worked__gt=100, opened_at__gte=day(2024, 10)
    ),
    "dj-page-count-joins": T.filter(opened_at__gte=day(2023, 1)).annotate(
        c=Count("comments", distinct=True), e=Count("events", distinct=True)
    ),
}


def printed(text: str, parameters: tuple[object, ...]) -> str:
    """The statement with its literals as the driver sends them."""
    with connection.cursor() as cursor:
        return cursor.mogrify(text, parameters).decode()


def counted_by(queries: QuerySet) -> str:
    """The statement that ``.count()`` sends."""
    said: list[tuple[str, tuple[object, ...]]] = []

    def listen(execute, text, parameters, many, context):
        said.append((text, parameters))
        return execute(text, parameters, many, context)

    with connection.execute_wrapper(listen):
        queries.count()
    return printed(*said[-1])


def statements() -> dict[str, str]:
    found = {name: printed(*q.query.sql_with_params()) for name, q in QUERIES.items()}
    return found | {name: counted_by(q) for name, q in COUNTS.items()}


if __name__ == "__main__":
    for name, text in statements().items():
        print(json.dumps({"id": name, "query": text}))
