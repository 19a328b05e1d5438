"""Scoring of texts that is stopped and continues: the same bits, no system scored twice or taken from another job."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tare
from tare._kernels.threads_and_blocks import Seams, cut
from tare._measures.scores import Scores
from tare._measures.text import scoring_in_parts
from tare._measures.text.learned import LearnedModel
from tare._measures.text.scoring_in_parts import score_part
from tare.engines import Local
from tare.errors import FormatError, MeasureError, UnreadableError
from tests.laws.test_engines import assert_same
from tests.packages import need_package

MEASURES = ["ROUGE-1", "BLEU", "Net(ROUGE-2)", "E(ROUGE-L)", "Feature-coverage"]
SMALL = Seams(part_texts=3)
SYSTEMS = ("cat", "dog", "eel")
PARTS = 4  # of each system: 3, 3, 3 and 1 of 10 texts


def texts(word: str = "sat") -> list[dict[str, Any]]:
    return [
        {
            "system": system,
            "item": f"i{k}",
            "text": f"the {system} {word if k == 7 else 'ran'} on mat {k % 4}" * (k % 5),
            "references": [f"the cat sat on mat {k}", "a cat ran"],
            "source": f"the cat sat on a mat and ran to the {k} dogs.",
        }
        for system in SYSTEMS
        for k in range(10)
    ]


def evaluated(folder: Path, rows: Any = None, measures: Any = MEASURES, **options: Any) -> Scores:
    engine = Local(resume=folder, threads=2)
    with cut(SMALL):
        return tare.evaluate_texts(rows or texts(), measures, engine=engine, samples=9, **options)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The parts of systems that are scored, not read from the folder."""
    found: list[object] = []

    def counted(work: Any, part: Any) -> Any:
        found.append(part)
        return score_part(work, part)

    monkeypatch.setattr(scoring_in_parts, "score_part", counted)
    return found


def test_finished_systems_are_not_scored_again(tmp_path: Path, scored: list[object]) -> None:
    expected = tare.evaluate_texts(texts(), MEASURES, samples=9)
    scored.clear()
    assert_same(evaluated(tmp_path / "kept"), expected)
    files = sorted((tmp_path / "kept").iterdir())
    assert (len(scored), len(files)) == (3 * PARTS, 3)
    for lost in ([], files[:1], files[1:]):
        scored.clear()
        for file in lost:
            file.unlink()
        assert_same(evaluated(tmp_path / "kept"), expected)
        assert len(scored) == PARTS * len(lost)
    assert sorted((tmp_path / "kept").iterdir()) == files


def test_a_job_that_stopped_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scored: list[object]
) -> None:
    counted = vars(scoring_in_parts)["score_part"]

    def stopping(work: Any, part: Any) -> Any:
        if len(scored) == PARTS + 1:
            raise KeyboardInterrupt
        return counted(work, part)

    monkeypatch.setattr(scoring_in_parts, "score_part", stopping)
    engine = Local(resume=tmp_path / "kept", threads=1)
    with cut(SMALL), pytest.raises(KeyboardInterrupt):
        tare.evaluate_texts(texts(), MEASURES, engine=engine, samples=9)
    assert len(list((tmp_path / "kept").iterdir())) == 1
    monkeypatch.setattr(scoring_in_parts, "score_part", counted)
    scored.clear()
    made = evaluated(tmp_path / "kept")
    assert len(scored) == 2 * PARTS
    assert_same(made, tare.evaluate_texts(texts(), MEASURES, samples=9))


def _cut(data: bytes) -> bytes:
    return data[:-40]


def _changed(data: bytes) -> bytes:
    return data[:99] + bytes([data[99] ^ 1]) + data[100:]


@pytest.mark.parametrize("damage", [_cut, _changed, lambda _: b"", lambda _: b"x" * 64])
def test_a_damaged_system_is_scored_again(
    tmp_path: Path, scored: list[object], damage: Callable[[bytes], bytes]
) -> None:
    expected = evaluated(tmp_path)
    victim = sorted(tmp_path.iterdir())[1]
    sound = victim.read_bytes()
    victim.write_bytes(damage(sound))
    scored.clear()
    assert_same(evaluated(tmp_path), expected)
    assert len(scored) == PARTS
    assert victim.read_bytes() == sound


def test_other_texts_measures_and_seeds_are_other_systems(
    tmp_path: Path, scored: list[object]
) -> None:
    evaluated(tmp_path)
    changed = [
        {**row, "text": row["text"] + " again"} if row["system"] == "dog" else row
        for row in texts()
    ]
    for rows, options, parts in (
        (changed, {}, PARTS),
        (texts("stood"), {}, 3 * PARTS),  # one item of each system differs
        (None, {"seed": 1}, 3 * PARTS),
        (None, {"measures": MEASURES[:2]}, 3 * PARTS),
    ):
        scored.clear()
        made = evaluated(tmp_path, rows, **options)
        assert len(scored) == parts
        measures = options.pop("measures", MEASURES)
        assert_same(made, tare.evaluate_texts(rows or texts(), measures, samples=9, **options))


def test_a_learned_measure_whose_file_changed_is_scored_again(
    tmp_path: Path, scored: list[object]
) -> None:
    file = tmp_path / "model.json"
    measure = [f"Learned(path={file})"]
    for weight in (1.0, 2.0):
        LearnedModel(("ROUGE-1", "ROUGE-2"), (weight, 0.5), 0.25).save(file)
        scored.clear()
        made = evaluated(tmp_path / "kept", measures=measure)
        assert len(scored) == 3 * PARTS
        assert_same(made, tare.evaluate_texts(texts(), measure))


def test_a_learned_measure_changed_in_place_is_read_again(
    tmp_path: Path, scored: list[object]
) -> None:
    file = tmp_path / "model.json"
    measure = [f"Learned(path={file})"]
    LearnedModel(("ROUGE-1", "ROUGE-2"), (1.0, 0.5), 0.25).save(file)
    before = evaluated(tmp_path / "kept", measures=measure)
    about, text = file.stat(), file.read_text()
    assert text.count("1.0") == 1
    file.write_text(text.replace("1.0", "9.0"))
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    made = evaluated(tmp_path / "kept", measures=measure)
    assert (made.values > before.values).any()
    file.write_text(text)
    assert_same(evaluated(tmp_path / "kept", measures=measure), before)


@pytest.mark.parametrize(
    "feature", ["BERTScore(model=a/b,download=true)", "Net(BERTScore(model=a/b,download=true))"]
)
def test_a_file_that_was_given_never_causes_a_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, feature: str
) -> None:
    def no_network(*_: object, **__: object) -> None:
        pytest.fail("the network was asked")

    monkeypatch.setattr("socket.socket.connect", no_network)
    monkeypatch.setattr("socket.getaddrinfo", no_network)
    file = tmp_path / "model.json"
    LearnedModel(("ROUGE-1", feature), (1.0, 0.5), 0.25).save(file)
    for engine in (None, Local(resume=tmp_path / "kept", threads=1)):
        with pytest.raises(MeasureError, match=r"download=true, and a file that was given never"):
            tare.evaluate_texts(texts(), f"Learned(path={file})", engine=engine)


@pytest.mark.parametrize("number", [1e308, -1e308, 1e151])
def test_coefficients_that_overflow_are_refused(tmp_path: Path, number: float) -> None:
    file = tmp_path / "model.json"
    LearnedModel(("ROUGE-1", "ROUGE-2"), (1.5, 0.5), 0.25).save(file)
    for old in ("1.5", "0.25"):
        (tmp_path / "large.json").write_text(file.read_text().replace(old, repr(number), 1))
        with pytest.raises(FormatError, match=r"large.json: the coefficient .* is too large"):
            tare.evaluate_texts(texts(), f"Learned(path={tmp_path / 'large.json'})")


def test_bertscore_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_package("torch", reason="no torch here (the extra bert)")
    from tare._measures.text.embedding import bertscore
    from tare._measures.text.embedding.bertscore import score_tokens
    from tests.unit.measures.text.tiny_models import save_model

    model = save_model(tmp_path / "model", "encoder")
    measures = [f"BERTScore(model={model})", "ROUGE-1"]
    monkeypatch.setattr(bertscore, "CHUNK", 6)
    expected = tare.evaluate_texts(texts(), measures, engine=Local(threads=1))
    found = []
    real = score_tokens

    def counted(*given: Any) -> Any:
        found.append(given)
        return real(*given)

    monkeypatch.setattr(bertscore, "score_tokens", counted)
    assert_same(evaluated(tmp_path / "kept", measures=measures), expected)
    assert len(found) == 3 * 2
    files = sorted((tmp_path / "kept").iterdir())
    assert len(files) == 3 + 3
    found.clear()
    assert_same(evaluated(tmp_path / "kept", measures=measures), expected)
    assert not found


def test_a_place_that_cannot_keep_systems_is_refused_before_anything_is_scored(
    tmp_path: Path, scored: list[object]
) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(
        UnreadableError, match=r"file: finished parts cannot be kept .*it is a file"
    ):
        evaluated(file)
    with pytest.raises(UnreadableError, match=r"Not a directory.*Name another folder"):
        evaluated(file / "kept")
    assert not scored
    assert file.read_text() == "x"
