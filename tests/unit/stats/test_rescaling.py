"""Scores of one scale on another, and the erratum that it corrects."""

import numpy as np
import pytest

from tare._cli.main import main
from tare._data.ratings import read_ratings
from tare.errors import MismatchError, OptionError
from tests.unit.studies.tables import table


def test_ten_becomes_five_and_the_order_stays():
    scores = table([[1.0, 4, 10, np.nan]])
    found = scores.rescaled((1, 10), (1, 5))
    assert found.matrix()[0, :3].tolist() == pytest.approx([1, 1 + 4 / 3, 5])
    assert np.isnan(found.matrix()[0, 3])
    assert scores.matrix()[0, 2] == 10  # nothing that was passed in is changed


def test_only_the_items_of_one_year():
    scores = table([[1.0, 10, 5]]).with_attribute(
        "year", {"q000": 2008, "q001": 2008, "q002": 2011}
    )
    found = scores.rescaled((1, 10), (1, 5), where=("year", "2008"))
    assert found.matrix()[0].tolist() == [1, 5, 5]
    with pytest.raises(OptionError, match="no item has year '1999'"):
        scores.rescaled((1, 10), (1, 5), where=("year", "1999"))
    with pytest.raises(OptionError, match="attribute 'yeer'"):
        scores.rescaled((1, 10), (1, 5), where=("yeer", "2008"))


def test_values_outside_the_scale_are_refused():
    with pytest.raises(MismatchError, match="1 values are outside the scale from 1 to 10"):
        table([[0.0, 10]]).rescaled((1, 10), (1, 5))
    with pytest.raises(OptionError, match="two different ends"):
        table([[1.0, 1]]).rescaled((1, 1), (1, 5))


def test_ratings_and_the_command(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    rows = [
        (u, c, v)
        for u, pair in enumerate([(1, 1), (10, 5), (4, 2), (7, 4)])
        for c, v in zip("ab", pair, strict=True)
    ]
    path.write_text(
        "unit,coder,value,scale\n"
        + "".join(f"u{u}{c},{c},{v},{10 if c == 'a' else 5}\n" for u, c, v in rows)
    )
    given = read_ratings(path)
    found = given.rescaled((1, 10), (1, 5), where=("scale", "10"))
    assert sorted(found.values.tolist()) == pytest.approx(
        sorted([1, 1, 5, 5, 1 + 4 / 3, 2, 1 + 8 / 3, 4])
    )
    path.write_text("unit,coder,value\n" + "".join(f"u{u},{c},{v}\n" for u, c, v in rows))
    assert main(["agree", str(path), "--rescale", "1", "10", "1", "5", "--format", "csv"]) == 0
    assert capsys.readouterr().out
    assert main(["agree", str(path), "--rescale", "1", "5", "1", "5"]) == 3
    assert "outside the scale" in capsys.readouterr().err
    assert main(["agree", str(path), "--rescale-where", "x=1"]) == 2
