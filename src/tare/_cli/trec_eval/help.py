"""The help of `tare trec_eval`."""

from __future__ import annotations

from tare._measures import find
from tare.compat._trec_eval.measures import SETS, Entry

__all__ = ["USAGE_TEXT", "help_text"]

USAGE_TEXT = """\
Usage: tare trec_eval [-q] [-c] [-m MEASURE[.PARAMETERS]]… [-l LEVEL] [other options] QRELS RUN
   -q: print the values of each query as well      -c: count queries that the run lacks
   -m: a measure, or a set of them (official, all_trec, set); may be repeated
   --help: all options, and a description of the measures named by -m
"""

_OPTIONS = """
Evaluates a run against qrels and prints what NIST's trec_eval prints.

   -q  --query_eval_wanted         print each query as well as the summary
   -m  --measure NAME[.PARAMETERS] add a measure or a set (default: the set 'official')
   -c  --complete_rel_info_wanted  count queries of the qrels that the run lacks
   -l  --level_for_rel N           lowest grade that counts as relevant (1)
   -n  --nosummary                 omit the lines of 'all'
   -M  --Max_retrieved_per_topic N use the first N documents of each ranking
   -J  --Judged_docs_only          remove unjudged documents
   -N  --Number_docs_in_coll N     documents in the collection, for utility
   -Z  --Zscore FILE               print z-scores; lines 'query measure mean deviation'
   -D  --Debug_level N[.QUERY]     evaluate this query only
   -R  --Rel_info_format FORMAT    qrels, qrels_jg, prefs or qrels_prefs
   -T  --Results_format trec_results
   -o  --Output_old_results_format does nothing, as in trec_eval
       --compat 9|10               print what this version prints (10)
   -v  --version                   -h  --help

QRELS  lines 'query iteration document grade', whole numbers for grades
RUN    lines 'query Q0 document rank score tag'; '-' is standard input. Documents are ranked by
       score, equal scores by document id, descending; the rank is not used.

Parameters follow a dot: -m P.5,10  -m iprec_at_recall..1,.5  -m ndcg.1=3,2=9  -m rbp.p=0.8
"""

_EXAMPLES = """\
Examples:
   tare trec_eval qrels.txt bm25.run
   tare trec_eval -q -m map -m ndcg_cut.10,20 -l 2 qrels.txt bm25.run
"""


def help_text(asked: dict[Entry, str]) -> str:
    """Return the help: options, and a description of the named measures."""
    sets = "\n".join(f"   {name}: {' '.join(names)}" for name, names in SETS.items())
    described = "\n".join(_describe(entry) for entry in asked)
    about = f"\n{described}\n" if described else ""
    return f"{USAGE_TEXT}{_OPTIONS}\nSets of measures:\n{sets}\n{about}\n{_EXAMPLES}"


def _describe(entry: Entry) -> str:
    own = {
        "runid": "The tag of the run.",
        "num_q": "Number of evaluated queries.",
        "relstring": "The first grades of the ranking as characters.",
        "ideal_dcg": "DCG of all judged documents by descending gain.",
    }
    definition = find(entry.measure)
    text = own.get(entry.name, "")
    if not text and definition is not None:
        text = f"{definition.title} ({definition.name}). {definition.formula}"
    if entry.summary == "geometric":
        text += " Geometric mean over queries."
    defaults = f" Default parameters: {entry.defaults}." if entry.defaults else ""
    return f"{entry.name}\n   {text}{defaults}"
