"""RougeScorer, as rouge-score has it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from tare._kernels import Text, TextProfile, rouge_counts, text_profile
from tare.compat._arguments import text, texts
from tare.compat.rouge_score.scoring import BaseScorer, Score, fmeasure
from tare.compat.rouge_score.tokenizers import DefaultTokenizer
from tare.errors import MismatchError

__all__ = ["RougeScorer"]

_NGRAMS = re.compile(r"rouge([0-9])$")
Counting = tuple[str, int, float]


class _Tokenizes(Protocol):
    def tokenize(self, text: str) -> Sequence[Hashable]: ...


class RougeScorer(BaseScorer):
    """Precision, recall and F of ROUGE.

    Parameters
    ----------
    rouge_types : list of str
        "rouge1" to "rouge9", "rougeL" and "rougeLsum".
    use_stemmer : bool, default False
        Stem words of more than three letters by NLTK's Porter stemmer.
    split_summaries : bool, default False
        For rougeLsum, split texts into sentences by NLTK, as rouge-score does; by default, each line is
        a sentence.
    tokenizer : object, optional
        An object whose `tokenize(text)` returns a list of tokens.

    Examples
    --------
    >>> scorer = RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
    >>> scorer.score("The cat sat on the mat.", "A cat was sitting on a mat.")["rouge1"].recall
    0.5
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: _Tokenizes | None = None,
    ) -> None:
        one = isinstance(rouge_types, str)  # rouge-score takes its letters for types
        self.rouge_types = list(rouge_types) if one else texts("rouge_types", rouge_types)
        self._split_summaries = split_summaries
        self._tokenizer: _Tokenizes = (
            DefaultTokenizer(use_stemmer) if tokenizer is None else tokenizer
        )

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the scores of a prediction.

        Parameters
        ----------
        target : str
            The reference.
        prediction : str
            The text to score.

        Returns
        -------
        dict
            A `Score` for each type.

        Raises
        ------
        ValueError
            If a type does not exist.
        """
        pair = text("prediction", prediction), text("target", target)
        return self._scores([pair[0]], [[pair[1]]], threads=1)[0][0]

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Return the scores against the best of several references, by type.

        Parameters
        ----------
        targets : list of str
            The references. For each type, the one with the largest F counts.
        prediction : str
            The text to score.

        Returns
        -------
        dict
            A `Score` for each type.

        Raises
        ------
        ValueError
            If a type does not exist, or there is no reference.
        """
        references = texts("targets", targets)
        if len(references) == 0:
            raise ValueError("score_multi needs at least one target")
        found = self._scores([text("prediction", prediction)], [references], threads=1)[0]
        return {
            kind: max((scores[kind] for scores in found), key=lambda score: score.fmeasure)
            for kind in self.rouge_types
        }

    def score_all(
        self, targets: Sequence[str], predictions: Sequence[str]
    ) -> list[dict[str, Score]]:
        """Return the scores of many predictions at once; rouge-score does not have this method.

        Parameters
        ----------
        targets : list of str
            One reference per prediction.
        predictions : list of str
            The texts to score.

        Returns
        -------
        list of dict
            The same as `score` for each pair.

        Raises
        ------
        MismatchError
            If the lists differ in length.
        """
        targets, predictions = texts("targets", targets), texts("predictions", predictions)
        if len(targets) != len(predictions):
            raise MismatchError(
                f"{len(targets):,} targets and {len(predictions):,} predictions; both need the same "
                "number."
            )
        found = self._scores(list(predictions), [[target] for target in targets], threads=0)
        return [scores[0] for scores in found]

    def _scores(
        self, predictions: list[str], targets: list[list[str]], *, threads: int
    ) -> list[list[dict[str, Score]]]:
        """Return scores by prediction and target."""
        wanted = {kind: _counting(kind) for kind in self.rouge_types}
        flat = {k: c for k, c in wanted.items() if c[0] != "union_lcs"}
        summed = {k: c for k, c in wanted.items() if c[0] == "union_lcs"}
        sizes = [len(group) for group in targets]
        pairs: list[dict[str, Score]] = [{} for _ in range(sum(sizes))]
        for kinds, by_sentence in ((flat, False), (summed, True)):
            if not kinds:
                continue
            texts, groups, profile = self._prepared(predictions, targets, by_sentence)
            counts = rouge_counts(texts, groups, profile, list(kinds.values()), threads=threads)
            for kind, rows in zip(kinds, counts.tolist(), strict=True):
                for pair, row in zip(pairs, rows, strict=True):
                    pair[kind] = _score(row, kinds[kind][0] == "ngrams")
        ordered = iter([{kind: pair[kind] for kind in self.rouge_types} for pair in pairs])
        return [[next(ordered) for _ in range(size)] for size in sizes]

    def _prepared(
        self, predictions: list[str], targets: list[list[str]], by_sentence: bool
    ) -> tuple[list[Text], list[list[Text]], TextProfile]:
        """Return texts as rouge-score prepares them for the core; tokens of another tokenizer are numbered."""
        split = by_sentence and self._split_summaries
        convert: Any = _plain
        profile = None
        if isinstance(self._tokenizer, DefaultTokenizer):
            profile = self._tokenizer.kernel
            if split:
                convert = lambda text: [_plain(s) for s in _sentences(text)]  # noqa: E731
        else:
            numbers: dict[Hashable, str] = {}

            def numbered(text: str) -> str:
                tokens = self._tokenizer.tokenize(text)
                return " ".join(numbers.setdefault(t, str(len(numbers))) for t in tokens)

            def by_line(text: str) -> list[str]:
                lines = _sentences(text) if split else text.split("\n")
                return [numbered(line) for line in lines if line]

            convert = by_line if by_sentence else numbered
        return (
            [convert(text) for text in predictions],
            [[convert(text) for text in group] for group in targets],
            profile or text_profile("blanks"),
        )


def _counting(kind: str) -> Counting:
    """Return what the core counts for a type of ROUGE of RougeScorer."""
    if kind == "rougeL":
        return ("lcs", 1, 1.0)
    if kind == "rougeLsum":
        return ("union_lcs", 1, 1.0)
    found = _NGRAMS.match(kind)
    if found is None:
        raise ValueError(f"Invalid rouge type: {kind}")
    if found.group(1) == "0":
        raise ValueError(f"rougen requires positive n: {kind}")
    return ("ngrams", int(found.group(1)), 1.0)


def _score(counts: Sequence[float], ngrams: bool) -> Score:
    hits, predicted, wanted = counts
    if not ngrams and not (predicted and wanted):
        return Score(0, 0, 0)
    precision, recall = hits / max(predicted, 1), hits / max(wanted, 1)
    return Score(precision, recall, fmeasure(precision, recall))


def _plain(text: str) -> str:
    """Replace lone surrogates in a text for rouge-score, which are not part of a token."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _sentences(text: str) -> list[str]:
    import nltk

    return [sentence for sentence in nltk.sent_tokenize(text) if sentence]
