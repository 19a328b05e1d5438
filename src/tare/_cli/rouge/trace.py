"""The additional output of -v: texts, n-grams and matches.

Perl prints its hashes in an order that changes from run to run; here they are sorted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tare._cli.rouge.basic_elements import elements_of, read_elements
from tare._cli.rouge.measures import Wanted
from tare._cli.rouge.options import Options
from tare._cli.rouge.printing import number
from tare._cli.rouge.scoring import Scored
from tare._cli.rouge.settings import Evaluation
from tare._cli.rouge.subsequences import hits_of_sentences
from tare._cli.rouge.texts import Texts, cut, cut_for_lcs
from tare._measures.text.profiles import Profile

__all__ = ["trace"]


def trace(
    peer: str,
    evaluations: list[Evaluation],
    measure: Wanted,
    scored: Scored,
    options: Options,
    profile: Profile,
    texts: Texts,
) -> Iterator[str]:
    """Yield the lines before the results of one measure."""
    for evaluation in evaluations:
        if measure.kind == "N":
            yield f"@Eval ({evaluation.id})\n"
        if peer not in evaluation.peers:
            continue
        tracer = _Tracer(measure, options, profile, texts, evaluation)
        yield from tracer.lines(evaluation.peers[peer])
        place = scored.ids.index(f"{evaluation.id}.{peer}")
        yield from _totals(measure, options, scored, place)
        yield f"{scored.ids[place]}\n"


class _Tracer:
    """The lines of one peer in one evaluation."""

    def __init__(
        self,
        measure: Wanted,
        options: Options,
        profile: Profile,
        texts: Texts,
        evaluation: Evaluation,
    ) -> None:
        self.measure, self.options, self.profile = measure, options, profile
        self.texts, self.evaluation = texts, evaluation

    def lines(self, path: bytes) -> Iterator[str]:
        match self.measure.kind:
            case "L" | "W":
                return self._sentences(path)
            case "BE":
                return self._elements(path)
        return self._grams(path)

    def _grams(self, path: bytes) -> Iterator[str]:
        yield f"***P {_name(path)}\n"
        yield from self._counted(path)
        for model in self.evaluation.models:
            yield from self._counted(model)
            yield f"***M {_name(model)}\n"

    def _counted(self, path: bytes) -> Iterator[str]:
        text = _joined(self._cut(path))
        if not text and (self.options.words or self.options.bytes) and not "".join(self._cut(path)):
            yield "---empty text---\n"
            return
        tokens = self.profile.kernel.tokens(text)
        yield f"{text}\n"
        yield f"{_hash(_grams_of(tokens, self.measure), '|')}\n"

    def _sentences(self, path: bytes) -> Iterator[str]:
        peer = self._cut(path, lcs=True)
        yield f"***P {_name(path)}\n"
        yield from self._tokens(peer)
        weight = float(self.options.weight or 1) if self.measure.kind == "W" else None
        prefix = "LCS" if weight is None else "ROUGE-W"
        for model in self.evaluation.models:
            sentences = self._cut(model, lcs=True)
            for hits in hits_of_sentences(
                [self.profile.kernel.tokens(s) for s in sentences],
                [self.profile.kernel.tokens(s) for s in peer],
                Counter(self._words(model)),
                Counter(self._words(path)),
                weight,
            ):
                yield f"{prefix}: {' '.join(hits) or '-'}\n"
            yield f"***M {_name(model)}\n"
            yield from self._tokens(sentences)

    def _tokens(self, sentences: list[str]) -> Iterator[str]:
        yield "\n".join(_joined([sentence]) for sentence in sentences) + "\n"
        for place, sentence in enumerate(sentences):
            yield f"{place}: {'|'.join(self.profile.kernel.tokens(sentence))}\n"

    def _elements(self, path: bytes) -> Iterator[str]:
        mode = self.options.elements or ""
        yield f"***P {_name(path)}\n"
        peer, line = self._listed(path, mode)
        yield line
        for model in self.evaluation.models:
            found, line = self._listed(model, mode)
            yield line
            yield from (f"* Match: {element}\n" for element in sorted(peer & found))
            yield f"***M {_name(model)}\n"

    def _listed(self, path: bytes, mode: str) -> tuple[set[str], str]:
        lines = read_elements(path, self.evaluation.format)
        found = elements_of(lines, mode, self.profile)
        return set(found), f"{_hash(Counter(found), '#')}\n" if lines else "---empty text---\n"

    def _cut(self, path: bytes, *, lcs: bool = False) -> list[str]:
        sentences = self.texts.of(path, self.evaluation.format)
        limited = cut_for_lcs if lcs else cut
        return limited(sentences, self.options.words, self.options.bytes)

    def _words(self, path: bytes) -> list[str]:
        return [t for s in self._cut(path) for t in self.profile.kernel.tokens(s)]


def _totals(measure: Wanted, options: Options, scored: Scored, place: int) -> Iterator[str]:
    hits, own, model = map(number, scored.counts[place].tolist())
    recall, precision, f = (f"{v:.5f}" for v in scored.values[:, place].tolist())
    tag = measure.tag
    match measure.kind:
        case "N":
            named = f"{tag.removeprefix('ROUGE-')}-gram"
        case "S" | "SU":  # all three are recall
            tag = named = f"ROUGE-S{options.gap}"
            precision = f = recall
        case "BE":
            named = tag.removeprefix("ROUGE-")
        case _:
            named = tag
    after = {"L": (" score", "", ""), "W": (" score",) * 3}.get(measure.kind, ("", "", ""))
    yield f"total {named} model count: {model}\n"
    yield f"total {named} peer count: {own}\n"
    yield f"total {named} hit: {hits}\n"
    for letter, value, word in zip("RPF", (recall, precision, f), after, strict=True):
        yield f"total {tag}-{letter}{word}: {value}\n"


def _grams_of(tokens: list[str], measure: Wanted) -> Counter[str]:
    name, size, _ = measure.counting or ("", 1, 1.0)
    if name == "ngrams":
        return Counter(" ".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1))
    found: Counter[str] = Counter()
    for place, token in enumerate(tokens[:-1]):
        last = None if size < 0 else place + size + 2
        found.update(f"{token} {other}" for other in tokens[place + 1 : last])
        if measure.kind == "SU":
            found[token] += 1
    return found


def _hash(counts: Counter[str], between: str) -> str:
    pairs = [*sorted(counts.items()), ("_cn_", counts.total())]
    return between.join(f"{key}{between}{count}" for key, count in pairs)


def _joined(sentences: list[str]) -> str:
    """Return the text as ROUGE-1.5.5 cleans it."""
    text = " ".join(sentences).lower().replace("-", " - ")
    return " ".join(re.sub(r"[^a-z0-9-]", " ", text).split())


def _name(path: bytes) -> str:
    return path.decode("latin-1")
