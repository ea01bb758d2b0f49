"""Packs: what the loader refuses, and that no answer depends on the order of entries and files."""

from __future__ import annotations

import random
import re

import pytest

from replay.errors import InputError
from replay.knowledge.known_issues import KNOWN_ISSUES, issue_of
from replay.knowledge.matching_issues import matches
from replay.knowledge.pack import EntryError, entries_of, in_precedence, line_of, located, own_entries
from replay.knowledge.pack_files import names_of_packs, text_of_pack
from replay.knowledge.text_lines import lines_of

MOST_LINES = 1_000  # of a pack that comes with the package


def test_a_pack_is_short_enough_to_read_and_says_what_it_holds():
    for name in names_of_packs():
        text = text_of_pack(name)
        assert text.startswith("# ") and text.count("\n") <= MOST_LINES, name
    keys = [entry.key for entry in own_entries("")]
    assert len(keys) == len(set(keys)) > 250


BUG = """# A pack.

[KAFKA-1]
title = "A broker stops"
lines = [{ text = 'It (?:stops|ends)', logger = "Broker" }]
roles = "broker; both modes"
releases = ["2.8", "3.9.0 to 4.1", "up to 0.9", "since 4.1"]
effect = "It ends."
heals = "restart"
next = "Start it."
source = "Broker.scala"
confidence = "sure"
example = '''
INFO It stops
'''
"""


def _refusal(text: str) -> str:
    try:
        for entry in entries_of(text, "own.toml"):
            try:
                issue_of(entry)
            except EntryError as error:
                raise located(error, entry, text) from None
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("changed", "into", "refusal"),
    [
        ('"sure"', '"maybe"', "own.toml, line 12: [KAFKA-1] confidence: 'maybe' is none of sure, likely"),
        ("heals", "heels", "own.toml, line 9: [KAFKA-1] heels: unknown field; the fields are title, lines, "),
        ('roles = "broker; both modes"\n', "", "own.toml, line 3: [KAFKA-1]: the field roles is missing"),
        ('"2.8"', '"99"', "own.toml, line 7: [KAFKA-1] releases: Kafka has no release 99"),
        ('"2.8"', '"2.8 or 3"', "own.toml, line 7: [KAFKA-1] releases: '2.8 or 3': write 3.9.0, 3.9.0 to 4.1"),
        ("logger", "loger", "own.toml, line 5: [KAFKA-1] lines.loger: unknown field"),
        ("text =", "logger2 =", "own.toml, line 5: [KAFKA-1] lines.logger2: unknown field"),
        ('"It ends."', '""', "own.toml, line 8: [KAFKA-1] effect: the text is empty; leave the field out"),
        ('"It ends."', "7", "own.toml, line 8: [KAFKA-1] effect: a text is expected, not 7"),
        ("lines = [", "lines = 7 # [", "own.toml, line 5: [KAFKA-1] lines: a list is expected"),
        ("[KAFKA-1]", "KAFKA = 1", "own.toml, line 3: KAFKA: stands in no entry"),
        ("[KAFKA-1]", "[KAFKA-1", "own.toml, line 3: not TOML: "),
        ("[KAFKA-1]", '["a b"]', "own.toml, line 3: [a b]: a key has letters, digits, dots and hyphens"),
    ],
)
def test_an_error_names_the_file_the_line_and_the_field(changed, into, refusal):
    assert _refusal(BUG) == ""
    assert _refusal(BUG.replace(changed, into, 1)).startswith(refusal)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("a = " + "[" * 5_000, "nested too deeply"),
        ("x" * 1_000_001, "at most 1,000,000 characters"),
        ("\n" * 20_001, "at most 1,000,000 characters and 20,000 lines"),
        ("".join(f"[a{n}]\n" for n in range(2_001)), "2,001 entries; a pack has at most 2,000"),
        (f"[aa]\nsays = '{'x' * 20_001}'", "own.toml, line 2: [aa] says: 20,001 characters"),
        ("[aa]\nsays = [[[[[[1]]]]]]", "own.toml, line 2: [aa] says: nested deeper than 5 levels"),
    ],
)
def test_a_pack_has_limits(text, refusal):
    assert refusal in _refusal(text)


def test_the_line_of_a_field_is_not_one_inside_a_text():
    text = "[aa]\nexample = '''\nsays = no\n[bb]\n'''\non.text = 'x'\nsays = 'yes'\n[bb]\nsays = 'no'\n"
    assert [line_of(text, "aa", "says"), line_of(text, "aa", "on.text"), line_of(text, "bb", "says")] == [7, 6, 9]
    assert line_of(text, "aa", "missing") == 1


def test_keys_stand_before_those_that_they_name():
    assert in_precedence(["a", "b", "c"], {"c": ["a"], "x": ["a"]}) == ["b", "c", "a"]
    assert in_precedence(["a", "b"], {"b": ["gone", "b"]}) == ["a", "b"]
    with pytest.raises(EntryError, match="a, b stand before each other"):
        in_precedence(["a", "b", "c"], {"a": ["b"], "b": ["a"]})


def test_the_issue_that_describes_a_line_does_not_depend_on_the_order_of_packs(monkeypatch):
    """Every pair of issues that one example shows has an order of its own."""
    before = {entry.key: entry.fields.get("before", ()) for entry in own_entries("known-bugs-")}
    issues = {issue.key: issue for issue in KNOWN_ISSUES}
    assert set().union(*before.values()) <= issues.keys()
    shuffled = random.Random(1).sample([*issues], len(issues))
    place = {key: number for number, key in enumerate(in_precedence(shuffled, before))}
    for issue in KNOWN_ISSUES:
        stamped = re.sub(r"(?m)^(?=(?:DEBUG|INFO|WARN|ERROR|FATAL) )", "[2026-11-26 07:00:00,000] ", issue.example)
        for line in lines_of(stamped, "server.log"):
            shown = [one.issue.key for one in matches([line]) if one.is_reported_as_bug or not one.issue.is_bug]
            assert not shown or min(shown, key=place.__getitem__) == shown[0], shown
