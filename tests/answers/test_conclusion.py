"""The sentence that a what-if ends with says no more than its rows."""

from __future__ import annotations

from pipelines.answers.conclusion import concluded


def row(effect: str, partition: int = 0, **more: object) -> dict[str, object]:
    return {
        "effect": effect, "topic": "orders", "partition": partition, "start_ts": "2026-11-21T05:38:34.000Z", "end_ts": "2026-11-21T05:39:13.500Z",
        "from_offset": None, "to_offset": None,
    } | more  # fmt: skip


def test_nothing_lost_is_said_only_if_every_range_is_kept():
    kept = row("range_kept", from_offset=10, to_offset=15)
    assert (
        concluded([kept, row("leaderless")], 1)
        == "nothing lost: 5 offsets kept; 1 partition without a leader for 39.5 s"
    )
    assert concluded([kept], 2) == "5 offsets kept"
    assert (
        concluded([kept, row("range_still_lost", from_offset=0, to_offset=2)], 2)
        == "5 offsets kept; 2 offsets still lost"
    )
    assert concluded([kept, row("range_partly_unknown")], 2) == (
        "5 offsets kept; whether 1 range of offsets would have been saved is unknown"
    )


def test_a_range_of_which_a_part_is_decided_is_counted_in_parts():
    refused, unclear = row("range_never_acknowledged"), row("range_partly_unknown")
    refused |= {"from_offset": 130, "to_offset": 150}
    assert concluded([refused, unclear | {"from_offset": 120, "to_offset": 130}], 1) == (
        "20 offsets refused to producers with acks=all instead of lost; whether 10 offsets would have been saved is unknown"
    )


def test_a_range_without_an_end_is_counted_as_a_range():
    assert concluded([row("range_kept", from_offset=10)], 1) == "nothing lost: 1 range of offsets kept"


def test_times_differ_or_do_not_end():
    six = [row("leaderless", n) for n in range(6)]
    assert concluded(six, 1) == "6 partitions without a leader for 39.5 s"
    assert concluded([*six, row("leaderless", 7, end_ts="2026-11-21T05:38:44.000Z")], 1).endswith("for up to 39.5 s")
    assert concluded([row("leaderless", end_ts=None)], 1).endswith("some to the end of these logs")
    assert concluded([row("writes_refused"), row("writes_refused", 1)], 0) == (
        "no committed offset was lost, and none would have been; writes with acks=all refused in 2 partitions, 79.0 partition-seconds in all"
    )


def test_shrinks_for_lag_and_nothing_at_all():
    assert concluded([row("shrink_avoided"), row("shrink_moved"), row("shrink_unknown")], 1) == (
        "1 of 3 ISR shrinks for lag avoided, 1 at another time and 1 unknown"
    )
    assert concluded([], 0) == "nothing would have been different, as far as these logs show"
