"""The gate: verdicts over tables, their sentences, and everything that changed since the baseline was saved."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import tare
from tare._decide.gate_result import junit, markdown
from tare._measures.names import column_measures
from tare._signature import Signature
from tare.errors import MeasureError, MismatchError, OptionError

QUERIES = 40
LOSS = np.r_[-0.3, -0.2, -0.1, -0.4, -0.5, np.zeros(15)]
MIXED = np.r_[-0.3, -0.2, 0.1, -0.4, -0.5, -0.25, np.zeros(14)]


def table(differences, measure="nDCG@10", base=0.6, **attributes):
    """Return a score table of one system: `base` plus the differences."""
    values = np.asarray(base + np.asarray(differences))[None, :, None]
    items = tuple(f"q{k:03}" for k in range(values.shape[1]))
    measures = column_measures([measure])
    return tare.Scores(
        ("s",), items, measures, values, (Signature(measure, ()),), attributes=attributes
    )


def gate(differences, measures=None, *, measure="nDCG@10", base=0.6, **options):
    """Gate these differences against a baseline of one score everywhere."""
    d = np.asarray(differences)
    return tare.gate(
        table(d, measure, base), table(np.zeros_like(d), measure, base), measures, **options
    )


def joined(*columns, names=("nDCG@10", "AP", "RR")):
    """Return a table with several measures, one column of differences each."""
    made = table(columns[0], names[0])
    for column, name in zip(columns[1:], names[1:], strict=False):
        made = made.join(table(column, name))
    return made


def several(*columns, measures=None, **options):
    zero = [np.zeros_like(column) for column in columns]
    return tare.gate(joined(*columns), joined(*zero), measures, **options)


# What is printed


def test_a_loss_is_shown_and_blocks():
    found = gate(LOSS)
    assert (found.verdict, found.exit_code) == ("block", 1)
    assert found.answer() == (
        "A loss is shown: −0.075 on 20 queries; 5 lost, 0 gained; p = 0.0312."
    )
    assert found.text().splitlines()[1:] == [
        "nDCG@10: s 0.525 against s 0.600: −0.075.",
        "Lost most: q004 −0.500, q003 −0.400, q000 −0.300, q001 −0.200, q002 −0.100.",
    ]
    assert gate(MIXED).rows()[0]["p"] == 0.03125


def test_no_loss_shown_names_the_loss_that_would_be():
    found = gate(MIXED, alpha=0.01)
    assert found.measures[0].verdict == "without evidence"  # 6 changed; alpha .01 needs 7
    found = gate(np.r_[0.3, -0.25, 0.2, -0.1, 0.15, -0.2, np.zeros(94)])
    row = found.measures[0]
    assert (found.verdict, found.exit_code, row.verdict) == ("pass", 0, "no loss shown")
    assert found.answer() == (
        f"No loss shown (adjusted p = {row.p:.4f}). A mean loss of about 0.020 would be shown in 80 % of "
        "such query sets; smaller ones usually stay unseen."
    )
    with_tolerance = gate(np.r_[0.3, -0.25, 0.2, -0.1, 0.15, -0.2, np.zeros(94)], {"nDCG@10": 0.05})
    assert "A mean loss of about 0.060 would be blocked in 80 %" in with_tolerance.answer()


def test_a_loss_within_the_tolerance_passes_and_is_said():
    found = gate(LOSS, {"nDCG@10": 0.1})
    assert (found.verdict, found.exit_code, found.may_update) == ("pass", 0, False)
    assert found.answer() == (
        "A loss is shown (−0.075, adjusted p = 0.0312), within your tolerance of 0.1."
    )
    assert gate(LOSS, {"nDCG@10": 0.075}).verdict == "block"  # a loss of the margin blocks
    close = gate(
        LOSS * 0.7997 / 1.2, {"nDCG@10": 0.05}
    ).answer()  # −0.04998 would be printed as −0.050
    assert close.startswith("A loss is shown (−0.04998, ")


def test_too_few_changes_are_no_evidence():
    found = gate(np.r_[[-0.5] * 4, np.zeros(16)])
    assert (found.verdict, found.exit_code) == ("pass", 0)
    assert found.answer() == (
        "Passed without evidence: 4 queries changed, 4 lost; a loss can be shown from 5 changed queries on."
    )
    assert "Changed: q000 −0.500, q001 −0.500, q002 −0.500, q003 −0.500." in found.text()
    assert found.measures[0].p == 0.0625
    one = gate([-0.5])
    assert one.answer().startswith("Passed without evidence: 1 query changed, 1 lost; a loss")
    gained = gate(np.r_[0.5, np.zeros(9)])
    assert "1 query changed, 0 lost" in gained.answer()


def test_nothing_changed():
    found = gate(np.zeros(20))
    assert (found.verdict, found.exit_code, found.measures[0].p) == ("pass", 0, 1)
    assert found.answer() == "Nothing changed on 20 queries."
    assert gate([0.0]).answer() == "Nothing changed on 1 query."


def test_what_only_rounding_made_is_no_change():
    """Five queries that differ by 1e-16 would otherwise be a shown loss."""
    found = gate(np.r_[[-1.2e-16] * 8, np.zeros(12)])
    assert found.answer() == "Nothing changed on 20 queries."


def test_measures_are_adjusted_by_holm():
    assert gate(LOSS).verdict == "block"
    found = several(LOSS, MIXED[:20] * 0)
    assert (found.verdict, found.measures[0].adjusted) == ("pass", 0.0625)
    assert found.measures[0].verdict == "without evidence"  # 2 measures need 6 changed queries
    assert "from 6 changed queries on" in found.text()
    seven = np.r_[[-0.3] * 7, np.zeros(13)]
    found = several(seven, LOSS, seven * 0)
    assert [row.verdict for row in found.measures] == [
        "loss shown",
        "without evidence",
        "nothing changed",
    ]
    assert found.measures[0].adjusted == pytest.approx(3 / 128)
    assert found.measures[1].adjusted == pytest.approx(2 / 32)
    assert found.answer() == "A loss is shown by 1 of 3 measures: nDCG@10."
    assert (
        "nDCG@10: A loss is shown: −0.105 on 20 queries; 7 lost, 0 gained; adjusted p = 0.0234."
        in found.text()
    )
    # Holm's second step takes the whole of alpha for the second of two measures.
    assert [r.verdict for r in several(seven, LOSS).measures] == ["loss shown", "loss shown"]


def test_all_measures_of_a_table_are_the_default():
    zero = np.zeros(20)
    assert [r.measure for r in several(zero, zero, zero).measures] == ["nDCG@10", "AP", "RR"]
    assert [r.measure for r in several(zero, zero, zero, measures=["RR", "AP"]).measures] == [
        "RR",
        "AP",
    ]
    assert several(zero, zero, zero, measures="AP").measures[0].measure == "AP"
    qrels, run = collection()
    scores = tare.evaluate(qrels, run(1.0), ["AP", "GMAP", "NumRet"])
    found = tare.gate(scores, scores)
    assert [row.measure for row in found.measures] == ["AP"]
    assert "GMAP is not a mean over queries" in str(found.findings[0])
    assert found.findings[0].severity == "note"


def test_sentences_about_several_measures():
    zero, seven = np.zeros(20), np.r_[[-0.3] * 7, np.zeros(13)]
    noisy = np.r_[0.3, -0.25, 0.2, -0.1, 0.15, -0.2, np.zeros(14)]
    assert several(zero, zero).answer() == "Nothing changed on 20 queries, by 2 measures."
    assert several(LOSS, zero).answer() == (
        "Passed without evidence: too few queries changed by 2 measures."
    )
    assert several(noisy, zero).answer() == "No loss shown by any of 2 measures."
    assert several(noisy, LOSS * 0.5, noisy).answer() == (
        "No loss shown by any of 3 measures. Passed without evidence by AP."
    )
    assert several(seven, noisy, measures={"nDCG@10": 0.2, "AP": None}).answer() == (
        "No loss beyond its tolerance shown by any of 2 measures; a loss within it by nDCG@10."
    )


def test_a_level_close_to_0():
    found = gate(np.random.default_rng(1).normal(0, 0.1, 90), alpha=1e-20)
    assert "A mean loss of about 0." in found.answer()


# Certification


def test_certificates():
    found = gate(np.zeros(59), {"nDCG@10": 0.05}, certify=True)
    assert (found.verdict, found.exit_code, found.may_update) == ("certified", 0, True)
    assert found.answer() == (
        "Certified: in at most 5 % of query sets would a mean loss of 0.05 or more be certified "
        "(conjectured bound)."
    )
    row = found.rows()[0]
    assert row["certificate_p"] == pytest.approx(0.0484945252, abs=5e-11)
    few = gate(np.zeros(58), {"nDCG@10": 0.05}, certify=True)
    assert (few.verdict, few.exit_code, few.may_update) == ("not certified", 4, False)
    assert few.answer() == (
        "Not certified: with 58 queries a margin of 0.05 can be certified only for a candidate that gains; "
        "without any change 59 are needed."
    )
    losses = np.r_[-0.3, -0.2, 0.1, 0.05, -0.1, np.zeros(95)]
    found = gate(losses, {"nDCG@10": 0.05}, certify=True)
    assert found.measures[0].bound == pytest.approx(-0.0347488894, abs=5e-10)
    assert found.measures[0].certificate_p == pytest.approx(0.0101706186, abs=5e-10)
    wide = gate(np.r_[losses, np.zeros(60)], {"nDCG@10": 0.02}, certify=True)
    assert wide.verdict == "not certified"
    assert wide.answer().startswith("Not certified: a mean loss of 0.02 is not ruled out (p = ")


def test_a_certification_that_shows_a_loss():
    many = np.r_[[-0.2] * 20, np.zeros(180)]  # a loss of .02
    found = gate(many, {"nDCG@10": 0.1}, certify=True)
    assert (found.verdict, found.exit_code) == ("certified", 0)
    assert found.answer().endswith(
        "A loss is shown (−0.020, adjusted p < 0.0001), smaller than your margin of 0.1."
    )
    found = gate(many, {"nDCG@10": 0.02}, certify=True)
    assert (found.verdict, found.exit_code) == ("block", 1)
    assert found.answer().startswith(
        "A loss is shown: −0.020 on 200 queries; 20 lost, 0 gained; p <"
    )
    assert " Not certified: a mean loss of 0.02 is not ruled out" in found.answer()


def test_all_measures_must_be_certified():
    zero = np.zeros(70)
    margins = {"nDCG@10": 0.05, "AP": 0.02}
    found = several(zero, zero, measures=margins, certify=True)
    assert (found.exit_code, found.answer()) == (4, "Not certified by 1 of 2 measures: AP.")
    found = several(zero, zero, measures=dict.fromkeys(margins, 0.05), certify=True)
    assert (found.exit_code, found.answer()) == (0, "Certified by all 2 measures.")


def test_the_range_of_a_certificate():
    ratings = {"measure": "fluency", "base": 3.0, "certify": True}
    with pytest.raises(OptionError, match="fluency has no closed bounds.*--range 1:5"):
        gate(np.zeros(300), {"fluency": 0.1}, **ratings)
    found = gate(np.zeros(300), {"fluency": 0.1}, range=(1, 5), **ratings)
    assert found.rows()[0]["needed"] == tare.stats.queries_to_certify(0.1, 4)
    assert gate(np.zeros(100), {"fluency": 0.1}, range=(1, 5), **ratings).exit_code == 4
    with pytest.raises(
        MismatchError, match=r"fluency of q000 is 3 in the candidate, outside its range"
    ):
        gate(np.zeros(300), {"fluency": 0.1}, range=(0, 1), **ratings)
    with pytest.raises(MismatchError, match="outside its range of 0 to 1"):
        gate(np.zeros(300), {"AP": 0.1}, measure="AP", base=60.0, certify=True)
    with pytest.raises(OptionError, match="has no margin"):
        gate(np.zeros(300), ["nDCG@10"], certify=True)
    with pytest.raises(OptionError, match="larger than its range"):
        gate(np.zeros(300), {"nDCG@10": 2}, certify=True)
    with pytest.raises(OptionError, match="together with certify"):
        gate(np.zeros(3), range=(0, 1))
    with pytest.raises(OptionError, match="smallest and the largest"):
        gate(np.zeros(3), {"fluency": 0.1}, range=(5, 1), **ratings)


# Error rates


def noisy_worlds(rng, count, queries, share=0.2):
    """World *noisy*: with probability q a query changes by ± min(Exp(mean .2), 1)."""
    size = np.minimum(rng.exponential(0.2, (count, queries)), 1)
    sign = rng.choice([-1.0, 1.0], (count, queries))
    return np.where(rng.random((count, queries)) < share, sign * size, 0.0)


def test_power_and_size():
    rng = np.random.default_rng(11)
    unchanged = noisy_worlds(rng, 100, 100)
    lossy = noisy_worlds(rng, 100, 100) - 0.3 * (rng.random((100, 100)) < 0.05 / 0.3)
    base = 0.5

    def blocked(rows):
        return sum(gate(np.clip(d, -0.5, 0.5), base=base, draws=2000).exit_code for d in rows)

    assert blocked(unchanged) <= 12
    assert blocked(np.maximum(lossy, -1)) >= 85


def test_a_system_against_itself_is_always_green():
    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 50):
        scores = table(rng.random(n) / 3)
        for alpha in (0.01, 0.05, 0.4):
            assert tare.gate(scores, scores, alpha=alpha).exit_code == 0


# Net, ratios and summed statistics


def collection(seed: int = 0):
    """Judgements, and a function that makes a run with a given share of swapped documents."""
    rng = np.random.default_rng(seed)
    qrels = {
        f"q{q}": {f"d{k}": int(g) for k, g in enumerate(rng.integers(0, 3, 8))}
        for q in range(QUERIES)
    }

    def run(noise: float, seed: int = 1, prefix: str = ""):
        own = np.random.default_rng(seed)
        return {
            q: {prefix + d: g + own.normal(0, noise) for d, g in docs.items()}
            for q, docs in qrels.items()
        }

    return qrels, run


def test_differences_of_net_are_in_units_of_net():
    qrels, run = collection()
    measures = ["nDCG@5", "Net(nDCG@5)"]
    new = tare.evaluate(qrels, run(1.5, 2), measures, pool="judged")
    old = tare.evaluate(qrels, run(1.0), measures, pool="judged")
    made = tare.gate(new, old, measures)
    for row in made.measures:
        assert row.difference == pytest.approx(row.candidate - row.baseline, abs=1e-12)
    with pytest.raises(MeasureError, match=r"no certificate\. Certify nDCG@5"):
        tare.gate(new, old, {"Net(nDCG@5)": 0.1}, certify=True)


def test_net_with_other_rooms_has_no_test():
    qrels, run = collection()
    old = tare.evaluate(qrels, run(1.0), "Net(nDCG@5)", pool="judged")
    qrels["q0"]["d0"] = 2 - qrels["q0"]["d0"]
    with pytest.raises(
        MismatchError, match="on 1 of 40 queries, candidate and baseline have different rooms"
    ):
        tare.gate(tare.evaluate(qrels, run(1.0), "Net(nDCG@5)", pool="judged"), old)


def test_bleu_is_exchanged_text_by_text():
    """p against all exchanges, each scored by sacrebleu."""
    sacrebleu = pytest.importorskip("sacrebleu")
    rng = np.random.default_rng(5)
    words = ["the", "cat", "sat", "on", "a", "mat", "saw", "one", "small", "grey", "mouse", "run"]
    references = [" ".join(rng.choice(words, 12)) for _ in range(9)]

    def spoiled(share, seed):
        own = np.random.default_rng(seed)
        return [
            " ".join(own.choice(words) if own.random() < share else w for w in text.split())
            for text in references
        ]

    good, bad = spoiled(0.15, 1), spoiled(0.3, 2)
    new, old = (tare.evaluate_texts(texts, references, ["BLEU"]) for texts in (bad, good))
    found = tare.gate(new, old).measures[0]
    bleu = sacrebleu.BLEU()

    def gap(swaps):
        first = [g if s else b for s, g, b in zip(swaps, good, bad, strict=True)]
        second = [b if s else g for s, g, b in zip(swaps, good, bad, strict=True)]
        return (
            bleu.corpus_score(first, [references]).score
            - bleu.corpus_score(second, [references]).score
        )

    observed = gap([False] * 9)
    hits = sum(gap([code >> k & 1 for k in range(9)]) <= observed + 1e-9 for code in range(512))
    assert found.difference == pytest.approx(observed, abs=1e-9)
    assert found.p == pytest.approx(hits / 512, abs=1e-12)
    assert np.isnan(found.detectable)
    with pytest.raises(MeasureError, match="BLEU is computed from sums over all texts"):
        tare.gate(new, old, {"BLEU": 1.0}, certify=True)
    drawn = tare.gate(new, old, draws=400).measures[0]
    assert drawn.p == pytest.approx(found.p, abs=0.06)


def test_a_measure_of_which_lower_is_better_is_turned():
    found = tare.ranks({"a": 2, "b": 3, "c": 9}, 10, ["MeanRank"])
    worse = tare.ranks({"a": 9, "b": 10, "c": 10}, 10, ["MeanRank"])
    row = tare.gate(worse, found, ["MeanRank"]).measures[0]
    assert (row.difference < 0, row.lost, row.gained) == (True, 3, 0)


# Clusters and replicates


def test_clusters_are_flipped_as_a_whole():
    """Golden E, one-sided: a second program's p of the totals of eight clusters."""
    sums, sizes = [-0.4, -0.2, 0, -0.9, 0.1, -0.3, -0.6, -0.1], [3, 2, 1, 5, 2, 2, 4, 1]
    d = np.concatenate([np.full(n, s / n) for s, n in zip(sums, sizes, strict=True)])
    ids = np.repeat(np.arange(8), sizes)
    clusters = {f"q{k:03}": f"c{c}" for k, c in enumerate(ids)}
    found = gate(d, cluster=clusters)
    row = found.measures[0]
    assert (row.p, row.difference) == (0.0234375, pytest.approx(-0.12))
    assert found.answer() == (
        "A loss is shown: −0.120 on 20 queries in 8 clusters; 6 clusters lost, 1 gained; p = 0.0234."
    )
    attribute = tuple(f"c{c}" for c in ids)
    again = tare.gate(
        table(d, session=attribute), table(np.zeros(20), session=attribute), cluster="session"
    )
    assert again.measures[0].p == row.p
    few = gate(np.r_[[-0.1] * 20, np.zeros(60)], cluster={f"q{k:03}": k // 5 for k in range(80)})
    assert few.answer() == (
        "Passed without evidence: 4 clusters changed, 4 lost; a loss can be shown from 5 changed clusters on."
    )
    certified = gate(
        np.zeros(120),
        {"nDCG@10": 0.05},
        certify=True,
        cluster={f"q{k:03}": k // 2 for k in range(120)},
    )
    assert certified.answer().endswith("(conjectured bound; the mean over clusters).")
    assert certified.measures[0].certificate_p == pytest.approx(0.95**60, rel=1e-6)


def test_replicates_are_averaged_per_query():
    qrels, run = collection()
    old = {f"old.{k}": run(1.0, 10 + k) for k in range(3)}
    new = {f"new.{k}": run(1.3, 20 + k) for k in range(3)}
    before, after = (tare.evaluate(qrels, runs, "nDCG@5") for runs in (old, new))
    found = tare.gate(after, before, replicates=True)
    means = [scores.matrix().mean(axis=0) for scores in (after, before)]
    assert found.measures[0].p == tare.stats.loss_test(means[0] - means[1]).pvalue
    assert (found.system, found.findings) == ("new", ())
    uneven = tare.gate(after, before.select(systems=["old.0"]), replicates=True)
    assert "the mean of 3 runs and the baseline of 1. The test is exact for equal numbers" in str(
        uneven.findings[0]
    )
    with pytest.raises(OptionError, match=r"3 systems .*average them with --replicates"):
        tare.gate(after, before)


def test_many_measures_in_one_pass_have_the_p_of_each_alone():
    rng = np.random.default_rng(4)
    columns = [
        np.where(rng.random(60) < share, rng.normal(0, 0.1, 60), 0) for share in (1, 0.4, 0.1)
    ]
    for row, column in zip(several(*columns).measures, columns, strict=True):
        assert row.p == tare.stats.loss_test(0.6 + column - 0.6).pvalue


def test_the_order_of_the_queries_does_not_matter():
    d = np.random.default_rng(1).normal(0, 0.1, 30)
    whole = gate(d)
    order = np.random.default_rng(2).permutation(30)
    items = [f"q{k:03}" for k in order]
    again = tare.gate(table(d).select(items=items), table(np.zeros(30)))
    assert again.measures[0].p == whole.measures[0].p


# What changed in the data


def test_a_much_worse_run_is_blocked_and_the_losses_are_named():
    qrels, run = collection()
    base = tare.evaluate(qrels, run(0.1), "nDCG@5")
    made = tare.gate(tare.evaluate(qrels, run(5.0), "nDCG@5"), base)
    assert (made.verdict, made.exit_code) == ("block", 1)
    item, loss = made.measures[0].changes()[0]
    assert loss < 0
    assert item in made.message()
    assert made.facts()["losses"]["nDCG@5"][item] == loss


def test_lost_and_new_queries_are_findings():
    qrels, run = collection()
    old = tare.evaluate(qrels, run(1.0), "AP")
    fewer = {q: d for q, d in qrels.items() if q not in ("q1", "q2")} | {"new": {"d0": 1, "d1": 0}}
    made = tare.gate(tare.evaluate(fewer, run(1.0), "AP"), old)
    kinds = [finding.kind for finding in made.findings]
    assert kinds[:3] == ["lost queries", "new queries", "changed labels"]
    assert made.measures[0].n == QUERIES - 2


def test_missing_values_are_a_finding():
    new = table(np.r_[np.nan, np.zeros(9)])
    found = tare.gate(new, table(np.zeros(10)))
    assert "not compared: 1 of 10 by nDCG@10" in str(found.findings[0])
    assert found.measures[0].n == 9
    with pytest.raises(MismatchError, match="no query has a value"):
        tare.gate(table(np.full(3, np.nan)), table(np.zeros(3)))


def test_changed_labels_are_a_finding():
    qrels, run = collection()
    old = tare.evaluate(qrels, run(1.0), "AP")
    qrels["q0"]["d0"] = 2 - qrels["q0"]["d0"]
    made = tare.gate(tare.evaluate(qrels, run(1.0), "AP"), old)
    assert [finding.kind for finding in made.findings] == ["changed labels"]


def test_documents_with_new_ids_are_noticed(tmp_path):
    qrels, run = collection()
    tare.evaluate(qrels, run(1.0), "nDCG@5").save(tmp_path / "main.parquet")
    old = tare.Scores.load(tmp_path / "main.parquet")
    made = tare.gate(tare.evaluate(qrels, run(1.0, prefix="v2-"), "nDCG@5"), old)
    assert made.verdict == "block"
    assert "judged share fell" in [finding.kind for finding in made.findings]
    assert "from 1.00 to 0.00" in made.message()


def test_other_settings_are_a_finding():
    qrels, run = collection()
    old = tare.evaluate(qrels, run(1.0), "AP", ties="order")
    made = tare.gate(tare.evaluate(qrels, run(1.0), "AP"), old)
    assert "ties order, now trec" in str(made.findings[0])


def test_texts_have_a_gate_too():
    old = tare.evaluate_texts(["a b c", "d e f"] * 5, ["a b c", "d e g"] * 5, ["ROUGE-1"])
    new = tare.evaluate_texts(["x b c", "d y z"] * 5, ["a b c", "d e g"] * 5, ["ROUGE-1"])
    found = tare.gate(new, old)
    assert found.verdict == "block"
    assert "on 10 texts; 10 lost" in found.answer()


def test_what_is_refused():
    qrels, run = collection()
    one = tare.evaluate(qrels, run(1.0), ["AP", "GMAP", "NumRet"])
    two = tare.evaluate(qrels, {"x": run(1.0), "y": run(2.0)}, "AP")
    with pytest.raises(OptionError, match="no measure was given"):
        tare.gate(one, one, [])
    with pytest.raises(OptionError, match="2 systems"):
        tare.gate(one, two, ["AP"])
    with pytest.raises(OptionError, match="the candidate lacks nDCG@5; it has AP"):
        tare.gate(one, one, ["nDCG@5"])
    with pytest.raises(OptionError, match="the candidate lacks GMAP, NumRet of the baseline"):
        tare.gate(two, one, system="x")
    with pytest.raises(MeasureError, match="not a mean over queries"):
        tare.gate(one, one, ["GMAP"])
    with pytest.raises(OptionError, match="not positive"):
        tare.gate(one, one, {"AP": 0.0})
    with pytest.raises(OptionError, match="alpha"):
        tare.gate(one, one, ["AP"], alpha=1.5)
    other = tare.evaluate({"z": {"a": 1, "b": 0}}, {"z": {"a": 1.0}}, "AP")
    with pytest.raises(MismatchError, match="no query in common"):
        tare.gate(other, one, ["AP"])


def test_summaries_escape_foreign_text():
    qrels = {f"q<{k}>&\x1b": {"a": 1, "b": 0} for k in range(8)}
    good = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    bad = {q: {"a": 1.0, "b": 2.0} for q in qrels}
    made = tare.gate(tare.evaluate(qrels, bad, "RR"), tare.evaluate(qrels, good, "RR"))
    suite = ET.fromstring(junit(made))
    assert suite.attrib["failures"] == "1"
    case = suite[0]
    assert case.attrib["name"] == "RR"
    assert "q<0>&" in (case[0].text or "")
    assert "A loss is shown: −0.500 on 8 queries" in case[0].attrib["message"]
    assert "\x1b" not in markdown(made)
    assert "### Search quality: a loss is shown" in markdown(made)
    green = tare.gate(tare.evaluate(qrels, good, "RR"), tare.evaluate(qrels, good, "RR"))
    assert ET.fromstring(junit(green)).attrib["failures"] == "0"
    assert "Nothing changed on 8 queries." in ET.fromstring(junit(green))[1].text
