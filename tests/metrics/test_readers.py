"""The formats of samples. The files in `samples/` are what the real programs printed: Prometheus 2.42 with the JMX exporter 0.20.0 and
node_exporter 1.5.0, Kafka 3.9.1's JmxTool, sysstat 12.6.1. Those of CloudWatch follow its documentation; no program here prints them.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from replay.metrics.formats import FORMATS, UNTIMED, format_of, samples_of
from replay.metrics.names import KEPT_LABELS, name_of, names
from replay.metrics.raw import MetricFile
from replay.reading.witnesses import witness_layout
from tests.each import for_each

FOLDER = Path(__file__).parent / "samples"
FORMAT = {
    "query_range.json": "prometheus-json",
    "query_range_rate.json": "prometheus-json",
    "query_instant.json": "prometheus-json",
    "query_scrapes.json": "prometheus-json",
    "tsdb-dump.txt": "promtool-dump",
    "federate.txt": "openmetrics",
    "get-metric-data.json": "cloudwatch-json",
    "console.csv": "cloudwatch-csv",
    "jmxtool.csv": "jmxtool-csv",
    "sadf.json": "sadf-json",
    "iostat-iso.txt": "iostat",
    "iostat-c.txt": "iostat",
    "iostat-us.txt": "iostat",
}


def read(name: str, node: int | None = None):
    text = (FOLDER / name).read_text()
    found = format_of(text[:65_536])
    assert found is not None
    return list(samples_of(text, MetricFile(name, found, node)))


def of(rows, metric, **labels):
    return [
        (row.ts, row.value)
        for row in rows
        if row.metric == metric and all((row.labels or {}).get(key) == value for key, value in labels.items())
    ]


def at(hour: int, minute: int, second: int, millis: int = 0) -> datetime:
    return datetime(2026, 11, 29, hour, minute, second, millis * 1000, tzinfo=UTC)


def test_each_file_is_recognized_by_its_first_lines():
    assert {path.name: format_of(path.read_text()[:65_536]) for path in FOLDER.iterdir()} == FORMAT
    assert {*FORMAT.values()} == {*FORMATS}


TRACES = Path(__file__).parents[2] / "traces"
RECORDED = [path for path in TRACES.glob("*/input/**/*") if path.is_file() and path.suffix != ".gz"]


@for_each("path", RECORDED)
def test_no_file_of_a_recording_is_taken_for_samples(path):
    """Logs, checkpoint files and descriptions stay what they are."""
    assert format_of(path.read_bytes()[:65_536].decode("utf-8", "replace")) is None


@pytest.mark.parametrize(
    "text",
    [
        "0\n1\norders 0 1234567890\n",
        "orders 0 1234567890\n",
        "node_load1 0.4\n",
        "[2026-11-29 00:00:00,000] INFO x 1 1795914670 (a)\n",
    ],
)
def test_what_looks_alike_is_no_file_of_samples(text):
    assert format_of(text) is None


def test_a_scrape_without_times_is_named_as_such():
    assert format_of('# TYPE up gauge\nup{instance="a"} 1\nup{instance="b"} 1\n') == UNTIMED


def test_scrapes_have_their_own_times_and_are_not_old():
    rows = of(read("query_scrapes.json"), "disk_writes", device="vda")
    assert rows[:2] == [(at(1, 10, 50, 395), 527137.0), (at(1, 10, 52, 395), 527159.0)]
    assert {row.age_ms for row in read("query_scrapes.json")} == {0}


def test_values_of_query_range_and_query_can_be_five_minutes_old():
    assert {row.age_ms for row in read("query_range.json")} == {300_000}
    assert [(row.node_id, row.target, row.value, row.age_ms) for row in read("query_instant.json")] == [
        (None, "127.0.0.1:39100", 1.0, 300_000),
        (None, "127.0.0.1:39404", 1.0, 300_000),
    ]


def test_the_result_of_an_expression_has_no_name_and_no_meaning():
    assert {(row.series, row.metric) for row in read("query_range_rate.json")} == {("(expression)", None)}


def test_an_answer_that_names_its_query_is_one_of_scrapes_if_that_is_a_range_selector():
    text = '{"status":"success","query":"%s","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},"values":[[1,"1"],[2,"1"]]}]}}'
    ages = [
        [row.age_ms for row in samples_of(text % query, MetricFile("f", "prometheus-json"))]
        for query in ("up[2h]", "max_over_time(up[2h])")
    ]
    assert ages == [[0, 0], [300_000, 300_000]]


def test_counters_of_all_topics_are_told_from_those_of_one():
    rows = read("query_range.json")
    assert len(of(rows, "bytes_in")) == 9
    one_topic = [row for row in rows if row.metric is None]
    assert one_topic and not any("topic" in (row.labels or {}) for row in rows)


def test_a_dump_has_milliseconds_and_its_lines_as_positions():
    row = read("tsdb-dump.txt")[0]
    assert (row.position, row.metric, row.labels, row.kind, row.window_ms) == (
        1,
        "produce_remote_ms",
        {"job": "kafka", "request": "Produce", "quantile": "0.99"},
        "window",
        300_000,
    )


def test_the_name_of_a_dumped_sample_can_stand_after_other_labels():
    """Labels are sorted, capital letters first."""
    line = '{BrokerId="1", __name__="up", instance="a:1", path="C:\\\\x \\"}y"} 1 1795914649746\n'
    assert format_of(line) == "promtool-dump"
    (row,) = samples_of(line, MetricFile("f", "promtool-dump"))
    assert (row.metric, row.target, row.value) == ("up", "a:1", 1.0)


def test_federated_text_has_milliseconds_and_openmetrics_seconds():
    assert of(read("federate.txt"), "up")[0] == (at(1, 11, 10, 395), 1.0)
    text = '# TYPE up gauge\nup{instance="a:1"} 1 1795914670.395\n# EOF\n'
    (row,) = samples_of(text, MetricFile("f", "openmetrics"))
    assert row.ts == at(1, 11, 10, 395)


def test_cloudwatch_dates_a_value_by_the_begin_of_its_period():
    rows = read("get-metric-data.json")
    assert of(rows, "bytes_in_rate") == [(at(0, 13, 0), 1834.5), (at(0, 12, 0), 1790.25), (at(0, 11, 0), 0.0)]
    assert {(row.metric, row.node_id, row.window_ms) for row in rows} == {
        ("bytes_in_rate", 1, 60_000),
        ("handler_idle", 2, 60_000),
    }


def test_the_console_s_csv_has_a_column_for_each_metric():
    rows = read("console.csv")
    assert of(rows, "bytes_in_rate")[0] == (at(0, 11, 0), 1834.5)
    assert [row.sample_id for row in rows if row.metric == "cpu_user_percent"] == ["console.csv:2:3", "console.csv:4:3"]
    assert {row.node_id for row in rows} == {1, 2}


def test_jmxtool_has_attributes_of_mbeans_and_the_node_of_its_folder():
    rows = read("jmxtool.csv", node=2)
    assert {row.node_id for row in rows} == {2}
    counts = Counter(row.metric for row in rows)
    assert counts["bytes_in"] == 4 and counts["handler_idle"] == 4 and counts["produce_remote_ms"] == 12
    idle = [row.value for row in rows if row.metric == "handler_idle_time"]
    assert idle == sorted(idle) and 1 < idle[0] < 1_000  # seconds, of nanoseconds


def test_a_combined_node_shows_the_idle_share_of_two_pools():
    """Kafka 3.9.1 as broker and controller: the pools of both mark one meter, so idle handlers show more than 1."""
    assert max(row.value for row in read("jmxtool.csv") if row.metric == "handler_idle") > 1


def test_sadf_prints_means_over_the_interval_before_a_time():
    rows = read("sadf.json")
    first = next(row for row in rows if row.metric == "disk_await_ms")
    assert (first.ts, first.window_ms, first.labels) == (at(1, 1, 3), 1_000, {"disk-device": "loop0"})
    assert of(rows, "cpu_steal_percent")[0] == (at(1, 1, 3), 0.5)


def test_the_first_report_of_iostat_is_about_all_the_time_since_the_start_and_is_left_out():
    rows = read("iostat-iso.txt")
    assert of(rows, "disk_write_await_ms", device="vda") == [(at(1, 0, 59), 0.0), (at(1, 1, 0), 8.83)]
    assert {row.window_ms for row in rows if row.metric} == {1_000}


def test_iostat_in_the_c_locale_has_the_month_first_and_no_zone():
    assert {row.ts for row in read("iostat-c.txt")} == {at(1, 1, 1)}
    text = "Linux 6.1 (vm) \t29/11/26 \t_x86_64_\t(2 CPU)\n\n%s\nDevice r/s w_await\nvda 1 %d\n\n"
    days = (text % ("29/11/26 01:00:00", 1)) + "29/11/26 01:00:05\nDevice r/s w_await\nvda 1 9.5\n"
    assert of(list(samples_of(days, MetricFile("f", "iostat"))), "disk_write_await_ms") == [(at(1, 0, 5), 9.5)]


def test_nan_is_no_value():
    (row,) = samples_of('{__name__="up", instance="a"} NaN 1795914670395\n', MetricFile("f", "promtool-dump"))
    assert row.value is None


def test_hidden_names_leave_neither_targets_nor_pods():
    line = '{__name__="container_cpu_cfs_throttled_seconds_total", pod="secret-kafka-1", container="kafka"} 3 1795914670395\n'
    (row,) = samples_of(line, MetricFile("f", "promtool-dump", hides_names=True))
    assert (row.node_id, row.target, row.labels) == (1, None, {})


def test_a_node_is_told_by_its_id_in_a_label_or_in_the_name_of_its_pod():
    line = '{__name__="up", %s} 1 1795914670395\n'
    cases = {
        'broker_id="4"': 4,
        'instance="my-cluster-kafka-1.brokers:9404"': 1,
        'pod="my-cluster-broker-12"': 12,
        'instance="10.0.0.3:9404"': None,
        'instance="kafka:9404"': None,
    }
    found = {labels: next(samples_of(line % labels, MetricFile("f", "promtool-dump"))).node_id for labels in cases}
    assert found == cases


def test_times_in_other_zones_are_read_as_instants():
    text = (
        '{"MetricDataResults":[{"Label":"CpuUser Broker 1","Timestamps":["2026-11-29T01:10:00+01:00"],"Values":[1.0]}]}'
    )
    (row,) = samples_of(text, MetricFile("f", "cloudwatch-json"))
    assert row.ts == at(0, 10, 0) + timedelta(seconds=60)


def test_damaged_documents_have_no_samples():
    for name in (
        "prometheus-json",
        "cloudwatch-json",
        "sadf-json",
        "cloudwatch-csv",
        "jmxtool-csv",
        "iostat",
        "promtool-dump",
        "openmetrics",
    ):
        for path in FOLDER.iterdir():
            text = path.read_text()
            assert all(row.series for row in samples_of(text[: len(text) // 2], MetricFile("f", name)))


def test_each_name_has_one_meaning_and_labels_that_are_kept():
    keys = Counter((one.name, one.needs) for one in names())
    assert [key for key, count in keys.items() if count > 1] == []
    for one in names():
        labels = {need.partition("=")[0] for need in one.needs if not need.startswith("!")}
        assert labels <= KEPT_LABELS | {"name", "topic", "topic_name", "partition", "clientId"}, one.name
        assert one.kind in ("instantaneous", "counter", "window")
        assert (one.kind == "window") == (one.window != "-"), one.name


def test_each_recorded_line_of_prometheus_is_read_as_the_metric_of_its_row():
    lines = [one for one in names() if one.sample.startswith("{__name__=")]
    assert len(lines) > 200 and {one.seen for one in lines} == {"recorded"}
    for one in lines:
        (row,) = samples_of(one.sample + "\n", MetricFile("f", "promtool-dump"))
        assert (row.series, row.metric, row.kind) == (one.name, one.metric, one.kind), one.sample


def test_a_name_of_no_exporter_has_no_meaning():
    assert name_of("my_own_metric", {}) is None
    assert name_of("kafka_network_requestmetrics_remotetimems", {"request": "Produce", "quantile": "0.42"}) is None
    assert witness_layout("metrics.txt", "up 1\n") is None
