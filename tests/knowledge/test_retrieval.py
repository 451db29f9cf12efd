"""Retrieval finds what helps, says why, and beats words alone; features ignore names."""

from __future__ import annotations

import time

import pytest

from bench.knowledge_bench import LABELS, measured, plain, read_labels
from rewright.knowledge.api import KnowledgeBase
from rewright.knowledge.features import features_of, plan_features
from rewright.knowledge.lessons import Memory, Validity
from rewright.store.api import open_store


@pytest.fixture(scope="module")
def base():
    return KnowledgeBase.load()


@pytest.fixture(scope="module", params=LABELS, ids=lambda path: path.stem)
def labels(request):
    return read_labels(request.param)


def test_labels_name_units_that_exist(base, labels):
    known = {unit.id for unit in base.units}
    assert len(labels) >= 60
    assert {unit for label in labels for unit in label["units"]} <= known


def test_plans_are_read_as_operators():
    plan = {
        "Node Type": "Hash Join",
        "Join Type": "Anti",
        "Plans": [{"Node Type": "Seq Scan"}, {"Node Type": "Limit", "Parent Relationship": "SubPlan"}, "odd"],
    }
    assert set(plan_features(plan)) == {
        "plan.hash_join.anti",
        "plan.seq_scan",
        "plan.limit",
        "plan.subplan",
        "plan.hash_join.anti>plan.seq_scan",
        "plan.hash_join.anti>plan.limit",
    }
    assert plan_features({"no": "plan"}) == []


def test_a_plan_counts_and_is_named_among_the_reasons(base):
    query = "select a.id from a where a.x not in (select b.x from b)"
    with_plan = base.search(
        query, 336, plan={"Node Type": "Seq Scan", "Plans": [{"Node Type": "WorkTable Scan"}]}
    )
    without = {hit.unit.id: hit.score for hit in base.search(query, 336)}
    gained = [hit for hit in with_plan if hit.score > without.get(hit.unit.id, 0.0)]
    assert gained
    assert any(reason.startswith("plan.") for hit in gained for reason in hit.why)


def test_better_than_words_alone(base, labels):
    ours = measured(lambda query: [hit.unit.id for hit in base.search(query)], labels)
    words = measured(plain(base), labels)
    assert ours["ndcg@3"] >= words["ndcg@3"] + 0.1
    assert ours["recall@3"] >= words["recall@3"] + 0.1


def test_names_do_not_matter():
    assert features_of("select a.x from t1 a where date(a.y) = '2024-01-01'") == features_of(
        "select foo.bar from other foo where date(foo.baz) = '1999-12-31'"
    )


@pytest.mark.parametrize(
    ("query", "feature"),
    [
        ("select x from t where date(y) = '2024-01-01'", "where:cmp(fn.date,const.text)"),
        ("select (select count(*) from b where b.k = a.k) from a", "select.sublink.expr.correlated"),
        ("select (select count(*) from b) from a", "select.sublink.expr.alone"),
        ("select * from a x join a y on x.i = y.i", "selfjoin"),
        ("select 1 union all select 2", "set.union.all"),
        ("select distinct on (a) a from t", "distinct.on"),
    ],
)
def test_features(query, feature):
    assert feature in features_of(query)


@pytest.mark.parametrize("text", ["", "not sql at all (", "select 1" + " + 1" * 30000, "\0"])
def test_odd_text_finds_little_and_breaks_nothing(base, text):
    assert isinstance(base.search(text), list)


def test_hits_say_why_and_keep_to_the_category(base):
    hits = base.search("select * from f where to_char(d, 'YYYY-MM') = '2024-01'", 5, category="predicate")
    assert hits
    assert {hit.unit.category for hit in hits} == {"predicate"}
    assert hits[0].why
    assert hits == sorted(hits, key=lambda hit: -hit.score)


def test_words_find_units_too(base):
    assert any("not-in" in hit.unit.id for hit in base.search("NOT IN subquery with NULL values", 5))


@pytest.mark.long
def test_ten_thousand_units_are_searched_in_milliseconds(base, labels):
    many = KnowledgeBase((base.units * 40)[:10_000])
    many.search(labels[0]["query"])
    began = time.process_time()
    for label in labels[:40]:
        many.search(label["query"])
    # a bound far above the 1 ms it takes, so that a busy machine does not fail it
    assert (time.process_time() - began) / 40 < 0.05


def test_lessons_expire_with_the_catalog(tmp_path):
    with open_store(str(tmp_path / "store.db")) as store:
        now = Memory(store.lessons, "app", Validity("digest-1", 180006))
        now.learn("slower", "decorrelate_window", "the window form was slower on  orders")
        now.learn("slower", "decorrelate_window", "the window form was slower on orders")
        assert [lesson.text for lesson in now.recall("slower")] == ["the window form was slower on orders"]
        assert Memory(store.lessons, "other", now.now).recall() == []
        assert Memory(store.lessons, "app", Validity("digest-2", 180006)).recall() == []
        assert Memory(store.lessons, "app", Validity("digest-1", 190000)).recall() == []
