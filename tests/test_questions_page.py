"""`kafka-replay docs questions` answers every question of operators with what is there: commands, codes, kinds, tables, cells of the notebook."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.cli import main_group
from pipelines.docs import REFERENCE
from pipelines.glossary import glossary
from pipelines.notebook import Replay
from replay.catalogue import explain
from replay.catalogue.kinds import KINDS
from replay.tables import TABLES
from tests.each import for_each

ROOT = Path(__file__).parent.parent
PAGE = REFERENCE["questions"]()
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if re.match(r"\| \d", line)
]
CELLS = [
    line.removeprefix("# MAGIC ## ")
    for line in (ROOT / "notebooks" / "after_an_incident.py").read_text(encoding="utf-8").splitlines()
    if line.startswith("# MAGIC ## ")
]


def test_all_questions_are_answered_on_the_page_the_command_line_and_in_the_notebook():
    assert [int(row[0]) for row in ROWS] == list(range(1, 68))
    assert all(len(row) == 5 and all(row) for row in ROWS)


@for_each("row", ROWS, ids=lambda row: row[0])
def test_what_a_row_names_is_there(row):
    commands, notebook = row[3], row[4]
    for code in re.findall(r"`([^`]+)`", commands):
        command = main_group.commands[code.split()[0]]
        options = {name for option in command.params for name in option.opts}
        assert {word for word in code.split() if word.startswith("--")} <= options, code
    assert set(re.findall(r"--kind (\w+)", commands)) <= set(KINDS)
    assert set(re.findall(r"\b[FRSI]\d+\b", " ".join(row))) <= set(glossary().code)
    for name in re.findall(r"`replay\.(\w+)", notebook):
        assert hasattr(Replay, name) or name in {table.name for table in TABLES}, name
    for cell in re.findall(r'; "([^"]+)"|^"([^"]+)"', notebook):
        words = [part.strip() for part in "".join(cell).split("…")]
        assert any(all(part in asked for part in words) for asked in CELLS), cell


GROUPS = "[GroupCoordinator id=1 topic=__consumer_offsets partition=6]"
COPIES = "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2]"
# Lines of recordings, and of Kafka's source, that answer a question of tiered storage, groups, transactions and KRaft.
LINES = {
    31: f"{COPIES} Error occurred while copying log segments of partition: e0CpHhJLRdurqmD8IMbjJg:orders-2",
    32: f"{COPIES} Found the highest copiedRemoteOffset: Optional[OffsetAndEpoch[offset=590, epoch=0]] for partition: "
    "e0CpHhJLRdurqmD8IMbjJg:orders-2 after becoming leader",
    33: "Error occurred while reading the remote data for e0CpHhJLRdurqmD8IMbjJg:orders-2",
    34: "[UnifiedLog partition=orders-0, dir=/var/lib/kafka/data0] Deleting segment LogSegment(baseOffset=0, size=9246, "
    "lastModifiedTime=1795633190715, largestRecordTimestamp=1795633190703) due to local log retention time 12000ms breach based on "
    "the largest record timestamp in the segment",
    35: "Cleanup failed, will retry later with segment RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, "
    "id=4KNQumhFTliUkKjPPoSqqg}: Internal error in local remote storage",
    36: "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Could not build remote log auxiliary state for orders-0 due to error: "
    "RemoteLogManager is not ready for partition: orders-0",
    38: f"{GROUPS} Preparing to rebalance group cart in state PreparingRebalance with old generation 9 (reason: removing member "
    "rdkafka-3e6935d4-7142-4c19-a249-65fc1b68c555 on heartbeat expiration.).",
    39: f"{GROUPS} Member rdkafka-f9d5bde3-8b82-4c37-aca4-471f6d8f7d52 in group cart has failed, removing it from the group.",
    40: "[ShareCoordinator id=2] Finished loading of metadata from __share_group_state-1 with epoch 0 in 81ms where 81ms was spent in "
    "the scheduler. Loaded 0 records which total to 0 bytes.",
    41: "[GroupCoordinator id=1] Failed to load metadata from __consumer_offsets-6 with epoch 7 due to java.io.IOException: reset.",
    42: "Failed to initialize the share partition: pickers-Nys8PRXuRB2Cg7Rt4KuV5w:orders-4",
    43: "The offset 413 is on last delivery attempt in share partition: pickers-Nys8PRXuRB2Cg7Rt4KuV5w:orders-4, should be delivered "
    "alone in this fetch",
    44: "[TransactionCoordinator id=1] Completed rollback of ongoing transaction for transactionalId billing-9 due to timeout",
    47: "[TransactionCoordinator id=3] Elected as the txn coordinator for partition 1 at epoch 1",
    48: "[QuorumController id=101] Replayed ConfigRecord for ConfigResource(type=TOPIC, name='orders') which set configuration "
    "unclean.leader.election.enable to true",
    49: "[QuorumController id=101] UNCLEAN partition change for orders-0 with topic ID j56zSGJ3TO6YCzUKbOjerA: isr: [] -> [2], leader: "
    "-1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 1 -> 2, elr: [1] -> [], lastKnownElr: [1] -> [], "
    "partitionEpoch: 3 -> 4",
    56: "[BrokerLifecycleManager id=2] The broker is in RECOVERY.",
    58: "The current replica is successfully replaced with the future replica for orders-3",
    59: f"{COPIES} Found the logStartOffset: 900 for partition: e0CpHhJLRdurqmD8IMbjJg:orders-2 after becoming leader",
}


@for_each("number", LINES)
def test_the_line_that_answers_is_of_a_kind_that_its_row_names(number):
    found = explain(LINES[number])
    assert found is not None
    assert found[0].kind in re.findall(r"--kind (\w+)", ROWS[number - 1][3])


def test_the_page_on_usage_names_every_command_and_no_other():
    usage = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z-]+)[ `]", usage, re.MULTILINE))
    assert named == set(main_group.commands)


def test_the_readme_is_of_a_screen_and_a_half():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 60
