"""Plain Python finds the same partition states as Spark's windows: on traces with every witness, and on random histories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pipelines.incident import Zones, parsed_here, replayed_here
from pipelines.inputs import gather
from pipelines.memory_store import MemoryStore
from replay.facts.window import ALL_TIME, KafkaEvents
from replay.partitions import state_report_rows
from replay.partitions.state_reports import partition_state_reports
from replay.tables import DECLARED, EVENTS
from replay.tables.arrow import to_arrow
from replay.tables.brokers import NodeRelease
from replay.tables.partitions import KeptState, TopicLife
from replay.tables.reading import Event, Fact
from tests.recordings import recordings
from tests.simulator import KRAFT, OLD_FORMAT, ZOOKEEPER
from tests.stages import plain
from tests.test_simulated_histories import events_of, played

_WITNESSES = ("input", "metadata-dump", "znodes", "disk-before-restart")
_SOME = {"kip101-without-epochs-zk-2.3.1", "topic-made-again-by-hand", "unclean-election-elr-kraft-4.2.0"}
_SIMULATED = {"2.2.0": ZOOKEEPER, "3.9.0": KRAFT, "0.10.2": OLD_FORMAT}


@pytest.fixture
def both(spark) -> Callable[..., tuple[list[str], list[str]]]:
    """A function that returns the rows of Spark's windows, and those of plain Python, as sorted text."""

    def both_(
        events: Sequence[Event],
        lives: Sequence[TopicLife],
        releases: Sequence[NodeRelease],
        facts: Sequence[Fact],
        kept: Sequence[KeptState],
    ) -> tuple[list[str], list[str]]:
        kinds = frozenset(event.kind for event in events if event.kind)
        told = KafkaEvents(ALL_TIME)

        def frame(name: str, rows: Sequence[Any]) -> Any:
            return spark.createDataFrame(to_arrow(DECLARED[name], rows), DECLARED[name].schema)

        windows = partition_state_reports(
            told.frame(frame("events", events)),
            frame("topic_lives", lives),
            frame("releases", releases),
            frame("facts", facts),
            frame("kept_states", kept),
            kinds,
        )
        rows = state_report_rows.partition_state_reports(events, told, lives, releases, facts, kept, kinds)
        return sorted(map(repr, plain(windows, "partition_state_reports"))), sorted(map(repr, rows))

    return both_


@pytest.mark.parametrize("names", [_SOME, pytest.param(None, marks=pytest.mark.nightly)], ids=["some", "every"])
def test_traces_with_every_witness(both, tmp_path, names):
    for trace in recordings(names=names):
        work = tmp_path / trace.name
        work.mkdir()
        inputs = gather([trace / part for part in _WITNESSES if (trace / part).is_dir()], {}, work)
        store = MemoryStore()
        replayed_here(parsed_here(inputs, store, Zones()), store)
        events, *given = (
            store.rows(name, DECLARED[name]) for name in ("events", "topic_lives", "releases", "facts", "kept_states")
        )
        windows, rows = both(events, *given)
        assert windows
        assert rows == windows, trace.name


def test_random_histories(both, spark):
    histories = [played(number) for number in range(30)]
    for release, of in _SIMULATED.items():
        own = plain(events_of(spark, [one for one in histories if one.release == of]), EVENTS)
        nodes = sorted({event.node_id for event in own if event.node_id is not None})
        major, minor, patch = map(int, release.split("."))
        number = major * 10_000 + minor * 100 + patch
        releases = [NodeRelease(node_id=node, version_low=number, version_high=number) for node in nodes]
        windows, rows = both(own, [], releases, [Fact(**_fields(event)) for event in own], [])
        assert windows
        assert rows == windows


def _fields(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in EVENTS.schema.names}
