"""Codes whose meaning is in a table of another name: filters, groups and counts mean what the codes stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.lake.api import Lake

_LANDS = {"DE": "Germany", "FR": "France", "NO": "Norway", "PT": "Portugal", "IE": "Ireland"}
_SERVICES = {"EXP": "Overnight", "STD": "Regular mail", "CRG": "Freight"}


def write_lake(folder: Path) -> None:
    lands, services = list(_LANDS), list(_SERVICES)
    parcels = [f"{700 + i},{lands[i * i % 5]},{services[i % 3]},{1 + i % 9}" for i in range(90)]
    (folder / "shipments.csv").write_text("\n".join(["shipment_no,dest_ctry,svc,kg", *parcels]) + "\n")
    (folder / "iso_key.csv").write_text(
        "\n".join(["a2,label", *(",".join(x) for x in _LANDS.items())]) + "\n"
    )
    (folder / "ship_svc.csv").write_text(
        "\n".join(["svc,descr", *(",".join(x) for x in _SERVICES.items())]) + "\n"
    )
    drivers = [f"{i},Driver {i},{'ABC'[i % 3]}" for i in range(12)]
    (folder / "drivers.csv").write_text("\n".join(["driver_no,driver,licence", *drivers]) + "\n")


@pytest.mark.parametrize(
    ("asked", "real"),
    [
        ("SELECT count(*) AS n FROM parcels WHERE country = 'Germany'", "SELECT count(*) FROM shipments WHERE dest_ctry = 'DE'"),
        ("SELECT count(*) AS n FROM shipments WHERE service = 'Overnight'", "SELECT count(*) FROM shipments WHERE svc = 'EXP'"),
        ("SELECT service, sum(weight) AS weight FROM shipments GROUP BY service", "SELECT descr, sum(kg) FROM shipments JOIN ship_svc USING (svc) GROUP BY 1"),
        ("SELECT destination_country, count(*) AS n FROM shipments GROUP BY destination_country", "SELECT label, count(*) FROM shipments JOIN iso_key ON a2 = dest_ctry GROUP BY 1"),
        ("SELECT service_code, count(*) AS n FROM shipments GROUP BY service_code", "SELECT svc, count(*) FROM shipments GROUP BY 1"),
        ("SELECT svc, count(*) AS n FROM shipments GROUP BY svc", "SELECT svc, count(*) FROM shipments GROUP BY 1"),
    ],
)  # fmt: skip
def test_codes_are_told_as_what_they_stand_for(lake: Lake, asked: str, real: str) -> None:
    found, wanted = lake.query(asked, "resolve"), lake.query(real)
    assert found.rows is not None
    assert wanted.rows is not None
    assert sorted(found.rows.rows) == sorted(wanted.rows.rows), found.resolution.sql


def test_counting_one_row_of_a_table_of_codes_is_never_told_as_sure(lake: Lake) -> None:
    found = lake.query("SELECT count(*) AS n FROM shipping WHERE service = 'Freight'", "resolve")
    assert found.rows is not None
    assert found.rows.rows != [(1,)] or found.resolution.confidence < 0.7
