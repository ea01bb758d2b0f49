"""Every surface tells one story of each incident: the page, findings.json and the terminal of every golden trace, and of histories
played at random, are read.
"""

from __future__ import annotations

import pytest

from tests.each import for_each
from tests.golden import traces
from tests.one_story import contradictions, of_result, prose, style_of
from tests.random_stories import story
from tests.test_simulated_histories import played


@pytest.mark.parametrize("trace", traces(), ids=lambda trace: trace.name)
def test_all_that_is_shown_of_an_incident_is_one_story(result_of, trace):
    assert not of_result(result_of(trace))


@pytest.mark.parametrize("first", [0, 12, 24, 36, 48])
def test_all_that_is_shown_of_histories_played_at_random_is_one_story(first):
    """Kills, cuts, clean and unclean elections of one partition each: what is told of their incidents holds what was lost."""
    told = story([played(number) for number in range(first, first + 12)])
    assert len(told.tables["incidents"]) > 5
    assert not list(contradictions(told.tables, told.json, told.page))
    assert told.tables["incidents"].lost_offsets_min.sum() == told.lost


def test_a_quoted_line_that_proves_something_else_is_no_part_of_the_story():
    told = story([played(number) for number in range(3)])
    incidents = told.tables["incidents"]
    quoted = [
        {"event_id": "none.log:1", "finding_id": one.root_finding_id, "proves": one.title}
        for one in incidents.itertuples()
    ]
    tables = {**told.tables, "incidents": incidents.assign(proof=[[one] for one in quoted])}
    found = [problem for problem in contradictions(tables, told.json, told.page) if "is no evidence of" in problem]
    assert len(found) == len(incidents) > 0


@for_each(
    ("bad", "good"),
    [
        ("delay at least 88 ms to 89 ms", "delay at least 88 to 89 ms"),
        ("Topic deleted (F19, 06:00:10 to 06:00:10)", "Topic deleted (F19, 06:00:10 to 06:00:11)"),
        ("broker 1 truncated its log from 1,162 to 293", "broker 1 truncated its log from 1162 to 293"),
        ("1 partitions had no leader", "21 partitions had no leader"),
        ("12 partition had no leader", "12 partition epochs"),
        (
            "leader of 4 partitions for up to 33.5 s; lines show that it acted as leader of 4 of them",
            "leader of 4 partitions for up to 33.5 s; lines show that it acted as leader of 3 of them",
        ),
        ("the records of of orders", "the records of orders"),
        ("As of: not told", "As of: unknown"),
        (
            "The new leader was not in the ISR before the election. The new leader was not in the ISR before the election.",
            "The new leader was not in the ISR before the election. The setting allowed it, as the brokers printed it.",
        ),
    ],
)
def test_each_class_of_wording_is_found_and_its_look_alike_is_not(bad, good):
    assert list(style_of([bad])) and not list(style_of([good]))


def test_quoted_lines_are_no_prose_of_the_page():
    page = (
        '<p>It froze.</p><li><span class="message">no answer was was told</span></li><p><code>not told</code> ends.</p>'
    )
    assert prose(page) == ["It froze.", "…", "… ends."]
