"""Generates dumps in Stack Exchange's format, hostile ones included."""

from __future__ import annotations

import random
from pathlib import Path
from xml.sax.saxutils import quoteattr

SLOW = "select * from orders o where date(o.placed) = '2024-01-01'"
FAST = "select * from orders o where o.placed >= '2024-01-01' and o.placed < '2024-01-02'"
DDL = "create table orders (id int primary key, placed timestamp not null, total int)"
HOSTILE = (
    '<script>alert(1)</script><img src="http://nowhere.invalid/x.png" onerror="x()">'
    '<a href="http://nowhere.invalid/dead">see here</a><iframe src="file:///etc/passwd"></iframe>'
    "<p>My query <b>is slow<i></p><pre><code>"
)


def row(**attributes: object) -> str:
    inside = " ".join(f"{name}={quoteattr(str(value))}" for name, value in attributes.items())
    return f"  <row {inside} />\n"


def write_dump(path: Path, *, noise: int = 0, seed: int = 1) -> None:
    """One good question with a right, a wrong and an unloved answer, among ``noise`` other posts."""
    chance = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        code = f"<pre><code>{DDL};\n{SLOW};</code></pre>"
        file.write(
            row(
                Id=1,
                PostTypeId=1,
                AcceptedAnswerId=2,
                Score=12,
                Title="Slow date filter",
                Body=HOSTILE + "broken</code></pre>" + code,
            )
        )
        file.write(
            row(
                Id=2,
                PostTypeId=2,
                ParentId=1,
                Score=20,
                Body=f"<p>Use a range.</p><pre><code>{FAST}</code></pre>",
            )
        )
        file.write(
            row(
                Id=3,
                PostTypeId=2,
                ParentId=1,
                Score=9,
                Body="<code>select * from orders o where o.placed &gt;= '2024-01-01'</code>",
            )
        )
        file.write(row(Id=4, PostTypeId=2, ParentId=1, Score=-3, Body="<code>select * from orders</code>"))
        for number in range(5, 5 + noise):
            body = (
                "<p>" + " ".join(chance.choices(["index", "join", "vacuum", "&lt;", "select"], k=30)) + "</p>"
            )
            if number % 3 == 0:
                body += f"<code>select {number} from t{number % 7}</code>"
            file.write(
                row(
                    Id=number,
                    PostTypeId=1 + number % 2,
                    ParentId=number - 1,
                    Score=number % 9 - 2,
                    Title="x",
                    Body=body,
                )
            )
        file.write("</posts>\n")
