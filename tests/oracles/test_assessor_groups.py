"""trec_eval's own outputs for preferences and groups of assessors, met by `tare.evaluate`."""

from __future__ import annotations

from pathlib import Path

import pytest

import tare
from tare._cli.dropin.trec_eval import main
from tare._measures import definitions
from tare.errors import FormatError, MeasureError

CASES = {
    "preferences": ("prefs.test", "prefs.results.test", "out.test.prefs"),
    "preferences from qrels": ("qrels.test", "results.test", "out.test.qrels_prefs"),
    "groups": ("qrels.123", "results.test", "out.test.qrels_jg"),
}


def untied(path: Path) -> dict[str, dict[str, float]]:
    """The run with ties broken as trec_eval does for these measures alone: by id, ascending."""
    return {
        query: {
            document: -float(rank)
            for rank, (document, _) in enumerate(
                sorted(documents, key=lambda pair: (-pair[1], pair[0]))
            )
        }
        for query, documents in tare.read_run(path).by_query()
    }


@pytest.mark.parametrize("case", CASES)
def test_every_cell_of_trec_eval(case: str, real_data: Path):
    folder = real_data / "trec/trec_eval"
    judgements, run, output = CASES[case]
    cells = [line.split() for line in (folder / output).read_text().splitlines()]
    cells = [cell for cell in cells if cell[0] not in ("runid", "num_q")]
    names = list(dict.fromkeys(cell[0] for cell in cells))
    measures = [str(tare.parse(name)) for name in names]
    groups = tare.read_assessor_groups(folder / judgements)
    ranked = folder / run if case == "groups" else untied(folder / run)
    scores = tare.evaluate(groups, ranked, measures, missing="skip")
    values = {
        (system_item[1], measure): value
        for *system_item, measure, value in scores.by_item.select(
            "system", "item", "measure", "value"
        ).iter_rows()
    }
    assert len(cells) > 20
    for name, query, printed in cells:
        measure = measures[names.index(name)]
        value = scores[measure].mean if query == "all" else values[query, measure]
        if query == "all" and name.startswith("prefs_num"):
            value = sum(v for (_, m), v in values.items() if m == measure)
        assert f"{value:.4f}" == f"{float(printed):.4f}", (name, query)


def test_chance_is_refused_and_the_kind_of_judgements_told():
    rows = [("q", "j1", "a", 1), ("q", "j1", "b", 0)]
    with pytest.raises(MeasureError, match="no expected value"):
        tare.evaluate(rows, {"q": {"a": 1.0}}, "E(prefs_simp,pool=judged)")
    with pytest.raises(MeasureError, match="different judgements"):
        tare.evaluate(rows, {"q": {"a": 1.0}}, ["prefs_simp", "AP"])


def test_an_assessor_who_agrees_with_the_ranking_and_one_who_does_not():
    rows = [("q", "j1", "a", 1), ("q", "j1", "b", 0), ("q", "j2", "a", 0), ("q", "j2", "b", 1)]
    scores = tare.evaluate(
        rows, {"q": {"a": 2.0, "b": 1.0}}, ["prefs_simp", "map_avgjg", "P_avgjg@1"]
    )
    assert scores.values[0, 0].tolist() == [0.5, 0.75, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q g a\n", "line 1: expected 4 or 5 fields, found 3"),
        ("q g a 1\nq g s a 1\n", "line 2: expected 4 fields, found 5"),
        ("q g a x\n", "line 1: the level 'x' is not a finite number"),
        ("# nothing\n", "no judgements found"),
    ],
)
def test_what_is_wrong_is_told(text: str, message: str, tmp_path: Path):
    (tmp_path / "jg").write_text(text)
    with pytest.raises(FormatError, match=message):
        tare.read_assessor_groups(tmp_path / "jg")


def test_contradicting_levels_are_refused():
    rows = [("q", "g", "s", "a", 1), ("q", "g", "s", "a", 2), ("q", "g", "s", "b", 0)]
    with pytest.raises(FormatError, match="'a' has two levels"):
        tare.evaluate(rows, {"q": {"a": 1.0}}, "prefs_simp")
    with pytest.raises(FormatError, match="duplicate document 'a' of query 'q' in group"):
        tare.evaluate(rows, {"q": {"a": 1.0}}, "map_avgjg")


def test_all_of_trec_evals_are_here():
    names = {d.name for d in definitions() if d.family == "assessors"}
    assert len([n for n in names if n.startswith("prefs_")]) == 14
    assert {"map_avgjg", "P_avgjg", "Rprec_mult_avgjg"} < names


def test_a_document_judged_twice_is_told_with_its_line(tmp_path):
    source = tmp_path / "jg"
    source.write_text("q g a 1\n# a comment\nq g a 0\n")
    with pytest.raises(
        FormatError, match="jg, line 3: duplicate document 'a' of query 'q' in group 'g'"
    ):
        tare.evaluate(source, {"q": {"a": 1.0}}, "map_avgjg")


@pytest.mark.parametrize(
    ("second", "refused"),
    [
        (("q", "j1", "2", "a", 0), True),
        (("q", "j1", "2", "a", 2), False),
        (("q", "j2", "2", "a", 0), False),
    ],
)
def test_level_0_and_above_in_one_group_is_refused(
    second: tuple, refused: bool, tmp_path: Path, capfd
):
    """trec_eval: 'doc has both 0 and non-0 rel_level assigned', where a group has subgroups."""
    rows = [("q", "j1", "1", "a", 1), ("q", "j1", "1", "b", 0), second, ("q", "j1", "2", "c", 0)]
    run = {"q": {"a": 2.0, "b": 1.0}}
    (tmp_path / "prefs").write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    files = [str(tmp_path / "prefs"), str(tmp_path / "run")]
    code = main(["-R", "prefs", "-m", "prefs_simp", *files])
    err = capfd.readouterr().err
    if refused:
        assert code == 4  # as trec_eval where it cannot calculate a measure
        assert "document 'a' has level 0 in one subgroup and level 1 in another" in err
        assert "group 'j1'" in err
        with pytest.raises(FormatError, match="level 0 in one subgroup"):
            tare.evaluate(tare.read_assessor_groups(rows), run, "prefs_simp")
    else:
        assert code == 0
        tare.evaluate(tare.read_assessor_groups(rows), run, "prefs_simp")
