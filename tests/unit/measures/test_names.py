"""The grammar of measures: texts become values and values the same texts."""

import contextlib
import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tare
from tare._measures import Measure, definitions, find, make, names, parse, parse_all, registry
from tare._measures import registry as catalogue
from tare._measures.definition import Definition, Parameter
from tare._measures.names import column_measure, folded
from tare._measures.names import parse as names_parse
from tare._measures.names import parse_all as names_parse_all
from tare._measures.registry import register
from tare._signature import Signature
from tare.errors import MeasureError
from tests.reference.catalogue import all_variants

# The measures of a score table: values that equal their texts, whoever named the column.


QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "d": 2.0}}


def free(*columns: str) -> tare.Scores:
    """One system and two items, with a column of 1 and 4 for each name."""
    values = np.repeat(np.array([[1.0], [4.0]])[None], len(columns), axis=2)
    signatures = tuple(Signature(name, ()) for name in columns)
    return tare.Scores(("s",), ("q1", "q2"), columns, values, signatures)


def test_a_score_table_holds_measures_that_equal_their_texts():
    scores = tare.evaluate(QRELS, RUN, ["RR", "P(rel=1)@1"])
    assert all(isinstance(measure, tare.Measure) for measure in scores.measures)
    assert scores.measures == ("RR", "P@1")
    assert "P@1" in scores.measures
    assert {"P@1": 7}[scores.measures[1]] == 7
    assert scores.measures[1].cutoff == 1
    assert scores.measure_names == ("RR", "P@1")
    assert [type(name) for name in scores.means()["run"]] == [str, str]


@pytest.mark.parametrize("text", ["nDCG@10", "P(rel=2)@5", "Net(AP,pool=judged)", "fluency", "map"])
def test_measures_and_texts_are_the_same_key(text):
    measure = column_measure(text)
    assert (str(measure), repr(measure), f"{measure:>30}") == (text, text, f"{text:>30}")
    assert measure == text
    assert hash(measure) == hash(text)
    assert measure == column_measure(str(measure))
    assert measure != column_measure("RR")
    assert measure != 7
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_a_free_name_keeps_its_text_and_has_a_mean():
    rating = column_measure("fluency")
    assert not rating.registered
    assert (rating.aggregate, rating.better, rating.inner) == ("mean", "higher", None)
    assert rating.definition.title == "fluency"
    assert free("fluency").mean == 2.5


def test_a_spelling_of_another_program_keeps_its_text_and_its_meaning():
    scores = free("gm_map", "num_ret", "map")
    assert scores.measure_names == ("gm_map", "num_ret", "map")
    assert [m.name for m in scores.measures] == ["GMAP", "NumRet", "AP"]
    assert scores.means()["s"] == {"gm_map": pytest.approx(2.0), "num_ret": 5.0, "map": 2.5}


def test_a_name_that_is_only_part_of_a_measure_is_a_free_name():
    """V2 needs a measure inside it, and P a cutoff; as names of columns both are possible."""
    for text in ("V2", "P", "Net"):
        measure = column_measure(text)
        assert not measure.registered
        assert measure.definition.wraps is False
        assert measure.aggregate == "mean"


def test_reading_a_table_parses_no_measure_again(monkeypatch):
    scores = tare.evaluate(QRELS, RUN, ["RR", "AP"]).join(free("fluency"))

    def refuse(text):
        raise AssertionError(f"{text!r} was parsed again")

    monkeypatch.setattr(names._Reader, "measure", refuse)
    part = scores.select(measures=["AP", "fluency"])
    assert part["AP"].mean if len(part.systems) == 1 else part.means()
    assert scores.intervals().shape == (2, 3, 2)
    assert "fluency" in str(scores.table())
    assert scores.to_frame()["measure"].to_list()[:3] == ["RR", "AP", "fluency"]


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


# Names that people type: any case, and the spelling of every other program.


TYPED = {
    # ranx
    "ndcg@10": "nDCG@10",
    "map@10": "AP@10",
    "map@100": "AP@100",
    "mrr": "RR",
    "mrr@10": "RR@10",
    "recall@100": "Recall@100",
    "precision@5": "P@5",
    "hit_rate@5": "Success@5",
    "f1@10": "F@10",
    "r-precision": "Rprec",
    "bpref": "bpref",
    "rbp.95": "RBP(p=0.95)",
    "rbp.5": "RBP(p=0.5)",
    "ndcg_burges": "nDCG(gain=exp2)",
    "ndcg_burges@10": "nDCG(gain=exp2)@10",
    "dcg_burges@10": "DCG(gain=exp2)@10",
    "dcg@10": "DCG@10",
    "map": "AP",
    "ndcg": "nDCG",
    # trec_eval and pytrec_eval
    "ndcg_cut.10": "nDCG@10",
    "ndcg_cut_10": "nDCG@10",
    "NDCG_CUT_10": "nDCG@10",
    "map_cut.100": "AP@100",
    "P.5": "P@5",
    "p_5": "P@5",
    "recall.1000": "Recall@1000",
    "success.1": "Success@1",
    "Success_1": "Success@1",
    "recip_rank": "RR",
    "Recip_Rank": "RR",
    "iprec_at_recall.0.1": "iPrec@0.1",
    "iprec_at_recall_0.10": "iPrec@0.1",
    "Rprec_mult.0.2": "Rprec(multiple=0.2)",
    "11pt_avg": "iPrecMean",
    "11PT_avg": "iPrecMean",
    "GM_MAP": "GMAP",
    "num_rel_ret": "NumRelRet",
    "Num_Rel_Ret": "NumRelRet",
    "set_f": "setF",
    # BEIR
    "NDCG@10": "nDCG@10",
    "MAP@10": "AP@10",
    "P@10": "P@10",
    "Recall@10": "Recall@10",
    "MRR@10": "RR@10",
    "R_cap@10": "RelP@10",
    # MTEB
    "ndcg_at_10": "nDCG@10",
    "map_at_100": "AP@100",
    "recall_at_10": "Recall@10",
    "precision_at_5": "P@5",
    "mrr_at_10": "RR@10",
    "hit_rate_at_10": "Success@10",
    # sentence-transformers and link prediction
    "hits@10": "Success@10",
    "Hits@1": "Success@1",
    "hit@3": "Success@3",
    "HitRate@3": "Success@3",
    # ir_measures, in small letters
    "r@100": "Recall@100",
    "ap(rel=2)@10": "AP(rel=2)@10",
    "err@20": "ERR@20",
    "alpha_ndcg@20": "alpha_nDCG@20",
    "alpha-ndcg@20": "alpha_nDCG@20",
    "err-ia@20": "ERR_IA@20",
    "setp": "setP",
    "infap": "infAP",
    "iprec@0.1": "iPrec@0.1",
    "inst(t=2)": "INST(T=2)",
    "ndcg(dcg='exp-log2')@10": "nDCG(gain=exp2)@10",
    "ndcg(Gain=EXP2)@10": "nDCG(gain=exp2)@10",
    # chance
    "net(ndcg@10)": "Net(nDCG@10)",
    "e(map)": "E(AP)",
    "V2(ndcg_cut_10)": "V2(nDCG@10)",
    "net(hit_rate@5,pool=judged)": "Net(Success@5,pool=judged)",
    # rouge-score, ROUGE-1.5.5, bert-score
    "rouge-1": "ROUGE-1",
    "rouge1": "ROUGE-1",
    "ROUGE1": "ROUGE-1",
    "Rouge-2": "ROUGE-2",
    "rouge_2": "ROUGE-2",
    "rouge-l": "ROUGE-L",
    "rougeL": "ROUGE-L",
    "rougel": "ROUGE-L",
    "chrF++": "chrF(word=2)",
    "CHRF2++": "chrF(word=2)",
    "chrF2": "chrF",
    "rougeLsum": "ROUGE-Lsum",
    "rouge-lsum": "ROUGE-Lsum",
    "rouge-su4": "ROUGE-SU",
    "rouge-s9": "ROUGE-S(d=9)",
    "ROUGE-W-1.2": "ROUGE-W",
    "rouge-w-1.5": "ROUGE-W(w=1.5)",
    "rouge-2.R": "ROUGE-2.r",
    "rouge-su9.p": "ROUGE-SU.p(d=9)",
    "bertscore": "BERTScore",
    "bert_score": "BERTScore",
    "BERT-Score.p": "BERTScore.p",
}


@pytest.mark.parametrize(("typed", "name"), TYPED.items())
def test_names_that_people_type(typed, name):
    assert repr(names_parse(typed)) == name


def test_every_name_and_alias_is_read_in_any_case():
    for entries in catalogue.MEASURES.values():
        for name, aliases in entries.items():
            for spelling in (name, *aliases):
                for typed in (spelling.lower(), spelling.upper()):
                    if folded(spelling) == "accuracy":
                        continue
                    try:
                        read = names_parse(typed).name
                    except MeasureError as error:  # a cutoff or an inner measure is missing
                        read = str(error).split()[0]
                    assert read == name, typed


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("accuracy@10", "'accuracy' has two meanings. Write Success@10 if .* or Accuracy@10 for"),
        ("accuracy_at_10", "two meanings. Write Success@10"),
        ("ndcg_cut", "'ndcg_cut' needs a cutoff: write ndcg_cut_10 or nDCG@10."),
        ("ndcg_cut.10@5", "expected no second cutoff at character 12"),
        ("ndcg_10", "Did you mean 'nDCG@10'?"),
        ("ndcg.10", "Did you mean 'nDCG@10'?"),
        ("precision", "P needs a cutoff: write P@10."),
        ("hits", "Success needs a cutoff"),
        ("INST(t=2,T=3)", "INST: T is given twice."),
        ("rbp.0", "RBP: p='0.0' is not accepted"),
    ],
)
def test_a_name_that_could_mean_several_things_is_not_guessed(typed, message):
    with pytest.raises(MeasureError, match=message):
        names_parse(typed)


def test_own_measures_that_differ_only_in_case_are_named_exactly(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", {})
    for name in ("spellingA", "SpellingA"):
        registry.register(Definition(name, name, "", "", function=lambda grades: 0.0))
    assert names_parse("spellingA").name == "spellingA"
    assert names_parse("SpellingA").name == "SpellingA"
    with pytest.raises(MeasureError, match="'spellinga' can be SpellingA and spellingA; write"):
        names_parse("spellinga")


@pytest.mark.parametrize(
    "typed", ["ndcg_cutoff", "qwerty", "context_precision", "faithfulness", "xx"]
)
def test_a_distant_name_is_not_suggested(typed):
    with pytest.raises(MeasureError) as error:
        names_parse(typed)
    assert "Did you mean" not in str(error.value)


@pytest.mark.parametrize(
    ("typed", "near"), [("nDGC@10", "nDCG"), ("precison@5", "Precision"), ("ROGUE-2", "ROUGE-2")]
)
def test_a_near_name_is_suggested(typed, near):
    with pytest.raises(MeasureError, match=f"Did you mean '{near}'"):
        names_parse(typed)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nDCG@10,AP", ["nDCG@10", "AP"]),
        ("nDCG@10 AP", ["nDCG@10", "AP"]),
        ("ndcg@5,10 , map", ["nDCG@5", "nDCG@10", "AP"]),
        ("ndcg_cut.1,3,10", ["nDCG@1", "nDCG@3", "nDCG@10"]),
        (
            "V2(SP@10, pool=judged), nDCG(gains={1:3,2:9})@5",
            ["V2(SP@10,pool=judged)", "nDCG(gains={1:3,2:9})@5"],
        ),
        ("nDCG @ 10", ["nDCG@10"]),
    ],
)
def test_one_text_may_name_several(text, names):
    assert [repr(measure) for measure in names_parse_all(text)] == names


def test_a_wrong_name_in_a_list_is_named_alone():
    with pytest.raises(MeasureError, match="^'APP' is not a measure"):
        names_parse_all("nDCG@10 APP")


def test_a_column_is_found_in_every_spelling():
    ids = {"system": ["a", "b"] * 2, "item": [1, 1, 2, 2]}
    scores = tare.Scores.load(
        pl.DataFrame(ids | {"map": [0.5, 0.4, 0.3, 0.1], "Judged by": [1.0] * 4})
    )
    assert scores.measure_names == ("map", "Judged by")
    assert scores["AP"].measure_names == scores["MAP"].measure_names == ("map",)
    runs = {"a": {"q": {"d": 1}, "p": {"d": 1}}, "b": {"q": {"e": 1}, "p": {"d": 1}}}
    made = tare.compare(tare.evaluate({"q": {"d": 1}, "p": {"d": 1}}, runs, "nDCG@10"))
    assert made["ndcg_cut_10"].measure == "nDCG@10"


def test_measures_are_pickled_with_their_definitions() -> None:
    for text in ("Net(nDCG(gain=exp2)@10)", "ROUGE-2.r", "P(rel=2)@5"):
        again = pickle.loads(pickle.dumps(tare.parse(text)))
        assert again == text
        assert again.definition is tare.parse(text).definition
    rating = pickle.loads(pickle.dumps(column_measure("fluency")))
    assert rating == "fluency"
    assert not rating.registered
