"""Messages in which nothing has to be looked for, found all at once: never one with a secret."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replay.catalogue import TEMPLATES
from replay.reading.plain_messages import are_plain
from replay.reading.records import records_of
from replay.reading.secrets import MASK, SIGNS, hidden_text
from replay.reading.set_aside import IMPOSSIBLE_NUMBER
from tests.each import for_each

PLAIN = "Shrinking ISR from 1,2 to 1. Leader: (highWatermark: 4711, endOffset: 4720)."


def among_many(message: str) -> bool:
    """What is said of a message among two hundred plain ones."""
    *before, found, after = are_plain([PLAIN] * 200 + [message, PLAIN])
    assert all(before)
    assert after
    return found


def test_a_message_without_any_sign_is_plain():
    assert among_many(PLAIN)
    assert among_many("Truncating to 1234567890123456789 has no effect")


def test_of_few_messages_nothing_is_said():
    assert are_plain([PLAIN] * 5) == [False] * 5
    assert are_plain([]) == []


@for_each(
    "message",
    [
        "Set PASSWORD to hunter2",
        "to\u212aen = abcdef",  # the sign of Kelvin, whose lower case is k
        "pass\u200bword=abcdef",
        "p\x1b[1massword=abcdef",
        "%70assword=abcdef",
        "&#112;assword=abcdef",
        "\\u0070assword=abcdef",
        "offset 12345678901234567890 is out of range",
        "half of a pair: \ud800",
    ],
)
def test_what_may_hide_something_is_not_plain(message):
    *_, found, _ = are_plain([PLAIN] * 200 + [message, PLAIN])
    assert not found


def test_no_sign_of_a_secret_is_plain_in_any_case():
    for sign in SIGNS:
        assert not among_many(f"a {sign.upper()} b")
        assert not among_many(f"a {sign} b")


def test_a_plain_message_is_as_it_is_read_alone():
    examples = [template.example for template in TEMPLATES]
    for message, is_plain in zip(examples, are_plain(examples), strict=True):
        if is_plain:
            assert hidden_text(message) == message
            assert IMPOSSIBLE_NUMBER.search(message) is None
    assert sum(are_plain(examples)) > len(examples) / 3


@given(st.lists(st.text(st.characters(max_codepoint=0x250)), min_size=100, max_size=110))
def test_random_texts_that_are_plain_hide_nothing(messages):
    for message, is_plain in zip(messages, are_plain(messages), strict=True):
        if is_plain:
            assert hidden_text(message) == message
            assert IMPOSSIBLE_NUMBER.search(message) is None


def test_secrets_among_many_records_are_hidden_as_in_one():
    lines = [f"[2026-11-21 05:37:{n % 60:02d},000] INFO {PLAIN} (kafka.cluster.Partition)" for n in range(5_000)]
    lines[3_210] = "[2026-11-21 05:37:30,000] INFO ssl.keystore.password = hunter2 (kafka.server.KafkaConfig)"
    read = list(records_of("\n".join(lines) + "\n", source_file="node-1/server.log", layout="default"))
    assert len(read) == 5_000
    assert [(record.line_number, record.secrets_hidden) for record in read if record.secrets_hidden] == [(3_211, 1)]
    assert MASK in read[3_210].message
    assert "hunter2" not in read[3_210].message
