"""Each line, and each file, that shows offsets has words for what its replica did then."""

from __future__ import annotations

import pytest

from replay.histories.marks import ANCHORS
from replay.histories.replicated import IN_SYNC_FETCHES
from replay.offsets import high_watermarks
from replay.partitions.fetchers import FETCHES
from replay.sentences.shown_offsets import SHOWN_BY, shown_as


def test_each_source_of_offsets_has_words():
    sources = {*high_watermarks._ROLES, *ANCHORS, FETCHES, "truncation"} - {IN_SYNC_FETCHES}
    assert sorted(sources - SHOWN_BY.keys()) == []


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("partition_log_loaded", "as it loaded its log"),
        ("leader_start", "as this leader epoch began on it as the leader"),
        ("checkpoint_high_watermark", "in a checkpoint of high watermarks"),
    ],
)
def test_a_source_continues_a_sentence(source, text):
    assert shown_as(source) == text
