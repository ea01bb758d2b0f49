"""What leaders stored while writes with acks=all had no answer, and what of it was committed later."""

from __future__ import annotations

import pytest

from replay.causes.incidents import Incidents
from replay.causes.unanswered_writes import merge_unanswered_writes, unanswered_writes
from replay.tables.causes import ROOT_SPANS, VERTICES
from replay.tables.offsets import HIGH_WATERMARKS
from replay.tables.partitions import LEADER_EPOCHS
from tests.tables import rows

LINES = "topic | partition | node_id | ts | leader_epoch | role | high_watermark | log_end_offset | source"
SHRINK = "orders | 0 | 1 | 10:00:30 | 4 | leader | 100 | 250 | isr_shrink"
LATER = "orders | 0 | 1 | 10:00:31 | 4 | leader | 260 | | leader_transition_skipped"
ROOTS = "root_id | incident_id | ts | end_ts\n died | one | 10:00:00 | 10:00:40\n other | two | 11:00:00 | 11:00:40"


def stored(lines: str, epochs: str = "leader_epoch", vertices: str = "id", topic: str = "orders"):
    made = unanswered_writes(
        rows(HIGH_WATERMARKS, f"{LINES}\n{lines}".replace("orders", topic)),
        rows(LEADER_EPOCHS, epochs),
        rows(VERTICES, vertices),
        Incidents(rows(ROOT_SPANS, ROOTS)),
    )
    return [(row.incident_id, row.offsets, row.partitions) for row in merge_unanswered_writes(made)]


NEXT = "leader_epoch | leader_id | epoch_start_offset | start_ts\n 5 | 2 | {} | 10:00:40"


@pytest.mark.parametrize(
    "lines, epochs, offsets",
    [
        pytest.param(f"{SHRINK}\n{LATER}", "leader_epoch", 150, id="all of it was committed later"),
        pytest.param(SHRINK, "leader_epoch", None, id="no line tells that it was"),
        pytest.param(f"{SHRINK}\n{LATER.replace('260', '180')}", "leader_epoch", 80, id="a part, as far as told"),
        pytest.param(
            f"{SHRINK}\n{LATER.replace('10:00:31', '').replace('leader_transition_skipped', 'checkpoint_high_watermark')}",
            "leader_epoch",
            150,
            id="a checkpoint file tells",
        ),
        pytest.param(
            f"{SHRINK}\n{LATER}", NEXT.format(120), 20, id="the next leader had a part of it: the rest was cut"
        ),
        pytest.param(f"{SHRINK}\n{LATER}", NEXT.format(100), None, id="the next leader had nothing of it"),
        pytest.param(
            f"{SHRINK}\n{SHRINK.replace('10:00:30', '10:00:45').replace('250', '300')}\n{LATER.replace('10:00:31', '10:00:50')}",
            "leader_epoch",
            160,
            id="told twice, counted once",
        ),
        pytest.param(SHRINK.replace("250", "100") + f"\n{LATER}", "leader_epoch", None, id="nothing waited"),
    ],
)
def test_only_what_was_committed_later_counts(lines, epochs, offsets):
    assert stored(lines, epochs) == ([] if offsets is None else [("one", offsets, ["orders-0"])])


def test_it_counts_in_the_incident_of_the_shrink_and_never_for_internal_topics():
    shrink = "id | kind | ts | incident_id\n shrink | isr_shrink | 10:00:31 | two"
    assert stored(f"{SHRINK}\n{LATER}", vertices=shrink) == [("two", 150, ["orders-0"])]
    assert stored(f"{SHRINK}\n{LATER}", topic="__consumer_offsets") == []
