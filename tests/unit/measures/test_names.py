"""The grammar of measures: texts become values and values the same texts."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tare
from tare._measures import Measure, definitions, find, make, parse, parse_all
from tare._measures.definition import Definition, Parameter
from tare._measures.registry import register
from tare.errors import MeasureError
from tests.reference.catalogue import all_variants

VARIANTS = all_variants()


@pytest.mark.parametrize("measure", VARIANTS, ids=str)
def test_a_measure_is_its_text(measure):
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == repr(measure) == str(measure)
    assert hash(parse(str(measure))) == hash(measure)


def values_of(parameter: Parameter) -> st.SearchStrategy:
    """Any value that a parameter takes."""
    low = -1e6 if parameter.low is None else parameter.low
    high = 1e6 if parameter.high is None else parameter.high
    number = st.floats(low, high, exclude_min=parameter.open_ends, exclude_max=parameter.open_ends)
    match parameter.kind:
        case "choice":
            return st.sampled_from(parameter.choices)
        case "flag":
            return st.booleans()
        case "integer":
            return st.integers(int(low), 10**15)
        case "gains":
            real = st.floats(-1e9, 1e9)
            return st.dictionaries(real, real, max_size=4)
        case "numbers":
            return st.lists(number, min_size=1, max_size=parameter.most or 6)
    return number


@st.composite
def measures(draw) -> Measure:
    """Any ranking measure of the registry, with any parameters; texts have laws of their own."""
    definition = draw(st.sampled_from([d for d in definitions() if d.family == "ranking"]))
    chosen = (
        draw(st.sets(st.sampled_from(definition.parameters))) if definition.parameters else set()
    )
    cutoff = None
    if definition.cutoff == "recall":
        cutoff = draw(st.floats(0, 1))
    elif definition.cutoff == "required" or (
        definition.cutoff == "optional" and draw(st.booleans())
    ):
        cutoff = draw(st.integers(1, 10**15))
    parameters = {p.name: draw(values_of(p)) for p in sorted(chosen, key=lambda p: p.name)}
    return make(definition.name, parameters, cutoff=cutoff)


@given(measures())
def test_any_measure_is_read_from_its_text(measure):
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (" nDCG @ 10 ", "nDCG@10"),
        ("P( rel = 2 )@5", "P(rel=2)@5"),
        ("P(rel=1)@5", "P@5"),
        ("P(rel=2.0)@5.0", "P(rel=2)@5"),
        ("P()@5", "P@5"),
        ("P(rel=2,)@5", "P(rel=2)@5"),
        ("nDCG(base=2,gain='exp2')@10", "nDCG(gain=exp2)@10"),
        ('nDCG(gain="exp2")@1e1', "nDCG(gain=exp2)@10"),
        ("nDCG(gains={2:9,1:3})", "nDCG(gains={1:3,2:9})"),
        ("iPrecMean(recalls=0.50/1.0)", "iPrecMean(recalls=0.5/1)"),
        ("iPrec@.1", "iPrec@0.1"),
        ("Compat(normalize=True)", "Compat"),
        ("Hit@5", "Success@5"),
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("NDCG@3", "nDCG@3"),
    ],
)
def test_spellings_of_one_measure(text, same):
    assert parse(text) == parse(same)
    assert str(parse(text)) == same


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("map", "AP"),
        ("gm_map", "GMAP"),
        ("recip_rank", "RR"),
        ("bpref", "bpref"),
        ("Rprec", "Rprec"),
        ("Rprec_mult_0.20", "Rprec(multiple=0.2)"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("map_cut_100", "AP@100"),
        ("P_5", "P@5"),
        ("recall_1000", "Recall@1000"),
        ("success_1", "Success@1"),
        ("relative_P_10", "RelP@10"),
        ("iprec_at_recall_0.10", "iPrec@0.1"),
        ("11pt_avg", "iPrecMean"),
        ("set_P", "setP"),
        ("set_relative_P", "setRelP"),
        ("set_recall", "setR"),
        ("set_map", "setAP"),
        ("set_F", "setF"),
        ("num_rel_ret", "NumRelRet"),
        ("infAP", "infAP"),
        ("Rndcg", "RnDCG"),
        ("ndcg_rel", "nDCGrel"),
        ("binG", "binG"),
        ("G", "G"),
        ("utility", "Utility"),
        ("yaap", "YAAP"),
        ("unj_20", "Unjudged@20"),
    ],
)
def test_names_of_trec_eval(text, same):
    assert parse(text) == parse(same)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp2)@10"),
        ("nDCG(gains={0: 0, 1: 5})@10", "nDCG(gains={0:0,1:5})@10"),
        ("P(rel=2,judged_only=False)@5", "P(rel=2)@5"),
        ("R@100", "Recall@100"),
        ("Bpref", "bpref"),
        ("IPrec@0.1", "iPrec@0.1"),
        ("SetP", "setP"),
        ("SetP(relative=True)", "setRelP"),
        ("SetP(relative=False)", "setP"),
        ("SetF(beta=2.0)", "setF(beta=2)"),
        ("NumRet(rel=1)", "NumRelRet"),
        ("NumRet(rel=2)", "NumRelRet(rel=2)"),
        ("NumRet", "NumRet"),
        ("RBP(rel=1,p=0.8)", "RBP"),
        ("SDCG(dcg='log2',max_rel=3)@10", "SDCG(max_rel=3)@10"),
        ("INST(T=2.0,max_rel=3)", "INST(T=2,max_rel=3)"),
        ("Compat(p=0.8,normalize=False)", "Compat(p=0.8,normalize=false)"),
        ("Judged@10", "Judged@10"),
        ("Accuracy@5", "Accuracy@5"),
    ],
)
def test_spellings_of_ir_measures(text, same):
    assert parse(text) == parse(same)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "'nDGC' is not a measure. Did you mean 'nDCG'? `tare list measures` shows all"),
        ("num_q", "'num_q' is not a measure"),
        ("xyzzy", "'xyzzy' is not a measure. `tare list"),
        ("nDCG(foo=3)@10", "nDCG has no parameter 'foo'. It takes: gain, gains, discount, base."),
        ("P(rels=2)@5", "Did you mean 'rel'?"),
        ("NumRet(x=1)", "NumRet has no parameter 'x'. It takes none."),
        ("P@0", "P@0: a cutoff is a whole number of documents, 1 or more"),
        ("P@-3", "P@-3: a cutoff is"),
        ("P@2.5", "P@2.5: a cutoff is"),
        ("P@1e400", "a cutoff is a whole number"),
        ("P@1e30", "a cutoff is a whole number"),
        ("P", "P needs a cutoff: write P@10."),
        ("iPrec", "iPrec needs a recall level: write iPrec@0.1."),
        ("iPrec@1.5", "iPrec@1.5: a recall level is between 0 and 1."),
        ("Rprec@5", "Rprec takes no cutoff, found @5; write Rprec."),
        ("P(rel=2)@x", "expected a number after @ at character 10, found 'x'"),
        ("P(rel=2", "expected ',' or ')' at character 8, found the end"),
        ("P(rel=2)@5 nDCG", "expected the end of the measure at character 12, found 'nDCG'"),
        ("P(rel=2,rel=3)@5", "expected rel only once"),
        ("P(rel=)@5", "expected a value at character 7"),
        ("P(rel='2)@5", "expected a closing '"),
        ("P(2)@5", "expected the name of a measure at character 3, found '2)@5'"),
        ("P(rel=2,3)@5", "expected a parameter such as rel=2"),
        ("P(AP)@5", "P takes no measure in brackets, found AP."),
        ("nDCG(gains={1})", "expected ':' between a grade and its gain"),
        ("nDCG(gains={1:x})", "expected a gain"),
        ("nDCG(gains={1:1e400})", "gains such as {1:3,2:9}, each grade once"),
        ("nDCG(gains={1:3,1:5})", "each grade once"),
        ("nDCG(gains=5)", "expected gains such as"),
        ("nDCG(gain=cubic)", "nDCG: gain='cubic' is not accepted; expected linear or exp2."),
        ("nDCG(base=1)", "nDCG: base='1' is not accepted; expected a number above 1."),
        ("RBP(p=1.0)", "expected a number above 0 and below 1."),
        ("RBP(p=half)", "RBP: p='half' is not accepted; expected a number above 0 and below 1."),
        ("P(rel=-1)@5", "expected a number at least 0."),
        ("P(rel=nan)@5", "expected a number at least 0."),
        ("P(rel=inf)@5", "expected a number at least 0."),
        ("INST(depth=2.5)", "expected a whole number"),
        ("INST(depth=1e30)", "expected a whole number"),
        ("Compat(normalize=maybe)", "expected true or false."),
        (
            "iPrecMean(recalls=0.1/x)",
            "expected a number at least 0 and at most 1, or several separated by '/'",
        ),
        ("iPrecMean(recalls=0.1/nan)", "expected a number at least 0 and at most 1"),
        ("iPrecMean(recalls=0.1/2)", "expected a number at least 0 and at most 1"),
        ("Utility(weights=1/2/3/4/5)", "expected a number, or several separated by '/'"),
        ("P(judged_only=True)@5", "evaluate with unjudged='condensed'"),
        ("SDCG(dcg='exp-log2')@5", "SDCG has no parameter 'dcg'"),
        ("", "expected the name of a measure at character 1, found the end"),
        ("@10", "expected the name of a measure"),
        ("P(" * 20, "at most 8 nested measures"),
    ],
)
def test_every_wrong_text_is_told(text, message):
    with pytest.raises(MeasureError) as error:
        parse(text)
    assert message in str(error.value)


@pytest.mark.parametrize("other", [None, 7, b"AP", ["AP"]])
def test_a_measure_is_read_from_text_alone(other):
    with pytest.raises(MeasureError, match="a measure is a string such as 'nDCG@10'"):
        parse(other)


@given(st.text(max_size=30))
def test_no_text_breaks_the_reader(text):
    with contextlib.suppress(MeasureError):
        assert parse(str(parse(text))) == parse(text)


def test_several_measures_are_each_taken_once():
    assert parse_all(["AP", "map", parse("AP"), "RR"]) == (parse("AP"), parse("RR"))
    assert parse_all("AP") == (parse("AP"),)
    with pytest.raises(MeasureError, match="no measure given"):
        parse_all([])


def test_a_measure_at_another_cutoff():
    assert parse("P(rel=2)@5") @ 10 == parse("P(rel=2)@10")
    with pytest.raises(MeasureError, match="takes no cutoff"):
        parse("Rprec") @ 10


def test_parameters_are_asked_by_name():
    assert parse("P(rel=2)@5")["rel"] == 2
    assert parse("P@5")["rel"] == 1
    with pytest.raises(MeasureError, match="has no parameter"):
        parse("P@5")["rell"]


def test_parameters_may_be_given_as_python_values():
    assert make("nDCG", {"gains": {1: 3, 2: 9}}) == parse("nDCG(gains={1:3,2:9})")
    assert make("iPrecMean", {"recalls": [0, 0.5]}) == parse("iPrecMean(recalls=0/0.5)")
    with pytest.raises(MeasureError, match="rel=True is not accepted"):
        make("P", {"rel": True}, cutoff=5)


def test_a_name_can_be_taken_only_once():
    register(find("AP"))
    for name, aliases in (("AP", ()), ("new", ("MAP",)), ("MAP", ()), ("new", ("RR",))):
        with pytest.raises(MeasureError, match="already exists"):
            register(Definition(name, "title", "formula", "citation", aliases=aliases))
    assert find("new") is None


@pytest.mark.parametrize("definition", definitions(), ids=lambda d: d.name)
def test_every_definition_is_complete(definition):
    assert definition.title
    assert definition.formula
    assert definition.citation.endswith((".", "trec_eval"))
    assert definition.family != "ranking" or (definition.expected and definition.upper)
    assert all(p.doc.endswith(".") for p in definition.parameters)
    assert all(find(alias) is definition for alias in definition.aliases)


def test_the_gain_of_a_grade_beyond_lmax_is_refused_when_it_is_met():
    with pytest.raises(MeasureError, match="lmax=1 is below the grade 3"):
        tare.evaluate({"q": {"a": 3}}, {"q": {"a": 1}}, "ERR(lmax=1)")
    with pytest.raises(MeasureError, match="max_rel=1 must be above min_rel=2"):
        tare.evaluate({"q": {"a": 3}}, {"q": {"a": 1}}, "SDCG(min_rel=2,max_rel=1)@5")
