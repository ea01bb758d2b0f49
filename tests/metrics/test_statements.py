"""What metrics prove about the findings of the log lines: small tables of samples in, statements out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta

from replay.metrics import statements as stated
from replay.metrics.signs import DEPTH, OVERLOADED, SILENT, UNREACHABLE
from replay.metrics.times import calm_until
from replay.sentences.metrics import STEPS
from replay.tables.causes import Finding, IncidentSummary
from replay.tables.faults import LagShrink
from replay.tables.metrics import MetricStatement, Sample

BEGIN = datetime(2026, 11, 29, 12, tzinfo=UTC)
EVERY = 15


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def finding(code="F13", node=2, low=100.0, high=130.0, end=180.0, role="root_cause") -> Finding:
    """A slow follower: broker 2 fell behind between 100 and 130 s, until 180 s."""
    return Finding(
        f"{code}/{node}",
        "incident",
        code,
        role,
        "medium",
        "",
        "",
        at(high),
        at(end),
        [node],
        [],
        0.8,
        [],
        at(low),
        at(high),
        at(end),
        at(end),
        "",
        {},
        ["server.log:7"],
    )


def incident() -> IncidentSummary:
    names = IncidentSummary._names
    given = {"incident_id": "incident", "start_ts": at(130), "t0_low": at(100), "end_ts": at(200)}
    return IncidentSummary(*[given.get(name) for name in names])


def series(
    metric: str,
    value: Callable[[float], float],
    node: int = 2,
    kind="counter",
    window_ms=None,
    phase=0.0,
    target=None,
    **labels: str,
) -> Iterator[Sample]:
    """A series from ten minutes before to five minutes after, a sample every 15 s."""
    for n in range(-40, 21):
        s = EVERY * n + phase
        yield Sample(
            f"{metric}/{node}:{n}", "f", 1, target, node, metric, metric, labels, at(s), value(s), kind, window_ms, 0
        )


def growing(calm: float, bad: float, begin: float = 90, end: float = 180) -> Callable[[float], float]:
    """A counter that grows by `calm` a second, and by `bad` from one time to another."""
    return lambda s: calm * (s + 1000) + (bad - calm) * max(0.0, min(s, end) - begin)


def step(calm: float, bad: float, begin: float = 90, end: float = 180) -> Callable[[float], float]:
    return lambda s: bad if begin <= s < end else calm


def disk(node: int, slow: bool) -> list[Sample]:
    """Ten writes a second of 2 ms each; a slow disk takes 1.5 s for each of two writes a second."""
    return [
        *series("disk_writes", growing(10, 2 if slow else 10), node, device="vdb"),
        *series("disk_write_time", growing(0.02, 3.0 if slow else 0.02), node, device="vdb"),
        *series("disk_busy_time", growing(0.02, 1.0 if slow else 0.02), node, device="vdb"),
    ]


def flushes(node: int, slow: bool) -> list[Sample]:
    return list(series("log_flush_ms", step(5, 2500 if slow else 5), node, "window", 300_000, quantile="0.99"))


def metric_statements(
    samples: list[Sample], incidents: list[IncidentSummary], findings: list[Finding], shrinks: Iterable[LagShrink] = ()
) -> list[MetricStatement]:
    return stated.metric_statements(samples, incidents, findings, list(shrinks))


def statements(samples: Iterable[Sample], *findings: Finding) -> dict[tuple[str, str, int | None], str]:
    made = metric_statements(list(samples), [incident()], findings or (finding(),))
    return {(one.verdict, one.subject, one.node_id): one.statement for one in made}


def test_a_slow_disk_is_named_by_its_device_and_the_broker_s_flushes():
    samples = [*disk(1, False), *disk(2, True), *disk(3, False), *flushes(1, False), *flushes(2, True)]
    (only,) = metric_statements(samples, [incident()], [finding()])
    assert (only.verdict, only.subject, only.node_id, only.finding_id) == ("named", "disk", 2, "F13/2")
    assert only.statement == (
        "the disk of broker 2 was slow: a write on vdb took 1.5 s, 2 ms before, and the broker's flushes or appends took long at "
        "the same time"
    )
    assert only.began_low <= at(90) <= only.began_high
    assert only.ended_low <= at(180) <= only.ended_high
    assert only.began_high - only.began_low <= timedelta(seconds=2 * EVERY)
    assert only.samples and only.evidence == ["server.log:7"]


def test_a_slow_device_alone_is_no_cause():
    """Another program's disk: the broker's own flushes are fast."""
    samples = [*disk(1, False), *disk(2, True), *flushes(1, False), *flushes(2, False)]
    assert not any(verdict == "named" for verdict, _, _ in statements(samples))


def test_a_busy_device_that_serves_many_writes_is_no_cause():
    """%util of an SSD: busy all the time, and each write takes 2 ms."""
    samples = [
        *series("disk_writes", growing(10, 5000), device="nvme0n1"),
        *series("disk_write_time", growing(0.02, 10), device="nvme0n1"),
        *series("disk_busy_time", growing(0.02, 1.0), device="nvme0n1"),
        *flushes(2, True),
    ]
    found = statements(samples)
    assert ("exonerated", "disk", 2) in found and not any(verdict == "named" for verdict, _, _ in found)


def test_a_disk_that_is_as_slow_as_those_of_its_peers_is_no_cause():
    samples = [*disk(1, True), *disk(2, True), *flushes(1, True), *flushes(2, True)]
    assert statements(samples) == {}


def test_local_time_that_processor_time_explains_is_no_slow_disk():
    """LocalTimeMs means processor time, too: the device is fast."""
    local = series("produce_local_ms", step(2, 900), 2, "window", 300_000, quantile="0.99")
    throttled = series("cpu_throttled_time", growing(0, 0.8))
    found = statements([*disk(2, False), *disk(1, False), *local, *throttled])
    assert found[("named", "processor", 2)] == "broker 2 waited for processor time for 80% of the time, 0.0% before"
    assert ("exonerated", "disk", 2) in found


def test_a_disk_without_a_finished_write_is_slow():
    samples = [
        *series("disk_writes", growing(10, 0), device="vdb"),
        *series("disk_write_time", growing(0.02, 0), device="vdb"),
        *series("disk_busy_time", growing(0.02, 1.0), device="vdb"),
        *flushes(2, True),
        *flushes(1, False),
    ]
    assert ("named", "disk", 2) in statements(samples)


def test_a_trouble_that_begins_after_its_effect_is_no_cause():
    late = series("gc_time", growing(0.01, 0.7, begin=185, end=250), gc="G1")
    assert not any(verdict == "named" for verdict, _, _ in statements(late))


def test_a_trouble_that_was_over_before_its_effect_is_no_cause():
    early = series("gc_time", growing(0.01, 0.7, begin=-60, end=0), gc="G1")
    assert not any(verdict == "named" for verdict, _, _ in statements(early))


def test_garbage_collection_is_named_and_its_calm_twin_exonerated():
    found = statements(series("gc_time", growing(0.01, 0.6), gc="G1"))
    assert found[("named", "memory", 2)].startswith("Java on broker 2 spent 60% of the time on garbage collection")
    calm = statements(series("gc_time", growing(0.01, 0.02), gc="G1"))
    assert calm == {
        (
            "exonerated",
            "memory",
            2,
        ): "the memory of broker 2 is exonerated: garbage collection took at most 2.0% of the time"
    }


def test_handlers_at_their_limit_are_seen_in_a_mean_since_the_start():
    """RequestHandlerAvgIdlePercent as MeanRate, after a day: 0.9 to 0.899."""
    day = 86_400

    def mean(s: float) -> float:
        busy = max(0.0, min(s, 180) - 90)
        return (0.9 * (day + s - busy) + 0.01 * busy) / (day + s)

    samples = [
        *series("handler_idle_since_start", mean, kind="window"),
        *series("process_start", lambda s: (BEGIN - timedelta(days=1)).timestamp(), kind="instantaneous"),
    ]
    assert min(one.value for one in samples if one.metric == "handler_idle_since_start") > 0.89
    assert ("named", "handlers", 2) in statements(samples)


def queue(bad: float) -> list[Sample]:
    return list(series("produce_request_queue_ms", step(20, bad), 2, "window", 300_000, quantile="0.99"))


def test_a_long_request_queue_names_the_handlers_unless_the_process_had_no_time():
    found = statements(queue(1_400))
    assert found[("named", "request_queue", 2)] == (
        "one in 100 of the produce requests waited 1.4 s for a request handler of broker 2, 20 ms before: its handlers were at their limit"
    )
    assert statements(queue(300)) == {}
    starved = statements([*queue(1_400), *series("cpu_throttled_time", growing(0, 0.8))])
    assert {key[:2] for key in starved} == {("named", "processor"), ("seen", "request_queue")}
    still = statements([*queue(1_400), *ups(2, step(1, 0), step(1, 1))])
    assert {("named", "process"), ("seen", "request_queue")} <= {key[:2] for key in still}


def test_the_length_of_the_request_queue_dates_it_to_a_scrape():
    """A percentile of five minutes alone leaves five minutes open."""
    lengths = list(series("request_queue", step(0, 11), 2, "instantaneous"))
    (wide,) = metric_statements(queue(1_400), [incident()], [finding()])
    (dated,) = metric_statements([*queue(1_400), *lengths], [incident()], [finding()])
    assert wide.began_high - wide.began_low > timedelta(minutes=5)
    assert dated.began_low < at(90) <= dated.began_high <= dated.began_low + timedelta(seconds=EVERY + 10)
    assert dated.ended_low <= at(180) <= dated.ended_high
    once = series("request_queue", lambda s: 11.0 if s == 120 else 0.0, 2, "instantaneous")
    assert statements([*queue(1_400), *once]) == {}


def test_handlers_of_a_combined_node_are_not_exonerated_by_the_idle_pool_of_its_controller():
    busy = statements(series("handler_idle", step(1.9, 1.1), kind="window", window_ms=60_000))
    calm = statements(series("handler_idle", step(1.9, 1.8), kind="window", window_ms=60_000))
    assert busy == {} and ("exonerated", "handlers", 2) in calm


def test_the_deepest_trouble_is_the_cause_and_the_others_are_seen():
    handlers = series("handler_idle_time", growing(0.9, 0.01))
    samples = [*disk(1, False), *disk(2, True), *flushes(1, False), *flushes(2, True), *handlers]
    assert {key[:2] for key in statements(samples)} == {("named", "disk"), ("seen", "handlers")}


def test_a_card_that_loses_packets_is_named_by_segments_that_were_sent_again():
    samples = [
        *series("tcp_segments", growing(100, 100)),
        *series("tcp_retransmits", growing(0.1, 30)),
        *series("tcp_segments", growing(100, 100), 1),
        *series("tcp_retransmits", growing(0.1, 2), 1),
    ]
    assert statements(samples, finding("F05"))[("named", "network", 2)].startswith(
        "the host of broker 2 sent 30% of its TCP segments again, 0.1% before"
    )


def ups(node: int, broker: Callable[[float], float], host: Callable[[float], float]) -> list[Sample]:
    """The scrapes of a broker's exporter and of its host's, with a metric that tells which is which."""
    return [
        *series("up", broker, node, "instantaneous", target=f"b{node}:9404"),
        *series("up", host, node, "instantaneous", target=f"b{node}:9100", phase=3),
        *series("leaders", lambda s: 3, node, "instantaneous", target=f"b{node}:9404"),
        *series("disk_reads", growing(1, 1), node, target=f"b{node}:9100", phase=3, device="vdb"),
    ]


def test_a_process_that_does_not_answer_while_its_host_does_stood_still():
    samples = [*ups(2, step(1, 0), step(1, 1)), *series("process_cpu", growing(0.2, 0.01))]
    found = statements(samples)
    assert found[("named", "process", 2)].startswith(
        "the process of broker 2 did not answer its exporter while its host answered"
    )
    assert ("confirmed", "process", 2) in statements(samples, finding("F04"))


def test_a_host_that_does_not_answer_either_confirms_that_it_was_cut_off():
    samples = [*ups(1, step(1, 1), step(1, 1)), *ups(2, step(1, 0), step(1, 0))]
    assert ("confirmed", "unreachable", 2) in statements(samples, finding("F05"))


def test_an_exporter_that_is_often_silent_or_silent_with_all_others_is_no_sign():
    often = [
        *ups(2, lambda s: float(s // 15 % 5 != 0 and not 90 <= s < 180), step(1, 1)),
        *ups(1, step(1, 1), step(1, 1)),
    ]
    all_silent = [*ups(2, step(1, 0), step(1, 1)), *ups(1, step(1, 0), step(1, 1))]
    assert statements(often) == statements(all_silent) == {}


def test_without_an_exporter_of_the_host_silence_confirms_and_names_nothing():
    samples = [one for node in (1, 2) for one in ups(node, step(1, 2 - node), step(1, 1)) if ":9404" in str(one.target)]
    assert {key[0] for key in statements(samples)} == {"seen"}
    assert {key[:2] for key in statements(samples, finding("F05"))} == {("confirmed", "silent")}


def test_slow_flushes_without_a_sample_of_the_device_are_named_with_what_they_leave_open():
    found = statements([*flushes(1, False), *flushes(2, True)])
    assert found[("named", "flushes", 2)] == (
        "log flushes of broker 2 took up to 2.5 s at a high percentile, 5 ms before: its disk was slow, or the broker had too little processor "
        "time; no sample of its disk decides it"
    )


def test_a_missing_scrape_proves_nothing_and_exonerates_nothing():
    calm = series("gc_time", growing(0.01, 0.01), gc="G1")
    with_gap = [one for one in calm if not at(80) < one.ts < at(160)]
    assert statements(with_gap) == {}


def test_an_exporter_that_answers_for_a_dead_process_contradicts_the_log():
    dead = finding("F01", low=100, high=100, end=180)
    assert ("contradicted", "process", 2) in statements(ups(2, step(1, 1), step(1, 1)), dead)
    assert ("confirmed", "process", 2) in statements(ups(2, step(1, 0), step(1, 1)), dead)


def test_acknowledgements_that_waited_are_told_by_the_greatest_remote_time():
    longest = series("produce_remote_ms_max", lambda s: 14_000.0 if s >= 150 else 120.0, 1, "window")
    found = statements(longest)
    assert found == {
        (
            "waited",
            "clients",
            1,
        ): "acknowledgements waited for followers for up to 14.0 s on broker 1 (Produce RemoteTimeMs)"
    }


def test_a_greatest_time_of_long_ago_tells_nothing():
    assert statements(series("produce_remote_ms_max", lambda s: 14_000.0, 1, "window")) == {}


def test_without_findings_metrics_prove_nothing():
    samples = [*disk(1, False), *disk(2, True), *flushes(2, True)]
    assert metric_statements(samples, [], []) == []
    assert metric_statements(samples, [incident()], []) == []
    assert metric_statements([], [incident()], [finding()]) == []


def test_a_cause_is_named_only_of_a_node_that_the_lines_blame():
    samples = [*disk(3, True), *disk(2, False), *flushes(3, True), *flushes(2, False)]
    assert {key for key in statements(samples) if key[0] == "named"} == set()


def test_duplicates_from_a_second_prometheus_change_nothing():
    samples = [*disk(1, False), *disk(2, True), *flushes(1, False), *flushes(2, True)]
    assert statements([*samples, *samples]) == statements(samples)


def produce(node: int, bad: float) -> list[Sample]:
    return list(series("produce_total_ms", step(12, bad), node, "window", 300_000, quantile="0.99"))


def outside(samples: Iterable[Sample]) -> dict[tuple[str, str, int | None], str]:
    made = metric_statements(list(samples), [], [])
    assert all(one.incident_id is one.finding_id is None and one.evidence == [] and one.samples for one in made)
    return {(one.verdict, one.subject, one.node_id): one.statement for one in made}


def test_waits_that_no_line_shows_are_said_and_the_only_node_in_trouble_is_named():
    troubled = [*disk(1, False), *disk(2, True), *flushes(1, False), *flushes(2, True)]
    assert outside([*troubled, *produce(1, 12), *produce(2, 6_800)]) == {
        ("waited", "clients", 2): "at least one in 100 of the produce requests on broker 2 took 6.8 s (99th percentile of about five minutes), and no log "
        "line shows an incident",
        ("named", "disk", 2): "the disk of broker 2 was slow: a write on vdb took 1.5 s, 2 ms before, and the broker's flushes or appends took "
        "long at the same time",
    }  # fmt: skip


def test_no_cause_of_unlogged_waits_is_named_if_two_nodes_are_in_trouble():
    samples = [*disk(1, True), *disk(2, True), *disk(3, False), *disk(4, False), *flushes(1, True), *flushes(2, True)]
    both = {("seen", "disk", 1), ("seen", "disk", 2), ("waited", "clients", 2)}
    assert set(outside([*samples, *flushes(3, False), *flushes(4, False), *produce(2, 6_800)])) == both


def test_a_trouble_without_a_wait_and_a_wait_that_is_usual_are_no_statements():
    slow = [*disk(1, False), *disk(2, True), *flushes(1, False), *flushes(2, True)]
    assert outside([*slow, *produce(2, 900)]) == {}
    always = series("produce_total_ms", lambda s: 6_800, 2, "window", 300_000, quantile="0.99")
    after_a_start = [one for one in produce(2, 6_800) if one.ts >= at(90)]
    assert outside([*slow, *always]) == outside([*slow, *after_a_start]) == {}


def test_waits_in_an_incident_are_statements_about_it_alone():
    made = metric_statements([*produce(1, 12), *produce(2, 6_800)], [incident()], [finding()])
    assert {one.incident_id for one in made} <= {incident().incident_id}


def test_each_trouble_that_can_be_named_has_a_first_step():
    assert set(STEPS.texts) == set(DEPTH) - {UNREACHABLE, SILENT, OVERLOADED}


def lasting(value: float, begin: float = 90, end: float = 180) -> Callable[[float], float]:
    """A value that counts the milliseconds of a run of the log cleaner, and one that rests between."""
    return lambda s: value if not begin <= s < end else 1000 * (s - begin)


def moving_disk(node: int, calm: float, bad: float) -> list[Sample]:
    """The bytes that a device writes and reads in a second."""
    return [
        *series("disk_written_bytes", growing(calm, bad), node, device="vdb"),
        *series("disk_read_bytes", growing(calm / 10, bad / 10), node, device="vdb"),
    ]


def cleaner(node: int, storms: bool) -> list[Sample]:
    since = lasting(9_000) if storms else (lambda s: 9_000.0)
    return [
        *series("cleaner_since_run_ms", since, node, "instantaneous"),
        *series("cleaner_dead_threads", lambda s: 0.0, node, "instantaneous"),
    ]


def slow_disks() -> list[Sample]:
    return [*disk(1, False), *disk(2, True), *disk(3, False), *flushes(1, False), *flushes(2, True)]


def test_the_log_cleaner_that_overloads_a_disk_is_named_and_the_disk_is_seen():
    found = statements([*slow_disks(), *moving_disk(2, 4e4, 3e6), *cleaner(2, True)])
    assert {key for key in found if key[0] != "exonerated"} == {("named", "cleaner", 2), ("seen", "disk", 2)}
    assert found[("named", "cleaner", 2)].startswith(
        "the log cleaner of broker 2 overloaded vdb: it compacted for 75 s"
    )


def test_a_disk_that_is_slow_of_itself_is_named_although_the_cleaner_needs_long_on_it():
    """The disk moves fewer bytes than usual: it makes the cleaner slow, and not the cleaner the disk."""
    found = statements([*slow_disks(), *moving_disk(2, 4e6, 1e6), *cleaner(2, True)])
    assert ("named", "disk", 2) in found and not any(subject == "cleaner" for _, subject, _ in found)


def test_a_cleaner_on_a_disk_that_stays_fast_is_no_cause():
    fast = [*disk(1, False), *disk(2, False), *flushes(1, False), *flushes(2, False)]
    assert not any(key[0] == "named" for key in statements([*fast, *moving_disk(2, 4e4, 3e7), *cleaner(2, True)]))


def test_a_cleaner_thread_that_died_long_ago_compacts_nothing():
    dead = [
        *series("cleaner_since_run_ms", lambda s: 1000 * (s + 86_400), 2, "instantaneous"),
        *series("cleaner_dead_threads", lambda s: 1.0, 2, "instantaneous"),
    ]
    found = statements([*slow_disks(), *moving_disk(2, 4e4, 3e6), *dead])
    assert ("named", "disk", 2) in found and not any(subject == "cleaner" for _, subject, _ in found)


def test_runs_of_the_cleaner_that_have_ended_count_by_how_long_they_took():
    ran = series("cleaner_run_s", lambda s: 80.0 if s >= 180 else 1.0, 2, "instantaneous")
    found = statements([*slow_disks(), *moving_disk(2, 4e4, 3e6), *ran])
    assert ("named", "cleaner", 2) in found


def test_an_overloaded_disk_without_a_known_load_is_named_as_such():
    found = statements([*slow_disks(), *moving_disk(2, 4e4, 3e6), *cleaner(2, False)])
    assert found[("named", "disk", 2)].startswith("the disk of broker 2 was overloaded: a write on vdb took 1.5 s")
    assert (
        found[("exonerated", "cleaner", 2)]
        == "the log cleaner of broker 2 is exonerated: no run took longer than 9.0 s"
    )


def old_reads(node: int, reads: float, seconds: float, sent_ms: float) -> list[Sample]:
    """Consumers read from the device: reads a second, their seconds a second, and how long their fetches took to send."""
    send = step(3, sent_ms)
    return [
        *series("disk_reads", growing(1, reads), node, device="vdb"),
        *series("disk_read_time", growing(0.001, seconds), node, device="vdb"),
        *series("disk_read_bytes", growing(1e3, 128e3 * reads), node, device="vdb"),
        *series("fetch_consumer_response_send_ms", send, node, "window", 300_000, quantile="0.99"),
    ]


def test_consumers_that_read_old_records_are_named_by_slow_reads_and_slow_fetches():
    found = statements([*old_reads(1, 1, 0.001, 3), *old_reads(2, 8, 9.6, 1_500)])
    assert found[("named", "cache", 2)] == (
        "consumers read old records, which were not in the page cache, from broker 2: a read on vdb took 1.2 s, 1 ms before, and their fetches "
        "took long at the same time"
    )


def test_readers_of_old_records_on_a_disk_that_serves_them_fast_are_no_cause():
    assert statements([*old_reads(1, 1, 0.001, 3), *old_reads(2, 800, 1.6, 40)]) == {}


def test_a_disk_whose_reads_are_slow_without_more_bytes_has_no_reader_to_blame():
    found = statements([*old_reads(1, 1, 0.001, 3), *old_reads(2, 0.5, 1, 1_500)])
    assert not any(verdict == "named" for verdict, _, _ in found)


def test_readers_are_exonerated_if_the_disk_read_next_to_nothing():
    found = statements(old_reads(2, 0.01, 0.00001, 3))
    assert found[("exonerated", "cache", 2)].startswith("readers of old records are exonerated")


def reassignment(source: float, target: float) -> list[Sample]:
    """Bytes for each second that a reassignment takes from broker 1 and brings to broker 2."""
    return [
        *series("reassignment_bytes_out", growing(0, source), 1),
        *series("reassignment_bytes_in", growing(0, 0), 1),
        *series("reassignment_bytes_in", growing(0, target), 2),
        *series("reassignment_bytes_out", growing(0, 0), 2),
    ]


def test_a_reassignment_is_named_at_either_end():
    found = statements(reassignment(4e6, 4e6))
    assert found[("named", "reassignment", 2)] == "a reassignment brought 4.0 MB a second to broker 2"
    found = statements(reassignment(4e6, 4e6), finding(node=1))
    assert found[("named", "reassignment", 1)] == "a reassignment took 4.0 MB a second from broker 1"


def test_a_reassignment_under_a_throttle_is_no_cause_and_none_at_all_is_exonerated():
    assert statements(reassignment(3e5, 3e5)) == {}
    assert statements(reassignment(0, 0)) == {
        (
            "exonerated",
            "reassignment",
            2,
        ): "a reassignment is exonerated: it moved at most 0.0 kB a second to or from broker 2"
    }


def test_a_disk_that_is_slow_of_itself_is_deeper_than_a_reassignment():
    found = statements([*slow_disks(), *moving_disk(2, 4e6, 4e6), *reassignment(4e6, 4e6)])
    assert {("named", "disk", 2), ("seen", "reassignment", 2)} <= set(found)
    overloaded = statements([*slow_disks(), *moving_disk(2, 4e4, 4e6), *reassignment(4e6, 4e6)])
    assert {("named", "reassignment", 2), ("seen", "disk", 2)} <= set(overloaded)


def test_a_reassignment_between_two_nodes_is_one_cause_of_a_wait():
    found = outside([*reassignment(4e6, 4e6), *produce(1, 3_000), *produce(2, 12)])
    assert {key for key in found if key[1] == "reassignment"} == {
        ("named", "reassignment", 1),
        ("seen", "reassignment", 2),
    }


def test_a_wait_in_an_incident_whose_findings_make_no_request_wait_has_its_cause_there():
    """The lines show that a reassignment was complete, and no more."""
    samples = [*reassignment(4e6, 4e6), *produce(1, 3_000), *produce(2, 12)]
    complete = finding("F18", low=180, high=180).but(broker_ids=[])
    made = metric_statements(samples, [incident()], [complete])
    assert {(one.verdict, one.subject, one.node_id, one.incident_id) for one in made} == {
        ("waited", "clients", 1, "incident"),
        ("named", "reassignment", 1, "incident"),
        ("seen", "reassignment", 2, "incident"),
    }
    killed = metric_statements(samples, [incident()], [finding("F01")])
    assert not any(one.verdict == "named" for one in killed)


def dropped(follower: int, leader: int) -> LagShrink:
    """A leader removes a follower from ISRs eight seconds after it stopped to keep up."""
    given = {"leader_id": leader, "dropped_id": follower, "removed": [follower], "woke": False, "ts": at(138)}
    return LagShrink(*[given.get(name) for name in LagShrink._names])


def test_a_follower_without_trouble_fell_behind_a_leader_with_trouble():
    """The lines blame broker 1, which the leader 2 alone removed from ISRs: consumers of broker 2 read old records."""
    samples = [*old_reads(1, 1, 0.001, 3), *old_reads(2, 8, 9.6, 1_500), *old_reads(3, 1, 0.001, 3)]

    def named(shrinks: list[LagShrink], more: Iterable[Sample] = (), code: str = "F13") -> set[tuple[str, int]]:
        made = metric_statements([*samples, *more], [incident()], [finding(code, node=1)], shrinks)
        return {(one.subject, one.node_id) for one in made if one.verdict == "named"}

    assert named([dropped(1, 2)]) == {("cache", 2)}
    assert named([dropped(1, 2), dropped(1, 3)]) == named([dropped(1, 3)]) == named([]) == set()
    assert named([dropped(1, 2)], series("gc_time", growing(0.01, 0.6), 1, gc="G1")) == {("memory", 1)}
    assert named([dropped(1, 2)], code="F06") == set()


def test_what_samples_show_in_an_incident_just_before_is_not_usual():
    first = incident().but(incident_id="first", start_ts=at(60), t0_low=at(60), end_ts=at(90))
    long_ago = first.but(start_ts=at(-3600), t0_low=at(-3600), end_ts=at(-3000))
    assert calm_until(incident(), [first, incident()]) == at(60)
    assert calm_until(incident(), [long_ago, incident()]) == at(100)
    longer = first.but(incident_id="longer", start_ts=at(-400), t0_low=at(-400), end_ts=at(-300))
    assert calm_until(incident(), [longer, first, incident()]) == at(-400)


def test_a_cause_had_begun_when_its_effect_had():
    """The samples alone say between 75 and 90 s or later; the finding had begun at 92 s."""
    samples = slow_disks()
    (by_samples,) = metric_statements(samples, [incident()], [finding(high=130)])
    (by_effect,) = metric_statements(samples, [incident()], [finding(low=88, high=92)])
    assert by_effect.began_low == by_samples.began_low and by_effect.began_high == at(92) < by_samples.began_high


def test_a_full_disk_is_named_and_one_with_room_is_not():
    def space(free: float) -> list[Sample]:
        return [
            *series("disk_size_bytes", lambda s: 1e9, 2, "instantaneous", mountpoint="/data"),
            *series("disk_free_bytes", step(4e8, free), 2, "instantaneous", mountpoint="/data"),
        ]

    assert statements(space(2e6))[("named", "disk_full", 2)] == "the disk of broker 2 was full: 0.2% of it was free"
    assert statements(space(5e7)) == {}


def test_a_storm_of_connections_is_named_and_a_busy_broker_that_always_has_them_is_not():
    stormy = [*series("connections_made", growing(2, 300)), *series("connections_made", growing(2, 2), 1)]
    assert statements(stormy)[("named", "clients", 2)] == "clients made 300 connections a second to broker 2, 2 before"
    assert statements(series("connections_made", growing(200, 300))) == {}
    everywhere = [*series("connections_made", growing(2, 300)), *series("connections_made", growing(2, 290), 1)]
    assert statements(everywhere) == {}


def test_stolen_processor_time_is_named_and_a_little_is_not():
    def stolen(percent: float) -> Iterator[Sample]:
        return series("cpu_steal_percent", step(0.5, percent), 2, "window", 60_000)

    assert ("named", "processor", 2) in statements(stolen(45))
    assert statements(stolen(12)) == {}


def test_network_threads_at_their_limit_are_named_and_ones_that_always_are_not():
    assert ("named", "network_threads", 2) in statements(series("network_idle", step(0.9, 0.02), 2, "window", 60_000))
    assert statements(series("network_idle", step(0.2, 0.02), 2, "window", 60_000)) == {}


def test_a_queue_of_the_controller_is_named_and_a_short_one_is_not():
    slow = series("controller_queue_ms", step(2, 4_000), 2, "window", 300_000, quantile="0.99")
    assert statements(slow)[("named", "controller", 2)] == "events waited up to 4.0 s in the queue of controller 2"
    assert statements(series("controller_queue_ms", step(2, 300), 2, "window", 300_000, quantile="0.99")) == {}
