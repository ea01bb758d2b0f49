"""The six operators that say which lines mean something together, each with a small input; and the entries of the packs."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from replay.knowledge import correlations
from replay.knowledge.choosing import Read
from replay.knowledge.correlations import correlated_by, correlation_of, entries
from replay.knowledge.meaning import WEIGHTS, Meaning
from replay.knowledge.pack import Entry, EntryError
from replay.reading.printed_line import Line
from tests.doubling import grows_too_fast
from tests.each import for_each

BEGAN = datetime(2025, 3, 1, 10, tzinfo=UTC)
FENCED = Meaning("fenced", "Broker {broker} was fenced.", "that broker")


def at(seconds: float, text: str, *, file: str = "a.log", row: int = 0, **values: str) -> Read:
    """A line of a file, so many seconds after the first; by default its row is its second."""
    wording = FENCED if text == "out" else None
    line = Line(file, row or int(seconds) + 1, BEGAN + timedelta(seconds=seconds), "INFO", None, text)
    return Read(line, wording, None, {"me": "controller 1", **values})


def entry(**fields: object):
    """An entry; every condition matches the whole text of a line, which is its name unless the condition has a text."""
    lines = {
        name: {"text": f"^{name}$", **condition}
        for name, condition in fields.pop("lines").items()  # type: ignore[attr-defined]
    }
    return correlation_of(
        Entry(
            "test.toml",
            "one",
            {**fields, "lines": lines} if "of" in fields else {"says": "It was.", "lines": lines, **fields},
        )
    )


def shown(read: list[Read], one) -> list[str]:
    """The texts of the lines of each message."""
    return [" ".join(line.line.message for line in story.lines) for story in correlated_by([one], read).stories]


def test_same_compares_fields_also_of_two_names_and_with_a_list():
    one = entry(lines={"out": {}, "back": {"same": ["broker"]}})
    assert shown([at(0, "out", broker="1"), at(1, "back", broker="2")], one) == []
    assert shown([at(0, "out", broker="1"), at(1, "back", broker="1")], one) == ["out back"]
    listed = entry(lines={"out": {}, "back": {"same": ["brokers=broker"]}})
    assert shown([at(0, "out", broker="1"), at(1, "back", brokers="3, 1")], listed) == ["out back"]
    assert shown([at(0, "out", broker="1"), at(1, "back", brokers="3, 11")], listed) == []


def test_after_and_before_are_an_order_by_time_and_without_times_by_row():
    one = entry(lines={"out": {}, "back": {"after": "out"}})
    assert shown([at(5, "out"), at(1, "back")], one) == []
    assert shown([at(1, "back"), at(5, "out"), at(6, "back")], one) == ["out back"]
    before = entry(lines={"out": {}, "back": {"before": "out"}})
    assert shown([at(1, "back"), at(5, "out")], before) == ["back out"]


def test_within_is_a_limit_in_seconds():
    one = entry(lines={"out": {}, "back": {"after": "out", "within": 10}})
    assert shown([at(0, "out"), at(10, "back")], one) == ["out back"]
    assert shown([at(0, "out"), at(11, "back")], one) == []


def test_absent_refutes():
    one = entry(lines={"out": {}, "back": {"absent": True, "same": ["broker"], "after": "out"}})
    assert shown([at(0, "out", broker="1"), at(1, "back", broker="2")], one) == ["out"]
    assert shown([at(0, "out", broker="1"), at(1, "back", broker="1")], one) == []


def test_count_is_a_number_of_lines_or_of_different_values():
    one = entry(by=["file"], lines={"out": {"count": 2}})
    assert shown([at(0, "out"), at(1, "out")], one) == ["out out"]
    assert shown([at(0, "out"), at(1, "out", file="b.log")], one) == []
    values = entry(by=["file"], lines={"out": {"count": 2, "of": "broker"}})
    assert shown([at(0, "out", broker="1"), at(1, "out", broker="1")], values) == []
    assert shown([at(0, "out", broker="1"), at(1, "out", broker="2")], values) == ["out out"]


def test_last_takes_the_values_of_the_last_line():
    texts = {
        last: correlated_by(
            [
                entry(
                    by=["file"],
                    says="Broker {broker}, {out_count} times, at {out_times}.",
                    lines={"out": {"last": last}},
                )
            ],
            [at(0, "out", broker="1"), at(60, "out", broker="2")],
        )
        .stories[0]
        .values
        for last in (False, True)
    }
    assert texts[False]["broker"] == "1" and texts[True]["broker"] == "2"
    assert texts[True]["out_count"] == "2" and texts[True]["out_times"] == "10:00:00 and 10:01:00"


def test_a_line_of_one_message_begins_no_other_and_a_kept_line_may():
    first = entry(lines={"out": {}, "back": {"after": "out"}})
    assert [*map(len, map(str.split, shown([at(0, "out"), at(1, "out"), at(2, "back")], first)))] == [2]
    kept = entry(lines={"out": {}, "back": {"after": "out", "kept": True}})
    assert shown([at(0, "out"), at(1, "out"), at(2, "back")], kept) == ["out", "out"]


def test_an_entry_changes_or_drops_the_meaning_of_lines_unless_a_finding_explains_them():
    lighter = entry(weight="harmless", heals="yes: at {back_time}", of=["out"], lines={"out": {}, "back": {}})
    read = [at(0, "out", broker="1"), at(1, "back")]
    (changed, _) = correlated_by([lighter], read).read
    assert changed.wording is not None and changed.wording.weight == "harmless"
    assert changed.wording.heals == "yes: at 10:00:01" and changed.wording.says == FENCED.says
    assert correlated_by([lighter], read, lambda _: True).read == read
    dropped = entry(drops=True, of=["out"], lines={"out": {}, "back": {}})
    assert [one.line.message for one in correlated_by([dropped], read).read] == ["back"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"lines": {"out": {"text": "out", "wihtin": 3}}}, "lines.out.wihtin"),
        ({"lines": {"out": {"text": "out"}}, "of": ["back"]}, "of"),
        ({"lines": {"out": {"text": 3}}}, "lines.out.text"),
        ({"says": "A text"}, ""),
    ],
)
def test_a_wrong_field_is_named(fields, field):
    with pytest.raises(EntryError) as error:
        correlation_of(Entry("test.toml", "one", fields))
    assert error.value.field == field


def test_each_entry_has_what_it_needs():
    assert len({one.key for one in entries()}) == len(entries()) > 90
    for one in entries():
        does = one.meaning is not None or one.together or one.drops or one.changes
        assert does, f"{one.key} states nothing"
        assert one.case or one.of or one.together or one.meaning is not None, one.key
        named = {name for condition in one.lines.values() for name in (condition.after, condition.before) if name}
        assert named <= one.lines.keys(), f"{one.key} compares with a line that it does not name"
        assert not next(iter(one.lines.values())).absent, f"{one.key} begins with an absent line"
        weight = one.meaning.weight if one.meaning is not None else one.changes.get("weight", "trouble")
        assert weight in WEIGHTS, one.key
        for name, condition in one.lines.items():
            re.compile(condition.text)
            selects = condition.kinds or condition.means or condition.causes or condition.text
            assert selects or condition.has or condition.same or condition.weights, f"{one.key}: {name} is any line"


def test_each_placeholder_is_a_value_of_a_line_that_the_entry_names():
    """`{back_time}` needs a line `back`; other placeholders are values of the first line."""
    for one in entries():
        for place in one.places:
            member = next((name for name in one.lines if place.startswith(f"{name}_")), None)
            text = next(iter(one.lines.values())).text
            is_member = place in one.lines and one.lines[place].says
            assert member or is_member or f"<{place}>" in text or place.islower() or place in ("Follower", "Me"), (
                one.key,
                place,
            )


@pytest.mark.parametrize("seed", range(40))
def test_lines_found_by_their_time_are_those_that_a_comparison_with_every_line_finds(seed, monkeypatch):
    chance = random.Random(seed)
    for _ in range(12):
        order = chance.choice([{}, {"after": "out"}, {"before": "out"}])
        back = {**order, "within": chance.choice([1, 3, 10]), "count": chance.choice([1, 2]), **chance.choice([{}, {"same": ["broker"]}, {"absent": True}, {"kept": True}, {"optional": True}])}  # fmt: skip
        more = chance.choice([{}, {"end": {"after": "back", "within": 5}}, {"end": {"absent": True, "within": 4, "after": "back"}}])  # fmt: skip
        one = entry(by=chance.choice([[], ["broker"]]), lines={"out": {}, "back": back, **more})
        lines = [at(chance.randrange(40), chance.choice(["out", "back", "end"]), row=row + 1, broker=chance.choice("12")) for row in range(40)]  # fmt: skip
        lines = [replace(read, line=replace(read.line, ts=None)) if chance.random() < 0.05 else read for read in lines]
        fast = shown(lines, one)
        with monkeypatch.context() as slow:
            slow.setattr(correlations._InTime, "near", lambda self, _, __, ___, is_taken=lambda _: False: (one for one in self if not is_taken(one)))  # fmt: skip
            slow.setattr(correlations._InTime, "having", lambda self, *_: [self])
            assert shown(lines, one) == fast


@for_each("fields", [{}, {"absent": True, "same": ["broker"]}, {"count": 3, "last": True}])
@for_each("apart", [0, 1, 20])
def test_an_entry_needs_time_in_proportion_to_the_lines(fields, apart):
    one = entry(lines={"out": {}, "back": {"after": "out", "within": 30, **fields}})

    def lines(n: int) -> list[Read]:
        return [at(k * apart, ("out", "back")[k % 2], row=k + 1, broker=str(k)) for k in range(n)]

    assert not grows_too_fast(lambda read: correlated_by([one], read), lines, 100)
