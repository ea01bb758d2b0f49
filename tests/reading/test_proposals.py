"""A pattern for a file in no known layout is proposed from its lines; it is plain where the catalogue knows what they say."""

from __future__ import annotations

import pytest

from replay.reading.heads import head_of
from replay.reading.layouts import HEADERS, Header, Layout
from replay.reading.proposals import proposed
from tests.written import SAID, Said


def written(form: str) -> list[str]:
    lines = []
    for record in SAID:
        first, *_ = form.format(
            at=record.stamp(),
            level=record.level,
            logger=record.logger,
            thread=record.thread,
            message=record.message,
            day=record.at.strftime("%d/%m/%Y %H:%M:%S"),
        ).split("\n")
        lines += [first, *record.more]
    return lines


@pytest.mark.parametrize(
    "form, pattern",
    [
        ("{at}][{level}][category={logger}] {message}", "%d][%p][category=%c] %m%n"),
        ("<{level}> {at} <{thread}> <{logger}>: {message}", None),
        ("{level} | {day} | {logger} | {message}", "%p | %d{dd/MM/yyyy HH:mm:ss} | %c | %m%n"),
        ("[{level}] [{at}] [{thread}] {message} ({logger})", "[%p] [%d] [%t] %m (%c)%n"),
        ("{at} :: {logger} :: {level} :: {message}", "%d :: %c :: %p :: %m%n"),
    ],
)
def test_lines_of_another_layout_propose_its_pattern_and_are_read_by_it(form, pattern):
    lines = written(form)
    found = proposed(lines)
    assert found is not None and found.is_plain
    assert pattern is None or found.pattern == pattern
    layout = Layout.from_log4j_pattern(found.pattern)
    read = [head_of(layout, line) for line in lines if layout.begins(line)]
    assert [said.message.strip() for said in read] == [record.message.strip() for record in SAID]
    assert all(said.logger == record.logger for said, record in zip(read, SAID))


def test_text_without_levels_proposes_nothing_and_one_that_is_not_kafkas_is_only_proposed():
    assert proposed(["hello", "a day in May", "[2026-11-21 05:34:41,986] nothing"]) is None
    found = proposed([f"2026-11-21 05:34:4{n} ~ INFO ~ the {n} kettle boils" for n in range(5)])
    assert found is not None and not found.is_plain and found.pattern == "%d ~ %p ~ %m%n"


def test_the_known_headers_are_not_needed_to_find_them():
    """The pattern proposed for the example of a header with stamp and logger reads its message."""
    of = Said(SAID[0].at, "INFO", "kafka.controller.KafkaController", "t", "")
    assert of.level == "INFO"
    for header in (h for h in HEADERS if isinstance(h, Header) and h.name in ("category", "unbracketed", "class-dash")):
        found = proposed([header.example] * 3)
        assert found is not None and found.is_plain, header.name
