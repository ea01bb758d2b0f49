"""The first screen: what it says of an incident, in at most 150 words, whatever the incident."""

from __future__ import annotations

import html
import re

import pytest

from tests.each import for_each
from tests.test_report import DOWN, page, unclean_election
from viz.brief import MOST_WORDS, as_text, count, in_short, of_incident, without_incident
from viz.brief import _harm as harm
from viz.frames import even
from viz.post_mortem import in_short as post_mortem_in_short
from viz.summary import chosen

LONG = "Broker 1 was cut off from the controllers and from brokers 2 and 3 at 07:29:36 " * 8


def brief(tables, incident_id=None):
    every = even(tables)
    return of_incident(every, chosen(every["incidents"], incident_id))


def test_it_says_what_when_who_harm_lost_over_and_do():
    assert as_text(brief(unclean_election())).splitlines() == [
        "What: Unclean election: records lost.",
        "When: 2024-05-01 10:00:38.000 UTC to the end of the logs.",
        "Who: Broker 1; broker 3 made it worse.",
        "Harm: Writes with acks=all were blocked: orders for 16.0 to 18.0 s.",
        "Lost: Committed: 2,577 records of orders. Uncommitted (acks=1 or 0): at most 168 records of clicks. "
        "Recoverable? No replica is known to hold them.",
        "Over: No: 1 ISR not full.",
        "Also: 1 more incident.",
        "Do: Tell the owners of orders.",
    ]


def long_incident():
    """An incident of thirty nodes and two hundred topics, each text of which is long."""
    tables = unclean_election()
    incidents = tables["incidents"].iloc[:1].copy()
    for column in ("title", "lost_committed", "lost_uncommitted"):
        incidents[column] = LONG
    incidents["broker_ids"] = incidents["contributed_ids"] = [tuple(range(30))]
    incidents["down"] = [[DOWN | {"topic": f"topic-{n}", "acks_all_high_ms": 18_000 + n * 1000} for n in range(200)]]
    incidents["next_steps"] = [[LONG.replace(" ", ", ", 2)] * 12]
    incidents["afterwards"] = [[LONG] * 3]
    return tables | {"incidents": incidents}


def test_no_incident_has_more_than_150_words_and_each_has_a_next_step():
    points = brief(long_incident())
    assert count(points) <= MOST_WORDS
    assert [p.label for p in points] == ["What", "When", "Who", "Harm", "Lost", "Over", "Do"]
    assert "more steps: see Next on the page." in points[-1].text
    assert "Who: 30 nodes; 30 nodes made it worse." in as_text(points)
    assert "topic-0" in points[3].text and "198 more topics" in points[3].text


def test_without_an_incident_it_says_what_was_read_and_what_cannot_be_ruled_out():
    tables = {name: unclean_election()[name] for name in ("coverage", "leader_epochs", "isr_spans")}
    points = without_incident(even(tables))
    assert count(points) <= MOST_WORDS
    assert points[0].text == "No incident in these logs, which do not rule one out."
    assert "1,500 records read, 10 of them unrecognized" in points[1].text
    told = as_text(without_incident(even(tables), "2 messages report trouble"))
    assert told.startswith("What: No incident, but the lines report trouble: 2 messages report trouble.")


@pytest.mark.parametrize("tables", [unclean_election(), long_incident()])
def test_page_and_post_mortem_say_the_same(tables):
    copied = re.search(r'data-copy="([^"]*)"', page(tables))
    assert copied is not None
    assert html.unescape(copied[1]) + "\n" == post_mortem_in_short(tables)


@for_each(
    ("step", "expected"),
    [
        ("Tell the owners of orders.", "Tell the owners of orders."),
        ("Tell the owners (see Losses), so that they can send those records again: records of 05:37.", "Tell the owners, so that they can send those records again: records of 05:37 …"),
        ("Set min.insync.replicas=2 for orders: with 1, one broker alone could answer all writes with acks=all to it.", "Set min.insync.replicas=2 for orders …"),
        ("Brokers 2, 3 and 1: for each, check the system log (OOM killer, power), the process manager, and whether it ran. Run `dmesg`.", "Brokers 2, 3 and 1: for each, check the system log, the process manager …"),
        ("Controllers 101 and 102: for each, check what the nodes that died within 5 s of each other share (host, rack); the system log.", "Controllers 101 and 102: for each, check what the nodes that died within 5 s of each other share …"),
        ("Run `a; b` now and wait for the sixteen words that this sentence needs to be cut there.", "Run …"),
    ],
)  # fmt: skip
def test_a_step_is_cut_at_a_clause_and_shows_that_it_was(step, expected):
    assert in_short(step) == expected


def down(topic: str, writes: tuple[int, int], reads: tuple[int, int]) -> dict[str, object]:
    spans = {"acks_all": writes, "acks_one": (0, 0), "reads": reads}
    bounds = {f"{what}_{name}_ms": ms for what, span in spans.items() for name, ms in zip(("low", "high"), span)}
    times = {f"{what}_{name}": 1 for what in spans for name in ("times", "sure_times")}
    ends = {f"{what}_{name}": False for what in spans for name in ("is_open", "may_last")}
    return {"topic": topic, **bounds, **times, **ends}


def test_reads_that_waited_with_writes_and_groups_that_could_not_commit_are_harm():
    orders, clicks = down("orders", (16_000, 18_000), (16_000, 18_000)), down("clicks", (2_000, 3_000), (0, 0))
    groups = down("__consumer_offsets", (70_000, 80_000), (70_000, 80_000))
    assert harm([orders, groups]) == (
        "Writes with acks=all and reads of new records were blocked: orders for 16.0 to 18.0 s. Some consumer groups could not commit for "
        "1 min 10 s to 1 min 20 s."
    )
    assert harm([orders, clicks]) == (
        "Writes with acks=all were blocked: orders for 16.0 to 18.0 s; clicks for 2.0 to 3.0 s. Reads of new records were blocked: "
        "orders for 16.0 to 18.0 s."
    )
    assert harm([groups]) == (
        "Writes with acks=all and reads of new records were blocked: __consumer_offsets for 1 min 10 s to 1 min 20 s."
    )


def test_the_harm_of_a_topic_tells_partitions_apart_and_whether_any_line_shows_acks_all():
    alike = [
        {"partitions": 2, "low_ms": 39_200, "high_ms": 42_300},
        {"partitions": 4, "low_ms": 12_000, "high_ms": 15_100},
    ]
    clicks = down("clicks", (39_200, 42_300), (0, 0)) | {"acks_all_alike": alike, "acks_all_shown": False}
    by_partition = "clicks for 39.2 to 42.3 s (by partition: 2 for 39.2 to 42.3 s, 4 for 12.0 to 15.1 s)."
    assert harm([clicks]) == f"Writes with acks=all, if any, were blocked: {by_partition}"
    read = clicks | {"reads_low_ms": 39_200, "reads_high_ms": 42_300}
    assert harm([read]) == f"Writes with acks=all, if any, and reads of new records were blocked: {by_partition}"
    assert harm([clicks | {"acks_all_shown": True}]) == f"Writes with acks=all were blocked: {by_partition}"
