"""What operators ask for is told, and what a start prints is no request (F18, F19, F28)."""

from __future__ import annotations

from replay.faults import requests as stage
from replay.tables.faults import FAULTS
from tests.faults.given import facts
from tests.tables import same_rows


def test_requests_of_operators_are_reported():
    same_rows(
        stage.topics_deleted(
            facts("""
        ts       | kind                | node_id | topic
        10:00:00 | kraft_topic_removed | 101     | scratch """)
        ),
        FAULTS,
        """
        kind          | code | ts
        topic_deleted | F19  | 10:00:00 """,
    )
