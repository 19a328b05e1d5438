"""A compatible module under the name of the program it replaces."""

import sys
import types
import warnings

import pytest

import tare.compat
from tare.errors import OptionError, UsageError

pytestmark = pytest.mark.filterwarnings("ignore:.* before it was installed")


@pytest.fixture(autouse=True)
def _original(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytrec_eval", types.ModuleType("pytrec_eval"))


def test_install_and_uninstall():
    original = sys.modules["pytrec_eval"]
    done = tare.compat.install("pytrec_eval")
    assert sys.modules["pytrec_eval"] is tare.compat.pytrec_eval
    assert repr(done) == "Installation('pytrec_eval')"
    tare.compat.install("pytrec_eval")  # twice is the same as once
    tare.compat.uninstall("pytrec_eval")
    assert sys.modules["pytrec_eval"] is original


def test_a_with_statement_restores_the_original_after_an_error():
    original = sys.modules["pytrec_eval"]
    with pytest.raises(ZeroDivisionError), tare.compat.install("pytrec_eval") as module:  # noqa: PT012
        assert module is tare.compat.pytrec_eval
        raise ZeroDivisionError
    assert sys.modules["pytrec_eval"] is original


def test_a_program_that_was_not_imported_is_forgotten(monkeypatch):
    monkeypatch.delitem(sys.modules, "pytrec_eval")
    with tare.compat.install("pytrec_eval"):
        assert sys.modules["pytrec_eval"] is tare.compat.pytrec_eval
    assert "pytrec_eval" not in sys.modules


def test_modules_that_imported_the_original_are_named(monkeypatch):
    user = types.ModuleType("early_user")
    user.its_own_name = sys.modules["pytrec_eval"]
    monkeypatch.setitem(sys.modules, "early_user", user)
    with pytest.warns(UserWarning, match="early_user imported pytrec_eval before it was installed"):
        tare.compat.install("pytrec_eval")
    tare.compat.uninstall("pytrec_eval")
    del user.its_own_name
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tare.compat.install("pytrec_eval")
    tare.compat.uninstall("pytrec_eval")


def test_unknown_programs():
    with pytest.raises(OptionError, match="pytrec_eval"):
        tare.compat.install("pytrec_evil")
    with pytest.raises(UsageError, match="rouge_score is not installed. Installed: nothing"):
        tare.compat.uninstall("rouge_score")
