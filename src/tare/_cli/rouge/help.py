"""The help of `tare rouge`; -h is short, -H is complete."""

from __future__ import annotations

__all__ = ["USAGE_TEXT", "help_text"]

USAGE_TEXT = """\
Usage: tare rouge [options] SETTINGS [SYSTEM]
   -a all systems   -n N n-grams up to N   -x no ROUGE-L   -w W ROUGE-W   -2 D ROUGE-S   -u, -U ROUGE-SU
   -m stem   -s remove stop words   -l N or -b N words or bytes   -f A|B   -p ALPHA   -t 0|1|2   -c PERCENT
   -r N resamples   -d each evaluation   -z FORMAT list of files   -e FOLDER   -h   -H: full help
"""

_DETAILS = """
Evaluates summaries against models and prints what ROUGE-1.5.5 prints.

SETTINGS  ROUGE's XML file (EVAL, PEER-ROOT, MODEL-ROOT, INPUT-FORMAT, PEERS, MODELS), or with -z a
          list of files, one evaluation per line: the peer, then its models
SYSTEM    the ID of the peer to evaluate; with -a all are evaluated, with -z it is X by default

Measures
   -n N         ROUGE-1 to ROUGE-N
   -x           do not compute ROUGE-L, which is computed by default
   -w WEIGHT    ROUGE-W: L consecutive matches count L^WEIGHT
   -2 D         ROUGE-S: skip-bigrams with up to D words between them; any number if D is negative
   -u           ROUGE-SU in place of ROUGE-S (with -2)
   -U           ROUGE-S and ROUGE-SU (with -2)
   -3 MODE      ROUGE-BE: H, HM, HMR, HM1, HMR1 or HMR2; files are head|modifier|relation per line

Texts
   -m           stem (Porter, after WordNet's irregular forms)
   -s           remove stop words
   -l N, -b N   use the first N words or bytes of peers and models
   -z FORMAT    SETTINGS is a list of files in this format: SPL (one sentence per line), SEE, ISI or
                SIMPLE (basic elements)
   -e FOLDER    folder with smart_common_words.txt and WordNet-2.0-Exceptions (default: ROUGE_EVAL_HOME)

Scores
   -f A|B       several models: A sums over all of them (default), B takes the best
   -p ALPHA     0 to 1: weight of precision in F (0.5)
   -t 0|1|2     average over evaluations (0), over all tokens (1), or print counts (2)
   -c PERCENT   confidence of the intervals (95)
   -r N         resamples (1000)
   -d           print the scores of each evaluation
   -h, -H       this text, in short and in full

Examples:
   tare rouge -n 2 -2 4 -u -a settings.xml
   tare rouge -n 2 -x -c 99 -d -z SPL files.lst
"""


def help_text(name: str) -> str:
    """Return the text for -h or -H."""
    return USAGE_TEXT + (_DETAILS if name == "H" else "")
