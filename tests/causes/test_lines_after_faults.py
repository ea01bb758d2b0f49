"""What an analysis found explains lines: they are told as its consequences, and nothing that is here is asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pipelines.answers.explain_text import text_of
from replay.causes.explained_lines import Findings, Found
from replay.facts import lives
from replay.faults.kinds import CHANGE, DIRECTORY, OUTAGE, SHORTER_LEADER
from replay.knowledge.explaining import STARTS, explained
from replay.reading.texts import lines_of
from tests.each import for_each

FOLLOWER = """\
[2026-11-21 05:37:36,000] WARN [ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=3) (kafka.server.ReplicaFetcherThread)
java.io.IOException: Connection to 10.77.0.12:9092 (id: 2 rack: null) failed.
[2026-11-21 05:37:37,000] WARN [ReplicaManager broker=3] Connection to node 2 (/10.77.0.12:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)
"""
LEADER = "[2026-11-21 05:38:22,000] INFO [KafkaServer id=2] starting (kafka.server.KafkaServer)\n"


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{text}").replace(tzinfo=UTC)


KILLED = Found("node 2 crashed or was killed", "F01", OUTAGE, 2, (), at("05:37:33"), at("05:38:22"), unclean=True)


def answer(*found: Found, **files: str):
    return explained(
        [line for name, text in files.items() for line in lines_of(text, f"{name}/server.log")],
        findings=Findings(found),
    )


def test_lines_about_a_broker_that_was_killed_are_consequences():
    told = answer(KILLED, node3=FOLLOWER, node2=LEADER)
    assert not told.told
    assert {one.follows for one in told.consequences} == {"node 2 crashed or was killed (F01, 05:37:33 to 05:38:22)"}
    assert {one.key for one in told.consequences} == {"fetch-failed", "node-unreachable"}
    assert told.summary.startswith("What these lines report follows from this: ")
    assert "Caused by: node 2 crashed or was killed" in "\n".join(text_of(told))


def test_a_line_before_the_earliest_begin_of_a_fault_does_not_follow_from_it():
    at_the_begin = replace(KILLED, since=at("05:37:36"), latest=at("05:37:39"))
    assert [one.key for one in answer(at_the_begin, node3=FOLLOWER).consequences] == [
        "fetch-failed",
        "node-unreachable",
    ]
    a_second_later = replace(KILLED, since=at("05:37:37"), latest=at("05:37:39"))
    told = answer(a_second_later, node3=FOLLOWER)
    assert [one.key for one in told.told] == ["fetch-failed"]
    assert [one.key for one in told.consequences] == ["node-unreachable"]


@pytest.mark.parametrize("end", ["05:38:21.250", "05:38:22"])
def test_a_fault_whose_begin_is_bounded_is_reported_by_both_bounds_and_was_over_no_earlier_than_it_was(end):
    told = replace(KILLED, latest=at("05:37:38.250"), until=at(end)).description
    assert told == "node 2 crashed or was killed (F01, began between 05:37:33 and 05:37:39, over by 05:38:22)"


def test_a_fault_of_a_moment_has_no_end_of_its_own():
    told = replace(KILLED, latest=at("05:37:39"), until=at("05:37:39")).description
    assert told == "node 2 crashed or was killed (F01, began between 05:37:33 and 05:37:39)"


def test_a_fault_of_more_than_one_day_is_reported_with_dates():
    since = at("05:37:33")
    told = replace(KILLED, since=since, latest=since + timedelta(days=1), until=None).description
    low, high = f"{since:%Y-%m-%d} 05:37:33", f"{since + timedelta(days=1):%Y-%m-%d} 05:37:33"
    assert told == f"node 2 crashed or was killed (F01, began between {low} and {high})"


def test_lines_of_another_time_or_node_are_trouble_of_their_own():
    later = Found("node 2 froze", "F04", OUTAGE, 2, (), at("06:00:00"), at("06:01:00"))
    other = Found("node 1 froze", "F04", OUTAGE, 1, (), at("05:37:00"), at("05:38:00"))
    assert [one.key for one in answer(later, other, node3=FOLLOWER, node2=LEADER).told] == [
        "fetch-failed",
        "node-unreachable",
    ]


def test_a_line_is_of_the_fault_that_lasts_and_not_of_one_that_is_over():
    """Node 1 was stopped and came back a while before; it stands for election because node 3, which led the quorum, is dead now."""
    candidate = "[2026-11-21 05:38:38,000] INFO [RaftManager id=1] Become candidate due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)\n"
    stopped = Found("node 1 was shut down cleanly", "F02", OUTAGE, 1, (), at("05:38:15"), at("05:38:25"), asked=True)
    killed = Found("node 3 crashed or was killed", "F01", OUTAGE, 3, (), at("05:38:36"), at("05:39:03"), unclean=True)
    [one] = answer(stopped, killed, node1=candidate).consequences
    assert one.follows.startswith("node 3 crashed or was killed")
    [own] = answer(stopped, node1=candidate).consequences
    assert own.follows.startswith("node 1 was shut down cleanly")


@for_each(
    ("leader", "says"),
    [("3", "Node 1 could not follow leader 3"), ("-1", "Node 1 could not follow a leader")],
    ids=["named", "none"],
)
def test_a_broker_that_is_back_finds_no_leader_because_of_one_that_is_still_down(leader, says):
    """It had been down itself until seconds before."""
    refused = f"[2026-11-21 05:37:40,000] ERROR [Broker id=1] Received LeaderAndIsrRequest with correlation id 1 from controller 1 epoch 3 for partition clicks-0 (last update controller epoch 3) but cannot become follower since the new leader {leader} is unavailable. (state.change.logger)\n"
    own = Found("node 1 crashed or was killed", "F01", OUTAGE, 1, (), at("05:36:50"), at("05:37:36"), unclean=True)
    still = Found("node 3 crashed or was killed", "F01", OUTAGE, 3, (), at("05:37:20"), at("05:38:09"), unclean=True)
    [one] = answer(own, still, node1=refused).consequences
    assert one.follows.startswith("node 3 crashed or was killed")
    assert one.says.replace("Broker", "Node").startswith(says)


@pytest.mark.parametrize(
    ("woke", "follows"),
    [("05:37:35.500", "node 3 froze"), ("05:37:30", "node 2 was cut off")],
    ids=["just", "long ago"],
)
def test_the_timeouts_that_a_process_finds_as_it_wakes_up_are_of_its_own_freeze(woke, follows):
    """They are as old as the freeze; node 2 was cut off from another node in the middle of it."""
    froze = Found("node 3 froze", "F04", OUTAGE, 3, (), at("05:37:00"), at(woke), silences=True)
    cut = Found("node 2 was cut off", "F05", OUTAGE, 2, (1,), at("05:37:20"), at("05:38:22"))
    told = answer(froze, cut, node3=FOLLOWER)
    assert [one.follows.startswith(follows) for one in told.consequences] == [True, True]


def test_heartbeats_fail_for_the_active_controller_that_froze_and_for_no_other_node():
    failed = "[2026-11-21 05:37:40,000] INFO [BrokerLifecycleManager id=3] Unable to send a heartbeat because the RPC got timed out before it could be sent. (kafka.server.BrokerLifecycleManager)\n"
    frozen = Found("node 2 froze", "F04", OUTAGE, 2, (), at("05:37:33"), at("05:37:48"))
    assert [one.key for one in answer(replace(frozen, led=True), node3=failed).consequences] == ["heartbeat-failed"]
    assert [one.key for one in answer(frozen, node3=failed).told] == ["heartbeat-failed"]


def test_a_fault_never_explains_what_it_cannot_do():
    broken = "[2026-11-21 05:37:40,000] ERROR [Broker id=2] Error in fetch (kafka.server.ReplicaManager)\njava.lang.NullPointerException\n"
    full = "[2026-11-21 05:37:40,000] ERROR Error while writing to checkpoint file /data/x (kafka.server.LogDirFailureChannel)\njava.io.IOException: No space left on device\n"
    assert answer(KILLED, node2=broken).told and not answer(KILLED, node2=broken).consequences
    assert answer(KILLED, node2=full).told and not answer(KILLED, node2=full).consequences


def test_a_clean_stop_does_not_explain_an_unclean_start():
    start = "[2026-11-21 05:38:23,000] INFO [LogManager broker=2] Recovering 12 logs from /data since no clean shutdown file was found (kafka.log.LogManager)\n"
    text = LEADER + start
    stopped = Found("node 2 was shut down cleanly", "F02", OUTAGE, 2, (), at("05:37:33"), at("05:38:22"))
    assert [one.key for one in answer(stopped, node2=text).told] == ["unclean-start"]
    assert [one.key for one in answer(KILLED, node2=text).consequences] == ["unclean-start"]


def test_a_directory_that_failed_before_a_clean_stop_is_recovered_too():
    """It has no clean-shutdown marker, and the stop was none the less clean."""
    start = "[2026-11-21 05:38:23,000] INFO [LogLoader partition=clicks-4, dir=/data] Recovering unflushed segment 0 (kafka.log.LogLoader$)\n"
    failed = Found("node 2 ran out of disk space", "F15", DIRECTORY, 2, (), at("05:37:33"), at("05:38:22"))
    found = answer(failed, node2=LEADER + start)
    (one,) = (*found.told, *found.consequences)
    assert "the stop was unclean, or the directory had failed before it" in one.says


def test_a_broker_that_is_told_to_stop_does_not_make_zookeeper_refuse_it():
    refused = "[2026-11-21 05:37:34,000] INFO Socket error occurred: localhost/127.0.0.1:2181: Connection refused (org.apache.zookeeper.ClientCnxn)\n"
    lines = list(lines_of(refused, "server.log"))
    stop = Found("node 2 received the order to stop", "F02", OUTAGE, 2, (), at("05:37:33"), None, asked=True)
    cut = Found("node 2 was cut off from ZooKeeper", "F07", OUTAGE, 2, (), at("05:37:33"), None)
    assert [one.key for one in explained(lines, nodes={"server.log": 2}, findings=Findings([stop])).told] == [
        "zk-refused"
    ]
    assert [one.key for one in explained(lines, nodes={"server.log": 2}, findings=Findings([cut])).consequences] == [
        "zk-refused"
    ]


def test_a_lost_directory_explains_its_own_lines():
    lost = Found("node 2 lost a log directory", "F14", DIRECTORY, 2, (), at("05:37:33"), None)
    line = "[2026-11-21 05:50:00,000] ERROR [Broker id=2] Error processing LeaderAndIsr request (state.change.logger)\norg.apache.kafka.common.errors.KafkaStorageException: gone\n"
    assert [one.key for one in answer(lost, node2=line).consequences] == ["orders-failed"]


def test_a_high_watermark_that_decreased_follows_from_the_failed_directory_of_its_partition():
    """The broker was also stopped in order, after its directory with clicks-3 had failed."""
    failed = Found(
        "node 2 ran out of disk space",
        "F15",
        DIRECTORY,
        2,
        (),
        at("05:37:33"),
        at("05:38:22"),
        offline=frozenset({"clicks-3"}),
    )
    stopped = Found("node 2 was shut down cleanly", "F02", OUTAGE, 2, (), at("05:38:20"), at("05:38:22"), asked=True)
    line = "[2026-11-21 05:38:{},000] WARN [UnifiedLog partition={}, dir=/data] Non-monotonic update of high watermark from (offset=170 segment=[0:10494]) to (offset=169 segment=[0:10422]) (kafka.log.UnifiedLog)\n"

    def cause(partition: str, second: int) -> str:
        lines = list(lines_of(line.format(second, partition), "server.log"))
        (one,) = explained(lines, nodes={"server.log": 2}, findings=Findings([failed, stopped])).consequences
        return one.follows.split(" (")[0]

    for second in (25, 29):  # just after the start, and later
        assert cause("clicks-3", second) == "node 2 ran out of disk space"
        assert cause("clicks-0", second) == "node 2 was shut down cleanly"  # in another directory


def test_a_deleted_topic_explains_that_it_is_not_known():
    deleted = Found("Topic deleted", "F19", CHANGE, None, (), at("05:37:33"), at("05:37:33"))
    line = "[2026-11-21 05:37:34,000] ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error for partition orders-0 at offset 0 (kafka.server.ReplicaFetcherThread)\norg.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition.\n"
    assert [one.key for one in answer(deleted, node2=line).consequences] == ["fetch-refused"]


def test_that_a_new_topic_is_not_known_everywhere_yet_follows_from_no_death_and_no_move():
    line = "[2026-11-21 05:38:40,000] WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Received UNKNOWN_TOPIC_ID from the leader for partition clicks-0. This error may be returned transiently when the partition is being created or deleted, but it is not expected to persist. (kafka.server.ReplicaFetcherThread)\n"
    moved = Found("Partitions reassigned", "F18", CHANGE, None, (), at("05:38:30"), at("05:38:30"))
    for what in (KILLED, moved):
        told = answer(what, node1=line)
        assert not told.consequences and [one.key for one in told.harmless] == ["fetch-topic-id"]
    deleted = Found("Topic deleted", "F19", CHANGE, None, (), at("05:38:39"), at("05:38:39"))
    assert [one.key for one in answer(deleted, node1=line).consequences] == ["fetch-topic-id"]


def test_brokers_that_stop_one_after_the_other_are_each_named():
    lines = "".join(
        f"[2026-11-21 05:3{n}:00,000] INFO [Controller id=3] Shutting down broker {n} (kafka.controller.KafkaController)\n"
        for n in (1, 2)
    )
    (told,) = answer(node3=lines).harmless
    assert "Controlled shutdown requested (brokers 1 and 2)." in told.says and told.count == 2


def test_what_is_here_is_not_asked_for():
    alone, both = answer(node3=FOLLOWER), answer(node3=FOLLOWER, node2=LEADER)
    assert any("of node 2 of the same minutes" in command for command in alone.missing)
    assert not any("for the same minutes" in command for command in both.missing)


def test_an_address_is_no_broker():
    line = "[2026-11-21 05:38:01,000] WARN [RequestSendThread controllerId=1] Controller 1 epoch 1 fails to send request (type=LeaderAndIsRequest) to broker 10.77.0.13:9092 (id: 3 rack: null). Reconnecting to broker. (kafka.controller.RequestSendThread)\n"
    (told,) = answer(node1=line).told
    assert "broker 3 at 10.77.0.13:9092" in told.says and told.nodes == (1, 3)


def test_one_node_has_one_name():
    raft = "[2026-11-21 05:37:37,000] WARN [RaftManager id=3] Connection to node 2 (/10.77.0.12:9093) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    told = answer(node3=FOLLOWER + raft, node2=LEADER)
    assert {one.subject for one in told.told} == {"broker 3"}
    controllers = "[2026-11-21 05:37:38,000] INFO [QuorumController id=102] Becoming the active controller (org.apache.kafka.controller.QuorumController)\n"
    far = raft.replace("node 2", "node 102")
    (told,) = answer(node3=FOLLOWER[:0] + far, node102=controllers).told
    assert told.says == "Node 3 could not connect to controller 102 at 10.77.0.12:9093 for the metadata quorum."


@for_each(
    ("writer", "port", "named"),
    [
        ("[RaftManager id=3]", 9093, "controller 2 at 10.77.0.12:9093 for the metadata quorum"),
        ("[RaftManager nodeId=3]", 9093, "controller 2 at 10.77.0.12:9093 for the metadata quorum"),
        (
            "[NodeToControllerChannelManager id=3 name=heartbeat]",
            9093,
            "controller 2 at 10.77.0.12:9093 for its heartbeats",
        ),
        (
            "[BrokerToControllerChannelManager broker=3 name=heartbeat]",
            9093,
            "controller 2 at 10.77.0.12:9093 for its heartbeats",
        ),
        (
            "[BrokerToControllerChannelManager broker=3 name=alterIsr]",
            9092,
            "controller 2 at 10.77.0.12:9092 to change ISRs",
        ),
        (
            "[NodeToControllerChannelManager id=3 name=alter-partition]",
            9093,
            "controller 2 at 10.77.0.12:9093 to change ISRs",
        ),
        (
            "[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0]",
            9092,
            "broker 2 at 10.77.0.12:9092 to copy partitions",
        ),
    ],
)
def test_a_node_with_both_roles_is_named_by_the_role_that_is_asked(writer, port, named):
    """Connections for different purposes are different messages, also to one address."""
    line = f"[2026-11-21 05:37:37,000] WARN {writer} Connection to node 2 (/10.77.0.12:{port}) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    told = [one for one in answer(node3=FOLLOWER + line, node2=LEADER).told if "could not connect" in one.says]
    assert {one.says for one in told} == {
        "Broker 3 could not connect to broker 2 at 10.77.0.12:9092.",
        f"Broker 3 could not connect to {named}.",
    }
    assert ("the ISR changes that it asks for stay pending" in " ".join(one.effect for one in told)) is (
        "ISRs" in named
    )


def test_a_new_directory_has_no_marker_of_a_clean_stop():
    begin = "[2026-11-21 05:37:16,492] INFO Attempting recovery for all logs in /data since no clean shutdown file was found (kafka.log.LogManager)\n"
    empty = "[2026-11-21 05:37:16,497] INFO Loaded 0 logs in 14ms. (kafka.log.LogManager)\n"
    assert not answer(node1=begin + empty).told
    assert [one.key for one in answer(node1=begin).told] == ["no-clean-marker"]


PAUSED = (
    "[2026-11-21 05:{0},391] INFO [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Partition {1} has an older epoch ({2}) "
    "than the current leader. Will await the new LeaderAndIsr state before resuming fetching. (kafka.server.ReplicaFetcherThread)\n"
    "[2026-11-21 05:{0},392] WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Partition {1} marked as failed (kafka.server.ReplicaFetcherThread)\n"
)
MOVED = Found(
    "Replication factor lowered",
    "F18",
    CHANGE,
    None,
    (),
    at("05:37:13"),
    at("05:37:14"),
    partitions=frozenset({"clicks-1", "clicks-2"}),
)
ELECTED = replace(
    MOVED,
    says="Preferred leaders took over",
    code="F17",
    since=at("05:37:33.500"),
    until=at("05:37:34"),
    partitions=frozenset({"clicks-1"}),
    is_election=True,
)


@for_each(
    ("time", "partition", "code"),
    [
        ("37:13", "clicks-1", "F18"),
        ("37:33", "clicks-1", "F17"),  # another node logged the election 0.1 s later
        ("37:33", "clicks-2", "F18"),  # which the election did not concern
        ("37:36", "clicks-1", "F17"),
        ("37:45", "clicks-1", "F01"),  # the election is long over, and a broker is down
        ("37:36", "clicks-7", "F01"),
    ],
)
def test_a_pause_is_of_the_change_of_its_partition_at_that_time(time, partition, code):
    killed = Found("node 3 crashed or was killed", "F01", OUTAGE, 3, (), at("05:37:35"), at("05:38:22"))
    [one] = answer(MOVED, ELECTED, killed, node1=PAUSED.format(time, partition, 1)).consequences
    assert f"({code}, " in one.follows


def test_a_pause_that_passed_is_harmless_unless_a_change_is_behind_it():
    text = PAUSED.format("37:33", "clicks-1", 1) + (
        "[2026-11-21 05:37:33,900] INFO [ReplicaFetcherManager on broker 1] Added fetcher to broker 2 for partitions "
        "Map(clicks-1 -> (offset=5, leaderEpoch=2)) (kafka.server.ReplicaFetcherManager)\n"
    )
    assert [one.key for one in answer(node1=text).harmless] == ["partition-waits-for-epoch"]
    assert [one.key for one in answer(ELECTED, node1=text).consequences] == ["partition-waits-for-epoch"]


FENCES = "[2026-11-21 05:38:53,577] INFO [QuorumController id=2] Fencing broker 1 at epoch 8 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)\n"
IGNORED = "[2026-11-21 05:38:53,612] INFO [QuorumController id=2] Ignoring no-op registration change for BrokerRegistration(id={}, epoch=8, incarnationId=bbt0fwGMTAKBbHVo3KAZ1g) (org.apache.kafka.controller.ClusterControlManager)\n"


@pytest.mark.parametrize(("other", "is_fencing"), [("", True), (IGNORED.format(3), True), (IGNORED.format(1), False)])
def test_a_fencing_that_the_controller_ignored_is_none(other, is_fencing):
    """A broker that stopped in order was fenced as it left; its session times out later."""
    told = answer(node2=FENCES + other)
    assert ("fenced" in [one.key for one in told.told]) is is_fencing
    assert ("fenced-before" in [one.key for one in told.harmless]) is not is_fencing


STARTED = """\
[2026-11-21 05:36:50,000] INFO Registered signal handlers for TERM, INT, HUP (org.apache.kafka.common.utils.LoggingSignalHandler)
{ts} WARN [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Connection to node 1 (/10.77.0.11:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)
[2026-11-21 05:37:50,000] WARN [ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Connection to node 2 (/10.77.0.12:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)
"""


@pytest.mark.parametrize(
    ("ts", "label"),
    [
        ("[2026-11-21 05:36:52,000]", "Before the first finding, at startup: "),
        ("[2026-11-21 05:37:32,000]", "Before the first finding, at startup: "),
        ("[2026-11-21 05:36:10,000]", "Before the first finding: "),  # its process started later
        ("[2026-11-21 05:37:40,000]", ""),  # after the fault began
    ],
)
def test_a_line_from_before_the_first_finding_says_so_and_comes_after_those_of_the_incident(ts, label):
    told = explained(
        lines_of(STARTED.format(ts=ts), "server.log"),
        nodes={"server.log": 3},
        findings=Findings([replace(KILLED, node=9)]),
    ).told
    assert told[-1].says.startswith(f"{label}Broker 3 could not connect to broker 1")
    assert [one.says.startswith("Before") for one in told] == ([False, True] if label else [False])


def test_a_start_is_recognized_by_the_lines_that_begin_a_life():
    assert STARTS == lives.STARTS


def test_without_an_analysis_no_line_is_before_a_finding():
    lines = lines_of(STARTED.format(ts="[2026-11-21 05:37:52,000]"), "server.log")
    told = explained(lines, nodes={"server.log": 3}).told
    assert told and not any(one.says.startswith("Before") for one in told)


REFUSED_BATCH = (
    "[2026-11-21 05:39:14,961] ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-1 (kafka.server.ReplicaManager)\n"
    "org.apache.kafka.common.errors.OutOfOrderSequenceException: Out of order sequence number for producer 0 at offset 244 in partition orders-1: "
    "{} (incoming seq. number), 243 (current end sequence number)\n"
)
UNCLEAN = replace(
    MOVED,
    says="broker 1 was elected from outside the ISR",
    code="F16",
    sort=SHORTER_LEADER,
    since=at("05:39:13"),
    until=None,
    partitions=frozenset({"orders-1"}),
    is_election=True,
    lost=(("orders-1", 244, 981),),
)


def test_a_refused_batch_whose_gap_is_the_lost_range_follows_from_the_unclean_election():
    told = answer(UNCLEAN, node1=REFUSED_BATCH.format(981))
    assert not told.told
    (one,) = told.consequences
    assert (one.key, "F16" in one.follows) == ("sequence-gap-of-loss", True)
    assert "[244, 981)" in one.says and "acks=all" in one.says
    assert "delivery.timeout.ms" not in "\n".join(text_of(told))


def test_a_refused_batch_with_another_gap_or_before_the_election_does_not_follow_from_it():
    later = replace(UNCLEAN, since=at("05:40:00"))
    for found, incoming in ((UNCLEAN, 980), (replace(UNCLEAN, lost=()), 981), (later, 981)):
        told = answer(found, node1=REFUSED_BATCH.format(incoming))
        assert [one.cause for one in told.told] == ["out-of-order-sequence"]
        assert not told.consequences
