"""Batches of idempotent producers that leaders refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.causes.incident import Incident
from replay.causes.incident_words import still
from replay.causes.sequence_gaps import sequence_gaps
from replay.tables.causes import SEQUENCE_GAPS
from replay.tables.offsets import HIGH_WATERMARKS
from replay.tables.reading import EVENTS
from tests.tables import rows, same_rows

GAP = "exception=org.apache.kafka.common.errors.OutOfOrderSequenceException: Out of order sequence number for producer 0 at offset 244 in partition orders-1: 981 (incoming seq. number), 243 (current end sequence number)"
BEGIN = datetime(2024, 5, 1, 10, tzinfo=UTC)
OTHER = "exception=org.apache.kafka.common.errors.NotEnoughReplicasException: too few"
REFUSED = f"""
    ts       | kind                 | node_id | topic  | partition | details
    10:00:10 | produce_append_error | 1       | orders | 1         | {GAP}
    10:00:20 | produce_append_error | 1       | orders | 1         | {GAP}
    10:00:30 | produce_append_error | 1       | orders | 1         | {OTHER} """


@pytest.mark.parametrize(
    ("lines", "still_ts"),
    [
        ("10:00:50 | leader | 244", "10:00:50"),
        ("10:00:50 | leader | 244\n orders | 1 | 1 | 10:00:40 | leader | 244", "10:00:50"),
        ("10:00:50 | leader | 245", ""),  # it stored more
        ("10:00:15 | leader | 244", ""),  # before the last refusal
        ("10:00:50 | follower | 963", ""),  # its own log, which it has still to truncate
    ],
)
def test_a_leader_that_stores_nothing_after_a_refusal_is_named_with_its_last_line(lines, still_ts):
    offsets = rows(
        HIGH_WATERMARKS, "topic | partition | node_id | ts | role | high_watermark\n orders | 1 | 1 | " + lines
    )
    same_rows(
        sequence_gaps(rows(EVENTS, REFUSED), offsets),
        SEQUENCE_GAPS,
        f"""
        topic  | partition | node_id | ts       | offset | still_ts   | evidence
        orders | 1         | 1       | 10:00:20 | 244    | {still_ts} | e1,e2    """,
    )


def test_an_incident_after_which_a_producer_cannot_continue_is_not_over():
    gap = "topic | partition | node_id | ts | offset | still_ts\n orders | 1 | 1 | 10:00:20 | 244 | {}"
    stuck, passed = (Incident("i1", BEGIN, BEGIN, gaps=rows(SEQUENCE_GAPS, gap.format(ts))) for ts in ("10:00:50", ""))
    assert (stuck.is_over, passed.is_over) == (False, True)
    assert still(stuck) == [
        "batches of an idempotent producer refused in orders-1 (OutOfOrderSequenceException), high watermark not moved since"
    ]
    assert still(passed) == []
