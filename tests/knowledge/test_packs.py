"""Packs: what the loader refuses, and that no answer depends on the order of entries and files."""

from __future__ import annotations

import re

import pytest

from replay.errors import InputError
from replay.knowledge import closed
from replay.knowledge.code_tables import table_of
from replay.knowledge.correlations import correlation_of
from replay.knowledge.known_issues import KNOWN_ISSUES, check_issue
from replay.knowledge.matching_issues import matches
from replay.knowledge.meaning import places_in
from replay.knowledge.meanings import MEANINGS, check_meaning, meaning_of
from replay.knowledge.pack import EntryError, in_precedence, line_of, located, own_entries, own_packs, pack_of, sort_of
from replay.knowledge.pack_checks import ADDED, TEXTS, check_places
from replay.knowledge.pack_files import names_of_packs, text_of_pack
from replay.reading.texts import lines_of
from tests.each import for_each

MOST_LINES = 1_000  # of a pack that comes with the package
# Values that an entry of Kafka Replay itself may name although no pattern has them, among them those of lines of the host.
VALUES = ADDED | set(
    "Follower Java_of act address advertised alone_is beside api_name client client_of_streams clients cloud callers collection compare connect_next container container_is controller_id deleted device dir docker epoch error event event_name exception fenced follower frame from from_end from_ts gap get_more greeting group heap_says host how inner its_setting itself key killer known_up lacks leader_start_offset library limit limits link listens local local_next log_end_offset loopback may_be_log_end missing name needed_java new_leader no_broker of_a_node of_signal offset on_cluster origin other other_end own_name owner pause_ms peer_next pid place pod_is position presented probe process purpose reaction reason refusal removed_are renew resident resource result resumed running_java said says_of_another seconds signal speaks stall stood system task thread_effect thread_is thread_of_streams tls tls_next to told unheard unit up_for victim waiting waits what_to_do which".split()
)


def test_a_pack_is_short_enough_to_read_and_says_what_it_holds():
    for name in names_of_packs():
        text = text_of_pack(name)
        assert text.startswith("# ") and text.count("\n") <= MOST_LINES, name
    keys = [(sort_of(entry), entry.key) for entry in own_entries()]  # a bug can be what a meaning describes
    assert len(keys) == len(set(keys)) > 1_400


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
        for entry in pack_of(text, "own.toml").entries:
            try:
                check_issue(entry)
            except EntryError as error:
                raise located(error, entry, text) from None
    except InputError as error:
        return str(error)
    return ""


@for_each(
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


@for_each(
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


def _stamped(example: str) -> str:
    return re.sub(r"(?m)^(?=(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) )", "[2026-11-26 07:00:00,000] ", example)


ENTRIES = [*own_entries()]
BEFORE = {
    is_bug: {
        one.key: one.fields.get("before", ()) for one in ENTRIES if sort_of(one) == ("bug" if is_bug else "meaning")
    }
    for is_bug in (False, True)
}


def test_what_a_pack_names_exists():
    keys, packs = {entry.key for entry in ENTRIES}, {pack.name for pack in own_packs()}
    for pack in own_packs():
        assert {*pack.before} <= packs, pack.name
    for entry in ENTRIES:
        for field in ("before", "follows", "refines"):
            assert {*entry.fields.get(field, ())} <= keys - {entry.key}, (entry.key, field)
        if sort_of(entry) not in ("meaning", "bug"):
            continue
        assert {one["means"] for one in entry.fields.get("not", ())} <= keys, entry.key
        is_of_words = {"reason", "remark"} & entry.fields.get("on", {}).keys()
        known = ("worded",) if is_of_words else ("recorded", "quoted", "unseen")
        assert entry.fields.get("seen", "") in known, entry.key
        assert ("seen_in" in entry.fields) is (entry.fields.get("seen") in ("recorded", "quoted")), entry.key


CHECKS = {"meaning": check_meaning, "bug": check_issue, "table": table_of, "correlation": correlation_of}


def test_each_pack_is_as_strict_a_reader_reads_it():
    """The packs of the package are loaded without these checks, to explain a line sooner."""
    for name in names_of_packs():
        for entry in pack_of(text_of_pack(name), name).entries:
            CHECKS[sort_of(entry)](entry)


def test_each_text_of_a_pack_has_its_values():
    """A place in a sentence is a group of the entry's pattern, a field of its template, or a value that the reader adds."""
    for entry in ENTRIES:
        if sort_of(entry) == "meaning":
            check_places(entry, meaning_of(entry), VALUES)
    used = {name for entry in ENTRIES for field in TEXTS for name in places_in(str(entry.fields.get(field, "")))}
    assert used >= VALUES - ADDED


def test_closed_lists_are_used_and_rendered_once():
    meanings = [entry.fields for entry in ENTRIES if sort_of(entry) == "meaning"]
    owners = {name for one in meanings for name in ([one["owner"]] if isinstance(one["owner"], str) else one["owner"])}
    assert owners == closed.OWNERS.keys()
    assert {one["data"] for one in meanings if "data" in one} == closed.DATA.keys()
    assert {one["heals"] for one in meanings if "heals" in one} == closed.HEALS.keys()
    for one in meanings:
        assert one.get("data_says") not in closed.DATA.values() and one.get("owner_says") not in closed.OWNERS.values()
        own_words = "data_says" in one
        assert own_words or one.get("data") not in ("at risk", "described"), one["says"]


def _precedence(*, of_bugs: bool) -> dict[str, int]:
    """The place of each entry if packs and entries stand in reverse, and only `before` orders them."""
    before = BEFORE[of_bugs]
    return {key: number for number, key in enumerate(in_precedence([*reversed(before)], before))}


def test_the_issue_that_describes_a_line_does_not_depend_on_the_order_of_packs():
    """Every pair of issues that one example shows has an order of its own."""
    place = _precedence(of_bugs=True)
    for issue in KNOWN_ISSUES:
        for line in lines_of(_stamped(issue.example), "server.log"):
            shown = [one.issue.key for one in matches([line]) if one.is_reported_as_bug or not one.issue.is_bug]
            assert not shown or min(shown, key=place.__getitem__) == shown[0], shown


@pytest.mark.parametrize("by", ["wording", "exception"])
def test_the_meaning_of_an_example_does_not_depend_on_the_order_of_packs(by):
    """Every pair of entries that take one example, or one counter-example, has an order of its own."""
    patterns = [(one, getattr(one, f"{by}_regex")) for one in MEANINGS if getattr(one, by)]
    texts = {text for one in MEANINGS for text in (one.example, *one.not_examples) if text}
    texts |= {line.text for text in texts for line in lines_of(_stamped(text), "server.log")}
    place, several = _precedence(of_bugs=False), 0
    for text in texts:
        for is_fallback in (False, True):
            shown = [one.key for one, regex in patterns if one.is_fallback is is_fallback and regex.search(text)]
            several += len(shown) > 1
            assert not shown or min(shown, key=place.__getitem__) == shown[0], (text, shown)
    assert several > 30


def test_no_template_has_two_meanings():
    for of in ("kinds", "ids"):
        owners: dict[str, str] = {}
        for one in MEANINGS:
            for name in getattr(one, of):
                assert owners.setdefault(name, one.key) == one.key, name


def test_each_entry_of_a_pack_is_as_its_file_says():
    """The engine reads each field of an entry: none is left out."""
    by_key = {one.key: one for one in MEANINGS}
    for entry in ENTRIES:
        if sort_of(entry) != "meaning":
            continue
        one, fields, on = by_key[entry.key], entry.fields, entry.fields.get("on", {})
        assert (one.wording, one.exception, one.kinds, one.ids) == (
            on.get("text", ""),
            on.get("exception", ""),
            tuple(on.get("kinds", ())),
            tuple(on.get("ids", ())),
        )
        flags = (one.is_quiet, one.of_a_login, one.of_clients, one.is_fallback)
        assert flags == tuple(on.get(name, False) for name in ("quiet", "login", "clients_only", "fallback")), entry.key
        for name in ("says", "effect", "next", "never", "weight", "seen_in", "example", "source", "releases"):
            assert getattr(one, name) == fields.get(name, ""), (entry.key, name)
        for name in ("alone", "is_general", "reason_before"):
            assert getattr(one, name) is fields.get(name, False), (entry.key, name)
        for name in ("follows", "explained_by", "refines"):
            assert getattr(one, name) == tuple(fields.get(name, ())), (entry.key, name)
        assert one.cause_at == fields.get("cause_at", "named") and one.seen == fields["seen"], entry.key
        assert one.not_examples == {other["line"]: other["means"] for other in fields.get("not", ())}, entry.key
        assert one.whose and bool(one.data) is ("data" in fields) and bool(one.heals) is ("heals" in fields), entry.key


HEALS = [
    ({"heals": "yes"}, "yes"),
    ({"heals": "yes", "heals_how": "once a broker answers"}, "yes, once a broker answers"),
    ({"heals": "no", "heals_how": "restart the task"}, "no: restart the task"),
    ({"heals": "depends"}, "depends on the cause"),
    ({"heals": "depends", "heals_how": "if the reason passes"}, "if the reason passes"),
    ({}, ""),
]


def test_closed_values_become_sentences():
    assert [closed.heals_of(fields) for fields, _ in HEALS] == [text for _, text in HEALS]
    assert closed.owner_of({"owner": ["brokers", "network"]}) == "the brokers, or the network"
    assert closed.owner_of({"owner": "brokers", "owner_says": "both brokers"}) == "both brokers"
    assert closed.data_of({"data": "untouched"}) == "Stored data is not affected."
    assert closed.data_of(
        {"data": "at risk", "data_says": "Some may be lost."}
    ) == "Some may be lost." and not closed.data_of({})
