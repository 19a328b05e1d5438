"""The pools of one call: the one for measures that name none, and what named ones need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tare._data.candidates import Candidates, read_candidates
from tare._data.pool import Pool, RetrievedUnion
from tare.errors import OptionError

__all__ = ["Pools"]


@dataclass(frozen=True)
class Pools:
    """What `pool=`, `corpus=` and `candidates=` of a call say."""

    default: Pool | None = None
    candidates: Candidates | None = None
    union: RetrievedUnion | None = None

    @classmethod
    def of(cls, pool: Any = None, corpus: Any = None, candidates: Any = None) -> Pools:
        """Reads the three options; at most one pool may be meant.

        >>> str(Pools.of(corpus=1000).default)
        'corpus=1000'
        """
        given = None if candidates is None else read_candidates(candidates)
        named = None if pool is None else str(pool)
        if corpus is not None:
            if named not in (None, "corpus") or given is not None:
                other = f"pool={named}" if given is None else "candidates"
                raise OptionError(f"corpus={corpus} and {other} name two pools; give one of them.")
            return cls(Pool.parse(f"corpus={corpus}"))
        if named == "corpus":
            raise OptionError("pool=corpus needs its size: corpus=N, such as corpus=1000000.")
        if given is not None:
            if named not in (None, "candidates"):
                raise OptionError(f"pool={named} and candidates name two pools; give one of them.")
            return cls(Pool("candidates", candidates=given), given)
        if named == "candidates":
            raise OptionError(
                "pool=candidates needs the candidates: evaluate(…, candidates=…) or --candidates FILE."
            )
        return cls(None if named is None else Pool.parse(pool))

    def known_from(self, data: Any) -> Pools:
        """The same, or what the data themselves say where the call says nothing."""
        known = getattr(data, "known_pool", None)
        if self.default is not None or known is None:
            return self
        return replace(self, default=Pool.parse(known))

    def require(self, what: object, named: object = None) -> Pool:
        """The pool, or an error that says why `what` needs one and which there are."""
        pool = self.find(named)
        if pool is None:
            raise OptionError(
                f"{what} needs to know what could have been ranked: --pool judged if your systems "
                "order the judged documents, --corpus N if they search N documents, --candidates "
                "FILE for a list per query. In Python: pool='judged', corpus=N or candidates=…."
            )
        return pool

    def with_union(self, union: RetrievedUnion) -> Pools:
        """The same, with the documents that the runs of the call retrieved."""
        return replace(self, union=union)

    def find(self, named: object = None) -> Pool | None:
        """The pool that a measure names, or the one of the call; None where neither is given."""
        pool = self.default if named is None else Pool.parse(named)
        if pool is None:
            return None
        if pool.kind == "candidates":
            return replace(pool, candidates=pool.candidates or self.candidates)
        if pool.kind == "union":
            return replace(pool, union=pool.union or self.union)
        return pool
