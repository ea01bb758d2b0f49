"""Every expression that meets the text of a log needs time in proportion to its length."""

import re
import time

import pytest

from replay.catalogue import TEMPLATES
from replay.closing.absolutes import ABSOLUTES
from replay.knowledge.code_tables import rows_of
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.knowledge.meanings import MEANINGS
from replay.patterns import bounded
from replay.reading.layouts import HEADERS, Header, detect
from tests import backtracking
from tests.backtracking import UNDECIDED, offence
from tests.each import for_each
from tests.regexes import all_regexes, unknown_regexes


@for_each(
    ("regex", "text"),
    [
        (r"\d+ ms", "0"),
        (r"(?<!\d)\d+ ms", None),
        (r"foo.*bar", "foo"),
        (r"^foo.*bar", None),
        (r"^(.*?) a (.*?) b$", " a "),
        (r"^(?>(.*?) a )(.*?) b$", None),
        (r"^(\w+\s?)*$", "0"),
        (r"^(?:\w++\s?)*$", None),
        (r"^\[([^\]]*)\] x (\d+)", None),
        (r"\s+$", "\t"),
    ],
)
def test_the_search_for_ambiguous_loops_finds_them(regex, text):
    found = offence(regex, searches=True)
    assert found is None if text is None else found is not None and text in found


def test_an_expression_with_too_many_states_is_no_linear_one(monkeypatch):
    monkeypatch.setattr(backtracking, "_MOST_STATES", 2)
    assert offence(r"^(?:ab|cd)*(?:ba|dc)*x", searches=False) == UNDECIDED


def test_every_template_is_linear():
    regexes = {template.pattern.regex: template.id for template in TEMPLATES}
    assert {
        id_: text for regex, id_ in regexes.items() if (text := offence("^" + regex, searches=False)) is not None
    } == {}


def _searched():
    meanings = {text for one in MEANINGS for text in (one.wording, one.exception) if text}
    claims = {text for row in rows_of("claims") for text in (row.text, row.says)}
    return sorted(meanings | claims | {sign.regex for issue in KNOWN_ISSUES for sign in issue.signature})


def test_every_meaning_and_issue_is_bounded():
    found = {regex: text for regex in _searched() if (text := offence(bounded(regex), searches=True)) is not None}
    assert found == {}


def test_every_absolute_word_is_linear():
    assert {one.name: offence(one.words, re.IGNORECASE, searches=True) for one in ABSOLUTES} == {
        one.name: None for one in ABSOLUTES
    }


def test_every_other_expression_is_linear():
    regexes = all_regexes()
    assert len(regexes) > 700
    assert {
        f"{one.file}: {one.regex}": text
        for one in regexes
        if (text := offence(one.regex, one.flags, searches=one.searches)) is not None
    } == {}


def test_no_expression_is_made_where_it_cannot_be_checked():
    assert unknown_regexes() == []


@for_each("header", [header for header in HEADERS if isinstance(header, Header)], ids=lambda header: header.name)
@for_each("text", ["[2026-11-21 05:34:44,123] INFO{}x", "[main] INFO{}x", "│{}x"])
def test_a_layout_needs_little_time_for_a_long_line(header, text):
    line = text.format(" " * 100_000)
    begun = time.process_time()
    header.whole(line)
    header.cut(line)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("text", ["[2026-11-21 05:34:44,123] INFO{}x", "│{}x", "{}"])
def test_the_layout_of_one_long_line_is_found_at_once(text):
    begun = time.process_time()
    detect([text.format(" " * 1_000_000), text.format("a" * 1_000_000)])
    assert time.process_time() - begun < 5
