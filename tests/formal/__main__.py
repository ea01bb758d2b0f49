"""python -m tests.formal RESULT...: holds each partition's rebuilt history against KafkaReplication.tla.

RESULT is a folder that `analyze` wrote, or the folder `expected` of a trace.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from tests.formal.acceptor import Verdict, accept
from tests.formal.history import Partition, histories

_TABLES = ("isr_spans", "leader_epochs", "truncations", "commit_bands", "broker_sessions", "losses")


def tables_of(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of a result, or the golden ones of a trace."""
    if (folder / "tables").is_dir():
        return {name: pd.read_parquet(folder / "tables" / name) for name in _TABLES}
    found = {name: folder / f"{name}.csv" for name in _TABLES}
    return {name: pd.read_csv(path, dtype=str, keep_default_na=False) for name, path in found.items() if path.exists()}


def verdicts(tables: dict[str, pd.DataFrame]) -> dict[Partition, Verdict]:
    """The verdict on each partition."""
    return {partition: accept(history) for partition, history in histories(tables)}


def main() -> None:
    """Prints a line for each partition; ends with 1 if one is rejected."""
    if not sys.argv[1:]:
        sys.exit(__doc__)
    rejected = 0
    for folder in map(Path, sys.argv[1:]):
        for (topic, number, _), verdict in sorted(verdicts(tables_of(folder)).items(), key=str):
            name = f"{topic}-{number}"
            if verdict.rejected is None:
                print(f"accepted  {name:<28} {verdict.explained} steps")
            else:
                rejected += 1
                print(f"rejected  {name:<28} after {verdict.explained} steps: {verdict.rejected}  {verdict.told or ''}")
    sys.exit(1 if rejected else 0)


if __name__ == "__main__":
    main()
