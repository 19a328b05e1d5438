"""Names that people type: any case, and the spelling of every other program."""

import polars as pl
import pytest

import tare
from tare._measures import registry
from tare._measures import registry as catalogue
from tare._measures.definition import Definition
from tare._measures.names import folded, parse, parse_all
from tare.errors import MeasureError

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
    assert repr(parse(typed)) == name


def test_every_name_and_alias_is_read_in_any_case():
    for entries in catalogue.MEASURES.values():
        for name, aliases in entries.items():
            for spelling in (name, *aliases):
                for typed in (spelling.lower(), spelling.upper()):
                    if folded(spelling) == "accuracy":
                        continue
                    try:
                        read = parse(typed).name
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
        parse(typed)


def test_own_measures_that_differ_only_in_case_are_named_exactly(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", {})
    for name in ("spellingA", "SpellingA"):
        registry.register(Definition(name, name, "", "", function=lambda grades: 0.0))
    assert parse("spellingA").name == "spellingA"
    assert parse("SpellingA").name == "SpellingA"
    with pytest.raises(MeasureError, match="'spellinga' can be SpellingA and spellingA; write"):
        parse("spellinga")


@pytest.mark.parametrize(
    "typed", ["ndcg_cutoff", "qwerty", "context_precision", "faithfulness", "xx"]
)
def test_a_distant_name_is_not_suggested(typed):
    with pytest.raises(MeasureError) as error:
        parse(typed)
    assert "Did you mean" not in str(error.value)


@pytest.mark.parametrize(
    ("typed", "near"), [("nDGC@10", "nDCG"), ("precison@5", "Precision"), ("ROGUE-2", "ROUGE-2")]
)
def test_a_near_name_is_suggested(typed, near):
    with pytest.raises(MeasureError, match=f"Did you mean '{near}'"):
        parse(typed)


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
    assert [repr(measure) for measure in parse_all(text)] == names


def test_a_wrong_name_in_a_list_is_named_alone():
    with pytest.raises(MeasureError, match="^'APP' is not a measure"):
        parse_all("nDCG@10 APP")


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
