"""Results have one contract: nobody writes its methods by hand."""

import ast
import pkgutil
from importlib import import_module

import pytest

from tare._result import Result
from tare.report._figures import MODULES, drawn
from tests.conftest import ROOT

SOURCE = ROOT / "src" / "tare"
CONTRACT = {"_repr_html_", "_repr_mimebundle_", "to_pandas", "to_latex"}
HOME = {"_result.py", "_tables/table.py"}
# Charts and reports are shown by notebooks as well, but they are no tables.
OTHERS = {"report/_report.py"}


def derived(kind: type) -> list[type]:
    direct: list[type] = kind.__subclasses__()
    return [each for sub in direct for each in (sub, *derived(sub))]


@pytest.fixture(scope="module")
def results() -> list[type]:
    for room in ("_measures", "stats", "chance", "rankers", "_decide", "studies"):
        package = import_module(f"tare.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"tare.{room}."):
            import_module(module.name)
    return [kind for kind in derived(Result) if kind.__module__.startswith("tare.")]


def test_the_contract_is_written_once():
    by_hand = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name in CONTRACT
    }
    assert by_hand - HOME - OTHERS == set()


def test_results_keep_the_methods_of_their_base(results):
    """Those that differ have data that rows cannot hold, and `load` reads their files."""
    methods = {"to_frame", "to_pandas", "to_dict", "to_latex", "save", "figures"}
    methods |= {"_repr_html_", "_repr_mimebundle_"}
    found = {kind.__name__: methods & set(vars(kind)) for kind in results}
    assert {name: own for name, own in found.items() if own} == {
        "PaperResult": {"to_latex"},
        "Scores": {"to_frame", "to_dict", "save"},
        "Estimates": {"save"},
        "Model": {"save", "to_dict"},
        "Strengths": {"to_dict"},
    }


def test_a_public_class_shares_its_name_with_no_other():
    """One word for one thing: a reader who finds a class by its name finds the right one."""
    rooms = ("stats", "chance", "rankers", "studies", "engines", "report")
    public = {name for room in rooms for name in import_module(f"tare.{room}").__all__}
    public |= set(import_module("tare").__all__)
    places: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] == "compat":
            continue  # its classes have the names that other programs gave them
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name in public:
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_results_show_their_tables_and_not_their_fields(results):
    """A dataclass writes its own repr unless it is declared with repr=False."""
    own = {kind.__name__ for kind in results if "__repr__" in vars(kind)}
    assert own <= {"Comparison", "Model"}


def test_every_class_with_a_module_of_figures_is_registered_there(results):
    assert len(results) > 20
    kinds = {kind.__name__: kind for kind in results}
    for name, module in MODULES.items():
        import_module(f"tare.report.{module}")
        assert kinds[name] in drawn.registry, name
