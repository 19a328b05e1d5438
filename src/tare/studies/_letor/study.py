"""The study of learning-to-rank methods: how reliable are measures with and without chance?

Feng and Karmaker (2023, §6): means, kinds of queries, agreement, significance conflicts,
discriminative power, distances, and swap rates across data sets and splits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tare._kernels import default_threads
from tare._measures.one_system import opened_engine
from tare.errors import OptionError, choose
from tare.studies._letor.analysis import LetorAnalysis, StudyEngine
from tare.studies._letor.data import Fold, LetorSource, folds_of, joined
from tare.studies._letor.folder import StudyFolder
from tare.studies._letor.measures import CUTOFFS
from tare.studies._letor.result import LetorStudy

if TYPE_CHECKING:
    from tare.rankers import Ranker

__all__ = ["letor"]

GAINS = ("exp2", "linear")
DATA_SETS = ("MSLR", "MQ2007")


def letor(
    train: LetorSource | None = None,
    test: LetorSource | None = None,
    valid: LetorSource | None = None,
    *,
    folds: str | os.PathLike[str] | None = None,
    against: LetorStudy | str | os.PathLike[str] | None = None,
    name: str | None = None,
    rankers: Sequence[str | Ranker] | Mapping[str, Mapping[str, object]] | None = None,
    mode: str = "corrected",
    cutoffs: Sequence[int] = CUTOFFS,
    gain: str = "exp2",
    kind_size: float = 0.5,
    draws: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    engine: str | StudyEngine | None = None,
    published: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> LetorStudy:
    """Train rankers, rank the test data, and study how reliable the measures are.

    Parameters
    ----------
    train, test, valid : path, Letor or list of these
        LETOR data, as `tare.read_letor` takes them. The parts of a list are joined.
    folds : path, optional
        A folder of folds, each with train.txt, test.txt and vali.txt, instead of `train` and `test`.
    against : LetorStudy or path, optional
        Another study, or its folder: swap rates between the two are computed as well.
    name : str, optional
        The name of the data; by default that of the test data or of the folder.
    rankers : sequence of str or Ranker, or mapping, optional
        Names, rankers, or {name: options}; by default all eight.
    mode : {"corrected", "ranklib"}
        Whether rankers reproduce known errors of RankLib.
    cutoffs : sequence of int
        The cutoffs of all measures.
    gain : {"exp2", "linear"}
        The gain of DCG and nDCG.
    kind_size : float
        Number of uninformative and of ideal queries, or their share if it is below 1. The sets of
        the nDCG case study are chosen by nDCG@k, those of the MAP case study by AP@k.
    draws : int
        Draws of the studentised bootstrap test. Verdicts on claims use at most 1,000.
    seed : int
        Seed of training and of random draws.
    threads : int, optional
        Number of threads; by default all cores.
    engine : str or engine, optional
        Where rankers are trained and random draws are made: "local", "ray" or an engine of
        `tare.engines`. The numbers are the same.
    published : {"MSLR", "MQ2007"}, optional
        Show the published numbers next to the measured ones.
    folder : path, optional
        Keep models, runs, scores and tables here. A second call computes only what is missing.
    progress : callable, optional
        Called with a short description of each step.

    Returns
    -------
    LetorStudy
        Means, agreement, discriminative power, swap rates and verdicts on the published claims.

    Raises
    ------
    OptionError
        If neither or both of `train` with `test` and `folds` are given, or if an option is unknown.
    MismatchError
        If two parts share a query, or if the other study has different measures.

    References
    ----------
    Feng and Karmaker (2023), §6.

    Examples
    --------
    >>> import random, tempfile
    >>> from pathlib import Path
    >>> draw = random.Random(1).random
    >>> lines = [
    ...     f"{grade} qid:{query} 1:{grade + 3 * draw():.3f} 2:{draw():.3f}\\n"
    ...     for query in range(20) for grade in (0, 0, 0, 1, 2)
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = Path(folder) / "train.txt", Path(folder) / "test.txt"
    ...     _ = train.write_text("".join(lines[:50])), test.write_text("".join(lines[50:]))
    ...     found = letor(train, test, rankers=["rankboost", "listnet"], cutoffs=[3, 5], draws=100)
    >>> found.scores.systems
    ('RankBoost', 'ListNet')
    """
    notify = progress or (lambda _: None)
    choose("gain", gain, GAINS)
    if published is not None:
        choose("published", published, DATA_SETS)
    if (folds is None) == (train is None or test is None):
        raise OptionError("give either training and test data or folds=, not both.")
    ks = tuple(sorted({int(k) for k in cutoffs}))
    if not ks or ks[0] < 1:
        raise OptionError(
            f"cutoffs={list(cutoffs)} is not valid. Give at least one cutoff; each is 1 or greater."
        )
    if folds is not None:
        parts = folds_of(folds)
    else:
        chosen = None if valid is None else joined(valid)
        parts = [Fold("whole", joined(train), joined(test), chosen)]  # type: ignore[arg-type]
    methods = _methods(rankers, mode, threads or default_threads() or 1)
    with opened_engine(engine) as place:
        analysis = LetorAnalysis(parts, methods, ks, gain, seed, StudyFolder(folder), place)
        analysis.folder.begin(analysis.facts(kind_size, draws, published))
        analysis.rank(notify)
        label = parts[0].test.name if folds is None else Path(folds).resolve().name
        return analysis.result(name or label, kind_size, draws, published, against, notify)


def _methods(
    given: Sequence[str | Ranker] | Mapping[str, Mapping[str, object]] | None,
    mode: str,
    threads: int,
) -> list[Ranker]:
    from tare.rankers import MODES, RANKERS, Ranker, ranker

    choose("mode", mode, MODES)
    if given is None:
        given = list(RANKERS)
    if isinstance(given, Mapping):
        found = [ranker(n, **{"mode": mode, "threads": threads, **o}) for n, o in given.items()]
    else:
        found = [
            r if isinstance(r, Ranker) else ranker(r, mode=mode, threads=threads) for r in given
        ]
    if len({r.title for r in found}) < max(len(found), 2):
        raise OptionError("the study needs at least two different rankers, each named once.")
    return found
