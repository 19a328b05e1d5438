"""The exception tree and its words."""

import pytest

from tare import errors


def test_the_tree_is_as_it_is_drawn():
    drawn = errors.__doc__
    for name in errors.__all__:
        kind = getattr(errors, name)
        if isinstance(kind, type):
            assert name in drawn
            assert issubclass(kind, errors.TareError)


@pytest.mark.parametrize(
    ("kind", "code", "builtin"),
    [
        (errors.UsageError, 2, ValueError),
        (errors.MeasureError, 2, ValueError),
        (errors.OptionError, 2, ValueError),
        (errors.DataError, 3, ValueError),
        (errors.UnreadableError, 3, OSError),
        (errors.FormatError, 3, ValueError),
        (errors.MismatchError, 3, ValueError),
        (errors.MissingExtraError, 2, ImportError),
    ],
)
def test_each_kind_has_its_exit_code(kind, code, builtin):
    assert kind.exit_code == code
    assert issubclass(kind, builtin)


def test_a_missing_extra_says_how_to_get_it():
    told = str(errors.MissingExtraError("torch", "bert", "BERTScore"))
    assert told == (
        "BERTScore needs the package 'torch', which is not installed. "
        "Install it with: pip install 'tare-eval[bert]'"
    )


def test_the_nearest_name_is_suggested():
    assert errors.nearest("NDGC", ["AP", "nDCG"]) == " Did you mean 'nDCG'?"
    assert errors.nearest("ap", ["AP", "nDCG"]) == " Did you mean 'AP'?"
    assert errors.nearest("zzzz", ["AP", "nDCG"]) == ""


def test_choices_are_named():
    assert errors.choose("ties", "trec", ("trec", "order")) == "trec"
    with pytest.raises(
        errors.OptionError, match="ties='ordr' .* Accepted: 'trec', 'order'. Did you"
    ):
        errors.choose("ties", "ordr", ("trec", "order"))
