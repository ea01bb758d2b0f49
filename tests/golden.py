"""The golden tables of a trace: the results of the whole run as CSV that a person can read and compare.

`python -m tests.golden` writes them again for every trace that has a folder `expected`; read the difference before
you keep it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import datetime
from pathlib import Path

import pandas as pd

TRACES = Path(__file__).parent.parent / "traces"

# Timestamps have milliseconds; evidence is kept if a verdict depends on it.
COLUMNS = {
    "leader_epochs": [
        "topic",
        "partition",
        "leader_epoch",
        "leader_id",
        "epoch_start_offset",
        "start_ts",
        "end_ts",
        "elected_from",
        "reason",
        "confidence",
    ],
    "isr_spans": [
        "topic",
        "partition",
        "leader_epoch",
        "partition_epoch",
        "leader_id",
        "isr",
        "start_ts",
        "end_ts",
        "confidence",
    ],
    "elections": [
        "topic",
        "partition",
        "leader_epoch",
        "ts",
        "old_leader_id",
        "new_leader_id",
        "elected_from",
        "trigger",
    ],
    "truncations": [
        "topic",
        "partition",
        "node_id",
        "ts",
        "leader_epoch",
        "leader_id",
        "log_end_offset",
        "truncation_offset",
        "rule",
        "expected_offset",
    ],
    "losses": [
        "topic",
        "partition",
        "leader_epoch",
        "scenario",
        "loss_class",
        "verdict",
        "from_offset",
        "to_offset_low",
        "to_offset_high",
        "premise",
        "evidence",
    ],
    "broker_sessions": ["broker_id", "start_ts", "end_ts", "ended_by"],
    "findings": [
        "incident_id",
        "code",
        "role",
        "severity",
        "title",
        "start_ts",
        "end_ts",
        "broker_ids",
        "confidence",
        "evidence",
    ],
    "incidents": [
        "incident_id",
        "title",
        "told",
        "severity",
        "start_ts",
        "end_ts",
        "is_over",
        "detected_low_ms",
        "detected_high_ms",
        "leaders_low_ms",
        "leaders_high_ms",
        "isr_full_low_ms",
        "isr_full_high_ms",
        "elections",
        "unclean_elections",
        "leaderless_ms",
        "lost_offsets_min",
        "lost_offsets_max",
        "acked_possible_max",
        "undetermined",
    ],
}


# Traces written by hand, with tables derived by hand; the program never writes these tables.
BY_HAND = sorted(trace for trace in TRACES.glob("*-by-hand") if not (trace / "expected" / "findings.csv").exists())


def traces() -> list[Path]:
    """The traces whose golden tables the whole run writes."""
    return sorted(path.parent.parent for path in TRACES.glob("*/expected/findings.csv"))


def inputs_of(trace: Path) -> Path:
    """The files that an operator would have."""
    return trace / "input" if (trace / "input").is_dir() else trace


def golden(result: Path) -> dict[str, str]:
    """Each golden table of a result folder as CSV, without Kafka's internal topics."""
    return {name: _csv(pd.read_parquet(result / "tables" / name), columns) for name, columns in COLUMNS.items()}


def _csv(table: pd.DataFrame, columns: list[str]) -> str:
    if "topic" in table:
        table = table[~table.topic.str.startswith("__")]
    told = table[columns].map(text_of)
    return told.sort_values(columns, kind="stable").to_csv(index=False, lineterminator="\n")


def text_of(value: object) -> str:
    """A cell in its CSV form."""
    if isinstance(value, bool):
        return str(value).lower()
    if hasattr(value, "tolist") and not isinstance(value, float | int):
        value = value.tolist()
    if isinstance(value, list):
        return " ".join(map(str, value))
    if value is None or value is pd.NaT or value != value:
        return ""
    if isinstance(value, datetime):  # also of pandas
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def main() -> None:
    from pipelines.main_job import analyze

    parser = argparse.ArgumentParser(description="Write the golden tables of the recorded traces anew.")
    parser.add_argument("trace", nargs="*", help="names of traces (default: all)")
    names = parser.parse_args().trace
    for trace in traces():
        if names and trace.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            analyze([str(inputs_of(trace))], Path(folder, "out"))
            for name, text in golden(Path(folder, "out")).items():
                (trace / "expected" / f"{name}.csv").write_text(text, encoding="utf-8")
        print(trace.name, file=sys.stderr)


if __name__ == "__main__":
    main()
