"""Lakes in object storage, against a local S3 server."""

from __future__ import annotations

import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.lake import remote
from rewright.lake.api import open_lake
from rewright.lake.embedding import best_embedder

FILES = {
    "sales/orders.csv": "id,customer,total\n1,ann,10\n2,bob,20\n",
    "sales/2026/customers.csv": "name,city\nann,Graz\nbob,Linz\n",
    "sales/readme.md": "not a table",
    "other/orders.csv": "id\n99\n",
}


@pytest.fixture(scope="module")
def server():
    # half a second, which each process that collects tests would take
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(server, monkeypatch, tmp_path):
    import boto3

    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "y")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(remote, "FRESH_SECONDS", 0.0)
    client = boto3.client("s3")
    name = f"lake-{tmp_path.name.replace('_', '-').lower()}"[:60]
    client.create_bucket(Bucket=name)
    for key, text in FILES.items():
        client.put_object(Bucket=name, Key=key, Body=text.encode())
    return client, name


def lake(url):
    return open_lake(url, embedder=best_embedder(semantic=False))


def test_a_prefix_is_a_lake(bucket):
    _, name = bucket
    with lake(f"s3://{name}/sales") as opened:
        assert [table.name for table in opened.tables()] == ["2026_customers", "orders"]
        rows = opened.execute(
            'select city, total from orders join "2026_customers" on customer = name order by 1'
        ).rows
        assert rows == [("Graz", 10), ("Linz", 20)]


def test_changes_are_noticed_and_only_they_are_read_again(bucket, monkeypatch):
    client, name = bucket
    with lake(f"s3://{name}/sales/") as opened:
        client.put_object(Bucket=name, Key="sales/orders.csv", Body=b"id,customer,total\n3,cy,30\n")
        client.put_object(Bucket=name, Key="sales/new.csv", Body=b"a,b\n1,2\n")
        client.delete_object(Bucket=name, Key="sales/2026/customers.csv")
        read = []
        download = remote._download
        monkeypatch.setattr(remote, "_download", lambda *args: (read.append(args[2].key), download(*args)))
        update = opened.refresh()
        assert (update.added, update.changed, update.removed) == (("new",), ("orders",), ("2026_customers",))
        assert opened.execute("select total from orders").rows == [(30,)]
        assert opened.refresh().any is False
        assert sorted(read) == ["sales/new.csv", "sales/orders.csv"]


@pytest.mark.parametrize(
    "key",
    [
        "sales/../../../../etc/x.csv",
        "sales//x.csv",
        "sales/.hidden/x.csv",
        "sales/a\\..\\x.csv",
        "sales/./x.csv",
    ],
)
def test_keys_that_lead_elsewhere_are_no_tables(key):
    assert remote._place(key, "sales/") is None


def test_keys_that_cannot_be_files_are_left_out(bucket):
    client, name = bucket
    client.put_object(Bucket=name, Key="sales/orders.csv/inner.csv", Body=b"a\n1\n")
    client.put_object(Bucket=name, Key=f"sales/{'long' * 100}.csv", Body=b"a\n1\n")
    with lake(f"s3://{name}/sales") as opened:
        assert [table.name for table in opened.tables()] == ["2026_customers", "orders"]


def test_what_goes_wrong_has_an_sqlstate(bucket, monkeypatch):
    _, name = bucket
    with pytest.raises(LakeError, match="cannot be read") as raised:
        lake("s3://no-such-bucket-here/x")
    assert raised.value.sqlstate == "08001"
    monkeypatch.setenv(remote.LIMIT_VARIABLE, "10")
    with pytest.raises(LakeError, match="at most 10 are copied") as raised:
        lake(f"s3://{name}/sales")
    assert raised.value.sqlstate == "53100"


def test_a_copy_that_broke_off_is_gone_on_with_at_once(monkeypatch, tmp_path):
    objects = [remote._Object(f"t{n:03}.csv", 4, "x") for n in range(102)]
    fails = {"t101.csv"}

    def download(_client, _bucket, found, folder, place):
        if found.key in fails:
            raise LakeError("the connection broke", sqlstate="08001")
        (folder / place).write_text("a\n1\n")

    monkeypatch.setattr(remote, "_client", lambda: None)
    monkeypatch.setattr(remote, "_listed", lambda *_: iter(objects))
    monkeypatch.setattr(remote, "_download", download)
    with pytest.raises(LakeError, match="broke"):
        remote.mirror("s3://bucket", tmp_path)
    fails.clear()
    folder = remote.mirror("s3://bucket", tmp_path)
    assert (folder / "t101.csv").is_file()
    # and a whole one is not looked at again at once
    fails.add("t000.csv")
    (folder / "t000.csv").unlink()
    assert remote.mirror("s3://bucket", tmp_path) == folder


def test_one_object_is_a_lake_of_one_table(bucket):
    _, name = bucket
    with lake(f"s3://{name}/other/orders.csv") as opened:
        assert opened.execute("select id from orders").rows == [(99,)]
