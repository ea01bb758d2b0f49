"""What the lines of all nodes show about the states of partitions, against a look at every line."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED
from replay.weighing.file_order import _shared_spans
from replay.weighing.states import CHANGES, FEW_LINES, STATES, States, rows_about

BEGIN = datetime(2026, 11, 21, 5, tzinfo=UTC)
lines = st.lists(
    st.fixed_dictionaries(
        {
            "second": st.integers(0, 30),
            "kind": st.sampled_from(
                ["leader_start", "follower_start", "isr_shrink", "isr_updated", "log_created", "log_rolled"]
            ),
            "node_id": st.integers(1, 2),
            "topic": st.sampled_from(["a", "b"]),
            "partition": st.integers(0, 2),
            "leader_epoch": st.sampled_from([None, 1, 2, 3]),
            "isr": st.sampled_from([None, [], [1], [1, 2], [2, 3]]),
        }
    ),
    max_size=40,
)


def events_of(some: list[dict]) -> pa.Table:
    rows = [
        {key: value for key, value in line.items() if key != "second"}
        | {"ts": BEGIN + timedelta(seconds=line["second"])}
        for line in some
    ]
    return pa.Table.from_pylist(rows, arrow_schema(PRINTED.schema))


def micros(second: int) -> int:
    return int((BEGIN + timedelta(seconds=second)).timestamp()) * 1_000_000


@given(lines, st.integers(1, 5))
def test_sums_of_batches_say_what_every_line_says(some, size):
    some = [line | {"event_id": f"f:{number:03d}"} for number, line in enumerate(some)]
    parts = [some[at : at + size] for at in range(0, len(some), size)]
    states = States()
    for part in parts:
        states.add(events_of(part))
    own = [line | {"at": micros(line["second"])} for line in some if line["kind"] in STATES]
    names = Counter((line["topic"], line["partition"]) for line in own)
    assert states.rarely_named == {key for key, count in names.items() if count <= FEW_LINES}
    assert {(*key, epoch) for *key, epoch, _, _ in states.odd_epochs} == odd(own)
    for since, until, brokers in ((5, 10, [1]), (0, 30, [3]), (12, 12, [1, 2])):
        shown = [line for line in own if since <= line["second"] <= until]
        changes = any(line["kind"] in CHANGES or (line["isr"] and not {*line["isr"]} & {*brokers}) for line in shown)
        assert states.change_within(micros(since), micros(until), brokers) == changes
    first = [
        (line["at"], line["event_id"])
        for line in own
        if line["kind"] == "leader_start" and line["node_id"] == 1 and {2} <= {*(line["isr"] or ())}
        if (line["topic"], line["partition"]) != ("a", 0) and line["second"] < 20
    ]
    assert states.first_lead(1, {2}, ("a", 0), micros(20)) == (min(first)[1] if first else None)
    found = rows_about(lambda: map(events_of, parts), {"a"}, {("b", 1)})
    assert {*found} == {key for key in names if key[0] == "a" or key == ("b", 1)}
    assert all(len(rows) == names[key] for key, rows in found.items())


def odd(own: list[dict]) -> set[tuple]:
    """The leader epochs that one line names, before the first line of a lower one."""
    epochs: dict = defaultdict(list)
    for line in own:
        if line["leader_epoch"] is not None:
            epochs[line["topic"], line["partition"], line["leader_epoch"]].append(line["at"])
    return {
        key
        for key, times in epochs.items()
        if len(times) == 1
        and any(other[:2] == key[:2] and other[2] < key[2] and min(at) > times[0] for other, at in epochs.items())
    }


def test_spans_share_the_times_that_lie_in_several_of_them():
    assert _shared_spans([(0, 9), (9, 20), (20, 30)]) == [(9, 9), (20, 20)]
    assert _shared_spans([(0, 30), (5, 8), (7, 12), (40, 50)]) == [(5, 12)]
    assert _shared_spans([(0, 3), (5, 8)]) == []
