"""python -m tests.formal RESULT... [--tlc tla2tools.jar]: compares each partition's rebuilt history with KafkaReplication.tla.

RESULT is a folder that `analyze` wrote, or the folder `expected` of a trace. With `--tlc` the model checker TLC decides,
else the acceptor.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from tests.formal.acceptor import Verdict, accept
from tests.formal.history import History, Partition, histories
from tests.formal.tlc import check

_TABLES = ("isr_spans", "leader_epochs", "truncations", "commit_bands", "broker_sessions", "losses")
_LONGEST = 180  # seconds that TLC may take for one partition


def tables_of(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of a result, or the golden ones of a trace."""
    if (folder / "tables").is_dir():
        return {name: pd.read_parquet(folder / "tables" / name) for name in _TABLES}
    found = {name: folder / f"{name}.csv" for name in _TABLES}
    return {name: pd.read_csv(path, dtype=str, keep_default_na=False) for name, path in found.items() if path.exists()}


def verdicts(
    tables: dict[str, pd.DataFrame], decide: Callable[[History], Verdict] = accept
) -> dict[Partition, Verdict]:
    """The verdict on each partition."""
    return {partition: decide(history) for partition, history in histories(tables)}


def _line(name: str, verdict: Verdict) -> str:
    if verdict.undecided is not None:
        return f"undecided {name:<28} {verdict.undecided}"
    if verdict.rejected is None:
        return f"accepted  {name:<28} {verdict.explained} steps"
    return f"rejected  {name:<28} after {verdict.explained} steps: {verdict.rejected}  {verdict.line or ''}"


def main() -> None:
    """Prints a line for each partition; ends with 1 if one is rejected."""
    parser = argparse.ArgumentParser(prog="python -m tests.formal", description=__doc__)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT")
    parser.add_argument("--tlc", metavar="JAR", help="tla2tools.jar: TLC decides")
    chosen = parser.parse_args()

    def decide(history: History) -> Verdict:
        return check(chosen.tlc, history, _LONGEST) if chosen.tlc else accept(history)

    rejected = False
    for folder in chosen.results:
        for (topic, number, _), verdict in sorted(verdicts(tables_of(folder), decide).items(), key=str):
            print(_line(f"{topic}-{number}", verdict), flush=True)
            rejected |= verdict.rejected is not None
    sys.exit(rejected)


if __name__ == "__main__":
    main()
