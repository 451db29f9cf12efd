"""The tools and resources, as an MCP server. The model behind them is the client's: no key, and no text
leaves but to the client.

Owns names, descriptions and arguments: what an agent reads to decide what to call. Must not know how a tool
does its work (`rewright.mcp.children` runs it) or over which transport it is asked. Nothing here writes to a
database.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from rewright import version
from rewright.cli.parameters import DSN_VARIABLE
from rewright.mcp import meaning
from rewright.mcp.children import Children
from rewright.mcp.tools import Targets, Tools

__all__ = ["Targets", "make_server"]

READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

INSTRUCTIONS = """\
Rewright tells whether two PostgreSQL queries always give the same answer, and finds faster ones.
Before you replace a query by another one, call verify: 'proved' holds on every database that satisfies the
assumptions it lists, 'tested' means that no difference was found, 'refuted' comes with a database on which
they differ.
To make a slow query faster: plan, rewrite (its proposals are verified already), or write a candidate yourself
and verify it."""

Query = Annotated[str, Field(description="One SELECT in PostgreSQL's SQL")]

Schema = Annotated[
    str | None,
    Field(
        description=(
            "CREATE statements that the queries refer to; without them the connected database's schema"
        )
    ),
]

Budget = Annotated[float, Field(ge=1, le=300, description="Seconds that this call may take")]


def make_server(targets: Targets) -> MCPServer[Any]:
    """All tools are listed whatever the targets are: the tool that needs a missing one says so."""
    # a DSN holds a password: the environment is read by this user alone
    environment = {DSN_VARIABLE: targets.dsn} if targets.dsn else {}
    tools = Tools(targets, Children(environment=environment))
    server: MCPServer[Any] = MCPServer(
        "rewright", instructions=INSTRUCTIONS, version=version(), log_level="WARNING"
    )
    _checking(server, tools)
    _optimising(server, tools)
    _lake(server, tools)
    _asking(server, tools)
    _resources(server, tools)
    return server


def _checking(server: MCPServer[Any], tools: Tools) -> None:
    @server.tool(annotations=READS)
    async def verify(
        original: Query, candidate: Query, schema_sql: Schema = None, seconds: Budget = 10
    ) -> dict[str, Any]:
        """Tell whether CANDIDATE may stand for ORIGINAL: same rows, order, names, types and errors on every
        database.

        Returns the verdict (proved, tested, refuted, unknown), what it rests on, and 'meaning': the same in
        plain words. A refutation has a script that anyone can run in psql.
        """
        return await tools.verify(original, candidate, schema_sql, seconds)

    @server.tool(annotations=READS)
    async def explain_counterexample(
        original: Query, candidate: Query, schema_sql: Schema = None, seconds: Budget = 10
    ) -> dict[str, Any]:
        """Show a small database on which two queries differ: its rows, both answers, and what to look at.
        Fails where none is found.
        """
        document = await tools.verify(original, candidate, schema_sql, seconds)
        # tested and unknown have no database to show either
        if document["verdict"] != "refuted":
            raise ToolError(f"no difference is known: {document['meaning']}")
        return {
            "explanation": meaning.of_counterexample(document),
            "counterexample": document["counterexample"],
        }


def _optimising(server: MCPServer[Any], tools: Tools) -> None:
    @server.tool(annotations=READS)
    async def rewrite(
        query: Query,
        trust: Literal["proved", "tested"] = "proved",
        measure: Literal["off", "explain", "run", "both"] = "explain",
        seconds: Budget = 60,
    ) -> dict[str, Any]:
        """Find a faster equivalent of a slow query on the connected database. What comes back is verified
        already.

        MEASURE says what is run there: 'explain' nothing, 'run' the candidates, 'both' the original, too.
        """
        return await tools.rewrite(query, trust, measure, seconds)

    @server.tool(annotations=READS)
    async def hint(query: Query, seconds: Budget = 120) -> dict[str, Any]:
        """Find pg_hint_plan hints for a query whose plan is bad because row counts are misestimated. Runs the
        query, within limits.
        """
        return await tools.hint(query, seconds)

    @server.tool(annotations=READS)
    async def plan(query: Query, analyze: bool = False, seconds: Budget = 30) -> dict[str, Any]:
        """The plan of a query as a tree, with costs and rows. ANALYZE runs it, and tells times and where
        estimates were wrong.
        """
        return await tools.plan(query, analyze, seconds)

    @server.tool(annotations=READS)
    async def top_queries(limit: Annotated[int, Field(ge=1, le=100)] = 10) -> list[dict[str, Any]]:
        """The SELECTs on which the connected database spent most time (needs the extension
        pg_stat_statements), without those that Rewright's own role ran.
        """
        return await tools.top_queries(limit)


def _lake(server: MCPServer[Any], tools: Tools) -> None:
    @server.tool(annotations=READS)
    async def lake_tables(
        search: Annotated[
            str, Field(description="Words to look for in names of tables, files, columns", max_length=500)
        ] = "",
        tables: Annotated[int, Field(ge=1, le=200)] = 30,
    ) -> dict[str, Any]:
        """The tables of the lake (a folder of files), with columns, types and what is odd about them: those
        with most of the searched words first. 'table_count' says how many there are.
        """
        return await tools.lake_tables(search, tables)

    @server.tool(annotations=READS)
    async def lake_query(
        query: Query, rows: Annotated[int, Field(ge=1, le=1000)] = 100, seconds: Budget = 60
    ) -> dict[str, Any]:
        """Run SQL over the lake. Names may be imagined: they are resolved to real tables and columns, and
        'resolution' says how.
        """
        return await tools.lake_query(query, rows, seconds)

    @server.tool(annotations=READS)
    async def augment(
        table: Annotated[str, Field(description="A table of the lake", max_length=500)],
        target: Annotated[str, Field(description="Its column that is to be predicted", max_length=500)],
        tables: Annotated[int, Field(ge=1, le=20)] = 5,
        hops: Annotated[int, Field(ge=1, le=4, description="The longest chain of joins")] = 1,
        seconds: Budget = 60,
    ) -> dict[str, Any]:
        """Find tables of the lake that, joined to TABLE, predict TARGET better (cross-validated ridge
        regression).

        Returns for each its join path, columns, R² before and after with an interval; columns that are left
        out because they give the target away; and the SQL of the augmented table.
        """
        return await tools.augment(table, target, tables, hops, seconds)


def _asking(server: MCPServer[Any], tools: Tools) -> None:
    @server.tool(annotations=READS)
    async def ask(
        question: Annotated[
            str, Field(description="In plain English, in the data's own words", max_length=2000)
        ],
        rows: Annotated[int, Field(ge=1, le=1000)] = 100,
        seconds: Budget = 30,
    ) -> dict[str, Any]:
        """Answer a question about the connected database (or the lake) by one read-only query, read without a
        model.

        Returns the SQL, what the question was taken to mean, and the rows; or in 'refused' why it was not
        understood, with what of it was linked to tables, columns and values: then write the SQL yourself from
        that.
        """
        return await tools.ask(question, rows, seconds)


def _resources(server: MCPServer[Any], tools: Tools) -> None:
    @server.resource("rewright://log", mime_type="application/json")
    async def log() -> list[dict[str, Any]]:
        """What the proxy did with the last hundred slow or replaced queries."""
        return await tools.log()

    @server.resource("rewright://rewrites/{identifier}", mime_type="application/json")
    async def one_rewrite(identifier: int) -> dict[str, Any]:
        """One rewrite: both texts, evidence, plans, timings and events."""
        return await tools.one_rewrite(identifier)
