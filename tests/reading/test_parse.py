"""Lines become records, the same ones in whatever layout and wrapping they are printed; no line is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from replay.reading.layouts import Layout, detect, layout_named
from replay.reading.parse import (
    FILES,
    coverage,
    is_foreign,
    lines,
    matched,
    records,
    setting_lines,
    settings,
    with_exceptions,
)
from replay.tables import EVENTS
from tests.written import FIRST_LINES, JSON_LINES, SAID, WRAPPED, Said, text_of, wrapped

FILE = "source_file string, node_id int, layout string, first_line long, value string"


def files(spark: SparkSession, texts: dict[str, tuple[str, str]]) -> DataFrame:
    """`SOURCES` with their text, from each file's layout and text."""
    return spark.createDataFrame([(name, 1, layout, 1, text) for name, (layout, text) in texts.items()], FILE)


def parsed(spark: SparkSession, texts: dict[str, tuple[str, str]]) -> tuple[DataFrame, DataFrame]:
    """The lines and the records of texts."""
    layouts = [layout_named(name) for name in {layout for layout, _ in texts.values()}]
    said = lines(files(spark, texts), layouts)
    return said, records(said, layouts)


def of_file(rows: list[Row], name: str) -> list[Row]:
    return sorted((row for row in rows if row.source_file == name), key=lambda row: (row.line_number, row.event_id))


def one(spark: SparkSession, layout: str, text: str) -> list[Row]:
    return of_file(parsed(spark, {"f": (layout, text)})[1].collect(), "f")


CASES: dict[str, tuple[str, Callable[[Said], str], Callable[[str], str] | None]] = {
    **{name: (name, first_line, None) for name, first_line in FIRST_LINES.items()},
    **{name: ("json", first_line, None) for name, first_line in JSON_LINES.items()},
    **{f"{name}+default": (f"{name}+default", FIRST_LINES["default"], wrap) for name, wrap in WRAPPED.items()},
    "compose+docker-stamps+strimzi": (
        "compose+docker-stamps+strimzi",
        FIRST_LINES["strimzi"],
        lambda line: WRAPPED["compose"](WRAPPED["docker-stamps"](line)),
    ),
    "docker-json+json": ("docker-json+json", JSON_LINES["ECS"], WRAPPED["docker-json"]),
}


@pytest.fixture(scope="module")
def read_once(spark) -> tuple[list[Row], list[Row]]:
    """The understood records, and the settings, of the same log in every layout, read in one go."""
    texts = {}
    for name, (layout, first_line, wrap) in CASES.items():
        text = (
            text_of(first_line)
            if name not in JSON_LINES and "json+json" not in name
            else "".join(f"{first_line(record)}\n" for record in SAID)
        )
        text = wrapped(text, wrap) if wrap else text
        assert (detect(text.splitlines()) or Layout(())).name == layout
        texts[name] = (layout, text)
    said, found = parsed(spark, texts)
    columns = (
        "source_file",
        "node_id",
        "line_number",
        "event_id",
        "raw_ts",
        "zone_known",
        "ts",
        "level",
        "logger",
        "message",
        "kind",
        "details",
    )
    understood = with_exceptions(matched(found), said).select(*columns, is_foreign().alias("foreign")).collect()
    dumps = [
        (row.source_file, row.node_id, row.line_number, row.event_id, row.ts, row.kind)
        for row in understood
        if row.kind == "config_dump"
    ]
    events = spark.createDataFrame(
        dumps, "source_file string, node_id int, line_number long, event_id string, ts timestamp, kind string"
    )
    told = (
        settings(setting_lines(said), EVENTS.rows(events))
        .select(F.substring_index("event_id", ":", 1).alias("source_file"), "name", "value")
        .collect()
    )
    return understood, told


@pytest.mark.parametrize("name", CASES)
def test_the_same_records_are_read_in_every_layout(read_once, name):
    found = of_file(read_once[0], name)
    assert [(row.raw_ts.replace(tzinfo=UTC), row.level, row.message.rstrip()) for row in found] == [
        (said.at, said.level, said.message.rstrip()) for said in SAID
    ]
    # A message that goes on in the next line has its logger there, in layouts that print it last.
    assert all(
        row.logger in (said.logger, said.simple) or said.message.endswith(" ")
        for row, said in zip(found, SAID, strict=True)
    )


@pytest.mark.parametrize("name", CASES)
def test_a_record_that_is_known_is_known_in_every_layout(read_once, name):
    kinds = [row.kind for row in of_file(read_once[0], name)]
    assert kinds == [row.kind for row in of_file(read_once[0], "default")]
    assert {"isr_shrink", "config_dump"} <= set(kinds)


@pytest.mark.parametrize(
    "name",
    [name for name in CASES if not name.startswith(("numbered", "doubled", "indented", "log4j's JsonLayout, milli"))],
)
def test_the_exception_under_a_record_is_told(read_once, name):
    thrown = [(row.details or {}).get("exception") for row in of_file(read_once[0], name)]
    assert thrown == [None, SAID[1].more[0], None, None, None]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in CASES
        if name.startswith(("default", "strimzi", "log4j", "ECS", "logstash", "compose", "syslog+", "quoted"))
    ],
)
def test_settings_are_read_out_of_a_dump(read_once, name):
    assert {(row.name, row.value) for row in read_once[1] if row.source_file == name} == {
        ("broker.id", "1"),
        ("min.insync.replicas", "2"),
    }


def test_a_zone_that_the_line_prints_is_applied_and_said(read_once):
    zoned = {row.source_file for row in read_once[0] if row.zone_known}
    assert zoned == {"default-like", "strimzi-line", "spring", "csv", *JSON_LINES, "docker-json+json"}


def test_a_class_without_package_is_kafkas_unless_zookeeper_prints_it(read_once):
    foreign = {row.source_file for row in read_once[0] if row.foreign}
    assert foreign == {"zookeeper", "zookeeper-3.3"}


def test_the_default_layout_cuts_level_logger_and_message(spark):
    text = (
        "[2026-11-21 05:34:41,986] INFO  padded (kafka.log.Log)\n"
        "[2026-11-21 05:34:41,987] WARN ends in (a parenthesis) (kafka.log.Log)  \n"
        "[2026-11-21 05:34:41,988] ERROR no logger (at all\n"
        "[2026-11-21 05:34:41,989] INFO (kafka.log.Log)\n"
        "[2026-11-21 05:34:41,990] TRACE größer ≥ 7 (kafka.log.UnifiedLog$)\n"
        "[2026-11-21 05:34:41,991] INFO by a line (io.confluent.Thing:17)\n"
        "[2106-02-30 05:34:41,992] INFO no such day (kafka.log.Log)\n"
        "[2106-02-28 05:34:41,993] INFO in 2106 (kafka.log.Log)"
    )
    assert [(row.level, row.logger, row.message, row.raw_ts is None) for row in one(spark, "default", text)] == [
        ("INFO", "kafka.log.Log", "padded", False),
        ("WARN", "kafka.log.Log", "ends in (a parenthesis)", False),
        ("ERROR", None, "no logger (at all", False),
        ("INFO", "kafka.log.Log", "", False),
        ("TRACE", "kafka.log.UnifiedLog$", "größer ≥ 7", False),
        ("INFO", "io.confluent.Thing", "by a line", False),
        ("INFO", "kafka.log.Log", "no such day", True),
        ("INFO", "kafka.log.Log", "in 2106", False),
    ]


@pytest.mark.parametrize("layout", ["default", "default|strimzi"])
def test_lines_before_the_first_record_make_one_record_without_level(spark, layout):
    text = "\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n" + text_of(FIRST_LINES["default"], SAID[:1])
    assert [(row.line_number, row.level, row.message) for row in one(spark, layout, text)] == [
        (1, None, "\tat a.B.c(B.java:1)"),
        (3, "INFO", SAID[0].message),
    ]


@pytest.mark.parametrize("layout", ["default", "default|strimzi"])
def test_a_stamped_line_in_no_layout_of_its_file_is_a_record_of_its_own(spark, layout):
    text = text_of(FIRST_LINES["default"], SAID[:1]) + "2026-11-21 05:34:42.100 #7 what is this\n\tmore of it\n"
    assert [(row.line_number, row.level, row.logger) for row in one(spark, layout, text)] == [
        (1, "INFO", SAID[0].logger),
        (2, None, None),
    ]


def test_a_last_line_that_was_cut_stays_a_record(spark):
    text = text_of(FIRST_LINES["default"], SAID[:1]) + "[2026-11-21 05:34:42,100] INFO [Partition ord"
    assert [(row.line_number, row.level, row.logger, row.message) for row in one(spark, "default", text)][1] == (
        2,
        "INFO",
        None,
        "[Partition ord",
    )


def test_two_records_on_one_line_are_told_apart(spark):
    text = "[2026-11-21 05:34:42,100] INFO one (a.B)[2026-11-21 05:34:42,101] INFO two (a.B)\n[2026-11-21 05:34:42,102] INFO to[2026-11-21 05:34:42,103] INFO three (a.B)\n"
    assert [(row.event_id, row.logger, row.message) for row in one(spark, "joined+default", text)] == [
        ("f:1", "a.B", "one"),
        ("f:1.2", "a.B", "two"),
        ("f:2", None, "to"),
        ("f:2.2", "a.B", "three"),
    ]


def test_a_json_line_that_was_cut_is_a_record_without_level(spark):
    text = JSON_LINES["ECS"](SAID[0]) + "\n" + JSON_LINES["ECS"](SAID[1])[:60] + "\n"
    assert [(row.line_number, row.level, row.message) for row in one(spark, "json", text)] == [
        (1, "INFO", SAID[0].message),
        (2, None, JSON_LINES["ECS"](SAID[1])[:60]),
    ]


def test_every_line_of_plain_text_is_a_record(spark):
    assert [(row.line_number, row.message) for row in one(spark, "plain", "hello\n\n  \nworld\n")] == [
        (1, "hello"),
        (4, "world"),
    ]


def test_a_sites_own_layout_is_read(spark):
    text = "21 Nov 2026 05:34:41,986|INFO|Log|said\n22 Dec 2026 05:34:41,986|WARN|Log|again\n"
    found = one(spark, "log4j:%d{DATE}|%p|%c{1}|%m%n", text)
    assert [(str(row.raw_ts), row.level, row.logger, row.message) for row in found] == [
        ("2026-11-21 05:34:41.986000", "INFO", "Log", "said"),
        ("2026-12-22 05:34:41.986000", "WARN", "Log", "again"),
    ]


def test_a_zone_given_by_the_pattern_is_applied(spark):
    (row,) = one(spark, "log4j:%d{yyyy-MM-dd HH:mm:ss}{GMT+9} %p %m%n", "2026-11-21 05:34:41 INFO said\n")
    assert (str(row.raw_ts), row.zone_known) == ("2026-11-20 20:34:41", True)


def test_parts_of_a_file_go_on_with_its_line_numbers(spark):
    first, second = text_of(FIRST_LINES["default"], SAID[:1]), text_of(FIRST_LINES["default"], SAID[1:])
    rows = spark.createDataFrame([("f", 1, "default", 1, first), ("f", 1, "default", 2, second)], FILE)
    found = records(lines(rows), [layout_named("default")]).collect()
    assert sorted(row.line_number for row in found) == [1, 2, 6, 7, 11]


def test_records_are_matched_or_unmatched(spark):
    texts = {
        name: (layout, text_of(first_line) + "[garbage")
        for name, (layout, first_line, wrap) in CASES.items()
        if wrap is None and name not in JSON_LINES
    }
    found = spark.createDataFrame([(name, None, "default") for name in [*texts, "silent.log"]], FILES)
    counted = {row.source_file: row for row in coverage(matched(parsed(spark, texts)[1]), found).collect()}
    silent = counted.pop("silent.log")
    assert (silent.log_records, silent.secrets_hidden, silent.layout) == (0, 0, "default")
    assert counted.keys() == texts.keys()
    assert all(row.log_records == row.matched + row.unmatched == len(SAID) for row in counted.values())


def test_no_layout_is_an_error(spark):
    with pytest.raises(ValueError, match="no layouts"):
        records(lines(files(spark, {"f": ("default", "x")})), [])
