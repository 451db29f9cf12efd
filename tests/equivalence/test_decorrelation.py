"""Decorrelations in the shape of TPC-H and of textbooks: each is proved, ties named
where LIMIT leaves them.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

pytestmark = pytest.mark.long

CATALOG = catalog_from_ddl("""
create table region (r_regionkey int primary key, r_name char(25) not null);
create table nation (n_nationkey int primary key, n_name char(25) not null,
    n_regionkey int not null references region);
create table part (p_partkey int primary key, p_name varchar(55) not null, p_mfgr char(25) not null,
    p_brand char(10) not null, p_type varchar(25) not null, p_size int not null, p_container char(10) not null);
create table supplier (s_suppkey int primary key, s_name char(25) not null, s_address varchar(40) not null,
    s_nationkey int not null references nation, s_phone char(15) not null, s_acctbal numeric(15,2) not null);
create table partsupp (ps_partkey int not null references part, ps_suppkey int not null references supplier,
    ps_availqty int not null, ps_supplycost numeric(15,2) not null, primary key (ps_partkey, ps_suppkey));
create table customer (c_custkey int primary key, c_name varchar(25) not null, c_phone char(15) not null,
    c_acctbal numeric(15,2) not null, c_nationkey int not null references nation);
create table orders (o_orderkey int primary key, o_custkey int not null references customer,
    o_orderstatus char(1) not null, o_orderdate date not null, o_orderpriority char(15) not null);
create table lineitem (l_orderkey int not null references orders, l_partkey int not null references part,
    l_suppkey int not null references supplier, l_linenumber int not null, l_quantity numeric(15,2) not null,
    l_extendedprice numeric(15,2) not null, l_discount numeric(15,2) not null, l_shipdate date not null,
    l_commitdate date not null, l_receiptdate date not null, primary key (l_orderkey, l_linenumber));
""")

Q2 = """select s_acctbal, s_name, n_name, p_partkey from part, supplier, partsupp ps, nation, region{more}
where p_partkey = ps.ps_partkey and s_suppkey = ps.ps_suppkey and p_size = 15 and p_type like '%BRASS'
and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'EUROPE' and {condition}
order by s_acctbal desc, n_name, s_name, p_partkey limit 100"""
Q2_INNER = """from partsupp ps2, supplier s2, nation n2, region r2 where {tie}
s2.s_suppkey = ps2.ps_suppkey and s2.s_nationkey = n2.n_nationkey and n2.n_regionkey = r2.r_regionkey
and r2.r_name = 'EUROPE'"""
Q17 = "select sum(l_extendedprice) / 7.0 as avg_yearly from lineitem l, part{more} where p_partkey = l.l_partkey and p_brand = 'Brand#23' and p_container = 'MED BOX' and {condition}"
Q20 = "select s_name, s_address from supplier, nation where s_suppkey in ({inner}) and s_nationkey = n_nationkey and n_name = 'CANADA' order by s_name"
Q22 = "select c_custkey, c_acctbal from customer c{more} where c_acctbal > {average} and {orderless}"
REVENUE = "select l_suppkey supplier_no, sum(l_extendedprice * (1 - l_discount)) total_revenue from lineitem where l_shipdate >= date '1996-01-01' group by l_suppkey"

PAIRS = {
    "Q2, grouped derived table": (
        Q2.format(more="", condition="ps.ps_supplycost = (select min(ps2.ps_supplycost) "
                  + Q2_INNER.format(tie="ps2.ps_partkey = p_partkey and") + ")"),
        Q2.format(more=", (select ps2.ps_partkey k, min(ps2.ps_supplycost) c " + Q2_INNER.format(tie="")
                  + " group by ps2.ps_partkey) t", condition="t.k = p_partkey and ps.ps_supplycost = t.c"),
    ),
    "Q4, IN": (
        "select o_orderpriority, count(*) from orders where exists (select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate) group by o_orderpriority order by o_orderpriority",
        "select o_orderpriority, count(*) from orders where o_orderkey in (select l_orderkey from lineitem where l_commitdate < l_receiptdate) group by o_orderpriority order by o_orderpriority",
    ),
    "Q4, join with DISTINCT": (
        "select o_orderpriority, count(*) from orders where exists (select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate) group by o_orderpriority order by o_orderpriority",
        "with l as (select distinct l_orderkey from lineitem where l_commitdate < l_receiptdate) select o_orderpriority, count(*) from orders join l on l_orderkey = o_orderkey group by o_orderpriority order by o_orderpriority",
    ),
    "Q11, cross join": (
        "select ps_partkey, sum(ps_supplycost * ps_availqty) v from partsupp, supplier where ps_suppkey = s_suppkey group by ps_partkey having sum(ps_supplycost * ps_availqty) > (select sum(ps_supplycost * ps_availqty) * 0.0001 from partsupp, supplier where ps_suppkey = s_suppkey) order by v desc",
        "with total as (select sum(ps_supplycost * ps_availqty) * 0.0001 t from partsupp, supplier where ps_suppkey = s_suppkey) select g.ps_partkey, g.v from (select ps_partkey, sum(ps_supplycost * ps_availqty) v from partsupp, supplier where ps_suppkey = s_suppkey group by ps_partkey) g cross join total where g.v > total.t order by g.v desc",
    ),
    "Q15, CTE": (
        f"select s_suppkey, s_name, total_revenue from supplier, ({REVENUE}) r where s_suppkey = supplier_no and total_revenue = (select max(total_revenue) from ({REVENUE}) r2) order by s_suppkey",
        f"with r as materialized ({REVENUE}), top as (select max(total_revenue) m from r) select s_suppkey, s_name, r.total_revenue from supplier join r on s_suppkey = r.supplier_no join top on r.total_revenue = top.m order by s_suppkey",
    ),
    "Q17, grouped derived table": (
        Q17.format(more="", condition="l.l_quantity < (select 0.2 * avg(l_quantity) from lineitem l2 where l2.l_partkey = p_partkey)"),
        Q17.format(more=", (select l_partkey k, 0.2 * avg(l_quantity) q from lineitem group by l_partkey) t", condition="t.k = p_partkey and l.l_quantity < t.q"),
    ),
    "Q17, LATERAL": (
        Q17.format(more="", condition="l.l_quantity < (select 0.2 * avg(l_quantity) from lineitem l2 where l2.l_partkey = p_partkey)"),
        Q17.format(more=" cross join lateral (select 0.2 * avg(l_quantity) q from lineitem l2 where l2.l_partkey = p_partkey) t", condition="l.l_quantity < t.q"),
    ),
    "Q17, window": (
        Q17.format(more="", condition="l.l_quantity < (select 0.2 * avg(l_quantity) from lineitem l2 where l2.l_partkey = p_partkey)"),
        "select sum(l_extendedprice) / 7.0 as avg_yearly from (select l_extendedprice, l_quantity, 0.2 * avg(l_quantity) over (partition by l_partkey) q from lineitem, part where p_partkey = l_partkey and p_brand = 'Brand#23' and p_container = 'MED BOX') t where l_quantity < q",
    ),
    "Q20, joins": (
        Q20.format(inner="select ps_suppkey from partsupp where ps_partkey in (select p_partkey from part where p_name like 'forest%') and ps_availqty > (select 0.5 * sum(l_quantity) from lineitem where l_partkey = ps_partkey and l_suppkey = ps_suppkey and l_shipdate >= date '1994-01-01')"),
        Q20.format(inner="select ps_suppkey from partsupp join part on p_partkey = ps_partkey join (select l_partkey, l_suppkey, 0.5 * sum(l_quantity) q from lineitem where l_shipdate >= date '1994-01-01' group by l_partkey, l_suppkey) t on t.l_partkey = ps_partkey and t.l_suppkey = ps_suppkey where p_name like 'forest%' and ps_availqty > t.q"),
    ),
    "Q21, anti-join": (
        "select s_name, count(*) n from supplier, lineitem l1, orders where s_suppkey = l1.l_suppkey and o_orderkey = l1.l_orderkey and o_orderstatus = 'F' and l1.l_receiptdate > l1.l_commitdate and exists (select * from lineitem l2 where l2.l_orderkey = l1.l_orderkey and l2.l_suppkey <> l1.l_suppkey) and not exists (select * from lineitem l3 where l3.l_orderkey = l1.l_orderkey and l3.l_suppkey <> l1.l_suppkey and l3.l_receiptdate > l3.l_commitdate) group by s_name order by n desc, s_name limit 100",
        "select s_name, count(*) n from supplier join lineitem l1 on s_suppkey = l1.l_suppkey join orders on o_orderkey = l1.l_orderkey left join lineitem l3 on l3.l_orderkey = l1.l_orderkey and l3.l_suppkey <> l1.l_suppkey and l3.l_receiptdate > l3.l_commitdate where l3.l_orderkey is null and o_orderstatus = 'F' and l1.l_receiptdate > l1.l_commitdate and l1.l_orderkey in (select l2.l_orderkey from lineitem l2 where l2.l_suppkey <> l1.l_suppkey) group by s_name order by n desc, s_name limit 100",
    ),
    "Q22, anti-join and cross join": (
        Q22.format(more="", average="(select avg(c_acctbal) from customer where c_acctbal > 0.00)", orderless="not exists (select * from orders where o_custkey = c_custkey)"),
        Q22.format(more=" left join orders on o_custkey = c_custkey cross join (select avg(c_acctbal) m from customer where c_acctbal > 0.00) t", average="t.m", orderless="o_orderkey is null"),
    ),
}  # fmt: skip
TIES = {"Q2, grouped derived table"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAIRS)
def test_decorrelation_is_proved(name: str) -> None:
    q1, q2 = (bind(text, CATALOG) for text in PAIRS[name])
    proof = prove(q1, q2, CATALOG, deadline_seconds=90)
    assert isinstance(proof, Proof)
    assert proof.modulo <= {"tie-order"}
    assert ("tie-order" in proof.modulo) == (name in TIES)
    assert check_proof(proof, q1, q2, CATALOG) is None
