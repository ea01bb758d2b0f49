"""How old the records can be that a member of the ISR did not have when it was elected."""

from __future__ import annotations

from replay.histories.cluster import Cluster
from replay.histories.kept_up import kept_up_since
from replay.histories.partition import Partition
from replay.tables.brokers import PROCESSES, RELEASES, TIMINGS
from replay.tables.faults import SILENCES
from replay.tables.losses import LEDGER
from replay.tables.offsets import FOLLOWER_POSITIONS
from replay.tables.partitions import COMMITTED_ISRS, LEADER_EPOCHS, ROLE_LINES
from tests.each import for_each
from tests.tables import rows

EPOCHS = """
    leader_epoch | leader_id | epoch_start_offset | start_ts | elected_from
    4            | 1         | 100                | 08:00:00 | isr
    5            | 2         | 200                | 10:00:00 | {} """
ISRS = """
    leader_epoch | leader_id | isr   | start_ts
    4            | 1         | 1,2,3 | 08:00:00
    4            | 1         | 1,3   | 09:00:00
    4            | 1         | 1,2,3 | 09:10:00 """
LOSS = "leader_epoch | ts | old_leader_id | new_leader_id | from_offset\n 5 | 10:00:00 | 1 | 2 | {}"
FOLLOWED = "node_id | leader_epoch | kind | ts\n 1 | 5 | follower_start | 10:00:01"
DROPS = "node_id | leader_id | source | ts | log_end_offset\n {} | 1 | isr_shrink | {} | 200"
PROCESS = "node_id | last_ts | next_start_ts\n {} | {} | {}"
SILENT = "node_id | from_ts | to_ts\n {} | {} | {}"


def since(
    elected_from="isr",
    begin=200,
    isrs=ISRS,
    roles=FOLLOWED,
    drops="node_id",
    processes="node_id",
    silences="node_id",
    release=30901,
):
    partition = Partition(
        "orders",
        0,
        0,
        leader_epochs=rows(LEADER_EPOCHS, EPOCHS.format(elected_from)),
        isrs=rows(COMMITTED_ISRS, isrs),
        role_lines=rows(ROLE_LINES, roles),
        follower_positions=rows(FOLLOWER_POSITIONS, drops),
    )
    releases = rows(RELEASES, f"node_id | version_low | version_high\n 1 | {release} | {release}")
    waits, quiet = rows(TIMINGS, "node_id | replica_lag_ms\n 1 | 10000"), rows(SILENCES, silences)
    cluster = Cluster.of(rows(PROCESSES, processes), releases, (), (), (), (), waits, quiet)
    (loss,) = rows(LEDGER, LOSS.format(begin))
    told = kept_up_since(loss, partition.leader_epochs[0], partition, cluster)
    return None if told is None else f"{told:%H:%M:%S}"


@for_each(
    ("given", "known"),
    [
        ({}, "09:59:33"),
        ({"roles": "node_id", "processes": PROCESS.format(1, "09:59:50", "10:00:30")}, "09:59:23"),
        ({"drops": DROPS.format(2, "09:59:55")}, "09:59:28"),
        ({"drops": DROPS.format(3, "09:59:55")}, "09:59:33"),
        ({"drops": DROPS.format(2, "09:00:00")}, "09:59:33"),
        ({"silences": SILENT.format(1, "09:58:00", "09:59:58")}, "09:57:33"),
        ({"silences": SILENT.format(1, "09:58:00", "09:59:30")}, "09:59:33"),
        ({"silences": SILENT.format(2, "09:58:00", "09:59:58")}, "09:59:33"),
        ({"processes": PROCESS.format(2, "09:01:00", "09:09:00")}, "09:59:33"),
        ({"processes": PROCESS.format(2, "09:20:00", "09:21:00")}, None),
        ({"roles": "node_id"}, None),
        ({"elected_from": "any_replica"}, None),
        ({"begin": 190}, None),
        ({"isrs": ISRS.replace("09:10:00 ", "09:10:00\n    4 | 1 | 1,3 | 09:50:00")}, None),
        ({"release": 20101}, None),
    ],
    ids=[
        "two times replica.lag.time.max.ms and 7 s before the election",
        "before the leader died",
        "before the leader tried to drop it",
        "it dropped another replica",
        "it dropped it, and took it back",
        "it may have been frozen before the election",
        "it had time for a check after its silence",
        "another broker was silent",
        "the member restarted before it joined the ISR",
        "the member restarted as a member: its log may have lost its end",
        "no line shows that the leader lived on",
        "it was elected from outside the ISR",
        "it had some of the records",
        "it had left the ISR",
        "up to 2.1 no line shows whether the leader tried to drop it",
    ],
)  # fmt: skip
def test_a_member_of_the_isr_is_no_further_behind_than_its_leader_lets_it(given, known):
    assert since(**given) == known
