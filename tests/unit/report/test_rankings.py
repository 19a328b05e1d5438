"""The queries that a report embeds: which ones, what is shown of them, and the limit of their size."""

import json

import numpy as np
import pytest

from tare import compare
from tare._measures.evaluate_rankings import evaluate
from tare.chance._net_measures import with_chance, without_trivial_ideals
from tare.errors import OptionError
from tare.report._queries import rankings
from tare.report._rankings import Levels, RankingFiles, chosen_queries, compared_pair
from tare.report._report import report_of_scores
from tare.report._score_table import context_of

HOSTILE = "<script>alert(1)</script>"
QUERIES = 30


def collection(folder, systems=("good", "fair", "poor")):
    """Write qrels, runs and texts: noise grows from system to system, and q05 is failed by all."""
    random = np.random.default_rng(3)
    qrels, runs = [], {name: [] for name in systems}
    for q in range(QUERIES):
        grades = {f"d{d}": int(random.integers(1, 3)) * (d < 4) for d in range(12)}
        qrels += [f"q{q:02d} 0 {d} {g}\n" for d, g in grades.items()]
        for k, name in enumerate(systems):
            own = {d: g + random.normal(0, 0.6 + k) for d, g in grades.items()}
            if q == 5:
                own = {d: float(g == 0) for d, g in grades.items()}
            runs[name] += [f"q{q:02d} Q0 {d} 0 {s:.5f} t\n" for d, s in own.items()]
    (folder / "qrels.txt").write_text("".join(qrels))
    for name, lines in runs.items():
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "queries.tsv").write_text(
        "".join(f"q{q:02d}\t{HOSTILE} number {q}\n" for q in range(QUERIES))
    )
    rows = [{"id": f"d{d}", "title": HOSTILE, "text": f"number {d} {HOSTILE}"} for d in range(12)]
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths = tuple(folder / f"{name}.run" for name in systems)
    return RankingFiles(
        folder / "qrels.txt", paths, folder / "queries.tsv", str(folder / "docs.jsonl")
    )


def scores_of(files, pool="judged"):
    measures = with_chance(["nDCG@5"]) if pool else ["nDCG@5"]
    made = evaluate(files.qrels, [str(p) for p in files.runs], measures, pool=pool)
    return without_trivial_ideals(made)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return collection(tmp_path_factory.mktemp("rankings"))


@pytest.fixture(scope="module")
def context(files):
    return context_of(scores_of(files))


def test_the_largest_differences_of_both_directions_are_first(context):
    pair = ("good", "fair")
    groups = {g.title: g.queries for g in chosen_queries(context, pair, 12)}
    values = context.scores.matrix("nDCG@5")
    difference = dict(zip(context.scores.items, values[0] - values[1], strict=True))
    up = [difference[q.item] for q in groups["good scores better"]]
    down = [difference[q.item] for q in groups["fair scores better"]]
    assert up == sorted(up, reverse=True)
    assert down == sorted(down)
    assert up[0] == max(difference.values()) > 0 > min(difference.values()) == down[0]
    failed = next(own for title, own in groups.items() if title.startswith("No system"))
    assert failed[0].item == "q05"
    assert sum(map(len, groups.values())) == 12
    assert len({q.item for own in groups.values() for q in own}) == 12


def test_queries_called_uninformative_are_those_on_which_the_systems_are_near_chance(context):
    (alone,) = (g for g in chosen_queries(context, (), 1000) if g.title.startswith("Uninformative"))
    values, chance = context.scores.matrix("nDCG@5"), context.scores.matrix("E(nDCG@5)")
    distance = dict(zip(context.scores.items, abs((values - chance).mean(axis=0)), strict=True))
    found = [distance[q.item] for q in alone.queries]
    assert found == sorted(found)
    assert 0 < len(found) < QUERIES
    assert found[-1] < 0.1


def test_no_query_is_chosen_without_a_reason(context):
    groups = chosen_queries(context, ("good", "fair"), 1000)
    found = [q.item for g in groups for q in g.queries]
    assert len(found) == len(set(found)) <= QUERIES
    assert not chosen_queries(context, ("good",), 0)


def test_the_pair_is_the_best_two_or_the_baseline_or_as_asked(context):
    assert compared_pair(context) == tuple(context.ranking("nDCG@5")[:2])
    against = compare(context.scores.select(measures=["nDCG@5"]), baseline="poor")
    assert compared_pair(context_of(against, scores=context.scores)) == ("good", "poor")
    assert compared_pair(context, ("poor", "good")) == ("poor", "good")
    with pytest.raises(OptionError, match="Did you mean 'good'"):
        compared_pair(context, ("goood", "poor"))


def test_contributions_and_ranks_are_those_of_the_run(context, files):
    (query,) = files.ranked_queries(context.scores.systems, ["good", "fair"], ["q07"]).values()
    lines = [line.split() for line in files.runs[0].read_text().splitlines()]
    own = sorted(((float(s), d) for q, _, d, _, s, _ in lines if q == "q07"), reverse=True)
    assert [d for d, _ in query.rankings["good"]] == [d for _, d in own]
    assert query.text == f"{HOSTILE} number 7"


def test_the_chapter_is_part_of_the_page_and_texts_stay_texts(context, files):
    chapter = rankings(context, files, 8)
    page = report_of_scores(context, "T", chapter).html()
    assert page.count('<details class="ranked-query"') == 8
    assert "<script>alert" not in page
    assert "<mark>number</mark>" in page
    assert "limited to 5 MB" in page
    assert page.index('id="rankings"') < page.index('id="methods"')
    assert "ranked-query" not in report_of_scores(context, "T").html()


def test_what_exceeds_the_limit_is_left_out_and_reported(context, files):
    whole = rankings(context, files, 8)
    sizes = [len(p.encode()) for b in whole.blocks[1:-1] for p in b.parts]
    limit = sum(sizes[:3]) + 10
    cut = rankings(context, files, 8, max_bytes=limit)
    parts = [p for b in cut.blocks[1:-1] for p in b.parts]
    assert sum(len(p.encode()) for p in parts) <= limit
    assert 3 <= len(parts) < 8
    assert f"{8 - len(parts)} queries are left out" in cut.blocks[-1].text
    assert cut.lead.startswith(f"{len(parts)} of {QUERIES} queries")


def test_one_system_without_chance_shows_one_ranking(tmp_path):
    files = collection(tmp_path, ("only",))
    context = context_of(scores_of(files, pool=None))
    found = rankings(context, files, 8)
    parts = [p for b in found.blocks[1:-1] for p in b.parts]
    assert parts
    assert all(part.count('class="side"') == 1 for part in parts)
    assert "All systems score 0" in [b.title for b in found.blocks[1:-1]]


def test_bars_of_both_rankings_have_one_scale(context, files):
    pair = ["good", "poor"]
    (query,) = files.ranked_queries(context.scores.systems, pair, ["q07"]).values()
    levels = dict.fromkeys(pair, Levels(None))
    sides = query.sides("nDCG@10", levels, lambda _: None, 100)
    rows = [row for side in sides for row in side["rows"]]
    most = max(abs(row["added"]) for row in rows)
    assert most > 0
    for row in rows:
        assert row["width"] == pytest.approx(100 * abs(row["added"]) / most, abs=0.06)
