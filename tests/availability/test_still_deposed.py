"""A leader that is cut off when the logs end, and does not know its successor."""

from __future__ import annotations

import pytest

from replay.availability.harm import while_deposed
from replay.tables import LEADER_EPOCHS
from replay.tables.availability import NODE_OUTAGES
from replay.tables.questions import DEPOSED_LEADERS
from replay.tables.reading import COVERAGE
from tests.availability.frames import OLD_RELEASE, cluster, of_partition
from tests.tables import rows

EPOCHS = """
    leader_epoch | leader_id | start_ts | end_ts
    4            | 1         | 10:00:00 | 10:10:08
    5            | 2         | 10:10:08 |          """
CUT = """
    fault_id | node_id | follows | is_cut | may_lead_on | low_ts   | from_ts  | to_ts | back_ts
    cut      | 1       | closed  | true   | true        | 10:10:00 | 10:10:01 | {0}   | {0}     """
DIED = CUT + "\n    died | 1 | closed | | | 10:10:20 | 10:10:21 | | "
FILES = """
    node_id | last_ts
    1       | {}
    2       | 10:10:40 """
ACTED = """
    topic  | partition | broker_id | leader_epoch | deposed_ts | last_led_ts | learnt_ts | believed_ms
    orders | 0         | 1         | 4            | 10:10:08   | 10:10:13    | {}        | {}          """


def stale(outages: str, last: str = "10:10:30", deposed: str | None = None) -> list[tuple[str, str, bool]]:
    outage_rows = [row.but(must_start=row.fault_id == "died") for row in rows(NODE_OUTAGES, outages)]
    told = cluster(OLD_RELEASE, node_outages=outage_rows, kafka_files=rows(COVERAGE, FILES.format(last)))
    known = rows(DEPOSED_LEADERS, deposed) if deposed else []
    found = while_deposed(known, of_partition(LEADER_EPOCHS, EPOCHS), told)
    return [(f"{span.start_ts:%H:%M:%S}", f"{span.end_ts:%H:%M:%S}", span.is_open) for span in found]


TO_THE_END = [("10:10:08", "10:10:40", True)]


def test_a_leader_that_is_still_cut_off_counts_until_the_logs_end():
    assert stale(CUT.format("")) == TO_THE_END


def test_a_line_with_which_it_led_meanwhile_does_not_end_its_time():
    assert stale(CUT.format(""), deposed=ACTED.format("", 5_000)) == TO_THE_END


@pytest.mark.parametrize(
    ("outages", "last", "deposed", "found"),
    [
        (CUT.format("10:10:25"), "10:10:30", None, []),
        (CUT.format(""), "10:10:30", ACTED.format("10:10:20", 12_000), [("10:10:08", "10:10:20", False)]),
        (CUT.format(""), "10:10:05", None, []),
        (DIED.format(""), "10:10:30", None, []),
    ],
    ids=["the cut ended", "it learned of its successor", "it printed no line since the election", "it died in the cut"],
)
def test_a_leader_that_may_know_its_successor_does_not(outages, last, deposed, found):
    assert stale(outages, last, deposed) == found
