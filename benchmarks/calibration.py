"""Compares the stated confidence of causes with how often they are right, over recordings whose faults are known.

    python -m benchmarks.calibration TRACES RESULTS

For every folder under TRACES with a `truth`, reads the result of the same name under RESULTS. Judges each cause of a
shrunk ISR, an election or a partition without leader during exactly one true fault. A cause is right if following
the best cause of each cause leads to that fault. Each row of the printed table is a range of confidence.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

_EFFECTS = ("isr_shrink", "election", "unclean_election", "leaderless")
_EARLY_MS, _LATE_MS = 1_000, 10_000  # around a fault: how long its effects may take to be logged
_BOUNDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)


def judged(trace: Path, result: Path) -> pd.DataFrame:
    """The causes of one recording: `rank`, `confidence`, `relation`, and `right`."""
    truth = json.loads((trace / "truth" / "incident.json").read_text())
    vertices, edges = (pd.read_parquet(result / "tables" / name) for name in ("vertices", "edges"))
    best = edges[edges["rank"] == 1].groupby("dst").src.apply(list).to_dict()
    known = {row.id: row for row in vertices.itertuples()}

    def roots(vertex: str, seen: set[str]) -> set[str]:
        if vertex in seen:
            return set()
        seen.add(vertex)
        above = best.get(vertex, [])
        return set().union(*(roots(cause, seen) for cause in above)) if above else {vertex}

    rows = []
    for edge in edges.itertuples():
        effect = known.get(edge.dst)
        if effect is None or effect.kind not in _EFFECTS:
            continue
        at = pd.Timestamp(effect.ts, tz="UTC").timestamp() * 1000
        faults = [f for f in truth["roots"] if f["from_ms"] - _EARLY_MS <= at <= f["to_ms"] + _LATE_MS]
        if len(faults) != 1:
            continue
        (fault,) = faults
        codes = {*fault["codes"], *truth.get("also", [])}
        right = any(_is(known[root], codes, fault["broker_ids"]) for root in roots(edge.src, set()) if root in known)
        rows.append((trace.name, edge.relation, edge.rank, edge.confidence, right))
    return pd.DataFrame(rows, columns=["trace", "relation", "rank", "confidence", "right"]).astype({"right": bool})


def _is(vertex: object, codes: set[str], brokers: Sequence[int]) -> bool:
    code, node = str(vertex.code or vertex.label)[:3], vertex.node_id  # type: ignore[attr-defined]
    return code in codes and (pd.isna(node) or int(node) in brokers)


def lines(causes: pd.DataFrame) -> Iterator[str]:
    """The lines to print."""
    for name, of in (("best cause", causes[causes["rank"] == 1]), ("rival", causes[causes["rank"] > 1])):
        yield f"{name:<12} {'confidence':<12} {'stated':>7} {'right':>7} {'of':>7}"
        for span, some in of.groupby(pd.cut(of.confidence, _BOUNDS), observed=True):
            yield f"{'':<12} {span!s:<12} {some.confidence.mean():>7.2f} {some.right.mean():>7.2f} {len(some):>7}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge and print. Returns the exit status: 2 if no recording has both truth and result."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.calibration", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("traces", type=Path, help="folders with input and truth")
    parser.add_argument("results", type=Path, help="folders of the same names, each written by analyze")
    options = parser.parse_args(arguments)
    pairs = [
        (trace.parent, options.results / trace.parent.name)
        for trace in sorted(options.traces.glob("*/truth"))
        if (options.results / trace.parent.name / "tables").is_dir()
    ]
    if not pairs:
        print(f"{options.traces} and {options.results} share no recording with a truth and a result", file=sys.stderr)
        return 2
    of_each = [judged(trace, result) for trace, result in pairs]
    causes = pd.concat([causes for causes in of_each if not causes.empty])
    print(f"{len(pairs)} recordings, {len(causes)} causes judged")
    for line in lines(causes):
        print(line)
    wrong = causes[(causes["rank"] == 1) & ~causes.right]
    for (trace, relation), some in wrong.groupby(["trace", "relation"]):
        print(f"not right: {trace}, {relation}: {len(some)}, stated {some.confidence.mean():.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
