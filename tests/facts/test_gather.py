"""What of the events comes over to plain Python."""

from __future__ import annotations

from replay.facts.gather import facts
from replay.facts.reads import reads
from replay.tables.reading import EVENTS, FACTS
from tests.tables import same, table


@reads("broker_started", "checkpoint_hw")
def _some_rule() -> None:
    """A rule that reads two kinds."""


def test_only_what_a_rule_reads_comes_over(spark):
    told = table(
        spark,
        EVENTS,
        """
        ts       | kind           | node_id | topic  | partition
        10:00:00 | broker_started | 1       |        |
        10:00:01 | any            | 1       |        |
                 | checkpoint_hw  | 1       | orders | 0        """,
    )
    same(
        facts(told),
        FACTS,
        """
        ts       | kind           | node_id | count | last_ts  | event_id | last_event_id
        10:00:00 | broker_started | 1       | 1     | 10:00:00 | e1       | e1
                 | checkpoint_hw  | 1       | 1     |          | e3       | e3      """,
    )
