"""A line is a consequence of the fault that it names, by node, role and time, and each line counts once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.causes.explained_lines import Findings, Found
from replay.faults.kinds import OUTAGE
from replay.knowledge.answer import sentence
from replay.knowledge.explaining import explained
from replay.reading.texts import lines_of
from tests.each import for_each

NO_LEADER = "INFO [RaftManager id={me}] Completed transition to UnattachedState(epoch=7, leaderId=OptionalInt.empty, votedKey=Optional.empty, voters=[101, 102, 103]) from UnattachedState(epoch=6) (org.apache.kafka.raft.QuorumState)"
CANDIDATE = "INFO [RaftManager id=103] Election has timed out, backing off for 300ms before becoming a candidate again (org.apache.kafka.raft.KafkaRaftClient)"
UNREACHABLE = "WARN [RaftManager id={me}] Connection to node {peer} (/10.0.0.{peer}:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"
UNKNOWN_TOPIC = "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error for partition orders-0 at offset 0 (kafka.server.ReplicaFetcherThread)\norg.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition."
CREATED = "INFO Created log for partition orders-0 in /data/orders-0 with properties {} (kafka.log.LogManager)"
CLIENTS_LINE = "WARN [Controller id=3, targetBrokerId={peer}] Connection to node {peer} could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
CALLERS_LINE = "WARN [RequestSendThread controllerId=3] Controller 3's connection to broker 10.0.0.1:9092 (id: 1 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\njava.io.IOException: Connection to 10.0.0.1:9092 (id: 1 rack: null) failed."


def at(second: float) -> datetime:
    return datetime.fromtimestamp(1_795_757_640 + second, UTC)


def stamped(second: float, text: str) -> str:
    return f"[{at(second):%Y-%m-%d %H:%M:%S},{round(second % 1 * 1000):03}] {text}\n"


def answer(*found: Found, **files: str):
    return explained(
        [line for name, text in files.items() for line in lines_of(text, f"{name}/server.log")],
        findings=Findings(found),
    )


def crash(node: int, since: float, until: float, *, votes: bool | None = None) -> Found:
    return Found(
        f"node {node} crashed",
        "F01",
        OUTAGE,
        node,
        (),
        at(since),
        at(until),
        votes=votes,
        unclean=True,
        silences=True,
        latest=at(since + 1),
    )


def quorum_lost(since: float, until: float) -> Found:
    return Found("Metadata quorum lost", "F11", OUTAGE, None, (103,), at(since), at(until), votes=True)


def followed(told) -> list[tuple[str, str, int]]:
    return [(one.key, one.follows.split(" (")[0], one.count) for one in told.consequences]


def test_the_last_line_of_a_node_does_not_follow_from_its_crash():
    last = stamped(25.2, UNREACHABLE.format(me=1, peer=101))
    told = answer(crash(101, 17, 46), crash(1, 25.2, 58), node1=last)
    assert followed(told) == [("node-unreachable", "node 101 crashed", 1)]
    assert [one.key for one in answer(crash(1, 25.2, 58), node1=last).told] == ["node-unreachable"]


def test_of_two_faults_the_one_of_the_named_peer_explains_a_failed_connection():
    line = stamped(30, UNREACHABLE.format(me=1, peer=101))
    frozen = Found("node 1 froze", "F04", OUTAGE, 1, (), at(20), at(29), latest=at(21))
    assert followed(answer(crash(101, 17, 46), frozen, node1=line)) == [("node-unreachable", "node 101 crashed", 1)]
    assert followed(answer(frozen, node1=line)) == [("node-unreachable", "node 1 froze", 1)]


def test_elections_without_a_leader_follow_from_the_loss_of_the_quorum_and_not_from_a_brokers_crash():
    seen = "".join(stamped(second, NO_LEADER.format(me=2)) for second in (23, 27, 31))
    called = "".join(stamped(second, CANDIDATE) for second in (23, 27, 31, 36))
    voter, broker, quorum = crash(101, 17, 46, votes=True), crash(1, 25, 58, votes=False), quorum_lost(18, 48)
    told = answer(voter, broker, quorum, node2=seen, node103=called)
    assert sorted(followed(told)) == [
        ("quorum-election", "Metadata quorum lost", 4),
        ("quorum-without-leader", "Metadata quorum lost", 3),
    ]
    assert {cause for _, cause, _ in followed(answer(voter, broker, node2=seen))} == {"node 101 crashed"}
    back = crash(103, 10, 22, votes=True)
    assert {cause for _, cause, _ in followed(answer(voter, back, node103=called))} == {"node 101 crashed"}
    assert {cause for _, cause, _ in followed(answer(back, node103=called))} == {"node 103 crashed"}
    alone = answer(broker, node2=seen)
    assert not alone.consequences and [(one.key, one.count) for one in alone.told] == [
        ("quorum-without-leader", 2),
        ("quorum-without-leader", 1),  # before the crash
    ]


def test_a_lost_quorum_does_not_keep_a_follower_from_its_leader():
    line = stamped(
        30, UNREACHABLE.format(me=2, peer=1).replace("RaftManager id=2", "ReplicaFetcher replicaId=2, leaderId=1")
    )
    told = answer(quorum_lost(18, 48), node2=line)
    assert not told.consequences and [one.key for one in told.told] == ["node-unreachable"]


def test_lines_outside_of_the_time_of_a_fault_are_counted_on_their_own():
    seconds = (10, 20, 30, 120, 130)
    told = answer(
        crash(101, 17, 46), node2="".join(stamped(second, UNREACHABLE.format(me=2, peer=101)) for second in seconds)
    )
    assert [(one.key, one.count) for one in told.told] == [("node-unreachable", 2), ("node-unreachable", 1)]
    assert followed(told) == [("node-unreachable", "node 101 crashed", 2)]


@pytest.mark.parametrize(("created", "is_new"), [(35.5, True), (28, True), (5, False)])
def test_a_leader_that_creates_a_partition_does_not_know_it_yet(created, is_new):
    told = answer(node1=stamped(created, CREATED), node2=stamped(36, UNKNOWN_TOPIC))
    assert [one.key for one in told.harmless] == (["partition-not-created-yet"] if is_new else [])
    assert [one.key for one in told.told] == ([] if is_new else ["fetch-refused"])


def test_a_new_partition_that_its_leader_does_not_know_yet_follows_from_no_fault_that_is_over():
    told = answer(crash(1, 20, 33), node1=stamped(35.5, CREATED), node2=stamped(36, UNKNOWN_TOPIC))
    assert [one.key for one in told.harmless] == ["partition-not-created-yet"] and not told.consequences


@pytest.mark.parametrize(
    ("node", "until", "follows"),
    [(1, 33, True), (1, None, False), (1, 10, False), (3, 33, False)],
    ids=["the leader started 3 s ago", "the leader is away", "it started long ago", "another node started"],
)
def test_a_leader_that_has_just_started_does_not_know_its_partitions_yet(node, until, follows):
    back = Found(f"node {node} crashed", "F01", OUTAGE, node, (), at(5), at(until) if until is not None else None)
    told = answer(back, node2=stamped(36, UNKNOWN_TOPIC))
    assert [one.key for one in told.consequences] == (["fetch-refused"] if follows else [])


def test_both_lines_of_a_controllers_failed_attempt_are_one_message():
    server = "".join(stamped(second, CLIENTS_LINE.format(peer=1)) for second in (20.756, 20.858, 25))
    controller = "".join(stamped(second, CALLERS_LINE) for second in (20.757, 20.858))
    other = stamped(20.8, CLIENTS_LINE.format(peer=2))
    told = answer(server=server + other, controller=controller).told
    assert [(one.key, one.says, one.count) for one in told] == [
        ("controller-cannot-reach-broker", "Controller 3 could not connect to broker 1 at 10.0.0.1:9092.", 2),
        ("node-unreachable", "Controller 3 could not connect to brokers 1 and 2.", 2),
    ]


@for_each(("second", "follows"), [(34, True), (47, True), (66, False)])
def test_a_node_that_is_back_does_not_fail_to_reach_others_because_of_its_own_end(second, follows):
    """Broker 2 was back at 33 s and has its partitions 15 s later: what it cannot reach after that has another cause."""
    cannot = "WARN [RaftManager id=2] Connection to node 101 (/10.0.0.41:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"
    told = answer(crash(2, 5, 33), node2=stamped(second, cannot))
    assert [bool(told.consequences), bool(told.told)] == [follows, not follows]


def test_nodes_of_one_role_are_listed_together_and_a_count_is_no_id():
    silent = "INFO [{client}] Disconnecting from node {peer} due to request timeout. (org.apache.kafka.clients.NetworkClient)"
    raft = [stamped(second, silent.format(client="RaftManager id=1", peer=second + 100)) for second in range(1, 8)]
    fetcher = "ReplicaFetcher replicaId=1, leaderId={peer}, fetcherId=0"
    others = [stamped(10 + peer, silent.format(client=fetcher.format(peer=peer), peer=peer)) for peer in (2, 3)]
    [one] = answer(node1="".join([*raft, *others])).told
    assert one.says == (
        "Broker 1 had no answer from controllers 101, 102, 103, 104, 105 and 2 more and brokers 2 and 3 in time and cut the connection."
    )
    assert sentence("orders-0 and clicks-1 have no leader") == "orders-0 and clicks-1 have no leader"
    assert sentence("broker 1 lost controller 103, controller 101 and 2 more") == (
        "Broker 1 lost controller 103, controller 101 and 2 more"
    )


@pytest.mark.parametrize(
    ("exception", "shows"),
    [
        ("java.net.SocketException: Invalid argument", "This host itself rejects the connection (Invalid argument)"),
        ("java.net.ConnectException: Connection refused", "The connection was refused: no process listens"),
        ("java.net.NoRouteToHostException: No route to host", "The network has no way to the other end"),
        ("", ""),
    ],
)
def test_the_exception_of_a_failed_connection_shows_which_end_prevented_it(exception, shows):
    line = "WARN [RaftManager id=1] Error connecting to node 10.0.0.2:9093 (id: 2 rack: null) (org.apache.kafka.clients.NetworkClient)"
    cut = Found("node 1 was cut off", "F06", OUTAGE, 1, (2,), at(10), at(40))
    [one] = answer(cut, node1=stamped(20, f"{line}\n{exception}".rstrip())).consequences
    connects, _, reason = one.says.partition("10.0.0.2:9093 for the metadata quorum.")
    assert connects == "Node 1 could not connect to controller 2 at " and reason.strip().startswith(shows)
    assert bool(reason.strip()) is bool(shows)


@pytest.mark.parametrize(("came", "is_harmless"), [(30, True), (5, False)])
def test_a_leader_that_has_just_registered_does_not_listen_yet(came, is_harmless):
    fetch = "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest) (kafka.server.ReplicaFetcherThread)\njava.io.IOException: Connection to 10.0.0.1:9092 (id: 1 rack: null) failed."
    back = "INFO [Controller id=2] Newly added brokers: 1, deleted brokers: , bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)"
    told = answer(node2=stamped(came, back) + stamped(30.8, fetch))
    assert [one.key for one in told.harmless] == ["leader-not-listening-yet"] * is_harmless
    assert [one.key for one in told.told] == ["fetch-failed"] * (not is_harmless)


def test_a_host_that_rejects_its_own_connections_does_not_show_that_the_other_node_crashed():
    line = "WARN [RaftManager id=1] Error connecting to node 10.0.0.2:9093 (id: 2 rack: null) (org.apache.kafka.clients.NetworkClient)\njava.net.SocketException: Invalid argument"
    cut = Found("node 1 was cut off", "F06", OUTAGE, 1, (2,), at(10), at(40))
    assert followed(answer(crash(2, 15, 40), cut, node1=stamped(20, line))) == [
        ("node-unreachable", "node 1 was cut off", 1)
    ]
    assert [one.key for one in answer(crash(2, 15, 40), node1=stamped(20, line)).told] == ["node-unreachable"]


def test_a_leader_rejects_records_because_others_are_away_and_not_because_it_was_away_itself():
    line = "ERROR [ReplicaManager broker=3] Error processing append operation on partition orders-4 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(3) is insufficient to satisfy the min.isr requirement of 2 for partition orders-4"
    told = answer(crash(3, 10, 36), crash(1, 12, 60), node3=stamped(40, line))
    assert followed(told) == [("produce-error", "node 1 crashed", 1)]
    assert [one.key for one in answer(crash(3, 10, 36), node3=stamped(40, line)).told] == ["produce-error"]
    frozen = Found("node 3 froze", "F04", OUTAGE, 3, (), at(10), at(36), silences=True, latest=at(11))
    assert followed(answer(frozen, node3=stamped(40, line))) == [("produce-error", "node 3 froze", 1)]


def test_in_a_node_with_both_roles_the_controller_is_a_voter_and_the_broker_sends_heartbeats():
    roles = "INFO [QuorumController id=1] Becoming the active controller at epoch 1 (org.apache.kafka.controller.QuorumController)"
    broker = "INFO [BrokerLifecycleManager id=1] Successfully registered broker 1 with broker epoch 8 (kafka.server.BrokerLifecycleManager)"
    failed = UNREACHABLE.format(me=1, peer=2)
    channel = failed.replace("RaftManager id=1", "NodeToControllerChannelManager id=1 name=heartbeat")
    lines = stamped(8, broker) + stamped(50, failed) + stamped(51, channel)
    both = answer(node1=stamped(5, roles) + lines)
    assert [(one.subject, one.count) for one in both.told] == [("controller 1", 1), ("broker 1", 1)]
    assert [(one.subject, one.count) for one in answer(node1=lines).told] == [("broker 1", 1), ("broker 1", 1)]


PEER_SILENT = (
    "INFO [RaftManager id=1] Disconnecting from node 2 due to request timeout. (org.apache.kafka.clients.NetworkClient)"
)
CANCELLED = "INFO [RaftManager id=1] Cancelled in-flight FETCH request with correlation id 3 due to node 2 being disconnected (elapsed time since creation: 2124ms, elapsed time since send: 2124ms, request timeout: 2000ms) (org.apache.kafka.clients.NetworkClient)"
STARTED = "INFO [SharedServer id={}] Starting SharedServer (kafka.server.SharedServer)"
UNFENCED = "INFO [BrokerLifecycleManager id=2] The broker has been unfenced. Transitioning from RECOVERY to RUNNING. (kafka.server.BrokerLifecycleManager)"


@pytest.mark.parametrize(
    ("started", "joined", "harmless", "follows"),
    [
        (36, 46, ["peer-starting"], []),
        (36, 37, [], ["peer-silent"]),  # the peer had joined before the request was sent
        (39, 46, [], ["peer-silent"]),  # the request was sent to the process before
        (36, None, ["peer-starting"], []),
        (25, None, [], ["peer-silent"]),
    ],
)
def test_a_request_to_a_process_that_has_just_started_is_no_effect_of_a_fault(started, joined, harmless, follows):
    ready = stamped(joined, UNFENCED) if joined else ""
    told = answer(
        crash(2, 10, 36),
        node1=stamped(40, PEER_SILENT) + stamped(40.001, CANCELLED),
        node2=stamped(started, STARTED.format(2)) + ready,
    )
    assert ([one.key for one in told.harmless], [one.key for one in told.consequences]) == (harmless, follows)
    assert told.told == ()


@pytest.mark.parametrize(
    ("starts_at", "joined", "is_harmless"),
    [(5, 60, True), (5, 30, False), (5, None, False), (20, 60, False)],
    ids=["before it joined", "after it joined", "it never joined", "its log begins in an earlier process"],
)
def test_what_passes_before_a_broker_first_joined_is_harmless(starts_at, joined, is_harmless):
    ready = stamped(joined, UNFENCED.replace("id=2", "id=1")) if joined else ""
    first = "INFO [BrokerServer id=1] Transition from SHUTDOWN to STARTING (kafka.server.BrokerServer)"
    began = stamped(5, first) + stamped(starts_at, STARTED.format(1))
    told = answer(node1=began + stamped(40, PEER_SILENT) + ready)
    assert [one.key for one in told.harmless] == ["peer-silent-at-first-start"] * is_harmless
    assert [one.key for one in told.told] == ["peer-silent"] * (not is_harmless)


def test_a_quorum_leader_that_is_stopped_resigns_because_of_the_stop():
    stops = stamped(
        20, "INFO [BrokerLifecycleManager id=1] Beginning controlled shutdown. (kafka.server.BrokerLifecycleManager)"
    )
    stops += stamped(20, "INFO [RaftManager id=1] Beginning graceful shutdown (org.apache.kafka.raft.KafkaRaftClient)")
    resigned = "INFO [RaftManager id=1] Completed transition to ResignedState(localId=1, epoch=1, voters=[1, 2, 3], electionTimeoutMs=1000, unackedVoters=[2, 3], preferredSuccessors=[2, 3]) from Leader(localId=1, epoch=1) (org.apache.kafka.raft.QuorumState)"
    stop = Found("node 1 was shut down", "F02", OUTAGE, 1, (), at(19), at(30), asked=True)
    told = answer(stop, node1=stops + stamped(21, resigned))
    assert "quorum-leader-stopping" in [one.key for one in told.consequences]
