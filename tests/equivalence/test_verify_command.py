from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rewright.cli import rewright

pytestmark = pytest.mark.server


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "schema.sql").write_text("create table t (a int primary key, b int);")
    (tmp_path / "a.sql").write_text("select a from t where not b > 1;")
    (tmp_path / "same.sql").write_text("select a from t where b <= 1")
    (tmp_path / "other.sql").write_text("-- a comment\nselect a from t where b < 1 -- and another")
    return tmp_path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(rewright, ["verify", *(str(a) for a in arguments)])


@pytest.mark.parametrize(
    ("candidate", "code"),
    [("select a from t where b <= 1", 0), ("select a from t where b < 1", 1), ("select nope", 3)],
)
def test_exit_codes_tell_the_verdict(files: Path, candidate: str, code: int) -> None:
    (files / "candidate.sql").write_text(candidate)
    arguments = ("--schema", files / "schema.sql", files / "a.sql", files / "candidate.sql")
    assert run(*arguments, "--exit-code").exit_code == code
    assert run(*arguments).exit_code == 0


def test_a_syntax_error_is_wrong_usage(files: Path) -> None:
    (files / "wrong.sql").write_text("selec a from t")
    result = run("--schema", files / "schema.sql", files / "a.sql", files / "wrong.sql")
    assert result.exit_code == 2
    assert 'wrong.sql: line 1: syntax error at or near "selec"' in result.stderr


def test_one_pair(files: Path) -> None:
    result = run(
        "--schema", files / "schema.sql", files / "a.sql", files / "same.sql", "--json", "--require", "proved"
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout)["verdict"] == "proved"
    result = run(
        "--schema", files / "schema.sql", files / "a.sql", files / "other.sql", "--require", "judged"
    )
    assert result.exit_code == 1
    assert "INSERT INTO" in result.stdout
    assert "refuted, but judged is required" in result.stderr


def test_a_batch(files: Path) -> None:
    pair = {
        "id": "x",
        "schema_sql": "create table t (a int)",
        "q1": "select a from t",
        "q2": "select a from t where true",
    }
    (files / "pairs.jsonl").write_text(json.dumps(pair) + "\nrubbish\n")
    out = files / "out.jsonl"
    result = run("--batch", files / "pairs.jsonl", "--out", out, "--jobs", "1", "--timeout", "20s", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"proved": 1, "unknown": 1}
    assert {row["id"] for row in map(json.loads, out.read_text().splitlines())} == {"x", "line 2"}


@pytest.mark.parametrize("arguments", [[], ["--batch", __file__], ["--schema", __file__, __file__]])
def test_wrong_usage(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


def recheck(*arguments: str | Path) -> Result:
    return CliRunner().invoke(rewright, ["recheck", *(str(a) for a in arguments)])


def test_a_certificate_is_written_and_rechecked(files: Path) -> None:
    proof = files / "proof.json"
    run("--schema", files / "schema.sql", files / "a.sql", files / "same.sql", "--certificate", proof)
    found = recheck(proof)
    assert (found.exit_code, found.stdout) == (0, f"{proof}: good (0 steps)\n")
    proof.write_text(proof.read_text().replace("<= 1", "<= 2"))
    found = recheck(proof, "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)[0]["outcome"] == "refused"
    assert recheck(files / "nowhere").exit_code == 2


def test_a_pair_that_is_not_proved_has_no_certificate(files: Path) -> None:
    proof = files / "proof.json"
    run("--schema", files / "schema.sql", files / "a.sql", files / "other.sql", "--certificate", proof)
    assert not proof.exists()


def test_a_batch_writes_certificates_by_line(files: Path) -> None:
    pair = {"schema_sql": (files / "schema.sql").read_text(), "q1": (files / "a.sql").read_text()}
    lines = [
        {"id": name, **pair, "q2": (files / f"{name}.sql").read_text()} for name in ("same", "other", "a")
    ]
    (files / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    proofs = files / "proofs.jsonl"
    arguments = ("--batch", files / "pairs.jsonl", "--out", files / "verdicts.jsonl", "--timeout", "20s")
    assert run(*arguments, "--certificate", proofs).exit_code == 0
    found = recheck(proofs, "--json")
    assert found.exit_code == 0
    assert {(r["id"], r["outcome"]) for r in json.loads(found.stdout)} == {("same", "good"), ("a", "good")}
    verdicts = [json.loads(line) for line in (files / "verdicts.jsonl").read_text().splitlines()]
    assert not any("certificate" in v for v in verdicts)
