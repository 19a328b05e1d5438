"""The pools of one call: the default pool, and the data that other pools need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tare._data.candidates import Candidates, read_candidates
from tare._data.pool import Pool, RetrievedUnion
from tare.errors import OptionError

__all__ = ["Pools"]


@dataclass(frozen=True)
class Pools:
    """The options `pool=`, `corpus=` and `candidates=` of a call."""

    default: Pool | None = None
    candidates: Candidates | None = None
    union: RetrievedUnion | None = None

    @classmethod
    def of(cls, pool: Any = None, corpus: Any = None, candidates: Any = None) -> Pools:
        """Read the three options, which may name one pool at most.

        >>> str(Pools.of(corpus=1000).default)
        'corpus=1000'
        """
        given = None if candidates is None else read_candidates(candidates)
        named = None if pool is None else str(pool)
        if corpus is not None:
            if named not in (None, "corpus") or given is not None:
                other = f"pool={named}" if given is None else "candidates"
                raise OptionError(f"corpus={corpus} and {other} name two pools; give only one.")
            return cls(Pool.parse(f"corpus={corpus}"))
        if named == "corpus":
            raise OptionError("pool=corpus needs its size: corpus=N, such as corpus=1000000.")
        if given is not None:
            if named not in (None, "candidates"):
                raise OptionError(f"pool={named} and candidates name two pools; give only one.")
            return cls(Pool("candidates", candidates=given), given)
        if named == "candidates":
            raise OptionError(
                "pool=candidates needs the candidates: evaluate(…, candidates=…) or --candidates FILE."
            )
        return cls(None if named is None else Pool.parse(pool))

    def known_from(self, data: Any) -> Pools:
        """Return a copy with the pool that the data determine, if the call gives none."""
        known = getattr(data, "known_pool", None)
        if self.default is not None or known is None:
            return self
        return replace(self, default=Pool.parse(known))

    def require(self, what: object, named: object = None) -> Pool:
        """Return the pool; raise an error that lists the options if `what` needs one and none is given."""
        pool = self.find(named)
        if pool is None:
            raise OptionError(
                f"{what} needs to know what could have been ranked: --pool judged if your systems "
                "rank the judged documents, --corpus N if they search N documents, --candidates "
                "FILE for a list per query. In Python: pool='judged', corpus=N or candidates=…."
            )
        return pool

    def with_union(self, union: RetrievedUnion) -> Pools:
        """Return a copy with the documents that the runs of the call retrieved."""
        return replace(self, union=union)

    def find(self, named: object = None) -> Pool | None:
        """Return the pool that a measure names, or the pool of the call, or None."""
        pool = self.default if named is None else Pool.parse(named)
        if pool is None:
            return None
        if pool.kind == "candidates":
            return replace(pool, candidates=pool.candidates or self.candidates)
        if pool.kind == "union":
            return replace(pool, union=pool.union or self.union)
        return pool
