"""The study of diversity on a small collection that it makes itself."""

from __future__ import annotations

import numpy as np
import pytest

import tare
from tare._cli.main import main
from tare.studies import diversity
from tare.studies._systems import perturbed, simulated


@pytest.fixture(scope="module")
def subtopics():
    random = np.random.default_rng(3)
    return tare.read_subtopics(
        [
            (f"q{q}", f"{j}", f"d{d:02d}", int(random.random() < 0.2))
            for q in range(4)
            for d in range(30)
            for j in range(4)
        ]
    )


SMALL = {
    "systems": 6,
    "cutoff": 5,
    "depth": 20,
    "profiles": 2,
    "triplets": [20],
    "repeats": 2,
    "noise": [0.0, 0.3],
}


def test_all_four_answers_and_the_same_numbers_twice(subtopics):
    first = diversity(subtopics, **SMALL)
    second = diversity(subtopics, **SMALL)
    assert first == second
    assert len(first.agreement) == 24
    assert list(first.tables()) == ["a", "b", "b profiles", "c", "d"]
    assert set(first.frames()) == {
        "agreement",
        "combinations",
        "profiles",
        "profile_orders",
        "profile_scores",
        "incomplete",
        "noisy",
        "means",
    }
    assert all(-1 <= row[-1] <= 1 for row in first.agreement)


def test_perturbed_systems_are_as_many_as_asked_for(subtopics):
    runs = simulated(subtopics, 3, depth=10)
    made = perturbed(runs, 9, depth=10, seed=1)
    assert len({run.system for run in made}) == 9
    assert made[3].to_dict() == perturbed(runs, 9, depth=10, seed=1)[3].to_dict()


def test_the_command(subtopics, tmp_path, capsys):
    subtopics.write(tmp_path / "qrels.txt")
    arguments = [
        "study",
        "diversity",
        str(tmp_path / "qrels.txt"),
        "--systems",
        "5",
        "--cutoff",
        "5",
        "--depth",
        "15",
        "--profiles",
        "2",
        "--triplets",
        "20",
        "--repeats",
        "1",
        "--noise",
        "0.2",
        "--save",
        str(tmp_path / "out"),
    ]
    assert main(arguments) == 0
    assert "alpha_nDCG@5" in capsys.readouterr().out
    assert (tmp_path / "out/agreement.csv").exists()


def scored(subtopics, wanted, **more):
    return diversity(subtopics, **{**SMALL, "profiles": None, "profile_file": wanted, **more})


def test_scores_and_tau_of_every_profile_are_kept(subtopics):
    found = diversity(subtopics, **SMALL)
    rows = found.all_rows()
    assert [r["profile"] for r in rows["profile_orders"]] == [
        "profile 1",
        "profile 2",
        "all profiles",
        "TREC profile",
    ]
    assert len(rows["profile_scores"]) == 4 * 6
    for row in rows["profile_orders"]:
        own = [r for r in rows["profile_scores"] if r["profile"] == row["profile"]]
        tau = tare.stats.correlation(
            {r["system"]: r["preferences"] for r in own},
            {r["system"]: r["restricted"] for r in own},
        )
        assert row["tau_restricted"] == pytest.approx(tau)
        assert row["queries"] == 4
    singles = [r["tau_trec"] for r in rows["profile_orders"][:2]]
    summary = {(r["first"], r["second"]): r["tau"] for r in rows["profiles"]}
    assert summary["single profiles", "TREC profile"] == pytest.approx(np.mean(singles))
    shown = str(found.tables()["b profiles"])
    assert "profile 2" in shown


def test_a_profile_that_cares_for_everything_is_the_trec_profile(subtopics):
    every = {f"q{q}": [str(j) for j in range(4)] for q in range(4)}
    found = scored(subtopics, {"everything": every, "first": {q: ["0"] for q in every}})
    by = {o.profile: o for o in found.orders}
    assert by["everything"].preferences == by["TREC profile"].preferences
    assert by["everything"].restricted == by["TREC profile"].restricted
    assert by["everything"].tau_trec == pytest.approx(1)
    assert (by["everything"].subtopics, by["first"].subtopics) == (4, 1)
    # The subtopic measure of a profile sees only the subtopics it cares for.
    only = tare.read_subtopics([c for c in subtopics.cells() if c[1] == "0"])
    runs = simulated(subtopics, 6)
    scores = tare.evaluate(only, runs, "alpha_nDCG@5")
    assert by["first"].restricted == pytest.approx(
        [float(v) for v in scores.values[:, :, 0].mean(axis=1)]
    )


def test_profiles_may_lack_queries_and_name_what_nobody_judged(subtopics):
    wanted = {"one": {"q0": ["0"], "q1": ["1", "9"]}, "two": {"q1": ["2"], "q9": ["1"]}}
    found = scored(subtopics, wanted)
    assert [o.queries for o in found.orders] == [2, 1, 2, 2]
    assert "2 of 4 queries have no profile" in " ".join(found.notes)
    assert "1 queries of dictionary are not in the study" in " ".join(found.notes)
    assert "1 subtopics of dictionary have no relevant document" in " ".join(found.notes)
    assert "2 of 4 queries" in str(found.tables()["b"])


def test_profiles_of_a_file_and_of_a_table_are_the_same(subtopics, tmp_path):
    text, table = tmp_path / "profiles.txt", tmp_path / "profiles.csv"
    text.write_text("# who wants what\nbuyer q0 0 2\nbuyer q1 1\nstudent q0 3\n")
    table.write_text("profile,query,subtopic\nbuyer,q0,0\nbuyer,q0,2\nbuyer,q1,1\nstudent,q0,3\n")
    assert scored(subtopics, text) == scored(subtopics, table)
    assert [o.profile for o in scored(subtopics, str(text)).orders][:2] == ["buyer", "student"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("buyer q0\n", "line 1: expected 3 fields, found 2"),
        ("", "no profiles found"),
        ("buyer q77 1\n", "profile 'buyer' has no subtopic"),
    ],
)
def test_profiles_that_cannot_be_used_are_refused(subtopics, tmp_path, text, message):
    path = tmp_path / "profiles.txt"
    path.write_text(text)
    with pytest.raises(tare.errors.DataError, match=message):
        scored(subtopics, path)


def test_the_figures_of_the_paper(subtopics):
    pytest.importorskip("altair")
    found = diversity(subtopics, **{**SMALL, "profiles": 8, "triplets": [20, 40]})
    figures = found.figures()
    (together,) = figures["b"]
    spec = together.spec()
    text = str(spec)
    assert "all profiles" in text
    assert "TREC profile" in text
    assert f"τ = {found.profiles[0][2]:.2f}".replace("-", "−") in text
    alone = figures["b profiles"]
    assert [f.name for f in alone] == [f"profile {p}" for p in range(1, 7)]
    assert "6 of 8 profiles" in alone[0].caption
    drawn = next(iter(alone[1].spec()["datasets"].values()))
    second = found.orders[1]
    assert {round(r["value"], 9) for r in drawn if r["measure"].startswith("nPrf")} == {
        round(v, 9) for v in second.preferences
    }
    (curve,) = figures["c"]
    assert "Pearson r" in str(curve.spec())


def test_options_that_exclude_each_other_or_are_impossible(subtopics):
    with pytest.raises(tare.errors.OptionError, match="not both"):
        scored(subtopics, {"a": {"q0": ["1"]}}, profiles=3)
    for wrong in ({"profiles": 0}, {"depth": 0}):
        with pytest.raises(tare.errors.OptionError):
            diversity(subtopics, **{**SMALL, **wrong})


def test_a_triplet_has_five_answers_and_pearson_is_beside_tau(subtopics):
    found = diversity(subtopics, **SMALL)
    rows = found.all_rows()["incomplete"]
    assert {(r["triplets"], r["answers"]) for r in rows} == {(20, 100)}
    assert all(-1 <= r["pearson"] <= 1 for r in rows + found.all_rows()["noisy"])
    table = found.tables()["c"]
    assert [c.name for c in table.columns][:4] == [
        "triplets per query",
        "mean τ",
        "τ deviation",
        "mean Pearson r",
    ]
    assert "Each triplet has 5 answers" in str(table)


def test_the_command_takes_profiles_and_no_longer_a_pool(subtopics, tmp_path, capsys):
    subtopics.write(tmp_path / "qrels.txt")
    (tmp_path / "profiles.txt").write_text("buyer q0 0 2\nstudent q0 3\n")
    arguments = [
        "study",
        "diversity",
        str(tmp_path / "qrels.txt"),
        "--systems",
        "4",
        "--cutoff",
        "5",
        "--depth",
        "12",
        "--triplets",
        "20",
        "--repeats",
        "1",
        "--noise",
        "0.2",
    ]
    assert main([*arguments, "--profile-file", str(tmp_path / "profiles.txt")]) == 0
    assert "student" in capsys.readouterr().out
    assert main([*arguments, "--profile-file", str(tmp_path / "none.txt")]) == 3
    assert "none.txt" in capsys.readouterr().err
    assert main([*arguments, "--profiles", "2", "--profile-file", "x"]) == 2
    assert main([*arguments, "--pool", "12"]) == 2
