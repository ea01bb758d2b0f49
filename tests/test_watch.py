"""What changed between two looks, and a watch from its first line to its end."""

from __future__ import annotations

import pandas as pd
import pytest

from pipelines.answers.changes import Fault, Standing, Verdict, changes, standing
from viz.watched import unwatched, watched


def at(clock: str) -> pd.Timestamp:
    return pd.Timestamp(f"2026-11-21 {clock}")


def crash(broker: int, began: str = "07:32:19", ended: str | None = None, **other) -> Fault:
    told = {
        "code": "F01",
        "brokers": (broker,),
        "began": at(began),
        "ended": at(ended) if ended else None,
        "lasts": ended is None,
        "severity": "high",
        "wording": "killed",
        "title": f"Broker {broker} crashed or was killed",
        "finding_id": f"F01-{broker}-{began}",
    }
    return Fault(**{**told, **other})


def orders(*partitions: int) -> frozenset[tuple[str, int]]:
    return frozenset(("orders", number) for number in partitions)


def lost(*verdicts: Verdict | None) -> dict[tuple[str, int, int | None, str], Verdict]:
    """A verdict on each partition of orders, of leader epoch 4."""
    return {
        ("orders", number, 4, "committed"): verdict for number, verdict in enumerate(verdicts) if verdict is not None
    }


FIRST, GONE = Verdict("POSSIBLE_LOSS", 0, 120), Verdict("PROVEN_LOSS", 100, 100)
KEPT = Verdict("NO_LOSS_OBSERVED", 0, 0)


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (Standing(), Standing(), []),
        (Standing([crash(1)]), Standing([crash(1)]), []),
        (Standing(), Standing([crash(1)]), ["fault: New: Broker 1 crashed or was killed (high)"]),
        (
            Standing(),
            Standing([crash(1, ended="07:33:54")]),
            ["fault: New: Broker 1 crashed or was killed (high); over at 07:33:54"],
        ),
        (
            Standing([crash(1)]),
            Standing([crash(1, ended="07:33:54")]),
            ["fault_over: Over: Broker 1 crashed or was killed"],
        ),
        (Standing([crash(1)]), Standing(), ["fault_withdrawn: No longer held: Broker 1 crashed or was killed"]),
        # A better known clock moves a begin; another crash of the same broker is another fault.
        (Standing([crash(1)]), Standing([crash(1, "07:32:18.5", finding_id="other")]), []),
        (
            Standing([crash(1)]),
            Standing([crash(1), crash(1, "08:00")]),
            ["fault: New: Broker 1 crashed or was killed (high)"],
        ),
        # What it was taken for.
        (
            Standing([crash(1, code="F04", wording="silent", title="Broker 1 fell silent", finding_id="x")]),
            Standing([crash(1, "07:32:20")]),
            ["verdict: Broker 1 fell silent: now broker 1 crashed or was killed"],
        ),
        (
            Standing([crash(1)]),
            Standing([crash(1, wording="oom", title="Broker 1 was killed for want of memory")]),
            ["verdict: Broker 1 crashed or was killed: now broker 1 was killed for want of memory"],
        ),
        (
            Standing([crash(1)]),
            Standing([crash(1, severity="critical")]),
            ["verdict: Broker 1 crashed or was killed: was high, is critical"],
        ),
        (Standing(), Standing(short=orders(0, 1)), ["isr_short: ISR not full: 2 partitions (orders-0, orders-1)"]),
        (
            Standing(short=orders(0, 1)),
            Standing(full=orders(0, 1, 2)),
            ["isr_full: ISR full again: 2 partitions (orders-0, orders-1), everywhere"],
        ),
        (
            Standing(short=orders(0, 1)),
            Standing(full=orders(0), short=orders(1)),
            ["isr_full: ISR full again: 1 partition (orders-0); not yet: 1 partition"],
        ),
        # Without a leader there is no ISR: that it was short is no longer told, and not that it is full.
        (Standing(short=orders(0)), Standing(), []),
        (
            Standing(),
            Standing(losses=lost(FIRST, GONE, KEPT)),
            [
                "loss: Records possibly lost: 0 to 120 offsets, 1 partition (orders-0)",
                "loss: Records proven lost: 100 offsets, 1 partition (orders-1)",
            ],
        ),
        (
            Standing(losses=lost(FIRST, FIRST, FIRST, FIRST)),
            Standing(losses=lost(GONE, GONE, KEPT)),
            [
                "verdict: Records possibly lost: now no question any more, by what is known since, 1 partition (orders-3)",
                "verdict: Records possibly lost: now no loss observed, 1 partition (orders-2)",
                "verdict: Records possibly lost: now proven lost (200 offsets), 2 partitions (orders-0, orders-1)",
            ],
        ),
        (
            Standing(losses=lost(KEPT)),
            Standing(losses=lost(Verdict("UNDETERMINED"))),
            ["verdict: Records no loss observed: now unknown whether lost (an unknown number of offsets), 1 partition (orders-0)"],
        ),
    ],
)  # fmt: skip
def test_what_changed_is_told_a_line_each(before, now, told):
    assert [f"{change.kind}: {change.told}" for change in changes(before, now)] == told


def test_a_change_is_json_with_its_time_and_whom_it_concerns():
    (change,) = changes(Standing([crash(1)]), Standing([crash(1, ended="07:33:54")]))
    assert change.as_json() == {
        "kind": "fault_over",
        "told": "Over: Broker 1 crashed or was killed",
        "ts": "2026-11-21T07:33:54Z",
        "severity": "high",
        "code": "F01",
        "finding_id": "F01-1-07:32:19",
        "broker_ids": [1],
        "partitions": [],
    }


def test_how_things_stand_is_told_by_the_last_isr_and_the_roots_alone():
    findings = pd.DataFrame(
        [
            ("F01", (1,), at("07:32:19"), at("07:32:19"), None, "high", "killed", "Broker 1 crashed", "a", "root_cause"),
            ("F16", (2,), at("07:33"), None, None, "high", "unclean", "Unclean election", "b", "contributing"),
            ("F08", (3,), at("07:33"), None, None, "low", "failover", "Controller failover", "c", "effect"),
        ],
        columns=["code", "broker_ids", "start_ts", "began_high", "ended_high", "severity", "reason", "title", "finding_id", "role"],
    )  # fmt: skip
    spans = pd.DataFrame(
        [
            ("orders", 0, (1, 2, 3), (1, 2, 3), at("07:32")),
            ("orders", 0, (2, 3), (1, 2, 3), pd.NaT),
            ("orders", 1, (1, 2, 3), (1, 2, 3), pd.NaT),
            ("orders", 2, (1,), None, pd.NaT),
        ],
        columns=["topic", "partition", "isr", "replicas", "end_ts"],
    )
    losses = pd.DataFrame(
        [
            ("orders", 0, 4, "committed", "POSSIBLE_LOSS", 100, 100, 160),
            ("orders", 0, 4, "committed", "PROVEN_LOSS", 200, 240, 240),
            ("orders", 1, 4, "committed", "UNDETERMINED", 7, None, None),
        ],
        columns=["topic", "partition", "leader_epoch", "loss_class", "verdict", "from_offset", "to_offset_low", "to_offset_high"],
    )  # fmt: skip
    stands = standing({"findings": findings, "isr_spans": spans, "losses": losses})
    assert [(fault.title, fault.lasts) for fault in stands.faults] == [
        ("Broker 1 crashed", True),
        ("Unclean election", False),
    ]
    assert (stands.short, stands.full) == (orders(0), orders(1))
    assert stands.losses == lost(Verdict("PROVEN_LOSS", 40, 100), Verdict("UNDETERMINED"))


def test_the_strip_of_a_page_is_replaced_and_taken_off():
    page = "<html>\n<body>\n<p>What happened</p>\n</body>\n"
    first = watched(page, at("07:32").tz_localize("UTC").to_pydatetime(), 60)
    assert 'data-every="60"' in first and "2026-11-21 07:32:00 UTC" in first
    second = watched(first, at("07:33").tz_localize("UTC").to_pydatetime(), 60)
    assert "07:33:00 UTC" in second and "07:32:00" not in second
    assert unwatched(second) == unwatched(page) == page
