"""`kafka-replay acks` on a result of a few rows: what producers were told, one span after the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipelines.commands.acks import acks
from replay.errors import InputError
from tests.answers.small_result import write

SPANS = [
    {"topic": "orders", "partition": 0, "acks": acks_, "start_ts": start, "end_ts": end, "state": state, "reason": reason, "fault_id": None, "confidence": "observed", "evidence": ["node-2/server.log:7"]}
    for acks_, start, end, state, reason in (
        ("1", "07:31:00", "07:32:00", "open", None),
        ("1", "07:32:00", None, "closed", "leader_dead"),
        ("all", "07:31:00", "07:31:30", "open", None),
        ("all", "07:31:30", "07:32:00", "closed", "below_min_isr"),
        ("all", "07:32:00", None, "unknown", "leader_dead"),
    )
]  # fmt: skip


@pytest.fixture
def result(tmp_path) -> Path:
    return write(tmp_path / "r", availability=SPANS)


def test_each_kind_of_producer_has_a_row_from_one_change_to_the_next(result):
    told = list(acks(result, ["orders-0"], tz="+09:00"))
    assert told[0].startswith("orders-0: what producers received")
    times = [line.strip() for line in told[1:-1] if not line.startswith("      ")]
    assert [time.split("  ")[0] for time in times] == [
        "2026-11-21 16:31:00.000+09:00 to 16:31:30.000",
        "2026-11-21 16:31:30.000+09:00 to 16:32:00.000",
        "from 2026-11-21 16:32:00.000+09:00, still open as the logs end",
    ]
    middle = told[told.index(next(line for line in told if "16:31:30.000+09:00 to" in line)) :][1:4]
    assert (
        middle[0].split("acks=0")[1].strip()
        == "nothing: the producer does not wait for an acknowledgement; the leader writes it"
    )
    assert middle[1].split("acks=1")[1].strip() == "acknowledged, once the leader has written it"
    assert middle[2].split("acks=all")[1].strip().startswith("NOT_ENOUGH_REPLICAS")
    assert "For losses see" in told[-1]


def test_as_json_each_span_is_one_object(result):
    spans = [json.loads(line) for line in acks(result, ["orders-0"], as_json=True)]
    assert [(s["start_ts"], s["end_ts"], s["zero_state"], s["one_state"], s["all_state"]) for s in spans] == [
        ("2026-11-21T07:31:00.000Z", "2026-11-21T07:31:30.000Z", "open", "open", "open"),
        ("2026-11-21T07:31:30.000Z", "2026-11-21T07:32:00.000Z", "open", "open", "closed"),
        ("2026-11-21T07:32:00.000Z", None, "closed", "closed", "unknown"),
    ]
    assert spans[0]["evidence"] == ["node-2/server.log:7"]


@pytest.mark.parametrize(
    ("name", "refused"), [("nowhere-7", "does not show when it accepted writes"), ("orders", "give topic and number")]
)
def test_what_is_not_known_is_refused_in_one_line(result, name, refused):
    with pytest.raises(InputError, match=refused):
        list(acks(result, [name]))
