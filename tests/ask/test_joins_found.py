"""Joins that nobody declared, found in names and data."""

from __future__ import annotations

import psycopg
import pytest

from rewright.ask.context_reading import read_context
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer

pytestmark = pytest.mark.server

SCHEMA = """
create table quay (quay_code text, berths int);
insert into quay values ('A1', 3), ('B2', 3), ('C3', 1);
create table ferry (ferry_id int, from_quay text, to_quay text, route_id int);
insert into ferry values (1, 'A1', 'B2', 7), (2, 'B2', 'A1', 8), (3, 'A1', 'B2', 7);
create table route (abstract text, rid int);
insert into route values ('north', 7), ('south', 8), ('west', 9);
create table route_stage (rid int, stage text);
insert into route_stage values (7, 'one'), (9, 'two');
create table town (town_name text, quay_code text);
insert into town values ('Aske', 'A1'), ('Brun', 'B2'), ('Corl', 'Z9'), ('Dorn', 'A1');
create table crew (crew_id int primary key, master_id int);
insert into crew select i, 10 + i % 3 from generate_series(1, 9) i;
create table voucher (vid int primary key, issuer_id int);
insert into voucher select i, i from generate_series(1, 9) i;
create table journey (journey_no int, voucher_id int);
insert into journey select i, 1 + i % 9 from generate_series(1, 40) i;
"""


def test_joins_are_found_in_names_and_data(scratch_server: ScratchServer, module_database: str) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        found = {
            f"{j.many.table.name}.{j.many.name} = {j.one.table.name}.{j.one.name}": j.likelihood
            for j in read_context(connection, snapshot(connection)).joins
        }
    assert found == {
        "ferry.from_quay = quay.quay_code": 0.8,  # a role before the name
        "ferry.to_quay = quay.quay_code": 0.8,
        "ferry.route_id = route.rid": 0.95,
        "route_stage.rid = route.rid": 0.95,  # the initial of the table, though both are unique
        "town.quay_code = quay.quay_code": 0.8,  # three of four are there
        "journey.voucher_id = voucher.vid": 0.95,  # the key, not the issuer, who is unique too
    }
