"""Write sql/data/builtins.json.gz from a live PostgreSQL: its built-in types, casts, functions, operators.

Run once per supported major version of the server the data describes:
``python bench/extract_builtins.py DSN sql/data/builtins.json.gz``. Type names are pg_type.typname; only
objects of pg_catalog are taken, in the order of their OIDs.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import psycopg

TYPES = """
select t.typname, t.typtype::text, t.typcategory::text, t.typispreferred,
  coalesce(e.typname, ''), coalesce(a.typname, ''),
  case t.typcollation when 0 then '' when 100 then 'default' else co.collname end,
  ip.provolatile::text, op.provolatile::text,
  coalesce(rs.typname, ''), t.typlen
from pg_type t
left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
left join pg_type a on a.oid = t.typarray
left join pg_collation co on co.oid = t.typcollation
left join pg_proc ip on ip.oid = t.typinput
left join pg_proc op on op.oid = t.typoutput
left join pg_range r on r.rngtypid = t.oid or r.rngmultitypid = t.oid
left join pg_type rs on rs.oid = r.rngsubtype
where t.typnamespace = 'pg_catalog'::regnamespace and t.typtype in ('b','p','r','m')
order by t.oid
"""

FUNCTIONS = """
select p.proname, array(select format_type_name from unnest(p.proargtypes) with ordinality u(o, n)
    join lateral (select typname::text as format_type_name from pg_type where oid = u.o) x on true order by n),
  rt.typname, p.prokind::text, p.provolatile::text, p.proisstrict, p.proretset, p.proleakproof,
  coalesce((select typname from pg_type where oid = p.provariadic), ''), p.pronargdefaults,
  p.proargmodes::text[], p.proargnames,
  array(select typname::text from unnest(p.proallargtypes) with ordinality u(o, n) join pg_type on pg_type.oid = u.o order by n),
  coalesce(a.aggkind::text, ''), coalesce(a.aggnumdirectargs, 0), a.agginitval,
  coalesce(tf.proisstrict, false), coalesce(a.aggfinalfn <> 0, false),
  coalesce(pg_get_expr(p.proargdefaults, 0), '')
from pg_proc p join pg_type rt on rt.oid = p.prorettype
left join pg_aggregate a on a.aggfnoid = p.oid left join pg_proc tf on tf.oid = a.aggtransfn
where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind in ('f','a','w')
order by p.oid
"""

CASTS = """
select s.typname, t.typname, c.castcontext::text, c.castmethod::text, coalesce(p.proname, ''),
  coalesce(array(select typname::text from unnest(p.proargtypes) with ordinality u(o, n) join pg_type on pg_type.oid = u.o order by n), '{}')
from pg_cast c join pg_type s on s.oid = c.castsource join pg_type t on t.oid = c.casttarget
left join pg_proc p on p.oid = c.castfunc
where s.typnamespace = 'pg_catalog'::regnamespace and t.typnamespace = 'pg_catalog'::regnamespace
  and s.typtype in ('b','p','r','m') and t.typtype in ('b','p','r','m')
order by c.oid
"""

OPERATORS = """
select o.oprname, coalesce(l.typname, ''), r.typname, res.typname, p.proname,
  array(select typname::text from unnest(p.proargtypes) with ordinality u(oo, n) join pg_type on pg_type.oid = u.oo order by n),
  coalesce(com.oprname, ''), coalesce(neg.oprname, ''),
  coalesce((select (array['<','<=','=','>=','>'])[a.amopstrategy] || ' ' || f.opfname
    from pg_amop a join pg_opfamily f on f.oid = a.amopfamily join pg_am m on m.oid = f.opfmethod
    where a.amopopr = o.oid and m.amname = 'btree' and f.opfname not like '%pattern%' and a.amoppurpose = 's'
    order by f.oid limit 1), ''),
  o.oprcanhash, o.oprcanmerge
from pg_operator o join pg_type r on r.oid = o.oprright join pg_type res on res.oid = o.oprresult
left join pg_type l on l.oid = o.oprleft join pg_proc p on p.oid = o.oprcode
left join pg_operator com on com.oid = o.oprcom left join pg_operator neg on neg.oid = o.oprnegate
where o.oprnamespace = 'pg_catalog'::regnamespace
order by o.oid
"""

COLLATIONS = """
select distinct collname, collisdeterministic from pg_collation
where collnamespace = 'pg_catalog'::regnamespace and collname in ('C', 'POSIX', 'ucs_basic', 'unicode', 'default', 'pg_c_utf8', 'pg_unicode_fast', 'und-x-icu')
"""

RELATIONS = """
select c.relname, c.relkind::text, array_agg(array[a.attname::text, t.typname::text, a.atttypmod::text,
    a.attnotnull::text, case a.attcollation when 0 then '' when 100 then 'default' else 'C' end] order by a.attnum)
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind in ('r', 'v')
group by c.relname, c.relkind order by c.relname
"""


def main(dsn: str, out: str) -> None:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("show server_version_num").fetchone()
        assert row is not None
        data: dict[str, Any] = {"version": int(row[0])}
        for name, sql in [
            ("types", TYPES),
            ("functions", FUNCTIONS),
            ("casts", CASTS),
            ("operators", OPERATORS),
            ("collations", COLLATIONS),
            ("relations", RELATIONS),
        ]:
            data[name] = [list(r) for r in connection.execute(sql).fetchall()]
            print(name, len(data[name]))
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    Path(out).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
