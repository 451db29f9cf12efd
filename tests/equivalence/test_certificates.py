"""Certificates of proofs: those written are good, and with anything in them altered they are not, whoever
made the digest anew.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rewright.engines import clock
from rewright.equivalence import certificates
from rewright.equivalence.certificates import Texts, certificate, certify
from rewright.equivalence.certified import Late, NotDerived
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both, prove_both
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.recheck.document import COSMETIC, sealed
from rewright.equivalence.recheck.files import recheck_file
from rewright.equivalence.recheck.laws.table import LAWS
from rewright.equivalence.recheck.outcome import Outcome
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.types import INT4
from tests.equivalence.altering import altered, items, leaves, without
from tests.equivalence.mutating import switched_off
from tests.equivalence.test_hazards import read
from tests.equivalence.test_strength import FOLDER, PAIRS
from tests.proxy.waiting import Stopwatch

SCHEMA = (FOLDER / "schema.sql").read_text()
# of whom or what a certificate says that it comes, which is no claim about the pair
UNCLAIMED = {("checker_version",)}
_SEED = 20


def written(words: str) -> dict[str, Any]:
    catalog = catalog_from_ddl(SCHEMA)
    original, candidate = PAIRS[words]
    binding = Binding(bind(original, catalog), bind(candidate, catalog), catalog)
    proved = prove_both(binding, catalog, 60).proved
    assert proved is not None
    return certificate(proved, Texts(SCHEMA, original, candidate), binding)


def outcome(document: Any) -> Outcome:
    return recheck(json.dumps(document).encode())


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    """As somebody would alter a certificate who knows how its digest is made."""
    return sealed({k: v for k, v in document.items() if k != "digest"})


@pytest.fixture(scope="module", params=sorted(PAIRS)[::31])
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    return written(request.param)


def _some(items: Iterator[Any], count: int) -> list[Any]:
    every = list(items)
    return random.Random(_SEED).sample(every, min(count, len(every)))


def test_a_certificate_is_good_and_says_so_again(document: dict[str, Any]) -> None:
    first, second = outcome(document), outcome(document)
    assert (first.word, first.reason, first.exit_code) == ("good", "", 0)
    assert first.laws == second.laws
    proof = document["proof"]
    steps = sum(len(part.get("steps", ())) for part in proof.get("parts", ()))
    assert sum(count for _, count in first.laws) == steps + len(proof.get("views", ()))


def test_no_altered_leaf_is_accepted(document: dict[str, Any]) -> None:
    for path in _some(leaves(document), 50):
        assert outcome(altered(document, path)).exit_code != 0, path


def test_no_altered_leaf_is_accepted_under_a_digest_made_anew(document: dict[str, Any]) -> None:
    for path in _some(leaves(document), 40):
        if path == ("digest",) or path in UNCLAIMED:
            continue
        found = outcome(resealed(altered(document, path)))
        assert found.exit_code != 0, (path, found)


def test_nothing_left_out_is_accepted_under_a_digest_made_anew(document: dict[str, Any]) -> None:
    for path in _some(items(document), 25):
        found = outcome(resealed(without(document, path)))
        assert found.exit_code != 0, (path, found)


def test_what_is_cosmetic_may_be_added(document: dict[str, Any]) -> None:
    assert outcome({**document, "seconds": 1.5, "comment": "from the nightly run"}).word == "good"
    assert {"seconds", "comment"} == COSMETIC
    assert outcome({**document, "more": 1}).word == "refused"


KEYED = "create table t (a int primary key, b int not null); create table u (a int primary key references t(a), c text not null);"


def made(schema: str, original: str, candidate: str) -> dict[str, Any]:
    catalog = catalog_from_ddl(schema)
    binding = Binding(bind(original, catalog), bind(candidate, catalog), catalog)
    proved = prove_both(binding, catalog, 60).proved
    assert proved is not None
    return certificate(proved, Texts(schema, original, candidate), binding)


@pytest.mark.parametrize(
    ("what", "key", "old", "new"),
    [
        ("a constraint less", "schema", " primary key references t(a)", " primary key"),
        ("a NOT NULL less", "schema", "c text not null", "c text"),
        ("another literal", "candidate", "< 5", "< 6"),
        ("another operator", "candidate", "< 5", "<= 5"),
        ("another column", "original", "select u.c", "select u.a"),
        ("a condition less", "original", "where u.a < 5", ""),
    ],
)
def test_other_queries_and_schemas_are_refused(what: str, key: str, old: str, new: str) -> None:
    document = made(
        KEYED,
        "select u.c from u join t on t.a = u.a where u.a < 5 and u.c is not null",
        "select u.c from u where u.a < 5",
    )
    assert outcome(document).word == "good"
    assert old in document[key], what
    changed = {**document, key: document[key].replace(old, new)}
    if key == "schema":
        changed["catalog_digest"] = catalog_from_ddl(changed["schema"]).digest()
    assert outcome(resealed(changed)).word == "refused"


@pytest.mark.parametrize(
    ("key", "value"),
    [("name", "text"), ("name", "nothing"), ("schema", "public"), ("modifier", 4), ("collation", "default")],
)
def test_types_of_parameters_are_those_of_the_schema(key: str, value: object) -> None:
    catalog = catalog_from_ddl(KEYED)
    original, candidate = (
        "select u.c from u join t on t.a = u.a where u.a < $1",
        "select u.c from u where u.a < $1",
    )
    first, second = (bind(text, catalog, param_types=(INT4,)) for text in (original, candidate))
    binding = Binding(first, second, catalog)
    proved = prove_both(binding, catalog, 60).proved
    assert proved is not None
    document = certificate(proved, Texts(KEYED, original, candidate, parameters=(INT4,)), binding)
    assert outcome(document).word == "good"
    assert document["scope"] == "any"
    document["parameters"][0][key] = value
    assert outcome(resealed(document)).word == "refused"


def test_a_fact_that_is_not_needed_is_refused() -> None:
    document = made(KEYED, "select u.c from u, t where t.a = u.a", "select u.c from u")
    step = next(s for s in document["proof"]["parts"][0]["steps"] if s["facts"])
    other = {"kind": "not null", "table": "public.t", "columns": ["b"], "name": ""}
    step["facts"].append(other)
    found = outcome(resealed(document))
    assert found.word == "refused"
    assert "facts are stated in order" in found.reason or "does not need" in found.reason


def test_a_proof_of_another_kind_is_not_rechecked() -> None:
    document = made(KEYED, "select u.c from u, t where t.a = u.a", "select u.c from u")
    document["proof"] = {"method": "by other proofs", "uses": "parts: normal form"}
    found = outcome(resealed(document))
    assert (found.word, found.exit_code, found.reason) == ("not rechecked", 3, "parts: normal form")


def test_every_law_of_the_kernel_is_stated() -> None:
    from rewright.equivalence.prover.kernel import RULES

    assert set(LAWS) == set(RULES)


HOSTILE = {
    "nothing": b"",
    "no object": b"[]",
    "no JSON": b"{",
    "no UTF-8": b"\xff\xfe",
    "NaN": b'{"format": NaN}',
    "deep": b"[" * 200_000,
    "deep and closed": b'{"a":' * 3000 + b"1" + b"}" * 3000,
    "another format": b'{"format": "x"}',
    "numbers for texts": json.dumps({"format": 1}).encode(),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_certificate_is_refused_at_once(what: str) -> None:
    with Stopwatch() as watch:
        found = recheck(HOSTILE[what])
    assert found.word == "refused"
    assert found.reason
    assert found.seconds / watch.slower < 5


@pytest.mark.parametrize("value", [None, True, -1, 10**30, 1.5, "x" * 3_000_000, [], {}, [[]], {"x": 1}])
def test_wrong_types_anywhere_are_refused(value: object) -> None:
    document = made(KEYED, "select u.c from u, t where t.a = u.a", "select u.c from u")
    for path in _some(leaves(document), 12):
        changed = json.loads(json.dumps(document))
        node = changed
        for key in path[:-1]:
            node = node[key]
        if node[path[-1]] == value or path in UNCLAIMED or path == ("digest",):
            continue
        node[path[-1]] = value
        assert outcome(resealed(changed)).exit_code != 0, path


def test_a_large_certificate_is_refused_by_its_size() -> None:
    from rewright.equivalence.recheck.document import MOST_BYTES

    assert recheck(b" " * (MOST_BYTES + 1)).reason.startswith("larger than")


def documented(title: str) -> set[str]:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    section = page.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}


def test_the_documents_are_described(tmp_path: Path) -> None:
    document = made(KEYED, "select u.c from u, t where t.a = u.a", "select u.c from u")
    (tmp_path / "proof.json").write_text(json.dumps(document))
    (rechecked,) = recheck_file(tmp_path / "proof.json", 60)
    assert documented("rewright recheck --json") == set(rechecked.to_json())
    proof = {f"proof.{key}" for key in document["proof"]} - {"proof.method"}
    (part,) = document["proof"]["parts"]
    assert documented("Certificates") == {*document, *COSMETIC} | proof | set(part) - {"method"}


def test_what_the_prover_concludes_from_a_value_taken_for_exists_is_not_good() -> None:
    fixture = read("laws/outside")
    catalog = catalog_from_ddl(fixture.schema)
    both = [bind(q, catalog) for q in fixture.falls]
    with switched_off("outside"):
        proved = prove_pair(Binding(both[0], both[1], catalog), catalog, 60).proved
        assert proved is not None
        document = certify(proved, Texts(fixture.schema, *fixture.falls), catalog.digest())
    assert outcome(document).exit_code != 0


def test_forms_of_a_pair_are_looked_at_in_growing_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long in one form takes no time from the others, and what was settled is not asked again."""
    one, other, third = ("plain",), ("plain", "lookups"), ()
    looks: list[tuple[tuple[str, ...], bool | None, float]] = []

    def look(
        _both: Binding,
        names: tuple[str, ...],
        _proof: object,
        until: float,
        *,
        positions: bool,
        memory: object,
    ) -> certificates.Seen:
        looks.append((names, positions, until - clock.now()))
        if names == other:
            raise NotDerived("no proof found")
        if len(looks) < 7:
            raise Late("no proof: timeout")
        return certificates.Seen({}, frozenset(), frozenset())

    monkeypatch.setattr(certificates, "ways", lambda _: iter((one, other, third)))
    monkeypatch.setattr(certificates, "seen_as", look)
    both = bind_both("select 1", "select 1", catalog_from_ddl(""), ("public",))
    assert isinstance(both, Binding)
    next(certificates._searched(both, clock.now() + 30.0))
    asked = [(names, positions) for names, positions, _ in looks]
    first = [(names, positions) for positions in (False, True) for names in (one, other, third)]
    assert asked == [*first, (one, False)]
    assert max(left for _, _, left in looks[:6]) <= certificates._FIRST < looks[6][2]
