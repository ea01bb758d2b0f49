"""Compares the analysis of part of the logs with that of all: it may say less, but must not contradict it.

    python -m tests.fewer_logs [TRACES] [--traces NAME ...] [--parts NAME ...] [--whole RESULTS]

analyzes every recording as it is and with part of its logs missing, and prints the contradictions.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pandas as pd

from pipelines.main_job import analyze
from replay.tables import OPEN_VERDICTS
from tests.recordings import TRACES, recordings
from tests.rewriter import rewrite

_PARTITION = ["topic", "partition"]
_UNNAMED = "F00"  # a fault of a node whose cause no line shows
_CLOCK = timedelta(seconds=1)  # two bands are compared if both extend at least this far on both sides

Tables = Mapping[str, pd.DataFrame]


def parts(trace: Path, whole: Path) -> dict[str, Mapping[str, object]]:
    """The parts of the logs to analyze, by name, as arguments of `tests.rewriter.rewrite`: some nodes, some files,
    or some of the time.

    `whole` is the result for all logs: the times are relative to its first incident.
    """
    nodes = sorted(int(folder.name.removeprefix("node-")) for folder in (trace / "input").glob("node-*"))
    named: dict[str, Mapping[str, object]] = {f"without-node-{node}": {"without": [node]} for node in nodes}
    named |= {f"only-node-{node}": {"without": [other for other in nodes if other != node]} for node in nodes}
    named |= {f"without-the-middle-of-node-{node}": {"missing": node} for node in nodes}
    named |= {
        "only-server-logs": {"only": "server.log*"},
        "only-state-change-logs": {"only": "state-change.log*"},
        "only-controller-logs": {"only": "controller.log*"},
    }
    incidents = pd.read_parquet(whole / "tables" / "incidents")
    if len(incidents):
        began = pd.to_datetime(incidents.start_ts, utc=True).min().to_pydatetime()
        named |= {
            "begins-late": {"begins": began - timedelta(seconds=5)},
            "ends-early": {"ends": began + timedelta(seconds=15)},
        }
    return named


def tables(result: Path) -> Tables:
    """The tables of a result that `contradictions` compares."""
    return {
        name: pd.read_parquet(result / "tables" / name)
        for name in ("leader_epochs", "isr_spans", "commit_bands", "losses", "findings", "violations")
    }


def contradictions(whole: Tables, fewer: Tables) -> Iterator[str]:
    """Statements of `fewer` that contradict `whole`, one per line; missing statements are not contradictions."""
    for check in (_leaders, _isrs, _bands, _losses, _roots, _violations):
        yield from check(whole, fewer)


def _leaders(whole: Tables, fewer: Tables) -> Iterator[str]:
    key = [*_PARTITION, "leader_epoch"]
    both = fewer["leader_epochs"].merge(
        whole["leader_epochs"], on=key, how="left", suffixes=("", "_whole"), indicator="found_in"
    )
    for row in both[both.leader_id.notna()].itertuples():
        if row.found_in == "left_only":
            yield f"leader_epochs: {row.topic}-{row.partition} epoch {row.leader_epoch} of broker {row.leader_id:.0f} is not in the whole"
        elif pd.notna(row.leader_id_whole) and row.leader_id != row.leader_id_whole:
            yield f"leader_epochs: {row.topic}-{row.partition} epoch {row.leader_epoch}: leader {row.leader_id:.0f}, in the whole {row.leader_id_whole:.0f}"


def _isrs(whole: Tables, fewer: Tables) -> Iterator[str]:
    def states(result: Tables) -> set[tuple]:
        spans = result["isr_spans"]
        return {
            (row.topic, row.partition, row.leader_epoch, tuple(sorted(map(int, row.isr))))
            for row in spans[spans.isr.notna()].itertuples()
        }

    for topic, partition, epoch, isr in sorted(states(fewer) - states(whole)):
        yield f"isr_spans: {topic}-{partition} epoch {epoch}: the ISR {list(isr)} is not in the whole"


def _bands(whole: Tables, fewer: Tables) -> Iterator[str]:
    both = fewer["commit_bands"].merge(whole["commit_bands"], on=_PARTITION, suffixes=("", "_whole"))
    ends = (
        both[["end_ts", "end_ts_whole"]]
        .apply(pd.to_datetime, utc=True)
        .fillna(pd.Timestamp.max.tz_localize("UTC"))
        .min(axis=1)
    )
    starts = both[["start_ts", "start_ts_whole"]].apply(pd.to_datetime, utc=True).max(axis=1)
    apart = (both.committed_low > both.committed_high_whole) | (both.committed_high < both.committed_low_whole)
    for row in both[apart & (ends - starts > 2 * _CLOCK)].itertuples():
        yield f"commit_bands: {row.topic}-{row.partition} at {row.start_ts}: [{row.committed_low}, {row.committed_high}], in the whole [{row.committed_low_whole}, {row.committed_high_whole}]"


def _losses(whole: Tables, fewer: Tables) -> Iterator[str]:
    judged = whole["losses"]
    for row in fewer["losses"].itertuples():
        same = judged[
            (judged.topic == row.topic)
            & (judged.partition == row.partition)
            & (judged.leader_epoch == row.leader_epoch)
        ]
        if row.verdict == "PROVEN_LOSS":
            reach = (same.from_offset <= row.from_offset) & (
                same.to_offset_high.fillna(float("inf")) >= row.to_offset_low
            )
            contradicted = same[same.verdict.isin(OPEN_VERDICTS) & reach].empty
        else:
            proven = same[(same.verdict == "PROVEN_LOSS") & (same.loss_class == "committed")]
            contradicted = row.verdict not in OPEN_VERDICTS and row.loss_class == "committed" and not proven.empty
        if contradicted:
            yield f"losses: {row.topic}-{row.partition} epoch {row.leader_epoch}: {row.verdict} of [{row.from_offset}, {row.to_offset_low}), in the whole {sorted(set(same.verdict))}"


def _roots(whole: Tables, fewer: Tables) -> Iterator[str]:
    def roots(result: Tables) -> set[tuple[str, tuple[int, ...]]]:
        found = result["findings"]
        loud = found[(found.role == "root_cause") & ~found.severity.isin(["info", "low"])]
        return {(row.code, tuple(sorted(map(int, row.broker_ids)))) for row in loud.itertuples()}

    known = roots(whole)
    for code, brokers in sorted(roots(fewer)):
        if code != _UNNAMED and not any(
            code == other and (set(brokers) & set(named) or not named) for other, named in known
        ):
            yield f"findings: root cause {code} of {list(brokers)} is not in the whole: {sorted(known)}"


def _violations(whole: Tables, fewer: Tables) -> Iterator[str]:
    def broken(result: Tables) -> set[tuple]:
        table = result["violations"]
        return {(row.invariant, row.topic, row.partition) for row in table[table.verdict == "violated"].itertuples()}

    for invariant, topic, partition in sorted(broken(fewer) - broken(whole), key=str):
        yield f"violations: {invariant} of {topic}-{partition} is not in the whole"


def main(arguments: Sequence[str] | None = None, say: Callable[..., None] = print) -> int:
    """Run and print. Returns 1 if any part contradicts the whole."""
    parser = argparse.ArgumentParser(prog="python -m tests.fewer_logs", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=TRACES)
    parser.add_argument("--traces", nargs="+", default=None, help="names of traces; all by default")
    parser.add_argument("--parts", nargs="*", default=None, help="names of parts, as they are printed; all by default")
    parser.add_argument(
        "--whole",
        type=Path,
        default=None,
        help="a folder with the results of all traces as they are, by name; made by default",
    )
    parser.add_argument("--keep", type=Path, default=None, help="where to keep the results")
    options = parser.parse_args(arguments)
    wrong = 0
    for trace in recordings(options.folder, options.traces):
        with tempfile.TemporaryDirectory(prefix="kafka-replay-fewer-") as folder:
            work = options.keep / trace.name if options.keep else Path(folder)
            whole = (
                options.whole / trace.name
                if options.whole
                else analyze([str(trace / "input")], work / "whole", overwrite=True).out
            )
            for name, part in parts(trace, whole).items():
                if options.parts and name not in options.parts:
                    continue
                fewer = analyze(
                    [str(rewrite(trace / "input", Path(folder, "in", name), **part))], work / name, overwrite=True
                ).out
                told = list(contradictions(tables(whole), tables(fewer)))
                wrong += bool(told)
                say(
                    f"{trace.name} {name}: {f'{len(told)} contradictions' if told else 'nothing else is said'}",
                    flush=True,
                )
                for line in told[:12]:
                    say(f"    {line}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
