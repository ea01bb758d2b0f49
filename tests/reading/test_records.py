"""Lines become records, the same ones in whatever layout and wrapping they are printed; no line is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from replay.reading.layouts import Layout, detect
from replay.reading.records import Record, records_of
from tests.each import for_each
from tests.written import FIRST_LINES, JSON_LINES, SAID, WRAPPED, Said, text_of, wrapped


def read_all(texts: dict[str, tuple[str, str]]) -> dict[str, list[Record]]:
    """The records of texts, from each file's layout and text."""
    return {
        name: list(records_of(text, source_file=name, node_id=1, layout=layout))
        for name, (layout, text) in texts.items()
    }


def one(layout: str, text: str) -> list[Record]:
    return read_all({"f": (layout, text)})["f"]


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
def read_once() -> dict[str, list[Record]]:
    """The records of the same log in every layout."""
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
    return read_all(texts)


@for_each("name", CASES)
def test_the_same_records_are_read_in_every_layout(read_once, name):
    found = read_once[name]
    assert [(row.raw_ts, row.level, row.message.rstrip()) for row in found] == [
        (said.at, said.level, said.message.rstrip()) for said in SAID
    ]
    # A message that goes on in the next line has its logger there, in layouts that print it last.
    assert all(
        row.logger in (said.logger, said.simple) or said.message.endswith(" ")
        for row, said in zip(found, SAID, strict=True)
    )


@for_each("name", CASES)
def test_a_record_that_is_known_is_known_in_every_layout(read_once, name):
    kinds = [row.kind for row in read_once[name]]
    assert kinds == [row.kind for row in read_once["default"]]
    assert {"isr_shrink", "config_dump"} <= set(kinds)


@for_each(
    "name",
    [name for name in CASES if not name.startswith(("numbered", "doubled", "indented", "log4j's JsonLayout, milli"))],
)
def test_the_exception_under_a_record_is_reported(read_once, name):
    thrown = [(row.details or {}).get("exception") for row in read_once[name]]
    assert thrown == [None, SAID[1].more[0], None, None, None]


@for_each(
    "name",
    [
        name
        for name in CASES
        if name.startswith(("default", "strimzi", "log4j", "ECS", "logstash", "compose", "syslog+", "quoted"))
    ],
)
def test_settings_are_read_out_of_a_dump(read_once, name):
    (dump,) = [record for record in read_once[name] if record.kind == "config_dump"]
    assert {(setting.name, setting.value) for setting in dump.settings} == {
        ("broker.id", "1"),
        ("min.insync.replicas", "2"),
    }


def test_a_zone_that_the_line_prints_is_applied_and_said(read_once):
    zoned = {name for name, records in read_once.items() if any(record.zone_known for record in records)}
    assert zoned == {"default-like", "strimzi-line", "spring", "csv", *JSON_LINES, "docker-json+json"}


def test_the_default_layout_cuts_level_logger_and_message():
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
    assert [(row.level, row.logger, row.message, row.raw_ts is None) for row in one("default", text)] == [
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
def test_lines_before_the_first_record_make_one_record_without_level(layout):
    text = "\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n" + text_of(FIRST_LINES["default"], SAID[:1])
    assert [(row.line_number, row.level, row.message) for row in one(layout, text)] == [
        (1, None, "\tat a.B.c(B.java:1)"),
        (3, "INFO", SAID[0].message),
    ]


@pytest.mark.parametrize("layout", ["default", "default|strimzi"])
def test_a_stamped_line_in_no_layout_of_its_file_is_a_record_of_its_own(layout):
    text = text_of(FIRST_LINES["default"], SAID[:1]) + "2026-11-21 05:34:42.100 #7 what is this\n\tmore of it\n"
    assert [(row.line_number, row.level, row.logger) for row in one(layout, text)] == [
        (1, "INFO", SAID[0].logger),
        (2, None, None),
    ]


def test_a_last_line_that_was_cut_stays_a_record():
    text = text_of(FIRST_LINES["default"], SAID[:1]) + "[2026-11-21 05:34:42,100] INFO [Partition ord"
    assert [(row.line_number, row.level, row.logger, row.message) for row in one("default", text)][1] == (
        2,
        "INFO",
        None,
        "[Partition ord",
    )


def test_two_records_on_one_line_are_distinguished():
    text = "[2026-11-21 05:34:42,100] INFO one (a.B)[2026-11-21 05:34:42,101] INFO two (a.B)\n[2026-11-21 05:34:42,102] INFO to[2026-11-21 05:34:42,103] INFO three (a.B)\n"
    assert [(row.event_id, row.logger, row.message) for row in one("joined+default", text)] == [
        ("f:1", "a.B", "one"),
        ("f:1.2", "a.B", "two"),
        ("f:2", None, "to"),
        ("f:2.2", "a.B", "three"),
    ]


def test_a_json_line_that_was_cut_is_a_record_without_level():
    text = JSON_LINES["ECS"](SAID[0]) + "\n" + JSON_LINES["ECS"](SAID[1])[:60] + "\n"
    assert [(row.line_number, row.level, row.message) for row in one("json", text)] == [
        (1, "INFO", SAID[0].message),
        (2, None, JSON_LINES["ECS"](SAID[1])[:60]),
    ]


def test_every_line_of_plain_text_is_a_record():
    assert [(row.line_number, row.message) for row in one("plain", "hello\n\n  \nworld\n")] == [
        (1, "hello"),
        (4, "world"),
    ]


def test_a_sites_own_layout_is_read():
    text = "21 Nov 2026 05:34:41,986|INFO|Log|said\n22 Dec 2026 05:34:41,986|WARN|Log|again\n"
    found = one("log4j:%d{DATE}|%p|%c{1}|%m%n", text)
    assert [(f"{row.raw_ts:%F %T.%f}", row.level, row.logger, row.message) for row in found] == [
        ("2026-11-21 05:34:41.986000", "INFO", "Log", "said"),
        ("2026-12-22 05:34:41.986000", "WARN", "Log", "again"),
    ]


def test_a_zone_given_by_the_pattern_is_applied():
    (row,) = one("log4j:%d{yyyy-MM-dd HH:mm:ss}{GMT+9} %p %m%n", "2026-11-21 05:34:41 INFO said\n")
    assert (f"{row.raw_ts:%F %T}", row.zone_known) == ("2026-11-20 20:34:41", True)


def test_parts_of_a_file_go_on_with_its_line_numbers():
    first, second = text_of(FIRST_LINES["default"], SAID[:1]), text_of(FIRST_LINES["default"], SAID[1:])
    pieces = ((1, first), (2, second))
    found = [r for at, text in pieces for r in records_of(text, source_file="f", layout="default", first_line=at)]
    assert [record.line_number for record in found] == [1, 2, 6, 7, 11]


def test_a_stamp_that_is_no_time_and_one_of_a_far_year_are_none():
    text = "".join(
        f"[{year}-11-21 05:34:41,986] INFO said (kafka.log.Log)\n" for year in ("0000", "0001", "2026", "9999")
    )
    assert [record.raw_ts and record.raw_ts.year for record in one("default", text)] == [None, None, 2026, None]
