"""How long it takes to rebuild the leader epochs, ISRs, elections and commit bands of very many partitions.

    python -m benchmarks.history [--partitions 100000] [--leader-epochs 20]

Measured from typed events on, without reading: what three nodes say of one partition, told of each of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.incident import Zones, parsed, stages
from pipelines.inputs import gather
from pipelines.session import session
from pipelines.stages import Laid, Runnable, framed, run
from pipelines.store import Store
from replay.facts.window import ALL_TIME, KafkaEvents
from replay.tables import COVERAGE, SECOND_WITNESS, SETTINGS, UNMATCHED
from replay.tables.clocks import CLOCK_STEPS

WANTED = ("leader_epochs", "isr_spans", "elections", "commit_bands")
_START = datetime(2026, 11, 21, 5)
_NODES = (1, 2, 3)
_BYTES_OF_AN_EVENT = 300


def one_partition(folder: Path, leader_epochs: int) -> Path:
    """What three nodes say of a partition that they lead in turn, a minute each; the one that led last is out of the
    ISR.
    """
    said: dict[int, list[str]] = {node: [] for node in _NODES}
    for epoch in range(leader_epochs):
        leader, before, offset = _NODES[epoch % 3], _NODES[(epoch - 1) % 3], 100 * epoch
        isr = "1,2,3" if not epoch else ",".join(str(node) for node in _NODES if node != before)
        at = _START + timedelta(minutes=epoch)
        said[leader].append(
            f"[{at:%Y-%m-%d %H:%M:%S},100] INFO [Broker id={leader}] Leader orders-0 with topic id Some(fjFovdNNQEyv_0nPY3MT8A) "
            f"starts at leader epoch {epoch} from offset {offset} with partition epoch {epoch}, high watermark {max(offset - 1, 0)}, "
            f"ISR [{isr}], adding replicas [] and removing replicas [] . Previous leader {f'Some({before})' if epoch else 'None'} "
            f"and previous leader epoch was {epoch - 1}. (state.change.logger)\n"
        )
    for node, lines in said.items():
        file = folder / f"node-{node}" / "state-change.log"
        file.parent.mkdir(parents=True)
        file.write_text("".join(lines))
    return folder


def of_each(events: DataFrame, partitions: int) -> DataFrame:
    """`events` of one partition, told of as many."""
    number = F.col("_number").cast("int")
    every = events.crossJoin(events.sparkSession.range(partitions).withColumnRenamed("id", "_number"))
    own_id = F.concat_ws("/", "event_id", "_number")
    return every.withColumns({"partition": number, "event_id": own_id}).drop("_number")


def needed(wanted: Sequence[str]) -> list[Runnable]:
    """The stages without which `wanted` cannot be made, in their order."""
    names, chosen = set(wanted), []
    for stage in reversed(stages()):
        if names.intersection(stage.names):
            names.update(stage.reads)
            chosen.append(stage)
    return chosen[::-1]


def measured(spark: SparkSession, folder: Path, partitions: int, leader_epochs: int) -> Iterator[str]:
    """The lines to print."""
    work = folder / "work"
    work.mkdir()
    store = Store(spark, folder / "result", work)
    inputs = gather([str(one_partition(folder / "given", leader_epochs))], {}, work)
    one = Store(spark, folder / "one", folder / "reading")
    understood = parsed(spark, inputs, work, one, Zones(), lambda step: None)
    events = store.set_down("events", of_each(understood.events, partitions))
    for table in (SETTINGS, CLOCK_STEPS, COVERAGE, UNMATCHED):
        store.hold(table, one.rows(table.name, table))
    store.hold(SECOND_WITNESS, [])
    held = (SETTINGS, CLOCK_STEPS, COVERAGE, UNMATCHED, SECOND_WITNESS)
    given = {
        "events": events,
        "window": ALL_TIME,
        "told_events": KafkaEvents(ALL_TIME),
        "line_counts": understood.line_counts,
        "kinds": frozenset(kind for _, kind in understood.line_counts),
        **{table.name: Laid(table.name) for table in held},
    }
    yield f"{events.count():,} events of {partitions:,} partitions, {leader_epochs} leader epochs each"
    began = time.perf_counter()
    tables = run([stage for stage in needed(WANTED) if not given.keys() >= set(stage.names)], given, store)
    spent = time.perf_counter() - began
    rows = ", ".join(f"{name} {framed(name, tables, store).count():,}" for name in WANTED)
    yield f"{spent:.0f} s for {rows}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--partition", type=int, default=100_000, help="(default: %(default)s)")
    parser.add_argument("--leader-epochs", type=int, default=20, help="of each (default: %(default)s)")
    options = parser.parse_args(arguments)
    size = options.partitions * options.leader_epochs * _BYTES_OF_AN_EVENT
    with tempfile.TemporaryDirectory(prefix="kafka-replay-bench-") as folder:
        spark = session(input_bytes=size)
        for line in measured(spark, Path(folder), options.partitions, options.leader_epochs):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
