-- Beside the keys of bench/schemas/tpch.sql: the two dates, which three controls and five slow queries need.
create index orders_orderdate on orders (o_orderdate);
create index lineitem_shipdate on lineitem (l_shipdate);
analyze orders, lineitem;
