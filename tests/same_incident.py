"""The same incident in other layouts, packages, zones and clocks must lead to the same facts.

    python -m tests.same_incident [TRACES] [--traces NAME ...] [--variants NAME ...]

analyzes every recording as it is and in every variant, and prints the differences, and how accurately the clocks
were estimated.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from pipelines.main_job import Outcome, analyze
from tests.recordings import TRACES, recordings
from tests.rewriter import rewrite

# Facts that must not depend on how the logs were provided; times and the names of files and lines may.
FACTS: Mapping[str, Sequence[str]] = {
    "leader_epochs": (
        "topic",
        "partition",
        "leader_epoch",
        "leader_id",
        "epoch_start_offset",
        "elected_from",
        "reason",
    ),
    "isr_spans": ("topic", "partition", "leader_epoch", "partition_epoch", "leader_id", "isr"),
    "elections": ("topic", "partition", "leader_epoch", "old_leader_id", "new_leader_id", "elected_from", "trigger"),
    "losses": (
        "topic",
        "partition",
        "leader_epoch",
        "scenario",
        "loss_class",
        "verdict",
        "from_offset",
        "to_offset_low",
        "to_offset_high",
    ),
    "findings": ("code", "broker_ids"),
}
VARIANTS: Mapping[str, Mapping[str, object]] = {
    "strimzi": {"layout": "strimzi"},
    "log4j-json": {"layout": "log4j-json"},
    "logstash-json": {"layout": "logstash-json"},
    "ecs-json": {"layout": "ecs-json"},
    "compose": {"package": "compose"},
    "compose-stamped": {"package": "compose-stamped"},
    "tarball": {"package": "tarball"},
    "nine-hours-ahead": {"hours": 9},
    "one-node-in-another-zone": {"hours": 9, "zone_of": [2]},
    "clock-3.7-s-ahead": {"clocks": {2: 3.7}},
    "clock-40-s-ahead": {"clocks": {2: 40.0}},
    "clock-40-s-behind": {"clocks": {3: -40.0}},
    "all-at-once": {"layout": "strimzi", "package": "tarball", "hours": 9, "clocks": {2: 3.7}},
}


def facts(result: Path) -> dict[str, list[tuple]]:
    """The facts in a result folder, in a fixed order; of the findings only the root causes."""
    tables = {name: pd.read_parquet(result / "tables" / name) for name in FACTS}
    tables["findings"] = tables["findings"][tables["findings"].role == "root_cause"]
    return {
        name: sorted((tuple(map(_plain, row)) for row in tables[name][list(columns)].itertuples(index=False)), key=str)
        for name, columns in FACTS.items()
    }


def _plain(value: object) -> object:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return tuple(value)
    return (
        None
        if value is None or value != value
        else int(value)
        if isinstance(value, float) and value.is_integer()
        else value
    )


def differences(as_it_is: Mapping[str, list[tuple]], other: Mapping[str, list[tuple]]) -> list[str]:
    """The differences between two runs, one per line."""
    told = []
    for name in FACTS:
        missing, new = set(as_it_is[name]) - set(other[name]), set(other[name]) - set(as_it_is[name])
        told += [f"{name}: lost {row}" for row in sorted(missing, key=str)] + [
            f"{name}: new {row}" for row in sorted(new, key=str)
        ]
    return told


def skew_errors(outcome: Outcome, clocks: Mapping[int, float]) -> list[str]:
    """The true and the estimated offset of each node's clock in milliseconds, and whether the truth is within the
    stated bounds.

    A clock is known only relative to others: the truth is relative to the node that the run used as its reference.
    """
    table = outcome.tables["clock_offsets"]
    said = []
    for row in table.itertuples():
        reference = 0.0 if pd.isna(row.reference_node_id) else clocks.get(int(row.reference_node_id), 0.0)
        truth = (clocks.get(int(row.node_id), 0.0) - reference) * 1000
        low, high = row.offset_low_ms, row.offset_high_ms
        inside = (pd.isna(low) or low <= truth) and (pd.isna(high) or truth <= high)
        said.append(
            f"node {row.node_id}: truth {truth:.0f} ms, bounds {low} to {high}, taken off {row.correction_ms}, {'inside' if inside else 'OUTSIDE'}"
        )
    return said


def run(source: Path, variant: Mapping[str, object], work: Path) -> Outcome:
    """The analysis of a recording in a variant."""
    given = rewrite(source, work / "in", **variant) if variant else source
    return analyze([str(given)], work / "out", overwrite=True)


def main(arguments: Sequence[str] | None = None, say: Callable[..., None] = print) -> int:
    """Run and print. Returns 1 if any variant differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.same_incident", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=TRACES)
    parser.add_argument("--traces", nargs="+", default=None, help="names of traces; all by default")
    parser.add_argument("--variants", nargs="*", default=None, choices=sorted(VARIANTS))
    options = parser.parse_args(arguments)
    wrong = 0
    for trace in recordings(options.folder, options.traces):
        with tempfile.TemporaryDirectory(prefix="kafka-replay-same-") as folder:
            as_it_is = facts(run(trace / "input", {}, Path(folder, "as-it-is")).out)
            for name in options.variants or VARIANTS:
                outcome = run(trace / "input", VARIANTS[name], Path(folder, name))
                told = differences(as_it_is, facts(outcome.out))
                wrong += bool(told)
                say(f"{trace.name} {name}: {'the same' if not told else f'{len(told)} differences'}", flush=True)
                for line in told[:12]:
                    say(f"    {line}", flush=True)
                if "clocks" in VARIANTS[name]:
                    for line in skew_errors(outcome, VARIANTS[name]["clocks"]):
                        say(f"    {line}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
