"""`availability` held against what real producers and consumers of a recording saw.

`python -m tests.availability.against_clients RECORDINGS RESULTS` prints the tables of docs/availability.md. Each recording was made by
`make record`; RESULTS holds the folder that `analyze` wrote for each, under the same name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from replay.availability.reasons import STOPS_READS

_WAIT = 2.0  # seconds between two records of a partition: shorter gaps are the load's own
_BORDER = 1.0  # a moment this near to a border is not judged

Spans = Sequence[tuple[float, float]]


class Felt(NamedTuple):
    """What clients of one kind felt, against what is called closed to them."""

    waited_s: float
    explained_s: float
    while_closed: int

    @property
    def share(self) -> str:
        """The part of the waits that is called closed."""
        return "–" if not self.waited_s else f"{self.explained_s / self.waited_s:.2f}"


def felt(events: pd.DataFrame, closed: dict[tuple[str, int], Spans]) -> Felt:
    """Acknowledgements, or records that one consumer was given, by partition: each proves that its partition was open."""
    waited = explained = 0.0
    inside = 0
    for (topic, partition), own in events.groupby(["topic", "partition"]):
        spans, times = closed.get((topic, int(partition)), ()), sorted(own.t)
        inside += sum(any(a + _BORDER < t < b - _BORDER for a, b in spans) for t in times)
        for before, after in pairwise(times):
            if after - before > _WAIT:
                waited += after - before
                explained += _common([(before, after)], spans)
    return Felt(waited, explained, inside)


def closed_to(result: Path) -> dict[str, dict[tuple[str, int], Spans]]:
    """When each partition is called closed to producers with acks=all, with acks=1, and to consumers."""
    table = pd.read_parquet(result / "tables" / "availability")
    table = table[table.state == "closed"].assign(a=_seconds(table.start_ts), b=_seconds(table.end_ts))
    kinds = {
        "acks=all": table[table.acks == "all"],
        "acks=1": table[table.acks == "1"],
        "readers": table[(table.acks == "1") & table.reason.isin(sorted(STOPS_READS))],
    }
    return {
        kind: {
            (topic, int(partition)): list(zip(own.a, own.b.fillna(float("inf"))))
            for (topic, partition), own in rows.groupby(["topic", "partition"])
        }
        for kind, rows in kinds.items()
    }


def _seconds(column: pd.Series) -> pd.Series:
    return pd.to_datetime(column, utc=True).map(lambda t: float("nan") if pd.isna(t) else t.timestamp())


def clients(recording: Path, result: Path) -> dict[str, Felt]:
    """What each kind of client of a recording felt."""
    closed = closed_to(result)
    acked = pd.read_csv(recording / "truth" / "acked.csv.gz")
    found = {
        f"acks={acks}": felt(acked[acked.acks.astype(str) == acks], closed[f"acks={acks}"]) for acks in ("all", "1")
    }
    read = _read(recording)
    late = _late(acked, read)
    inside = felt(read, closed["readers"]).while_closed
    for name, kind in (("readers", "readers"), ("readers, or the high watermark stands still", "acks=all")):
        waited = sum(b - a for spans in late.values() for a, b in spans)
        told = sum(_common(spans, closed[kind].get(partition, ())) for partition, spans in late.items())
        found[name] = Felt(waited, told, inside if kind == "readers" else 0)
    return found


def _late(acked: pd.DataFrame, read: pd.DataFrame) -> dict[tuple[str, int], Spans]:
    """When acknowledged records waited for their consumer for more than two seconds: from the acknowledgement on."""
    keys = ["topic", "partition", "seq"]
    both = acked.drop_duplicates(keys).merge(read.drop_duplicates(keys), on=keys, suffixes=("", "_read"))
    found: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for row in both[both.t_read - both.t > _WAIT].sort_values("t").itertuples():
        own = found.setdefault((row.topic, int(row.partition)), [])
        begin = max(row.t, own[-1][1]) if own else row.t
        if row.t_read > begin:
            own.append((begin, row.t_read))
    return found


def _common(spans: Spans, others: Spans) -> float:
    return sum(max(0.0, min(b, d) - max(a, c)) for a, b in spans for c, d in others)


def _read(recording: Path) -> pd.DataFrame:
    read = pd.read_csv(recording / "truth" / "consumed.csv.gz")
    return read[read.reader.str.startswith("assigned-")]  # a group stands still for its own reasons as well


def gone_and_again(recording: Path) -> tuple[int, int, int]:
    """How many records were read; were acknowledged, read, and are gone; were read twice by one consumer."""
    read = pd.read_csv(recording / "truth" / "consumed.csv.gz")
    lost = pd.read_csv(recording / "truth" / "lost.csv")
    keys = ["topic", "partition", "seq"]
    seen = read.drop_duplicates(keys)
    gone = len(seen.merge(lost.drop_duplicates(keys), on=keys))
    again = int(read.duplicated(["reader", *keys, "offset"]).sum())
    return len(seen), gone, again


def table(recordings: Path, results: Path) -> Iterator[str]:
    """Two tables in Markdown: waits, and what consumers saw."""
    pairs = [
        (one, results / one.name) for one in sorted(recordings.iterdir()) if (results / one.name / "tables").is_dir()
    ]
    pairs = [(one, result) for one, result in pairs if (one / "truth" / "consumed.csv.gz").exists()]
    yield "| recording | client | waited, partition-seconds | share closed | acknowledged or read while closed |"
    yield "|---|---|---|---|---|"
    for recording, result in pairs:
        for kind, one in clients(recording, result).items():
            yield f"| {recording.name} | {kind} | {one.waited_s:.0f} | {one.share} | {one.while_closed} |"
    yield ""
    yield "| recording | records read | read and then lost | read twice |\n|---|---|---|---|"
    for recording, _ in pairs:
        yield f"| {recording.name} | {' | '.join(f'{number:,}' for number in gone_and_again(recording))} |"


def main() -> None:
    """Prints the tables."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for line in table(Path(sys.argv[1]), Path(sys.argv[2])):
        print(line)


if __name__ == "__main__":
    main()
