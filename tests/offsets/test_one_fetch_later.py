"""A recording with each move of each high watermark: leaders' are the true ones, followers learn them with a later fetch."""

from __future__ import annotations

import pandas as pd
import pytest

from replay.histories.cluster import Cluster
from replay.offsets.high_watermarks import high_watermarks
from replay.tables import EVENTS, HIGH_WATERMARKS
from replay.tables.arrow import to_arrow
from replay.timelines.folds import high_watermark_curves
from tests.recordings import TRACES, events_of
from tests.stages import plain
from tests.true_offsets import known_share, true_high_watermarks
from viz import frames, offset_curves
from viz.offset_curves import HIGH_WATERMARK

TRACE = TRACES / "one-fetch-later-kraft-3.9.1"


@pytest.fixture(scope="module")
def marks(spark, tmp_path_factory) -> list:
    """What lines tell of payments-0."""
    events = events_of(spark, TRACE.name, tmp_path_factory.mktemp("fetch"))
    lines = plain(EVENTS.of(events.where("kind is not null and topic = 'payments' and partition = 0")), EVENTS)
    return list(high_watermarks(lines, (), Cluster()))


@pytest.fixture(scope="module")
def anchors(marks) -> list:
    """The same as the page reads it."""
    told = to_arrow(HIGH_WATERMARKS, marks).to_pandas()
    return [a for a in frames.rows(frames.tidy(told, "high_watermarks")) if a.ts is not None]


def test_each_true_high_watermark_of_the_leaders_is_reported(anchors):
    knew = true_high_watermarks(TRACE)
    knew = knew[knew.topic == "payments"]
    told = {(a.node_id, a.high_watermark) for a in anchors if a.source == "hw_updated"}
    assert told == {(row.node_id, row.high_watermark) for row in knew.itertuples()}
    assert len(told) > 400


def test_a_follower_learns_it_with_the_next_record_and_never_before_its_leader(marks):
    """Five records a second: the answer to the next fetch comes about 200 ms later."""
    delays = pd.Series([step.learned_ms for step in high_watermark_curves(marks) if step.learned_ms is not None])
    assert len(delays) > 700
    assert delays.min() > 0
    assert 150 <= delays.median() <= 220


def test_each_replica_has_a_high_watermark_at_nearly_every_moment_in_which_it_is_up(anchors):
    for node_id in (2, 3):  # those that ran all the time
        own = [p for p in offset_curves.pieces(anchors, (), HIGH_WATERMARK) if p.node_id == node_id]
        assert known_share(own, own[0].start, own[-1].end) > 0.85
