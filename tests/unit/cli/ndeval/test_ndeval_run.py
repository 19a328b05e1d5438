"""`tare ndeval` as a whole: which topics meet, what a baseline changes, what is said on stderr.

Expected behaviour was read off ndeval 4.5 (trec-web-2014, src/eval/ndeval.c).
"""

from __future__ import annotations

import csv
import io

import pytest

from tare._cli.dropin.ndeval import main

QRELS = "51 1 a 1\n51 2 b 1\n52 1 a 1\n53 1 c 1\n"
RUN = "{0}51 Q0 a 1 3 mine\n{0}51 Q0 x 2 2 mine\n{0}52 Q0 x 1 2 mine\n{0}52 Q0 a 2 1 mine\n"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)

    def run(line: str, **files: str) -> tuple[int, str, str]:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        code = main(line.split())
        return code, *capsys.readouterr()

    return run


def cells(out: str) -> dict[str, dict[str, str]]:
    return {row["topic"]: row for row in csv.DictReader(io.StringIO(out))}


def test_a_prefix_before_the_number_is_passed_over(call):
    plain = call("qrels run", run=RUN.format(""))
    assert float(cells(plain[1])["51"]["strec@5"]) == 0.5
    for prefix in ("wt09-", "web-", "-", "0", "robust-00"):
        assert call("qrels run", run=RUN.format(prefix)) == plain, prefix


def test_zeros_before_a_number_of_the_judgements_are_passed_over(call):
    plain = call("qrels run", run=RUN.format(""))
    padded = QRELS.replace("5", "005")
    assert call("padded run", padded=padded, run=RUN.format("wt-"))[1] == plain[1]


def test_names_that_are_no_numbers_are_kept(call):
    named = "wt09-51 1 a 1\nwt09-52 1 a 1\n"
    code, out, err = call("named run", named=named, run=RUN.format("wt09-"))
    assert (code, err) == (0, "")
    assert list(cells(out)) == ["wt09-51", "wt09-52", "amean"]


def test_topics_of_two_prefixes_are_one_topic(call):
    two = "a-51 Q0 a 1 2 mine\nb-51 Q0 b 2 1 mine\n"
    code, out, _ = call("qrels run", run=two)
    assert code == 0
    assert cells(out)["51"]["strec@5"] == "1.000000"
    twice = "a-51 Q0 a 1 2 mine\nb-51 Q0 a 2 1 mine\n"
    code, out, err = call("qrels run", run=twice)
    assert (code, out) == (3, "")
    assert "'a-51'" in err
    assert "'b-51'" in err


def test_topics_that_do_not_meet_are_warned_of(call):
    extra = RUN.format("") + "99 Q0 a 1 1 mine\n"
    code, out, err = call("qrels run", run=extra)
    assert code == 0
    rows = cells(out)
    assert set(rows["99"].values()) == {"mine", "99", "0.000000"}
    # ndeval prints the line, and leaves the topic out of the divisor
    assert float(rows["amean"]["strec@5"]) == pytest.approx((0.5 + 1) / 2)
    assert "1 of 3 topics of run have no judgements (99)" in err
    assert "1 of 3 topics of qrels are not in run (53)" in err
    assert "-c" in err
    _, out, err = call("-c qrels run", run=extra)
    assert float(cells(out)["amean"]["strec@5"]) == pytest.approx((0.5 + 1) / 3)
    assert "(53)" not in err  # counted as 0, as asked


def test_no_topic_in_common_is_an_error_unless_all_topics_count(call):
    other = "q7 Q0 a 1 2 mine\n"
    code, out, err = call("qrels run", run=other)
    assert (code, out) == (3, "")
    assert "q7" in err
    assert "51" in err
    code, out, err = call("-c qrels run", run=other)
    assert code == 0
    assert cells(out)["amean"]["strec@5"] == "0.000000"
    assert "have no judgements (q7)" in err


def test_the_tag_of_a_baseline_has_no_comma(call):
    base = "51 Q0 b 1 2 base\n52 Q0 a 1 2 base\n"
    code, out, _ = call("-baseline base -riskAlpha 2 qrels run", base=base, run=RUN.format(""))
    assert code == 0
    lines = out.splitlines()
    assert lines[1].startswith("mine (rel to. base; rs=1+a; a=2),51,")
    assert len({line.count(",") for line in lines}) == 1


def test_topics_of_a_baseline_have_prefixes_too(call):
    base = "wt09-51 Q0 a 1 2 base\nwt09-52 Q0 a 1 2 base\n"
    _, out, _ = call("-baseline base qrels run", base=base, run=RUN.format(""))
    rows = cells(out)
    assert rows["51"]["strec@5"] == "0.000000"
    assert rows["52"]["ERR-IA@5"].startswith("-0.")


def test_no_negative_zero_is_printed(call):
    """A loss below half of the last digit: a relevant document one rank lower, far down."""
    judged = "51 1 a 1\n51 1 b 1\n"
    ranking = [f"x{i}" for i in range(10)]
    ranking[0] = "a"

    def run(place: int) -> str:
        order = [*ranking[:place], "b", *ranking[place:]]
        return "".join(f"51 Q0 {d} {i} 0 mine\n" for i, d in enumerate(order, 1))

    code, out, _ = call(
        "-beta 0.1 -baseline base judged run", judged=judged, base=run(8), run=run(9)
    )
    assert code == 0
    assert float(cells(out)["51"]["MAP-IA"]) < 0
    assert cells(out)["51"]["NRBP"] == "0.000000"
    assert "-0.000000" not in out


@pytest.mark.parametrize(
    ("options", "divisor"), [("", 2), ("-c", 3), ("-c -baseline base", 4), ("-baseline base", 2)]
)
def test_the_divisor_is_the_one_of_ndeval(call, options, divisor):
    """With a baseline ndeval divides by the lines printed where they are more than all topics."""
    base = "51 Q0 a 1 2 base\n52 Q0 a 2 2 base\n53 Q0 c 1 1 base\n99 Q0 a 1 1 base\n"
    code, out, _ = call(f"{options} qrels run", base=base, run=RUN.format(""))
    assert code == 0
    rows = cells(out)
    mean = rows.pop("amean")
    total = sum(float(row["ERR-IA@5"]) for row in rows.values())
    assert float(mean["ERR-IA@5"]) == pytest.approx(total / divisor, abs=2e-6)
    assert total != 0
    if options.startswith("-c -b"):
        assert list(rows) == ["51", "52", "53", "99"]
