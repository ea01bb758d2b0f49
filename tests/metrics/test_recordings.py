"""Recorded troubles of real clusters with their metrics, and calm ones that look alike.

`recordings/` has the logs of three brokers and a controller of Kafka 3.9.1, and what a Prometheus scraped every 5 s from the JMX exporter in each
broker and the node_exporter beside it (`python -m traces.recorder slow_disk 3.9.1 --metrics`). The recorder noted when each trouble began and ended.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.metrics.test_whole import replayed, rows

FOLDER = Path(__file__).parent / "recordings"
DISK = (1795918116.306, 1795918156.413)  # broker 2's disk did two writes a second
PAUSE = (1795919434.343, 1795919449.351)  # broker 2 was suspended (SIGSTOP), and again later
PROCESSOR = (1795918254.204, 1795918294.223)  # broker 2 got 3 % of a processor
CARD = (1795918593.552, 1795918633.681)  # broker 2's host sent 8 kbit a second

QUEUE = (1795939359.770, 1795939399.867)  # producers kept the only request handler of broker 2 busy
READERS = (1795940354.631, 1795940415.724)  # consumers read old records from broker 2
MOVED = (1795938656.938, 1795938730.074)  # a reassignment filled the card of broker 1
COMPACTED = (1795940665.916, 1795940711.352)  # broker 2's log cleaner, by its own lines


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    return {
        name: replayed(FOLDER / f"{name}.tar.xz", tmp_path_factory.mktemp(name) / "work")
        for name in (
            "slow-disk",
            "slow-card",
            "paused",
            "slow-processor",
            "busy-disk",
            "long-queue",
            "old-records",
            "reassignment",
            "compaction",
            "slow-compaction",
        )
    }


def holds(statement, begin_and_end: tuple[float, float]) -> bool:
    """Whether the bounds of a statement hold the begin and the end that the recorder noted."""
    begin, end = (datetime.fromtimestamp(second, UTC) for second in begin_and_end)
    began = statement.began_low < begin <= statement.began_high
    return began and statement.ended_low <= end and (statement.ended_high is None or end <= statement.ended_high)


def of_verdict(store, verdict):
    return [one for one in rows(store, "metric_statements") if one.verdict == verdict]


def test_the_slow_disk_is_named_where_the_lines_show_a_broker_that_is_cut_off(stores):
    """The lines alone look like a network cut: broker 2 dropped all its followers, and fell behind as a follower."""
    store = stores["slow-disk"]
    roots = {(one.code, *one.broker_ids) for one in rows(store, "findings") if one.role == "root_cause"}
    assert roots == {("F05", 2), ("F13", 2)}
    named = of_verdict(store, "named")
    assert {(one.subject, one.node_id) for one in named} == {("disk", 2)}
    assert all(holds(one, DISK) for one in named)
    assert "a write on loop1 took 4.0 s, 1 ms before" in named[0].statement
    steps = [
        incident.next_steps[0] for incident in rows(store, "incidents") if incident.incident_id == named[0].incident_id
    ]
    assert steps == [named[0].next_step] and steps[0].startswith("Look at the disk of broker 2 first")


def test_the_slow_card_is_named_and_its_host_is_out_of_reach_for_prometheus_too(stores):
    store = stores["slow-card"]
    assert {(one.subject, one.node_id) for one in of_verdict(store, "named")} == {("network", 2)}
    assert {(one.subject, one.node_id) for one in of_verdict(store, "confirmed")} == {("unreachable", 2)}
    for one in [*of_verdict(store, "named"), *of_verdict(store, "confirmed")]:
        assert holds(one, CARD), one


def test_a_paused_broker_is_confirmed_by_its_silent_exporter_and_its_network_is_exonerated(stores):
    """A scrape that began just before the pause failed: its time alone would say that the broker was silent too early."""
    store = stores["paused"]
    confirmed = [one for one in of_verdict(store, "confirmed") if one.began_low is not None]
    assert {(one.subject, one.node_id) for one in confirmed} == {("process", 2)}
    assert all(holds(one, PAUSE) for one in confirmed)
    assert of_verdict(store, "named") == []
    assert ("network", 2) in {(one.subject, one.node_id) for one in of_verdict(store, "exonerated")}


def test_a_broker_without_processor_time_is_named_although_no_line_shows_an_incident(stores):
    store = stores["slow-processor"]
    assert rows(store, "incidents") == []
    (named,) = of_verdict(store, "named")
    assert (named.subject, named.node_id, named.incident_id) == ("process", 2, None) and holds(named, PROCESSOR)
    assert named.next_step.startswith("Look at what stopped the process of broker 2 first")
    (waited,) = of_verdict(store, "waited")
    assert (waited.node_id, waited.value >= 1_000) == (2, True)


def test_the_calm_twin_of_the_slow_disk_has_no_statement(stores):
    """Another program writes to broker 2's disk all the time, and each write stays fast enough."""
    store = stores["busy-disk"]
    assert rows(store, "findings") == [] and rows(store, "metric_statements") == [] and rows(store, "samples") == []
    assert sum(one.samples for one in rows(store, "metric_names") if one.metric == "disk_write_time") > 60


def test_a_long_request_queue_is_dated_to_its_scrapes(stores):
    store = stores["long-queue"]
    assert rows(store, "incidents") == []
    (named,) = of_verdict(store, "named")
    assert (named.subject, named.node_id) == ("request_queue", 2) and holds(named, QUEUE)
    assert named.began_high - named.began_low < timedelta(seconds=11)


def test_readers_of_old_records_are_named_where_the_lines_blame_the_followers(stores):
    """The lines show that brokers 1 and 3 fell behind, and then that broker 2 fell silent."""
    store = stores["old-records"]
    roots = {(one.code, *one.broker_ids) for one in rows(store, "findings") if one.role == "root_cause"}
    assert roots == {("F13", 1), ("F13", 3), ("F00", 2)}
    named = of_verdict(store, "named")
    assert len(named) == 3 and {(one.subject, one.node_id) for one in named} == {("cache", 2)}
    assert all(one.began_low < datetime.fromtimestamp(READERS[0], UTC) <= one.began_high for one in named)


def test_a_reassignment_is_named_at_its_source_where_the_lines_show_that_it_was_complete(stores):
    store = stores["reassignment"]
    assert {one.code for one in rows(store, "findings") if one.role == "root_cause"} == {"F18"}
    (named,) = of_verdict(store, "named")
    assert (named.subject, named.node_id) == ("reassignment", 1) and holds(named, MOVED)
    assert named.incident_id is not None


def test_the_log_cleaner_is_named_and_the_disk_that_it_overloads_is_seen(stores):
    store = stores["compaction"]
    named = of_verdict(store, "named")
    assert {(one.subject, one.node_id) for one in named} == {("cleaner", 2)} and all(
        holds(one, COMPACTED) for one in named
    )
    assert ("disk", 2) in {(one.subject, one.node_id) for one in of_verdict(store, "seen")}


def test_a_compaction_under_its_limit_is_no_trouble(stores):
    assert rows(stores["slow-compaction"], "metric_statements") == []


def test_no_other_broker_is_blamed(stores):
    for store in (stores["slow-disk"], stores["slow-card"]):
        blamed = {
            one.node_id for verdict in ("named", "confirmed", "contradicted") for one in of_verdict(store, verdict)
        }
        assert blamed == {2}


def test_each_statement_cites_samples_and_lines_that_are_there(stores):
    for store in stores.values():
        samples = {one.sample_id for one in rows(store, "samples")}
        events = {one.event_id for one in rows(store, "events")}
        for one in rows(store, "metric_statements"):
            assert one.samples and {*one.samples} <= samples and {*one.evidence} <= events
