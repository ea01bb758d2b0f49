"""Layouts as data: each header knows its own lines, wrappers peel, patterns of a site are read, a file's layout is found."""

from __future__ import annotations

import re

import pytest

from replay.errors import InputError
from replay.reading.layouts import HEADERS, Header, Layout, detect, layout_named
from replay.reading.wrappers import WRAPPERS
from tests.each import for_each
from tests.written import FIRST_LINES, JSON_LINES, SAID, WRAPPED, text_of, wrapped

TEXTS = [header for header in HEADERS if isinstance(header, Header)]


def read(header: Header, line: str) -> dict[str, str]:
    """What `header` reads of a line, by group."""
    return {name: value for name, value in (header.whole(line) or {}).items() if value}


@for_each("header", TEXTS, ids=lambda header: header.name)
def test_a_header_reads_its_example(header):
    told = read(header, header.example)
    assert told["level"] == "INFO"
    assert "message" in told and "INFO" not in told["message"]
    assert header.begins(header.example)


@for_each("header", HEADERS, ids=lambda header: header.name)
def test_an_example_fits_its_own_header_first(header):
    first = next(h for h in HEADERS if h.fits(header.example) and (h.majority == header.majority))
    assert first is header


@for_each("wrapper", WRAPPERS, ids=lambda wrapper: wrapper.name)
def test_a_wrapper_peels_its_example(wrapper):
    assert wrapper.peeled(wrapper.example) == wrapper.inside


def test_wrappers_show_who_printed_a_line():
    named = {wrapper.name: wrapper.label(wrapper.example) for wrapper in WRAPPERS if wrapper.has_label}
    assert named == {
        "compose": "kafka-1",
        "kubectl": "my-cluster-kafka-1",
        "stern": "my-cluster-kafka-1",
        "json-lines": "kafka-1",
        "syslog": "kafka-1",
        "syslog-5424": "kafka-1",
        "grep": "node-1/server.log",
    }


@for_each("name", FIRST_LINES)
def test_the_layout_of_a_text_is_found(name):
    found = detect(text_of(FIRST_LINES[name]).splitlines())
    assert found is not None and found.name == name


@for_each("name", JSON_LINES)
def test_json_is_found_whoever_names_its_members(name):
    found = detect(text_of(lambda r: JSON_LINES[name](r)).splitlines())
    assert found is not None and found.name == "json"


@for_each("name", WRAPPED)
def test_what_is_wrapped_around_a_log_is_found(name):
    found = detect(wrapped(text_of(FIRST_LINES["default"]), WRAPPED[name]).splitlines())
    assert found is not None and found.name == f"{name}+default"


def test_wrappers_in_wrappers_are_found():
    text = wrapped(wrapped(text_of(FIRST_LINES["strimzi"]), WRAPPED["docker-stamps"]), WRAPPED["compose"])
    found = detect(text.splitlines())
    assert found is not None and found.name == "compose+docker-stamps+strimzi"


def test_two_layouts_in_one_file_are_both_found():
    found = detect((text_of(FIRST_LINES["default"]) + text_of(FIRST_LINES["quarkus"])).splitlines())
    assert found is not None and found.name == "default|quarkus"


def test_no_layout_is_found_in_what_is_no_log():
    assert detect(["Attaching to broker", "", "hello", "\tat kafka.Kafka.main(Kafka.scala)"]) is None


@pytest.mark.parametrize(
    "name", ["default", "compose+docker-stamps+default|zookeeper", "json", "plain", "kubectl+log4j:%d | %p+%m (%c)%n"]
)
def test_a_layout_is_made_again_from_its_name(name):
    assert layout_named(name).name == name


def test_an_unknown_layout_has_no_name():
    with pytest.raises(KeyError):
        layout_named("cuneiform")


@for_each(
    ("pattern", "line", "stamp"),
    [
        ("[%d] %p %m (%c)%n", "[2026-11-21 05:34:41,986] INFO said (kafka.log.Log)", "2026-11-21 05:34:41.986"),
        (
            "%d{ISO8601} %-5p %m (%c) [%t]%n",
            "2026-11-21T05:34:41,986 INFO  said (kafka.log.Log) [main]",
            "2026-11-21 05:34:41.986",
        ),
        (
            "%date{yyyy-MM-dd HH:mm:ss.SSS, UTC} %highlight(%-5level) [%thread] %logger{36} - %msg%n",
            "2026-11-21 05:34:41.986 INFO  [main] kafka.log.Log - said",
            "2026-11-21 05:34:41.986",
        ),
        (
            "%d{dd/MM/yyyy HH:mm:ss.SSS} | %level | %c{1}:%L | %m%n",
            "21/11/2026 05:34:41.986 | INFO | Log:17 | said",
            "2026-11-21 05:34:41.986",
        ),
        ("%d{DATE} %p %c - %m%n", "21 Nov 2026 05:34:41,986 INFO kafka.log.Log - said", "2026-11-21 05:34:41.986"),
        ("%d{yyMMdd'T'HHmmss} %p %c - %m%n", "261121T053441 INFO kafka.log.Log - said", "2026-11-21 05:34:41"),
        (
            "%highlight{%d{yyyy-MM-dd HH:mm:ss} %p}{INFO=green} %style{%c}{cyan}: %enc{%m}{CRLF}%n%throwable",
            "2026-11-21 05:34:41 INFO kafka.log.Log: said",
            "2026-11-21 05:34:41.",
        ),
        ("%p|%t|%d{UNIX_MILLIS}|%c|%X{user}|%m%n", "INFO|main|1795239281986|kafka.log.Log||said", "1795239281986"),
        ("%d{HH:mm:ss,SSS} %p %c - %m%n", "05:34:41,986 INFO kafka.log.Log - said", ""),
        ("%d{HH:mm:ss,SSS HH,SSS} %p %c - %m%n", "05:34:41,986 05,986 INFO kafka.log.Log - said", ""),
    ],
)
def test_a_pattern_of_a_site_is_read(pattern, line, stamp):
    (header,) = Layout.from_log4j_pattern(pattern).headers
    told = read(header, line)
    assert (told["level"], told["logger"].rsplit(".")[-1], told["message"]) == ("INFO", "Log", "said")
    filled = header.stamp
    for name in re.findall(r"\{(\w+)\}", header.stamp):
        filled = filled.replace("{" + name + "}", told.get(name, ""))
    assert filled == stamp


def test_the_zone_of_a_stamp_is_the_lines_or_the_patterns():
    assert Layout.from_log4j_pattern("%d %p %m%n").headers[0].zone == "{zone}"
    assert Layout.from_log4j_pattern("%d{yyyy-MM-dd HH:mm:ss}{UTC} %p %m%n").headers[0].zone == "UTC"
    assert (
        read(Layout.from_log4j_pattern("%d %p %m%n").headers[0], "2026-11-21 05:34:41,986+0900 INFO said")["zone"]
        == "+0900"
    )


@for_each(
    ("pattern", "why"),
    [
        ("%d %p%n", "it prints no message (%m)"),
        ("%d %p %Q %m%n", "what '%Q' prints is not known"),
        ("%d{hh:mm a} %m%n", "the date format 'hh:mm a' has 'hh', which cannot be read"),
        ("%d{yyyy %m%n", "'{' is not closed"),
        (f"%d{{HH:mm:ss.{'S' * 10}}} %m%n", "has 'SSSSSSSSSS', which cannot be read"),
        ("%(" * 2_000 + "%m" + ")" * 2_000, "cannot be read (maximum recursion depth exceeded"),
    ],
)
def test_a_pattern_that_cannot_be_read_says_why(pattern, why):
    with pytest.raises(InputError, match=re.escape(why)):
        Layout.from_log4j_pattern(pattern)


def test_a_thread_before_the_message_is_distinguished_from_kafkas_own_prefixes():
    prefixed = [FIRST_LINES["default"](record) for record in SAID] + [
        "[2026-11-21 05:34:45,001] INFO [raft-expiration-reaper]: Starting (kafka.raft.Reaper)"
    ]
    found = detect(prefixed)
    assert found is not None and found.name == "default"
