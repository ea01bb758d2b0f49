"""`kafka-replay broker`: the history of one broker, and whether a restart is safe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipelines.answers.broker import TABLES, Restart, restart
from pipelines.result import Result
from tests.answers.small_result import write
from tests.answers.test_questions import refused, said


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("small") / "result")


def test_the_history_is_in_order_with_its_proof(result: Path):
    lines = said("broker", result, "1").splitlines()
    assert lines[0].startswith("Broker 1: ") and "led 1 partition" in lines[0]
    steps = [line.split(maxsplit=2)[1:] for line in lines if line.startswith("  07:")]
    assert [what for what, _ in steps] == ["session", "leads", "fault", "session", "leads", "isr", "cut"]
    told = [text for _, text in steps]
    assert told[1] == "elected leader of orders-0  [node-1/server.log:1]"
    assert told[2] == "F01 Broker 1 crashed (root cause)  [node-2/server.log:7]"
    assert told[4] == "no longer leader of orders-0  [node-2/controller.log:3]"
    assert told[-1].startswith("truncated orders-0 from 15 to 10")


def test_json_ends_with_the_restart(result: Path):
    rows = [json.loads(line) for line in said("broker", result, "1", "--json").splitlines()]
    assert rows[-1]["what"] == "restart" and rows[0]["what"] == "session"


def test_an_unknown_broker_is_one_line(result: Path):
    assert refused("broker", result, "77").startswith("77: these logs have no line about this broker; brokers are")


def test_the_last_member_left_the_isr_when_it_became_empty(tmp_path: Path):
    """The next known ISR is later, and another broker's; in the second partition the broker leads again."""
    isrs = [
        {"topic": "orders", "partition": number, "leader_epoch": epoch, "isr": isr, "start_ts": ts, "evidence": [proof]}
        for number, epoch, isr, ts, proof in (
            (0, 1, [2], "07:30:00", "c:1"),
            (0, 3, [1], "07:40:00", "c:4"),
            (1, 1, [2], "07:30:00", "c:2"),
            (1, 3, [2], "07:45:00", "c:5"),
        )
    ]
    emptied = [
        {"topic": "orders", "partition": number, "leader_epoch": 2, "leader_id": -1, "isr": [], "elr": [2]}
        | {"last_known_elr": [2], "start_ts": "07:35:00", "evidence": ["c:3"]}
        for number in (0, 1)
    ]
    lines = said("broker", write(tmp_path / "r", isr_spans=isrs, eligible_leaders=emptied), "2").splitlines()
    steps = [line.split() for line in lines if " isr " in line]
    assert [(step[0], " ".join(step[2:])) for step in steps] == [
        ("07:35:00.000", "left the ISR of orders-0 and orders-1 [c:3]"),
        ("07:45:00.000", "joined the ISR of orders-1 [c:5]"),
    ]


def test_a_broker_that_joins_an_isr_was_out_of_it_before(tmp_path: Path):
    """No line shows when it left: the first known ISR lacks it."""
    isrs = [
        {"topic": "orders", "partition": 0, "leader_epoch": 1, "isr": isr, "start_ts": ts, "evidence": [proof]}
        for isr, ts, proof in (([1], "07:30:00", "n:1"), ([1, 2], "07:40:00", "n:2"))
    ]
    lines = said("broker", write(tmp_path / "r", isr_spans=isrs), "2").splitlines()
    steps = [line.split() for line in lines if " isr " in line]
    assert [" ".join(step[2:]) for step in steps] == [
        "was not in the ISR of orders-0 [n:1]",
        "joined the ISR of orders-0 [n:2]",
    ]


def test_a_fault_stands_at_its_earliest_begin_with_the_bounds_of_both_ends(tmp_path: Path):
    """The first line of the next process is neither when a broker was killed nor after what came before it."""
    killed = {
        "finding_id": "killed/2/x",
        "code": "F01",
        "role": "root_cause",
        "title": "Broker 2 crashed",
        "broker_ids": [2],
    }
    killed |= {"start_ts": "07:48", "end_ts": "07:48", "began_low": "07:38", "began_high": "07:48", "evidence": ["n:9"]}
    cut = {
        "finding_id": "cut/2/x",
        "code": "F06",
        "role": "root_cause",
        "title": "Broker 2 was cut off",
        "broker_ids": [2],
    }
    cut |= {"start_ts": "07:31", "end_ts": "07:49", "began_low": "07:30", "began_high": "07:31", "evidence": ["n:1"]}
    findings = [
        killed | {"ended_low": "07:48", "ended_high": "07:48"},
        cut | {"ended_low": "07:38", "ended_high": "07:49"},
    ]
    began = {"topic": "orders", "partition": 1, "leader_epoch": 7, "leader_id": 2, "start_ts": "07:40", "evidence": []}
    folder = write(tmp_path / "r", findings=findings, leader_epochs=[began], broker_sessions=[])
    steps = [line.split(maxsplit=1) for line in said("broker", folder, "2").splitlines() if line.startswith("  07:")]
    assert [(time, " ".join(step.split())) for time, step in steps if "ISR" not in step] == [
        (
            "07:30:00.000",
            "fault F06 Broker 2 was cut off (root cause; began between 07:30:00.000 and 07:31:00.000; ended between "
            "07:38:00.000 and 07:49:00.000) [n:1]",
        ),
        (
            "07:38:00.000",
            "fault F01 Broker 2 crashed (root cause; began between 07:38:00.000 and 07:48:00.000; its process had started "
            "again by 07:48:00.000) [n:9]",
        ),
        ("07:40:00.000", "leads elected leader of orders-1"),
    ]


def test_a_crash_that_only_the_restart_shows_began_by_then(tmp_path: Path):
    """Recorded (3.9.1, logs from after the faults): the first line after a kill is not the time of the kill."""
    killed = {"finding_id": "killed/2/x", "code": "F01", "role": "root_cause", "title": "Broker 2 crashed"}
    killed |= {"broker_ids": [2], "start_ts": "07:48", "end_ts": "07:48", "began_low": None, "began_high": "07:48"}
    killed |= {"ended_low": "07:48", "ended_high": "07:48", "evidence": ["n:9"]}
    folder = write(tmp_path / "r", findings=[killed], broker_sessions=[])
    (step,) = [line for line in said("broker", folder, "2").splitlines() if "F01" in line]
    assert "began by 07:48:00.000; its process had started again by 07:48:00.000" in step


def test_what_happened_to_several_partitions_within_a_second_has_the_time_of_the_first_and_of_the_last(tmp_path: Path):
    epochs = [
        {
            "topic": "orders",
            "partition": at,
            "leader_epoch": 7,
            "leader_id": 2,
            "start_ts": f"07:40:00.{at}00",
            "evidence": [],
        }
        for at in (7, 1)
    ]
    lines = said("broker", write(tmp_path / "r", leader_epochs=epochs), "2").splitlines()
    (step,) = [" ".join(line.split()) for line in lines if " leads " in line]
    assert step == "07:40:00.100 leads elected leader of orders-1 and orders-7, the last at 07:40:00.700"


def state(partition: int, isr: list[int] | None, min_isr: int | None = 2, **more: object) -> dict[str, object]:
    row = {
        "topic": "orders",
        "partition": partition,
        "leader_epoch": 1,
        "isr": isr,
        "replicas": [1, 2, 3],
        "min_isr": min_isr,
    }
    return row | {"start_ts": "07:30", "evidence": [f"n:{partition}"]} | more


def session(end: str | None = None) -> dict[str, object]:
    return {"broker_id": 3, "start_ts": "07:00", "end_ts": end, "ended_by": "crash" if end else None, "evidence": []}


def answer(tmp_path: Path, *isrs: dict[str, object], end: str | None = None, losses: list | None = None) -> Restart:
    folder = write(tmp_path / "r", isr_spans=list(isrs), broker_sessions=[session(end)], losses=losses or [])
    return restart(Result(folder).tables(*TABLES), 3)


@pytest.mark.parametrize(
    ("isrs", "expected", "because"),
    [
        ([state(0, [1, 2, 3]), state(1, [1, 2, 3])], "yes", "each of its 2 partitions keeps an in-sync replica"),
        ([state(0, [3])], "no", "it is the only in-sync replica of orders-0"),
        ([state(0, [1, 2, 3]), state(1, [2, 3])], "no", "orders-1 would fall below min.insync.replicas"),
        ([state(0, [2, 3], min_isr=1)], "yes", "each of its 1 partition keeps"),
        ([state(0, [2, 3], min_isr=None)], "unknown", "no line shows min.insync.replicas of orders-0"),
        ([state(0, [1, 2, 3], untold_after=2)], "unknown", "the ISR of orders-0 is not known as the logs end"),
        ([state(0, [1, 2, 3]), state(0, [3], start_ts="07:40")], "no", "it is the only in-sync replica of orders-0"),
        ([state(0, [1, 2], replicas=[1, 2])], "unknown", "no line shows an ISR of its partitions"),
    ],
)
def test_a_restart_is_judged_by_the_last_states(isrs, expected: str, because: str, tmp_path: Path):
    found = answer(tmp_path, *isrs)
    assert found.answer == expected and found.because.startswith(because)


@pytest.mark.parametrize(
    ("leader", "created", "expected", "because"),
    [
        pytest.param(1, "07:20", "yes", "each of its 2 partitions keeps an in-sync replica and min.insync.replicas without "
            "it; for 1 partition by `kafka-topics --describe`", id="its leader leads only now"),
        pytest.param(2, "07:20", "unknown", "the ISR of orders-0 is not known as the logs end", id="its leader led before too"),
        pytest.param(2, "07:50", "yes", "each of its 2 partitions keeps", id="it has a topic created since"),
    ],
)  # fmt: skip
def test_the_output_of_the_topics_tool_shows_isrs_that_no_line_shows(
    leader, created, expected, because, tmp_path: Path
):
    """No line shows the ISR of leader epoch 2 of orders-0."""
    epoch = {"topic": "orders", "partition": 0, "replicas": [1, 2, 3], "evidence": []}
    new = {"topic": "new", "partition": 0, "leader_epoch": 0, "leader_id": 3, "start_ts": created, "evidence": []}
    tool = {"replicas": [1, 2, 3], "isr": [1, 2, 3], "evidence": ["tool:1"]}
    folder = write(
        tmp_path / "r",
        isr_spans=[
            state(0, [2, 3], end_ts="07:40"),
            state(0, [1, 2, 3], topic="new", leader_epoch=0),
        ],
        leader_epochs=[
            epoch | {"leader_epoch": 1, "leader_id": 2, "start_ts": "07:30", "end_ts": "07:40"},
            epoch | {"leader_epoch": 2, "leader_id": leader, "start_ts": "07:40"},
            new,
        ],
        broker_sessions=[session()],
        described_partitions=[
            tool | {"topic": "orders", "partition": 0, "leader_id": leader},
            tool | {"topic": "new", "partition": 0, "leader_id": 3},
        ],
    )
    found = restart(Result(folder).tables(*TABLES), 3)
    assert (found.answer, found.because[: len(because)]) == (expected, because)


def test_a_dead_broker_s_disk_is_saved_before_its_start(tmp_path: Path):
    loss = {
        "topic": "orders",
        "partition": 0,
        "leader_epoch": 2,
        "loss_class": "committed",
        "verdict": "PROVEN_LOSS",
        "from_offset": 5,
        "old_leader_id": 3,
    }
    found = answer(tmp_path / "held", state(0, [1, 2]), end="07:20", losses=[loss])
    assert found.answer == "down" and "save the ends of its logs before you start it" in found.because
    found = answer(tmp_path / "cut", state(0, [1, 2]), end="07:20", losses=[loss | {"cut_by": [3]}])
    assert found == Restart("down", "it does not run as the logs end; no partition loses records by its start")
    found = answer(tmp_path / "alone", state(0, [3]), end="07:20")
    assert "orders-0 wait for it" in found.because


def test_a_session_that_timed_out_near_an_exit_from_isrs_is_no_cause_of_it(tmp_path: Path):
    """A process can exist and be frozen as its session times out; its replicas can have left the ISRs before for another
    reason, such as a controlled shutdown.
    """
    ended = session("07:40") | {"ended_by": "session_timeout"}
    drops = [{"broker_id": 3, "leader_id": 2, "drops": 4, "as_session_ended": 4, "partition_count": 4}]
    text = said("broker", write(tmp_path / "r", broker_sessions=[ended], isr_drops=drops), "3")
    assert "left ISRs 4 times, each within 30 s of the end of its session" in text
    limits = [{"kind": "no_node", "statement": "No logs of node 1.", "node_ids": [1]}]
    part = said("broker", write(tmp_path / "part", broker_sessions=[ended], isr_drops=drops, limits=limits), "3")
    assert "left ISRs at least 4 times, each within 30 s" in part
    assert "ended because it timed out, while the process still existed" in text
