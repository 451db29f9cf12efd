// What applications in node do, with pg, pg-cursor, pg-query-stream and postgres. One JSON line a test:
// {"name": ..., "outcome": ...}. The outcome is everything the test saw, so that two runs can be compared.
import { createRequire } from "node:module";
import { pipeline } from "node:stream/promises";
import { Readable, Writable } from "node:stream";

const require = createRequire(process.env.CONFORMANCE_MODULES + "/");
const pg = require("pg");
const Cursor = require("pg-cursor");
const QueryStream = require("pg-query-stream");
const postgres = require("postgres");

const only = new Set(process.argv.slice(2));
const where = {
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  user: process.env.PGUSER,
  password: process.env.PGPASSWORD,
  database: process.env.PGDATABASE,
};
const tests = {};
const failure = (error) => ({
  code: error.code,
  message: error.message,
  severity: error.severity,
  position: error.position,
});
const caught = async (promise) => {
  try {
    return { value: await promise };
  } catch (error) {
    return failure(error);
  }
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function withClient(options, body) {
  const client = new pg.Client({ ...where, ...options });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

const plain = (name, body, options = {}) => {
  tests["pg." + name] = () => withClient(options, body);
};

// --- pg ---------------------------------------------------------------------------------------------

plain("simple", async (c) => {
  const r = await c.query("select 1 as a, 'x' as b, null as c, true as d, 1.5::numeric as e");
  return [r.command, r.rowCount, r.rows, r.fields.map((f) => [f.name, f.dataTypeID, f.format])];
});
plain("several statements", async (c) => {
  const r = await c.query("create temp table t (a int); insert into t values (1), (2); select * from t order by a");
  return r.map((one) => [one.command, one.rowCount, one.rows]);
});
plain("parameters", async (c) => {
  const values = [1, "text", null, true, 1.25, new Date(0), { a: [1, 2] }, [1, 2, 3], Buffer.from([0, 255])];
  const r = await c.query(
    "select $1::int a, $2::text b, $3::text c, $4::bool d, $5::float8 e, $6::timestamptz f, $7::jsonb g, $8::int[] h, $9::bytea i",
    values,
  );
  return r.rows;
});
plain("binary", async (c) => {
  const r = await c.query({
    text: "select 7::int4 a, 8::int8 b, 'x'::text c, 1.5::float8 d, true e, timestamptz 'epoch' f",
    binary: true,
    values: [],
  });
  return r.rows.map((row) => Object.values(row).map((v) => (Buffer.isBuffer(v) ? v.toString("hex") : String(v))));
});
plain("array rows", async (c) => {
  const r = await c.query({ text: "select g, g * 2 from generate_series(1, 5) g", rowMode: "array" });
  return r.rows;
});
plain("named statement", async (c) => {
  const found = [];
  for (let i = 0; i < 20; i++) {
    found.push((await c.query({ name: "again", text: "select $1::int + 1 as n", values: [i] })).rows[0].n);
  }
  return found;
});
plain("named statement after DEALLOCATE ALL", async (c) => {
  await c.query({ name: "again", text: "select $1::int as n", values: [1] });
  await c.query("deallocate all");
  return caught(c.query({ name: "again", text: "select $1::int as n", values: [1] }).then((r) => r.rows));
});
plain("queued without waiting", async (c) => {
  const all = [];
  for (let i = 0; i < 200; i++) all.push(c.query(i % 3 ? "select $1::int n" : "select " + i + " n", i % 3 ? [i] : undefined));
  return (await Promise.all(all)).map((r) => r.rows[0].n);
});
plain("errors and going on", async (c) => {
  const seen = [];
  for (const text of ["select 1/0", "selec", "select nope from pg_class", "insert into nowhere values (1)", "select 'a'::int"]) {
    seen.push(await caught(c.query(text)), await caught(c.query({ text, values: [] })));
  }
  seen.push((await c.query("select 'well' as is")).rows);
  return seen;
});
plain("failed transaction", async (c) => {
  const seen = [];
  await c.query("begin");
  seen.push(await caught(c.query("select 1/0")));
  seen.push(await caught(c.query("select 1")));
  seen.push((await c.query("commit")).command);
  seen.push((await c.query("select 1 as n")).rows);
  return seen;
});
plain("empty query", async (c) => [(await c.query("")).rows, (await c.query({ text: "", values: [] })).rows]);
plain("notices", async (c) => {
  const seen = [];
  c.on("notice", (n) => seen.push([n.severity, n.message, n.code]));
  await c.query("do $$begin raise notice 'one'; raise warning 'two'; raise info 'three'; end$$");
  await c.query("drop table if exists not_there");
  return seen;
});
plain("listen", async (c) => {
  const got = [];
  const done = new Promise((resolve) => c.on("notification", (n) => (got.push([n.channel, n.payload]), got.length === 3 && resolve())));
  await c.query("listen news");
  await withClient({}, async (other) => {
    for (const word of ["a", "b", "ü"]) await other.query("select pg_notify('news', $1)", [word]);
  });
  await done;
  return got;
});
plain("large result", async (c) => {
  const r = await c.query("select g, repeat(md5(g::text), 10) s from generate_series(1, 50000) g");
  return [r.rowCount, r.rows[49999], r.rows.reduce((sum, row) => sum + row.s.length, 0)];
});
plain("large parameter and text", async (c) => {
  const big = "y".repeat(6_000_000);
  const one = await c.query("select length($1::text) n, md5($1) m", [big]);
  const two = await c.query("select length('" + big + "') n");
  return [one.rows, two.rows, (await c.query("select 1 as n")).rows];
});
plain("session settings", async (c) => {
  const shown = [];
  for (const name of ["application_name", "statement_timeout", "lock_timeout", "search_path", "client_encoding"]) {
    shown.push((await c.query("show " + name)).rows[0]);
  }
  shown.push(await caught(c.query("select pg_sleep(5)")));
  return shown;
}, { application_name: "a node", statement_timeout: 300, lock_timeout: 900, options: "-c search_path=pg_catalog" });
plain("types", async (c) => {
  const r = await c.query(
    "select '1 day 2 hours'::interval a, '{{1,2},{3,null}}'::int[] b, '(1,2)'::point c, '12:00'::time d, " +
      "'2020-01-01'::date e, '10.0.0.1'::inet f, 12345678901234567890::numeric g, 9007199254740993::int8 h, " +
      "'[1,5)'::int4range i, '{\"a\": null}'::json j, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid k, array[row(1, 'x')] l",
  );
  return JSON.parse(JSON.stringify(r.rows));
});
plain("client-side timeout", async (c) => {
  const late = await caught(c.query({ text: "select pg_sleep(0.4)", query_timeout: 100 }));
  return [late.message, (await c.query("select 5 as n")).rows];
});
tests["pg.encrypted"] = () =>
  withClient({ ssl: { rejectUnauthorized: false } }, async (c) => (await c.query("select 1 as n")).rows);
tests["pg.wrong password"] = async () => caught(withClient({ password: "wrong" }, async () => 0));
tests["pg.unknown database"] = async () => caught(withClient({ database: "nowhere" }, async () => 0));
tests["pg.cancel"] = () =>
  withClient({}, async (c) => {
    const running = caught(c.query("select pg_sleep(20)"));
    await pause(300);
    const pid = c.processID;
    await withClient({}, (other) => other.query("select pg_cancel_backend($1)", [pid]));
    return [await running, (await c.query("select 1 as n")).rows];
  });
tests["pg.terminated"] = () => {
  const c = new pg.Client(where);
  c.on("error", () => {});
  return c.connect().then(async () => {
    const running = caught(c.query("select pg_sleep(20)"));
    await pause(200);
    await withClient({}, (other) => other.query("select pg_terminate_backend($1)", [c.processID]));
    return running;
  });
};
tests["pg.pool"] = async () => {
  const pool = new pg.Pool({ ...where, max: 5 });
  const all = await Promise.all([...Array(100).keys()].map((i) => pool.query("select $1::int n", [i])));
  const client = await pool.connect();
  await client.query("begin");
  await client.query("create temp table inside (a int) on commit drop");
  await client.query("rollback");
  client.release();
  await pool.end();
  return all.map((r) => r.rows[0].n);
};
tests["pg.pool whose clients are thrown away"] = async () => {
  const pool = new pg.Pool({ ...where, max: 2, maxUses: 3 });
  const found = [];
  for (let i = 0; i < 12; i++) found.push((await pool.query("select $1::text t", [i])).rows[0].t);
  await pool.end();
  return found;
};

// --- pg-cursor, pg-query-stream ---------------------------------------------------------------------

plain("cursor.portions", async (c) => {
  const cursor = c.query(new Cursor("select g from generate_series(1, 25) g where g > $1", [3]));
  const sizes = [];
  for (;;) {
    const rows = await cursor.read(10);
    sizes.push(rows.map((r) => r.g));
    if (!rows.length) break;
  }
  await cursor.close();
  return [sizes, (await c.query("select 1 as n")).rows];
});
plain("cursor.closed early", async (c) => {
  const cursor = c.query(new Cursor("select g from generate_series(1, 100000) g"));
  const first = await cursor.read(3);
  await cursor.close();
  return [first, (await c.query("select 2 as n")).rows];
});
plain("cursor.error on the way", async (c) => {
  const cursor = c.query(new Cursor("select 10 / (5 - g) as q from generate_series(1, 10) g"));
  const seen = [await caught(cursor.read(2)), await caught(cursor.read(2)), await caught(cursor.read(2))];
  await caught(cursor.close());
  return [seen, (await c.query("select 3 as n")).rows];
});
plain("cursor.inside a transaction with other queries", async (c) => {
  await c.query("begin");
  const cursor = c.query(new Cursor("select g from generate_series(1, 10) g"));
  const a = await cursor.read(4);
  const b = await cursor.read(100);
  await cursor.close();
  await c.query("commit");
  return [a, b];
});
plain("stream.all", async (c) => {
  let count = 0, sum = 0;
  const stream = c.query(new QueryStream("select g from generate_series(1, $1) g", [20000], { batchSize: 77 }));
  for await (const row of stream) { count++; sum += row.g; }
  return [count, sum];
});
plain("stream.left early", async (c) => {
  const stream = c.query(new QueryStream("select g from generate_series(1, 100000) g", [], { batchSize: 10 }));
  const seen = [];
  for await (const row of stream) { seen.push(row.g); if (seen.length === 25) break; }
  return [seen.length, (await c.query("select 4 as n")).rows];
});
plain("stream.error", async (c) => {
  const stream = c.query(new QueryStream("select 1 / (50 - g) as q from generate_series(1, 100) g", [], { batchSize: 8 }));
  const all = (async () => { let n = 0; for await (const _row of stream) n++; return n; })();
  return [await caught(all), (await c.query("select 5 as n")).rows];
});

// --- postgres ---------------------------------------------------------------------------------------

const tagged = (name, body, options = {}) => {
  tests["postgres." + name] = async () => {
    const sql = postgres({ ...where, max: 1, onnotice: () => {}, fetch_types: true, ...options });
    try {
      return await body(sql);
    } finally {
      await sql.end({ timeout: 5 });
    }
  };
};
tagged("values", async (sql) => {
  const rows = await sql`select ${1}::int a, ${"x"}::text b, ${null}::text c, ${[1, 2]}::int[] d, ${sql.json({ a: 1 })}::json e, ${new Date(0)}::timestamptz f`;
  return [[...rows], rows.count, rows.command, rows.columns.map((c) => [c.name, c.type])];
});
tagged("insert and returning", async (sql) => {
  await sql`create temp table users (id serial, name text, age int)`;
  const rows = [{ name: "a", age: 1 }, { name: "b", age: 2 }];
  const back = await sql`insert into users ${sql(rows, "name", "age")} returning *`;
  const up = await sql`update users set ${sql({ age: 9 }, "age")} where name = ${"b"} returning age`;
  return [[...back], [...up], (await sql`select count(*)::int n from users where name in ${sql(["a", "b"])}`)[0]];
});
tagged("pipelined", async (sql) => {
  const all = await Promise.all([...Array(300).keys()].map((i) => sql`select ${i}::int as n`));
  return all.map((rows) => rows[0].n);
});
tagged("pipelined with errors", async (sql) => {
  const all = await Promise.all([...Array(30).keys()].map((i) => caught(sql`select 10 / (${i}::int - 7) as n`.then((r) => r[0].n))));
  return all.map((r) => r.value ?? [r.code, r.message]);
});
tagged("cursor", async (sql) => {
  const sizes = [];
  for await (const rows of sql`select g from generate_series(1, 95) g`.cursor(30)) sizes.push(rows.length);
  await sql`select g from generate_series(1, 95) g`.cursor(10, () => sql.CLOSE);
  return [sizes, (await sql`select 1 as n`)[0]];
});
tagged("forEach and raw", async (sql) => {
  let sum = 0;
  await sql`select g from generate_series(1, 1000) g`.forEach((row) => { sum += row.g; });
  const raw = await sql`select 1 a, 'x' b`.raw();
  return [sum, raw.map((row) => row.map(String))];
});
tagged("transactions and savepoints", async (sql) => {
  await sql`create temp table t (a int)`;
  const seen = await caught(sql.begin(async (tx) => {
    await tx`insert into t values (1)`;
    await caught(tx.savepoint(async (sp) => { await sp`insert into t values (2)`; await sp`select 1/0`; }));
    await tx`insert into t values (3)`;
    return "done";
  }));
  const lost = await caught(sql.begin(async (tx) => { await tx`insert into t values (4)`; throw new Error("no"); }));
  return [seen, lost.message, (await sql`select array_agg(a order by a) a from t`)[0].a];
});
tagged("copy", async (sql) => {
  await sql`create temp table c (a int, b text)`;
  const sink = await sql`copy c (a, b) from stdin`.writable();
  await pipeline(Readable.from([...Array(5000).keys()].map((i) => `${i}\trow ${i}\n`)), sink);
  let size = 0;
  const source = await sql`copy (select * from c order by a) to stdout`.readable();
  await pipeline(source, new Writable({ write(chunk, _e, next) { size += chunk.length; next(); } }));
  return [(await sql`select count(*)::int n, sum(a)::int s from c`)[0], size];
});
tagged("copy that fails", async (sql) => {
  await sql`create temp table c (a int)`;
  const sink = await sql`copy c from stdin`.writable();
  const failed = await caught(pipeline(Readable.from(["1\n", "not a number\n"]), sink));
  return [failed.code, (await sql`select count(*)::int n from c`)[0]];
});
tagged("simple protocol", async (sql) => {
  const rows = await sql.unsafe("select 1 a; select 2 b; select 3 c");
  return rows.map((r) => [...r]);
});
tagged("describe", async (sql) => {
  const d = await sql`select ${1}::int a, 'x'::text b`.describe();
  return [d.types, d.columns.map((c) => [c.name, c.type])];
});
tagged("cancelled", async (sql) => {
  const query = sql`select pg_sleep(20)`;
  const result = caught(query);
  await pause(300);
  query.cancel();
  return [(await result).code, (await sql`select 1 as n`)[0]];
});
tagged("listen", async (sql) => {
  const got = [];
  let finish;
  const done = new Promise((resolve) => (finish = resolve));
  const other = await sql.listen("gossip", (payload) => { got.push(payload); got.length === 2 && finish(); });
  await sql.notify("gossip", "one");
  await sql.notify("gossip", "two");
  await done;
  await other.unlisten();
  return got;
}, { max: 2 });
tagged("unprepared", async (sql) => {
  const found = [];
  for (let i = 0; i < 10; i++) found.push((await sql`select ${i}::int n`)[0].n);
  return found;
}, { prepare: false });
tagged("subscription", async (sql) => {
  await sql`drop table if exists watched`;
  await sql`create table watched (a int primary key, b text)`;
  await sql`drop publication if exists alltables`;
  await sql`create publication alltables for all tables`;
  const seen = [];
  let finish;
  const done = new Promise((resolve) => (finish = resolve));
  const { unsubscribe } = await sql.subscribe("*", (row, { command }) => { seen.push([command, row && row.a, row && row.b]); seen.length === 3 && finish(); });
  await sql`insert into watched values (1, 'x')`;
  await sql`update watched set b = 'y'`;
  await sql`delete from watched`;
  await done;
  await unsubscribe();
  await sql`drop publication alltables`;
  return seen;
});
tagged("encrypted", async (sql) => [...(await sql`select 1 as n`)], { ssl: { rejectUnauthorized: false } });
tagged("errors", async (sql) => {
  const seen = [];
  for (const text of ["select 1/0", "selec", "select nope"]) seen.push(await caught(sql.unsafe(text)));
  seen.push(await caught(sql`select ${"x"}::int`));
  return seen;
});
tagged("idle connections end", async (sql) => {
  const first = (await sql`select 1 as n`)[0].n;
  await pause(1500);
  return [first, (await sql`select 2 as n`)[0].n];
}, { idle_timeout: 1 });

const limit = (promise) => Promise.race([promise, pause(30000).then(() => { throw new Error("no answer in 30 s"); })]);
for (const [name, body] of Object.entries(tests)) {
  if (only.size && !only.has(name)) continue;
  let outcome;
  try {
    outcome = await limit(body());
  } catch (error) {
    outcome = { unexpected: failure(error) };
  }
  console.log(JSON.stringify({ name, outcome }, (_key, value) => (typeof value === "bigint" ? String(value) : value)));
}
process.exit(0);
