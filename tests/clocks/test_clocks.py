"""Zones, skew and steps of the nodes' clocks, and the stamps corrected by them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.incident import clock_stages
from replay.clocks.constraints import Bound, solved
from replay.clocks.correction import Correction
from replay.clocks.message_keys import keys_by_node
from replay.clocks.node_clocks import IN_ORDER
from replay.clocks.offsets import clock_offsets, clock_windows
from replay.clocks.ordered_pairs import bounds_of_key, merged_bounds
from replay.clocks.stamps import GivenZones
from replay.clocks.steps import clock_steps
from replay.clocks.zones import zone_named
from replay.errors import InputError
from replay.facts.times import EPOCH, millis
from replay.tables.clocks import (
    CLOCK_STEPS,
    CLOCK_WINDOWS,
    STAMPED_LINES,
    ClockBound,
    ClockWindow,
    KeyedStamp,
    NodeClock,
)
from replay.tables.reading import PRINTED
from tests.recordings import records_read
from tests.stages import made_in_driver
from tests.tables import rows, same_rows


def bound(a: str, b: str, delay: float, at: float = 0.0, pairs: int = 1, sure: bool = True) -> Bound:
    """Clock a stamped a message `at`, clock b what it did with it `delay` later, by its own stamps."""
    return Bound(a, b, (delay,), pairs, sure, at, at + delay, f"{a}@{at}", f"{b}@{at}")


def both(a: str, b: str, ahead: float, at: float = 0.0, slack: float = 10) -> list[Bound]:
    """Clock b is `ahead` of clock a, and a message each way took `slack`."""
    return [bound(a, b, ahead + slack, at), bound(b, a, slack - ahead, at + ahead)]


# The network of clocks, on numbers alone.


def test_no_bounds_no_clocks():
    assert solved([]).clocks == {}


def test_bounds_from_both_sides_and_through_a_third_clock():
    found = solved([*both("n1.0", "n2.0", 3_700), *both("n1.0", "n3.0", 0), bound("n3.0", "n2.0", 3_705)])
    assert (found.reference, found.clocks["n2.0"].low, found.clocks["n2.0"].high) == ("n1.0", 3_690, 3_710)
    through = solved([*both("n1.0", "n2.0", 3_700), *both("n2.0", "n3.0", -3_700), *both("n1.0", "n4.0", 0)])
    assert (through.clocks["n3.0"].low, through.clocks["n3.0"].high) == (-20, 20)


def test_the_reference_is_the_clock_that_most_agree_with():
    """Not the one with most pairs: the controller's own clock may be the wrong one."""
    found = solved(
        [*both("n1.0", "n2.0", -40_000), *both("n1.0", "n3.0", -40_000), *both("n1.0", "n3.0", -40_000, at=5)]
    )
    assert found.reference in ("n2.0", "n3.0")
    assert found.clocks["n1.0"].low == pytest.approx(40_000, abs=20)
    assert found.clocks["n3.0"].low <= 0 <= found.clocks["n3.0"].high


def test_of_clocks_that_agree_the_metadata_log_is_the_reference():
    assert solved([*both("n1.0", "n2.0", 0), *both("n1.0", "r1", 0), *both("n2.0", "r1", 0)]).reference == "r1"


def test_one_side_only_is_one_bound_only():
    clock = solved([*both("n1.0", "n2.0", 0), bound("n1.0", "n3.0", 5)]).clocks["n3.0"]
    assert (clock.low, clock.high) == (None, 5)


def test_a_few_pairs_whose_keys_may_come_again_need_an_answer():
    unsure = solved([*both("n1.0", "n2.0", 0), bound("n1.0", "n3.0", -50_000, sure=False)])
    assert "n3.0" not in unsure.clocks or unsure.clocks["n3.0"].high is None


def test_one_wrong_pair_among_many_changes_nothing():
    right = [*both("n1.0", "n2.0", 0), *(bound("n1.0", "n2.0", 12, at=10_000.0 * n) for n in range(5))]
    wrong = solved([*right, bound("n1.0", "n2.0", -30_000, at=70_000)])
    assert (wrong.clocks["n2.0"].low, wrong.clocks["n2.0"].high) == (-10, 12)  # of many, the second tightest


def test_pairs_that_were_counted_show_no_clock_that_was_set():
    """A line of the controller is missing: the numbers of all later requests are one too low."""
    nodes = ("n1.0", "n2.0", "n3.0")
    right = [one for at in (0, 1_000) for a, b in combinations(nodes, 2) for one in both(a, b, 0, at)]
    late = [bound("n2.0", other, -1_280, at=at, pairs=5) for other in ("n1.0", "n3.0") for at in (60_000, 61_000)]
    counted = [replace(one, counted=True) for one in late]
    assert [len(solved([*right, *pairs]).sets) for pairs in (late, counted)] == [1, 0]


def test_contradicting_clocks_that_no_third_decides_are_left_unknown():
    found = solved([b for at in range(4) for b in both("n1.0", "n2.0", 0 if at < 2 else 20_000, at=100_000.0 * at)])
    assert found.sets == () and all(c.low in (None, 0) for c in found.clocks.values())


def test_zones_are_distinguished_from_skew_by_the_milliseconds_in_the_lines():
    hours = 9 * 3_600_000
    found = solved(
        [
            *both("n1.0", "n2.0", 3_700),
            *both("n1.0", "n3.0", 0),
            bound("e1", "n1.0", hours + 2),
            bound("e2", "n2.0", hours + 3),
            bound("e3", "n3.0", hours),
        ]
    )
    assert {c.zone_ms for c in found.clocks.values()} == {hours}
    assert found.clocks["n2.0"].low == 3_690


def test_a_zone_that_a_node_does_not_print_follows_from_the_others():
    found = solved(
        [
            *both("n1.0", "n2.0", 7_200_000 + 40_000),
            *both("n1.0", "n3.0", 0),
            bound("e1", "n1.0", 3_600_001),
            bound("e3", "n3.0", 3_600_001),
        ]
    )
    assert (found.clocks["n2.0"].zone_ms, found.clocks["n2.0"].zone_from) == (10_800_000, "others")
    assert found.clocks["n2.0"].low == 39_990


def test_no_zone_printed_is_utc_and_said_to_be_assumed():
    assert {(c.zone_ms, c.zone_from) for c in solved(both("n1.0", "n2.0", 0)).clocks.values()} == {(0, "assumed")}


def messages(ahead: dict[str, float], since: dict[str, float] | None = None) -> list[Bound]:
    """Every 10 seconds each clock sends each other a message of 5 ms; `ahead` is how far a clock is, from `since` on."""

    def stamp(clock: str, true: float) -> float:
        return true + (ahead.get(clock, 0) if true >= (since or {}).get(clock, 0) else 0)

    return [
        bound(a, b, stamp(b, second * 1_000 + 5) - stamp(a, second * 1_000), at=stamp(a, second * 1_000))
        for second in range(0, 300, 10)
        for a, b in permutations(("n1.0", "n2.0", "n3.0"), 2)
    ]


@pytest.mark.parametrize("step", [5_000, -5_000])
def test_a_clock_set_between_its_lines_is_found_by_its_peers(step):
    found = solved(messages({"n2.0": step}, {"n2.0": 153_000}))
    (at,) = found.sets
    assert (at.clock, at.before <= 153_000 <= at.after or step < 0) == ("n2.0", True)
    assert found.clocks["n2.0"].low <= 0 <= found.clocks["n2.0"].high
    assert found.clocks[at.then].low <= step <= found.clocks[at.then].high
    assert found.clocks["n3.0"].low <= 0 <= found.clocks["n3.0"].high


def clock_bounds(bounds: list[Bound]) -> list[ClockBound]:
    return [
        ClockBound(
            same=False,
            counted=b.counted,
            a=b.a,
            b=b.b,
            span=0,
            tightest=list(b.tightest),
            pairs=1,
            sure=True,
            fraction=1,
            delay=int(b.tightest[0]),
            a_wall=int(b.a_at),
            b_wall=int(b.b_at),
            a_event=b.a_event,
            b_event=b.b_event,
        )
        for b in bounds
    ]


def test_a_clock_that_was_set_is_corrected_by_its_only_bound():
    """Since the clock of node 2 was set, no message to node 2 shows how far ahead it is at most."""
    heard = [b for b in messages({"n2.0": 90_000}, {"n2.0": 153_000}) if b.b != "n2.0" or b.b_at < 150_000]
    windows = clock_windows([NodeClock(node, "n", 0, None, [], []) for node in (1, 2, 3)], clock_bounds(heard))
    before, after = [window for window in windows if window.node_id == 2]
    assert (before.correction_ms, after.offset_low_ms, after.offset_high_ms) == (0, 89_995, None)
    assert after.correction_ms == 89_995
    [step] = clock_steps(windows)
    assert (step.step_ms, step.offset_low_ms, step.offset_high_ms) == (89_995, 89_995, None)
    assert (step.off_at_last_ms, step.right_ts) == (89_995, None)


def test_a_clock_that_was_set_back_is_right_again():
    of_node = {"node_id": 2, "clock": "lines", "evidence": []}
    windows = [
        ClockWindow(**of_node, window=0, start_ts=EPOCH, correction_ms=0.0),
        ClockWindow(**of_node, window=1, start_ts=EPOCH + timedelta(seconds=10), correction_ms=9e4, step_ms=9e4),
        ClockWindow(**of_node, window=2, start_ts=EPOCH + timedelta(seconds=20), correction_ms=40.0, step_ms=-9e4),
    ]
    there, back = clock_steps(windows)
    assert (there.off_at_last_ms, there.right_ts) == (None, EPOCH + timedelta(seconds=20))
    assert (back.off_at_last_ms, back.right_ts) == (None, None)


@pytest.mark.parametrize(
    ("pauses", "last", "first"),
    [
        ([(151_000, 244_800)], 151_000, 244_800),
        ([(151_000, 244_800), (246_000, 248_500)], 151_000, 244_800),  # the other is too short for 90 s
        ([(60_000, 152_000)], 150_000, 250_000),  # long before
        ([], 150_000, 250_000),
        ([(151_000, 153_000)], 150_000, 250_000),  # the files do not show it
    ],
)
def test_a_clock_was_set_forward_in_the_one_pause_of_its_lines_that_can_hold_the_step(pauses, last, first):
    """Peers only show that the clock of node 2 was set after 150 s and before 250 s of its stamps, 160 s of true time."""
    heard = clock_bounds(messages({"n2.0": 90_000}, {"n2.0": 153_000}))
    shown = [{"before": one, "after": then, "evidence": [f"at{one}", f"at{then}"]} for one, then in pauses]
    nodes = [NodeClock(node, "n", 0, None, [], shown if node == 2 else []) for node in (1, 2, 3)]
    [step] = clock_steps(clock_windows(nodes, heard))
    assert step.offset_low_ms <= 90_000 <= step.offset_high_ms <= 90_050
    assert abs(millis(step.last_ts, EPOCH) - last) <= 10
    assert abs(millis(step.ts, EPOCH) - (first - 90_000)) <= 10
    assert (step.evidence == [f"at{last}", f"at{first}"]) == ((last, first) in pauses)


def test_a_clock_set_forward_that_says_little_more_is_found_by_two_peers():
    """After it one message only reaches each of them, as much too early; one peer alone, or a little too early, proves nothing."""
    calm = [b for b in messages({}) if b.a != "n2.0"]
    early = [
        bound("n2.0", "n1.0", -39_200, at=340_000),
        bound("n2.0", "n3.0", -39_200, at=340_000),
        bound("n1.0", "n2.0", 40_600, at=301_000),
    ]
    found = solved([*calm, *early])
    (at,) = found.sets
    assert (at.clock, at.before < 340_000 <= at.after) == ("n2.0", True)
    assert (found.clocks[at.then].low, found.clocks[at.then].high) == (
        pytest.approx(39_200, abs=10),
        pytest.approx(40_600, abs=10),
    )
    assert solved([*calm, early[0], early[2]]).sets == ()
    assert (
        solved([*calm, bound("n2.0", "n1.0", -5_000, at=310_000), bound("n2.0", "n3.0", -5_000, at=310_000)]).sets == ()
    )
    assert solved([*calm, *(bound("n2.0", n, -39_200, at=340_000, sure=False) for n in ("n1.0", "n3.0"))]).sets == ()


@settings(max_examples=60)
@given(
    offsets=st.lists(st.integers(-60_000, 60_000), min_size=2, max_size=5),
    delays=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 400), st.integers(0, 100_000)),
        min_size=1,
        max_size=60,
    ),
)
def test_the_truth_is_always_inside_the_bounds_and_they_are_the_tightest(offsets, delays):
    bounds = [
        bound(f"n{a}.0", f"n{b}.0", delay + offsets[b] - offsets[a], at=at + offsets[a])
        for a, b, delay, at in delays
        if a != b and a < len(offsets) and b < len(offsets)
    ]
    found = solved(bounds)
    if found.reference is None:
        return
    reference = offsets[int(found.reference[1])]
    assert found.sets == ()
    for name, clock in found.clocks.items():
        true = offsets[int(name[1])] - reference - clock.zone_ms
        assert clock.low is None or clock.low <= true + 1e-6
        assert clock.high is None or clock.high >= true - 1e-6
    slow = _relaxed(
        {(b.a, b.b): min(x.tightest[0] for x in bounds if (x.a, x.b) == (b.a, b.b)) for b in bounds}, found.reference
    )
    few = all(sum(1 for x in bounds if (x.a, x.b) == (b.a, b.b)) < 4 for b in bounds)
    if few:
        assert {
            name: clock.high for name, clock in found.clocks.items() if clock.zone_ms == 0 and clock.high is not None
        } == {
            name: pytest.approx(slow[name])
            for name, clock in found.clocks.items()
            if clock.zone_ms == 0 and name in slow
        }


def _relaxed(edges: dict[tuple[str, str], float], start: str) -> dict[str, float]:
    """Bellman and Ford, as the textbook has it."""
    best = {start: 0.0}
    for _ in edges:
        for (a, b), delay in edges.items():
            if a in best and best[a] + delay < best.get(b, float("inf")):
                best[b] = best[a] + delay
    return best


# What the lines tell.


def events(text: str) -> list:
    """Records of a text: at level INFO, in a file server.log of their node."""
    bound = []
    for number, record in enumerate(rows(PRINTED, text), 1):
        line = record.line_number or number
        file = f"node-{record.node_id}/{record.source_file or 'server.log'}"
        bound.append(
            record.but(
                raw_ts=record.raw_ts or record.ts,
                level=record.level or "INFO",
                message=record.message or "",
                source_file=file,
                line_number=line,
                event_id=f"{file}:{line}",
            )
        )
    return bound


def without_level(records: list, *kinds: str) -> list:
    """The records, those of `kinds` without a level: lines of a witness file."""
    return [record.but(level=None) if record.kind in kinds else record for record in records]


def test_what_a_line_leaves_out_its_node_said_before():
    """The request for an ISR is older than the line that says it is written; a role taken in between ends it."""
    lines = rows(
        STAMPED_LINES,
        """
        kind         | base | turn | node_id | topic  | partition | partition_epoch | wall | event_id
        isr_shrink   | n    | 0    | 2       | orders | 0         |                 | 1000 | e1
        isr_updated  | n    | 0    | 2       | orders | 0         | 4               | 1040 | e2
        isr_shrink   | n    | 0    | 2       | orders | 0         |                 | 2000 | e3
        leader_start | n    | 0    | 2       | orders | 0         | 5               | 2010 | e4
        isr_updated  | n    | 1    | 2       | orders | 0         | 6               | 2040 | e5 """,
    )
    asked = [bound[1:] for bound in keys_by_node(lines) if bound[0] in ("isr_asked", "isr_written")]
    assert asked == [
        (True, "orders:0:4", "n2.0", 1000, "e1"),
        (False, "orders:0:4", "n2.0", 1040, "e2"),
        (False, "orders:0:6", "n2.1", 2040, "e5"),
    ]


def request_keys(text: str) -> dict[str, int]:
    """The keys of the requests that a node sent or handled, and the stamp of each."""
    return {key: wall for rule, _, key, _, wall, _ in keys_by_node(rows(STAMPED_LINES, text)) if rule == "request_sent"}


@pytest.mark.parametrize(
    ("first", "between", "counted"),
    [
        (
            "controller_elected",
            "other",
            ["1:3:1:0:UpdateMetadata:0", "1:3:2:1:LeaderAndIsr:17", "1:3:2:2:UpdateMetadata:17"],
        ),
        # A failed request is sent again with another correlation id.
        ("controller_elected", "controller_send_failed_retry", ["1:3:1:0:UpdateMetadata:0", "1:3:2:1:LeaderAndIsr:17"]),
        ("other", "other", []),  # without the election nobody knows how many requests there were before
        ("other", "controller_broker_change", ["1:3:2:0:UpdateMetadata:17"]),
    ],
)
def test_a_controller_counts_its_requests_to_each_broker(first, between, counted):
    sent = request_keys(f"""
        kind                                    | base | turn | node_id | controller_id | controller_epoch | wall | event_id | details               | message
        {first}                                 | n    | 0    | 1       | 1             | 3                | 1000 | e1       |                       |
        controller_send_update_metadata_summary | n    | 0    | 1       | 1             | 3                | 1010 | e2       | broker_ids=HashSet(1) | for 0 partitions
        controller_send_update_metadata_summary | n    | 0    | 1       | 1             | 3                | 1015 | e3       | broker_ids=Set(2)     | for 0 partitions
        controller_send_leader_and_isr_summary  | n    | 0    | 1       | 1             | 3                | 1020 | e4       | broker=2              | with 7 become-leader and 10 become-follower partitions
        {between}                               | n    | 0    | 1       | 1             | 3                | 1025 | e5       | new_brokers=2;broker_node=h:9 (id: 2 rack: null) |
        controller_send_update_metadata_summary | n    | 0    | 1       | 1             | 3                | 1030 | e6       | broker_ids=Set(2)     | for 17 partitions """)
    assert [key for key in sent if not key.endswith("2:0:UpdateMetadata:0")] == counted


def test_a_broker_prints_the_controller_epoch_of_a_request_with_the_next_one():
    handled = request_keys("""
        kind                           | base | turn | node_id | controller_id | controller_epoch | wall | event_id | details          | message
        broker_leader_and_isr_request  | n    | 0    | 2       | 1             |                  | 1000 | e1       | correlation_id=1 | for 17 partitions
        broker_metadata_update_summary | n    | 0    | 2       | 1             | 3                | 1040 | e2       | correlation_id=2 | Add 16 partitions and deleted 1 partitions
        broker_leader_and_isr_request  | n    | 0    | 2       | 1             |                  | 2000 | e3       | correlation_id=1 | for 17 partitions
        broker_metadata_update_summary | n    | 0    | 2       | 1             | 7                | 2040 | e4       | correlation_id=5 | Add 1 partitions and deleted 0 partitions """)
    assert handled == {
        "1:3:2:2:UpdateMetadata:17": 1040,
        "1:3:2:1:LeaderAndIsr:17": 1000,
        "1:7:2:5:UpdateMetadata:1": 2040,
    }


def test_bounds_on_both_sides_of_a_step_stay_apart():
    """A clock that was set 90 s forward within a minute keeps the bounds of both sides."""
    [before, after] = clock_bounds([bound("n1.0", "n2.0", 9, at=1_000), bound("n1.0", "n2.0", 90_042, at=20_000)])
    assert [one.tightest for one in merged_bounds([before, after])] == [[9.0], [90_042.0]]
    alike = clock_bounds([bound("n1.0", "n2.0", 9, at=1_000), bound("n1.0", "n2.0", -3, at=20_000)])
    assert [one.tightest for one in merged_bounds(alike)] == [[-3.0, 9.0]]


def offsets(lines: list, zone: str | None = None, by_node: dict[int, str] | None = None) -> list:
    """The windows of the nodes' clocks (`CLOCK_WINDOWS`)."""
    zones = GivenZones(
        None if zone is None else zone_named(zone), {node: zone_named(name) for node, name in (by_node or {}).items()}
    )
    return made_in_driver(clock_stages("printed"), printed=lines, zones=zones, disorder=IN_ORDER)["clock_windows"]


def steps_of(lines: list, *zones) -> list:
    return clock_steps(offsets(lines, *zones))


def lines_of(windows: list) -> list:
    return [window for window in windows if window.clock == "lines"]


def corrected(lines: list, windows: list) -> list:
    correction = Correction(windows)
    return [line.but(ts=correction.ts(line)) for line in lines]


def test_no_lines_no_clocks():
    assert offsets([]) == []


@pytest.mark.parametrize("printed", ["2147483647", "4102444800000", "1714457600000"])
def test_a_time_that_no_zone_explains_shows_no_zone(printed):
    found = offsets(
        events(f"""
        ts       | kind                | node_id | details
        10:00:00 | process_start_time  | 1       | start_time_ms={printed}
        """)
    )
    assert [(row.zone, row.zone_from) for row in lines_of(found)] == [("UTC", "assumed")]


def test_a_leader_and_its_controller_bound_each_other():
    """Node 2 is 4 s behind: it hears of the ISR before it was written, and asks for a session before it starts."""
    found = offsets(
        events("""
        ts           | kind                        | node_id | topic  | partition | partition_epoch | message                    | details
        10:00:00     | process_start_time          | 1       |        |           |                 |                            | start_time_ms=1714557600000
        10:00:00     | process_start_time          | 2       |        |           |                 |                            | start_time_ms=1714557600000
        10:00:00     | process_start_time          | 3       |        |           |                 |                            | start_time_ms=1714557600000
        10:00:10.000 | alter_partition_isr_updated | 1       | orders | 0         | 4               |                            |
        10:00:06.010 | isr_updated                 | 2       | orders | 0         | 4               |                            |
        10:00:20.000 | zk_znode_created            | 1       |        |           |                 | Creating /brokers/ids/1    | path=/brokers/ids/1
        10:00:20.030 | zk_znode_stat               | 1       |        |           |                 |                            | path=/brokers/ids/1;stat=60,60,1714557620020,0
        10:00:26.000 | zk_znode_created            | 2       |        |           |                 | Creating /brokers/ids/2    | path=/brokers/ids/2
        10:00:26.040 | zk_znode_stat               | 2       |        |           |                 |                            | path=/brokers/ids/2;stat=61,61,1714557630020,0
        10:00:30.000 | zk_znode_created            | 3       |        |           |                 | Creating /brokers/ids/3    | path=/brokers/ids/3
        10:00:30.040 | zk_znode_stat               | 3       |        |           |                 |                            | path=/brokers/ids/3;stat=62,62,1714557630020,0
        """)
    )
    same_rows(
        lines_of(found),
        CLOCK_WINDOWS,
        """
        node_id | start_ts     | end_ts | zone | zone_from | offset_low_ms | offset_high_ms | correction_ms | reference_node_id | window | step_ms
        1       | 10:00:00     |        | UTC  | printed   | 0             | 0              | 0             | 1                 | 0      |
        2       | 10:00:04.010500 |     | UTC  | printed   | -4032         | -3989          | -4010.5       | 1                 | 0      |
        3       | 10:00:00     |        | UTC  | printed   | -32           | 42             | 0             | 1                 | 0      |
        """,
    )
    assert len(clock_offsets(found)) == 3


def test_a_broker_registers_after_it_knows_its_controller_and_before_it_is_reported_so():
    found = offsets(
        events("""
        ts           | kind                    | node_id | broker_id | broker_epoch | message                                                 | details
        10:00:00.000 | raft_transition         | 1       |           |              |                                                         | new_state=Leader(localId=1, epoch=7)
        10:00:00.010 | broker_incarnation      | 2       | 2         |              |                                                         | incarnation_id=I2
        10:00:05.500 | controller_recorded     | 2       | 2         |              | [broker-2-to-controller-heartbeat-channel-manager]: ... |
        10:00:05.520 | kraft_broker_registered | 1       |           |              | RegisterBrokerRecord(brokerId=2, incarnationId=I2, ...) |
        10:00:05.560 | broker_registered       | 2       | 2         | 12           |                                                         |
        10:00:05.600 | broker_recovery         | 2       | 2         |              |                                                         |
        10:00:05.605 | kraft_broker_unfence_granted | 1  | 2         |              |                                                         | register_broker_record_offset=12
        10:00:05.650 | broker_unfenced         | 2       | 2         |              |                                                         |
        """)
    )
    same_rows(
        lines_of(found),
        CLOCK_WINDOWS,
        """
        node_id | offset_low_ms | offset_high_ms | correction_ms | zone_from
        1       | 0             | 0              | 0             | assumed
        2       | -6            | 41             | 0             | assumed
        """,
    )


def test_records_of_a_dump_bear_the_clock_of_their_controller():
    """Controller 1 is 40 s ahead, in its lines and in its records; brokers 2 and 3 agree with each other."""
    lines = events("""
        ts           | raw_ts       | level | kind                 | node_id | broker_epoch | controller_epoch | topic  | topic_id | partition | message | details
        10:00:40.000 |              | INFO  | raft_transition      | 1       |              |                  |        |          |           |         | new_state=Leader(localId=1, epoch=3)
        10:00:00.020 |              | INFO  | raft_transition      | 2       |              |                  |        |          |           |         | new_state=FollowerState(epoch=3, leaderId=1)
        10:00:00.030 |              | INFO  | raft_transition      | 3       |              |                  |        |          |           |         | new_state=FollowerState(epoch=3, leaderId=1)
        10:00:01.000 |              | INFO  | broker_incarnation   | 2       |              |                  |        |          |           |         | incarnation_id=I2
        10:00:01.050 |              | INFO  | broker_registered    | 2       | 5            |                  |        |          |           |         |
        10:00:02.000 |              | INFO  | broker_incarnation   | 3       |              |                  |        |          |           |         | incarnation_id=I3
        10:00:02.050 |              | INFO  | broker_registered    | 3       | 6            |                  |        |          |           |         |
        10:00:41.020 | 10:00:41.020 |       | dump_batch           | 1       |              | 3                |        |          |           |         | offset=5
        10:00:41.020 | 10:00:41.020 |       | dump_metadata_record | 1       |              |                  |        |          |           | {"type":"REGISTER_BROKER_RECORD","data":{"brokerId":2,"incarnationId":"I2"}} | offset=5
        10:00:42.020 | 10:00:42.020 |       | dump_batch           | 1       |              | 3                |        |          |           |         | offset=6
        10:00:42.020 | 10:00:42.020 |       | dump_metadata_record | 1       |              |                  |        |          |           | {"type":"REGISTER_BROKER_RECORD","data":{"brokerId":3,"incarnationId":"I3"}} | offset=6
        """)
    lines = without_level(lines, "dump_batch", "dump_metadata_record")
    found = offsets(lines)
    same_rows(
        found,
        CLOCK_WINDOWS,
        """
        node_id | clock   | window | first_offset | offset_low_ms | offset_high_ms | correction_ms | reference_node_id
        1       | lines   | 0      |              | 39979         |                | 39979         | 2
        2       | lines   | 0      |              | 0             | 0              | 0             | 2
        3       | lines   | 0      |              | -77           | 77             | 0             | 2
        1       | records | 0      | 5            | 39969         | 40046          | 40007.5       | 2
        """,
    )
    same_rows(
        [line for line in corrected(lines, found) if line.kind == "dump_metadata_record"],
        PRINTED,
        """
        ts              | raw_ts       | node_id
        10:00:01.012500 | 10:00:41.020 | 1
        10:00:02.012500 | 10:00:42.020 | 1
        """,
    )


def test_one_node_in_another_zone():
    lines = events("""
        ts           | kind               | node_id | message                                                   | details
        19:00:00.003 | process_start_time | 1       |                                                           | start_time_ms=1714557600000
        10:00:00.003 | process_start_time | 2       |                                                           | start_time_ms=1714557600000
        15:40:00.500 | isr_shrink         | 3       | Out of sync replicas: (lastCaughtUpTimeMs: 1714557580000) |
        """)
    found = offsets(lines)
    same_rows(
        lines_of(found),
        CLOCK_WINDOWS,
        """
        node_id | zone   | zone_from | start_ts     | correction_ms
        1       | +09:00 | printed   | 10:00:00.003 | 0
        2       | UTC    | printed   | 10:00:00.003 | 0
        3       | +05:45 | printed   | 09:55:00.500 | 0
        """,
    )
    same_rows(
        corrected(lines, found),
        PRINTED,
        """
        node_id | ts           | raw_ts
        1       | 10:00:00.003 | 19:00:00.003
        2       | 10:00:00.003 | 10:00:00.003
        3       | 09:55:00.500 | 15:40:00.500
        """,
    )


def test_old_releases_show_their_zone_by_the_date_in_meta_properties():
    lines = events("""
        ts           | kind                    | node_id | source_file     | message
        19:00:00.500 | meta_properties_missing | 1       |                 |
                     | meta_properties         | 1       | meta.properties | #Wed May 01 10:00:01 UTC 2024
        19:00:09.500 | broker_starting         | 2       |                 |
        """)
    lines = without_level(lines, "meta_properties")
    same_rows(
        lines_of(offsets(lines)),
        CLOCK_WINDOWS,
        """
        node_id | zone   | zone_from
        1       | +09:00 | printed
        2       | +09:00 | others
        """,
    )


def test_zones_that_are_given():
    lines = events("""
        ts                  | kind               | node_id | details
        2024-05-01T10:00:00 | process_start_time | 1       | start_time_ms=1714557600000
        2024-05-01T12:00:00 | broker_starting    | 2       |
        2024-05-01T19:00:00 | broker_starting    | 3       |
        """)
    found = offsets(lines, "Europe/Berlin", {1: "UTC", 3: "+9"})
    same_rows(
        corrected(lines, found),
        PRINTED,
        """
        node_id | ts
        1       | 10:00:00
        2       | 10:00:00
        3       | 10:00:00
        """,
    )
    same_rows(
        lines_of(found),
        CLOCK_WINDOWS,
        """
        node_id | zone          | zone_from
        1       | UTC           | given
        2       | Europe/Berlin | given
        3       | +09:00        | given
        """,
    )
    with pytest.raises(InputError, match="Mars/Olympus: no such time zone"):
        offsets(lines, "Mars/Olympus")


def test_a_stamp_that_carries_its_zone_is_left_alone():
    lines = events("""
        ts       | kind               | node_id | details
        19:00:00 | process_start_time | 1       | start_time_ms=1714557600000
        10:00:00 | broker_starting    | 2       |
        """)
    lines = [line.but(zone_known=line.node_id == 2) for line in lines]
    same_rows(
        corrected(lines, offsets(lines)),
        PRINTED,
        """
        node_id | ts
        1       | 10:00:00
        2       | 10:00:00
        """,
    )


def test_a_line_of_an_unknown_node_is_read_as_most_are():
    lines = events("""
        ts       | kind               | node_id | details
        19:00:00 | process_start_time | 1       | start_time_ms=1714557600000
        """)
    both_ = lines + [line.but(node_id=None, source_file="lost.log", details=None) for line in lines]
    same_rows(
        corrected(both_, offsets(both_)),
        PRINTED,
        """
        node_id | ts
        1       | 10:00:00
                | 10:00:00
        """,
    )


def test_the_hour_that_daylight_saving_repeats():
    """The second pass is told by the order in the file, as named zone and as zone found."""
    text = """
        ts                  | kind               | node_id | line_number | details
        2024-10-27T02:30:00 | process_start_time | 1       | 1           | start_time_ms=1729989000000
        2024-10-27T02:59:59 | broker_starting    | 1       | 2           |
        2024-10-27T02:00:01 | broker_started     | 1       | 3           |
        2024-10-27T02:30:00 | process_start_time | 1       | 4           | start_time_ms=1729992600000
        2024-10-27T03:10:00 | broker_started     | 1       | 5           |
        """
    true = """
        line_number | ts
        1           | 2024-10-27T00:30:00
        2           | 2024-10-27T00:59:59
        3           | 2024-10-27T01:00:01
        4           | 2024-10-27T01:30:00
        5           | 2024-10-27T02:10:00
        """
    lines = events(text)
    named = offsets(lines, "Europe/Berlin")
    same_rows(corrected(lines, named), PRINTED, true)
    assert steps_of(lines, "Europe/Berlin") == []
    found = offsets(lines)
    same_rows(corrected(lines, found), PRINTED, true)
    same_rows(
        lines_of(found),
        CLOCK_WINDOWS,
        """
        node_id | window | zone   | start_ts            | end_ts
        1       | 0      | +02:00 | 2024-10-27T00:30:00 | 2024-10-27T01:00:01
        1       | 1      | +01:00 | 2024-10-27T01:00:01 |
        """,
    )
    same_rows(
        steps_of(lines),
        CLOCK_STEPS,
        """
        node_id | ts                  | step_ms  | cause           | evidence
        1       | 2024-10-27T01:00:01 | -3600000 | daylight_saving | node-1/server.log:2,node-1/server.log:3
        """,
    )


def test_a_clock_set_back_inside_a_file():
    """What follows is only known by the jump; the node's other file is put right by its stamps, where they tell."""
    lines = events("""
        ts       | kind               | node_id | source_file    | line_number | details
        10:00:00 | process_start_time | 1       | server.log     | 1           | start_time_ms=1714557600000
        10:00:50 | broker_started     | 1       | server.log     | 2           |
        10:00:51 | broker_started     | 1       | server.log     | 3           |
        10:00:21 | broker_started     | 1       | server.log     | 4           |
        10:00:22 | broker_started     | 1       | server.log     | 5           |
        10:00:10 | broker_started     | 1       | controller.log | 1           |
        10:01:30 | broker_started     | 1       | controller.log | 2           |
        """)
    found = offsets(lines)
    same_rows(
        corrected(lines, found),
        PRINTED,
        """
        source_file           | line_number | ts
        node-1/server.log     | 1           | 10:00:00
        node-1/server.log     | 2           | 10:00:50
        node-1/server.log     | 3           | 10:00:51
        node-1/server.log     | 4           | 10:00:51
        node-1/server.log     | 5           | 10:00:52
        node-1/controller.log | 1           | 10:00:10
        node-1/controller.log | 2           | 10:02:00
        """,
    )
    same_rows(
        steps_of(lines),
        CLOCK_STEPS,
        """
        node_id | last_ts  | ts       | step_ms | cause     | evidence
        1       | 10:00:51 | 10:00:51 | -30000  | clock_set | node-1/server.log:3,node-1/server.log:4
        """,
    )


@pytest.mark.parametrize(
    "stamps",
    [
        ["10:00:00", "10:00:50", "10:00:20", "10:00:51", "10:00:52"],  # one line late
        ["10:00:00", "10:00:50", "2106-02-07T06:28:15", "10:00:51", "10:00:52"],  # one stamp gone mad
        ["10:00:40", "10:00:50", "10:00:51", "10:00:00", "10:00:10"],  # an older file joined on
        ["10:00:00.900", "10:00:00.950", "10:00:00.100", "10:00:00.150", "10:00:00.990"],  # threads out of order
        ["10:00:00", "10:00:50", "10:00:51", "09:00:52", "09:59:58"],  # the hour before joined on
    ],
)
def test_what_looks_like_a_clock_set_back_and_is_none(stamps):
    rows = "\n".join(f"{stamp} | broker_started | 1 | {number}" for number, stamp in enumerate(stamps, start=1))
    lines = events("ts | kind | node_id | line_number\n" + rows)
    found = offsets(lines)
    assert steps_of(lines) == [] and len(found) == 1
    assert all(line.ts == line.raw_ts for line in corrected(lines, found))


def test_a_clock_set_back_by_an_hour_shortly_after_its_file_began():
    lines = events("""
        ts       | kind           | node_id | line_number
        10:00:30 | broker_started | 1       | 1
        10:01:10 | broker_started | 1       | 2
        10:01:11 | broker_started | 1       | 3
        09:01:15 | broker_started | 1       | 4
        09:01:20 | broker_started | 1       | 5
        09:02:05 | broker_started | 1       | 6
        """)
    (step,) = steps_of(lines)
    assert (step.step_ms, step.cause) == (-3_600_000, "daylight_saving")
    assert [line.ts.hour for line in corrected(lines, offsets(lines))] == [10] * 6


def test_lines_of_unknown_writers_show_of_no_clock():
    """Containers that one file holds print in turns: a stamp that goes back is another writer's."""
    lines = events("""
        ts       | kind           | node_id | source_file | line_number
        10:00:00 | broker_started |         | all.log     | 1
        10:00:50 | broker_started |         | all.log     | 2
        10:00:51 | broker_started |         | all.log     | 3
        10:00:21 | broker_started |         | all.log     | 4
        10:00:22 | broker_started |         | all.log     | 5
        """)
    assert steps_of(lines) == []


def test_stamps_cut_to_seconds_bound_no_closer_than_a_second():
    found = offsets(
        events("""
        ts       | kind                        | node_id | topic  | partition | partition_epoch
        10:00:10 | alter_partition_isr_updated | 1       | orders | 0         | 4
        10:00:10 | isr_updated                 | 2       | orders | 0         | 4
        10:00:12 | alter_partition_isr_updated | 2       | orders | 1         | 5
        10:00:12 | isr_updated                 | 1       | orders | 1         | 5
        """)
    )
    same_rows(
        lines_of(found),
        CLOCK_WINDOWS,
        """
        node_id | offset_low_ms | offset_high_ms | correction_ms
        1       | 0             | 0              | 0
        2       | -1000         | 1000           | 0
        """,
    )


@pytest.mark.parametrize(("causes", "bounds"), [((1_000,), 1), ((1_000, 9_000), 0)])
def test_a_cause_that_a_clock_logs_at_two_times_bounds_nothing(causes, bounds):
    lines = [
        KeyedStamp(rule="isr_recorded", cause=is_cause, key="orders-0/4", clock=clock, wall=wall, event_id=f"e{wall}")
        for is_cause, clock, wall in (*((True, "n1.0", wall) for wall in causes), (False, "n2.0", 1_500))
    ]
    assert len(list(bounds_of_key(lines))) == bounds


def test_a_replica_that_a_controller_removes_from_an_isr_again_decides_nothing():
    """As recorded of 2.8.2: printed at the request to stop, and once more, as it was, when the session of the broker
    ends; here the first of these lines is missing.
    """
    found = offsets(
        events("""
        ts           | kind                     | node_id | topic  | partition | leader_epoch
        10:00:35.231 | follower_start           | 1       | orders | 0         | 2
        10:00:35.235 | follower_start           | 3       | orders | 0         | 2
        10:00:36.515 | replica_removed_from_isr | 2       | orders | 0         | 2 """)
    )
    assert all(clock.offset_low_ms is None and clock.offset_high_ms is None for clock in lines_of(found))


def test_ids_that_begin_again_pair_nothing():
    """A controller counts its requests from 0 again for a broker that came back."""
    found = offsets(
        events("""
        ts       | kind                       | node_id | controller_id | controller_epoch | details
        10:00:00 | broker_become_leader_done  | 2       | 1             | 1                | correlation_id=1
        10:00:01 | controller_response_received | 1     | 1             | 1                | correlation_id=1;api=LEADER_AND_ISR;broker_node=10.0.0.2:9092 (id: 2 rack: null)
        10:05:00 | broker_become_leader_done  | 2       | 1             | 1                | correlation_id=1
        10:05:01 | controller_response_received | 1     | 1             | 1                | correlation_id=1;api=LEADER_AND_ISR;broker_node=10.0.0.2:9092 (id: 2 rack: null)
        """)
    )
    assert all(clock.offset_low_ms is None and clock.offset_high_ms is None for clock in lines_of(found))


@pytest.mark.parametrize(
    ("text", "zone"),
    [("utc", "UTC"), ("Z", "UTC"), ("+9", "+09:00"), ("UTC-03:30", "-03:30"), ("Europe/Berlin", "Europe/Berlin")],
)
def test_zone_named(text, zone):
    assert zone_named(text) == zone


@pytest.mark.parametrize("text", ["+25", "Berlin", "", "../etc/passwd"])
def test_no_zone(text):
    with pytest.raises(InputError, match="give an offset like"):
        zone_named(text)


# Recorded incidents, with one clock wrong.


@pytest.fixture(scope="module", params=["isolate-leader-from-followers-kraft-3.7.2", "unclean-election-zk-2.8.2"])
def recording(request):
    return records_read(request.param)


def shifted(records: list, ms: int, node: int | None = None) -> list:
    """The recording with the stamps of one node (of all) moved."""
    moved = timedelta(milliseconds=ms)
    return [
        one.but(raw_ts=one.raw_ts + moved)
        if one.level is not None and one.raw_ts is not None and node in (None, one.node_id)
        else one
        for one in records
    ]


def test_a_recording_as_it_is_needs_no_correction(recording):
    found = lines_of(offsets(recording))
    assert {(row.zone, row.correction_ms) for row in found} == {("UTC", 0.0)}
    assert all(row.offset_low_ms <= 0 <= row.offset_high_ms for row in found if row.node_id)


def test_a_whole_recording_in_another_zone(recording):
    moved = shifted(recording, 9 * 3_600_000)
    found = offsets(moved)
    assert {(row.zone, row.correction_ms) for row in lines_of(found)} == {("+09:00", 0.0)}
    true = {one.event_id: one.raw_ts for one in recording if one.level is not None and one.raw_ts is not None}
    back = {one.event_id: one.ts for one in corrected(moved, found) if one.event_id in true}
    assert back == true and len(true) > 1_000


@pytest.mark.parametrize("seconds", [3.7, 40])
def test_a_recording_with_one_clock_ahead(seconds, recording):
    found = {
        row.node_id: row for row in lines_of(offsets(shifted(recording, round(seconds * 1_000), node=2))) if row.node_id
    }
    assert found[2].offset_low_ms <= seconds * 1_000 <= found[2].offset_high_ms
    assert found[2].correction_ms == pytest.approx(seconds * 1_000, abs=150)
    assert all(row.correction_ms == 0 for node, row in found.items() if node != 2)


def test_pairs_of_clocks_are_all_asked_for():
    """Every two clocks of `messages` are linked: the simulation is what it says."""
    ends = {frozenset((b.a, b.b)) for b in messages({})}
    assert ends == {frozenset(pair) for pair in combinations(("n1.0", "n2.0", "n3.0"), 2)}
