"""Lines of several processes, or of one at two times, that tell of one event."""

from __future__ import annotations

import pytest

from pipelines.answers.lines import of_text, of_texts
from replay.knowledge.explaining import explained
from replay.reading.texts import lines_of

FENCED = "[2024-02-10 03:00:09,120] INFO [QuorumController id=1] Fencing broker {0} because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)\n"
UNFENCED = "[2024-02-10 03:00:31,900] INFO [QuorumController id=1] The request from broker {0} to unfence has been granted because it has caught up with the offset of its register broker record 90117. (org.apache.kafka.controller.BrokerHeartbeatManager)\n"
REFUSED = "[2024-02-10 03:00:09,120] ERROR [ReplicaManager broker=2] Error processing append operation on partition {0} (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(2) is insufficient to satisfy the min.isr requirement of 2 for partition {0}\n"
TOLD = "[2024-02-10 03:00:09,130] WARN [Producer clientId=p-1] Got error produce response with correlation id 5 on topic-partition {0}, retrying (5 attempts left). Error: NOT_ENOUGH_REPLICAS (org.apache.kafka.clients.producer.internals.Sender)\n"
STOPPED = "[2024-02-10 03:00:00,000] INFO [KafkaServer id=2] shut down completed (kafka.server.KafkaServer)\n"
GONE = "[2024-02-10 03:00:02,000] INFO [Controller id=1] Broker failure callback for {0} (kafka.controller.KafkaController)\n"


def keys(*texts: str) -> list[str]:
    answer = of_texts({f"node-{number}.log": text for number, text in enumerate(texts)})
    return sorted(one.key for one in (*answer.told, *answer.harmless))


def test_a_broker_that_was_fenced_and_taken_back_is_one_event():
    answer = of_text(FENCED.format(2) + UNFENCED.format(2))
    assert [one.key for one in answer.told] == ["fenced-and-back"] and "23 s later" in answer.summary
    assert [one.key for one in of_text(FENCED.format(2) + UNFENCED.format(3)).told] == ["fenced"]


def test_both_sides_of_one_refusal_are_reported_once():
    assert keys(REFUSED.format("orders-3"), TOLD.format("orders-3")) == ["produce-error"]
    assert keys(REFUSED.format("orders-3"), TOLD.format("orders-4")) == ["client-not-enough-replicas", "produce-error"]
    answer = of_texts({"a": REFUSED.format("orders-3"), "b": TOLD.format("orders-3") * 2})
    assert any("both sides of one refusal (2 lines)" in sentence for sentence in answer.together)


def test_an_ordered_stop_and_what_the_controller_saw_of_it_are_one_event():
    assert "stop-seen-by-others" in keys(STOPPED, GONE.format(2))
    assert "stop-seen-by-others" not in keys(STOPPED, GONE.format(3))


def test_only_a_client_that_is_in_its_group_again_has_recovered():
    head = "INFO [Consumer clientId={}, groupId=g] "
    behind = " (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
    lost = f"[2024-02-10 03:00:09,130] {head.format('c-1')}Group coordinator k1:9092 (id: 2147483646 rack: null) is unavailable or invalid due to cause: null.isDisconnected: true. Rediscovery will be attempted.{behind}"
    found = f"[2024-02-10 03:00:11,130] {head}Discovered group coordinator k2:9092 (id: 2147483645 rack: null){behind}"
    joined = f"[2024-02-10 03:00:12,130] {head}Successfully joined group with generation 7{behind}"
    assigned = f"[2024-02-10 03:00:13,130] {head}Adding newly assigned partitions: t-0{behind}"
    for step, at in ((joined, "03:00:12"), (assigned, "03:00:13")):
        (one,) = of_text(lost + found.format("c-1") + step.format("c-1")).told
        assert one.heals == f"yes: by {at} it was a member of its group again"
    # the lookup's answer is no connection, and another client's step says nothing about this one
    for behind_it in (found.format("c-1"), found.format("c-1") + joined.format("c-9")):
        (one,) = of_text(lost + behind_it).told
        assert "03:00:1" not in one.heals


UNCOMPARED = (
    "[2026-11-26 23:27:08,651] WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Based on follower's leader epoch, leader "
    "replied with an unknown offset in orders-1. The initial fetch offset 0 will be used for truncation. (kafka.server.ReplicaFetcherThread)"
)
NOTHING_CUT = (
    "[2026-11-26 23:27:08,652] INFO [Log partition={}, dir=/var/lib/kafka/data0] Truncating to 0 has no effect as the largest offset in "
    "the log is -1 (kafka.log.Log)"
)


@pytest.mark.parametrize(
    ("next_line", "is_harmless"),
    [
        (NOTHING_CUT.format("orders-1"), True),
        (NOTHING_CUT.format("orders-2"), False),
        (NOTHING_CUT.format("orders-1").replace("23:27:08", "23:28:08"), False),
        (
            "[2026-11-26 23:27:08,652] INFO [Log partition=orders-1, dir=/var/lib/kafka/data0] Truncating to offset 0 (kafka.log.Log)",
            False,
        ),
    ],
    ids=["the log ended there", "of another partition", "a minute later", "the log was truncated"],
)
def test_a_truncation_that_the_log_says_changed_nothing_puts_no_record_at_risk(next_line, is_harmless):
    answer = of_text(f"{UNCOMPARED}\n{next_line}\n")
    assert ("truncation-without-effect" in [one.key for one in answer.harmless]) is is_harmless
    assert ("truncation-by-hw" in [one.key for one in answer.told]) is not is_harmless


ASKS = "[2023-05-01 10:0{0}:00,130] INFO Connecting to zookeeper on zk1:2181 (kafka.server.KafkaServer)\n"
WAITS = "[2023-05-01 10:0{0}:00,160] INFO [ZooKeeperClient Kafka server] Waiting until connected. (kafka.zookeeper.ZooKeeperClient)\n"
CONNECTED = (
    "[2023-05-01 10:0{0}:00,900] INFO [ZooKeeperClient Kafka server] Connected. (kafka.zookeeper.ZooKeeperClient)\n"
)
FAILED = "[2023-05-01 10:0{0}:18,200] ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
TIMED_OUT = (
    "kafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING\n"
)
OTHER_CAUSE = "java.lang.IllegalArgumentException: requirement failed\n"
GAVE_UP = "[2023-05-01 10:0{0}:18,221] ERROR Exiting Kafka. (kafka.server.KafkaServerStartable)\n"
START = ASKS + WAITS + FAILED + TIMED_OUT + GAVE_UP


def test_a_start_that_gave_up_on_zookeeper_is_one_item():
    answer = of_text(START.format(0))
    assert [one.key for one in answer.told] == ["start-without-zookeeper"]
    assert (
        answer.summary
        == "This broker did not start: ZooKeeper at zk1:2181 did not answer in time; the broker gave up at 10:00:18."
    )
    looped = of_text(START.format(0) + START.format(1) + START.format(2))
    assert [one.key for one in looped.told] == ["start-without-zookeeper"]
    assert "gave up at 10:00:18, 10:01:18 and 10:02:18" in looped.summary


def test_a_start_that_fails_for_another_reason_did_not_give_up_on_zookeeper():
    lines = ASKS + WAITS + CONNECTED + FAILED + OTHER_CAUSE + GAVE_UP
    assert "start-without-zookeeper" not in keys(lines.format(0))
    assert keys(WAITS.format(0)) == ["zk-waiting"]
    assert "start-without-zookeeper" not in keys(WAITS.format(0), (FAILED + TIMED_OUT).format(0))


STOPPING = "[2026-11-27 02:07:52,078] INFO [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Shutting down (kafka.server.ReplicaFetcherThread)\n"
ENDED = "[2026-11-27 02:{0}] INFO [ReplicaFetcher replicaId=2, leaderId={1}, fetcherId=0] Stopped (kafka.server.ReplicaFetcherThread)\n"
SHUTDOWN = "[2026-11-27 02:07:52,070] INFO [ReplicaFetcherManager on broker 2] shutting down (kafka.server.ReplicaFetcherManager)\n"


def test_a_fetcher_that_waits_for_its_open_request_delays_the_change_that_stops_it():
    (one,) = of_text(STOPPING + ENDED.format("08:15,596", 1)).told
    assert one.key == "fetcher-stop-waited"
    assert "its fetcher from leader 1 for 24 s, until 02:08:15" in one.says


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(STOPPING + ENDED.format("07:52,500", 1), id="its leader answered"),
        pytest.param(STOPPING + ENDED.format("08:15,596", 3), id="the fetcher of another leader"),
        pytest.param(SHUTDOWN + STOPPING + ENDED.format("08:15,596", 1), id="the broker shuts down"),
    ],
)
def test_a_fetcher_that_ends_soon_or_with_its_broker_delays_no_change(lines):
    assert "fetcher-stop-waited" not in keys(lines)


LEADER_LEFT = "[2026-11-27 02:00:35,802] INFO [RaftManager id=1] Completed transition to Unattached(epoch=14, voters=[1, 2, 3], electionTimeoutMs=1480) from Leader(localId=1, epoch=1, epochStartOffset=0, highWatermark=Optional[LogOffsetMetadata(offset=140, metadata=Optional.empty)], voterStates={}) (org.apache.kafka.raft.QuorumState)\n"
VOTE = "[2026-11-27 02:00:{0}] INFO [RaftManager id=1] Vote request VoteRequestData(clusterId='M', topics=[TopicData(topicName='__cluster_metadata', partitions=[PartitionData(partitionIndex=0, candidateEpoch={1}, candidateId=2, lastOffsetEpoch=1, lastOffset=61)])]) with epoch {1} is rejected (org.apache.kafka.raft.KafkaRaftClient)\n"


def test_a_voter_that_returns_with_a_higher_epoch_deposes_the_leader_of_the_quorum():
    (one,) = of_text(LEADER_LEFT + VOTE.format("35,804", 14)).told
    assert one.key == "quorum-leader-deposed-by-voter"
    assert "because voter 2 requested votes in epoch 14. It rejected the vote." in one.says


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(LEADER_LEFT, id="no vote request"),
        pytest.param(LEADER_LEFT + VOTE.format("36,821", 15), id="a later election"),
        pytest.param(LEADER_LEFT.replace("from Leader", "from Candidate") + VOTE.format("35,804", 14), id="no leader"),
    ],
)
def test_a_leader_that_no_vote_request_deposed_left_for_another_reason(lines):
    assert "quorum-leader-deposed-by-voter" not in keys(lines)


def test_beside_findings_only_events_that_no_finding_states_are_joined():
    lines = list(lines_of(LEADER_LEFT + VOTE.format("35,804", 14) + FENCED.format(2) + UNFENCED.format(2), "log"))
    told = [one.key for one in explained(lines, is_complete=False).told]
    assert "quorum-leader-deposed-by-voter" in told
    assert "fenced-and-back" not in told


GONE_ISR = "[2017-07-15 16:17:57,662] INFO Partition [orders,2] on broker 1: Shrinking ISR from 1,2,0 to {0} (kafka.cluster.Partition)\n"
GONE_FETCH = "[2017-07-15 16:18:05,858] WARN [ReplicaFetcherThread-0-{0}]: Error in fetch to broker {0}, request (type=FetchRequest, replicaId=1, maxWait=500) (kafka.server.ReplicaFetcherThread)\njava.io.IOException: Connection to {0} was disconnected before the response was read\n\tat kafka.server.ReplicaFetcherThread.fetch(ReplicaFetcherThread.scala:207)\n"
GONE_LED = "[2017-07-15 16:18:07,310] INFO Partition [orders,1] on broker 1: orders-1 starts at Leader Epoch 1 from offset 0. Previous Leader Epoch was: 0 (kafka.cluster.Partition)\n"


def test_a_broker_that_answers_no_more_is_one_event():
    (one,) = of_text(GONE_ISR.format("1,2") + GONE_FETCH.format(0) + GONE_LED).told
    assert one.key == "peer-gone"
    assert (
        one.says
        == "Broker 0 stopped answering broker 1 at 16:17:57: its fetches failed, and broker 0 left the ISR of orders-2. Broker 1 leads orders-1 now."
    )


def test_a_leader_that_loses_all_followers_or_fetches_from_another_is_no_gone_peer():
    assert "peer-gone" not in keys(GONE_ISR.format("1") + GONE_FETCH.format(0))
    assert "peer-gone" not in keys(GONE_ISR.format("1,2") + GONE_FETCH.format(2))
    assert "peer-gone" not in keys(GONE_ISR.format("1,2") + GONE_FETCH.format(0).replace("16:18:05", "16:58:05"))


ZK_WAITS = "[2018-10-08 18:46:35,659] INFO [ZooKeeperClient] Waiting until connected. (kafka.zookeeper.ZooKeeperClient)\n[2018-10-08 18:46:35,666] INFO Socket error occurred: zookeeper/172.18.0.3:2181: Connection refused (org.apache.zookeeper.ClientCnxn)\n"
ZK_IS_UP = "[2018-10-08 18:46:37,105] INFO [ZooKeeperClient] Connected. (kafka.zookeeper.ZooKeeperClient)\n"
ZK_NEW_DIRECTORY = "[2018-10-08 18:46:38,132] WARN No meta.properties file under dir /kafka/meta.properties (kafka.server.BrokerMetadataCheckpoint)\n"
ZK_BROKER_UP = "[2018-10-08 18:46:39,132] INFO [KafkaServer id=1001] started (kafka.server.KafkaServer)\n"


def test_a_first_start_with_zookeeper_that_succeeds_is_one_harmless_event():
    answer = of_text(ZK_WAITS + ZK_IS_UP + ZK_NEW_DIRECTORY + ZK_BROKER_UP)
    assert [one.key for one in answer.told] == []
    assert [one.key for one in answer.harmless] == ["first-start-with-zookeeper"]
    assert "was up at 18:46:39" in answer.summary and "ZooKeeper did not listen yet" in answer.summary


def test_a_start_that_does_not_end_or_finds_its_logs_is_no_first_start():
    assert "first-start-with-zookeeper" not in keys(ZK_WAITS + ZK_IS_UP + ZK_NEW_DIRECTORY)
    loaded = "[2018-10-08 18:46:38,500] INFO Loaded 3 logs in 5ms. (kafka.log.LogManager)\n"
    assert "first-start-with-zookeeper" not in keys(ZK_WAITS + ZK_IS_UP + ZK_NEW_DIRECTORY + loaded + ZK_BROKER_UP)


def test_zookeepers_own_line_shows_that_a_refused_connection_passed():
    served = "[2018-10-08 18:46:37,893] INFO Got user-level KeeperException when processing sessionid:0x1 type:setData cxid:0x23 zxid:0x1b txntype:-1 reqpath:n/a Error Path:/controller_epoch Error:KeeperErrorCode = NoNode for /controller_epoch (org.apache.zookeeper.server.PrepRequestProcessor)\n"
    (one,) = of_text(ZK_WAITS + served).told
    assert (one.key, one.weight) == ("zk-refused", "passing")
    assert {one.key for one in of_text(ZK_WAITS).told} == {"zk-waiting", "zk-refused"}


OPENED = "2019-07-03 16:01:24,{0} {1}:kafka.conn:<BrokerConnection node_id=bootstrap-1 host=b-1.example:9094 <connect{2}> [IPv4 ('10.0.0.1', 9094)]>: {3}\n"


def test_connections_that_are_closed_as_soon_as_they_are_open_point_to_tls():
    complete = OPENED.format("866", "INFO", "ing", "Connection complete.")
    closed = OPENED.format("967", "ERROR", "ed", "socket disconnected")
    assert keys(complete + closed) == ["closed-at-once"]
    found = "2019-07-03 16:01:25,000 INFO:kafka.conn:Broker version identified as 1.0.0\n"
    assert "closed-at-once" not in keys(complete + closed + found)
    later = closed.replace("16:01:24", "16:11:24")
    assert "closed-at-once" not in keys(complete + later)


@pytest.mark.parametrize(("last", "expected"), [(147870, ["quorum-elections-in-vain"]), (149154, [])])
def test_a_candidate_far_beyond_the_epoch_of_its_log_found_no_leader(last, expected):
    line = (
        "[2024-04-24 11:57:57,321] INFO [RaftManager id=2] Vote request VoteRequestData(clusterId='rEN2uuCdnGVa7XE6DD8aLo', "
        "topics=[TopicData(topicName='__cluster_metadata', partitions=[PartitionData(partitionIndex=0, candidateEpoch=149155, "
        f"candidateId=0, lastOffsetEpoch={last}, lastOffset=2925)])]) with epoch 149155 is rejected (org.apache.kafka.raft.KafkaRaftClient)"
    )
    assert [one.key for one in of_text(line).told] == expected


REGISTERED = "[2026-11-29 10:42:52,053] INFO [QuorumController id=102] Replayed RegisterBrokerRecord establishing a new incarnation of broker 3: RegisterBrokerRecord(brokerId=3, isMigratingZkBroker=false, incarnationId=bjRHRzbRQOWc-q0PqFzfOA, brokerEpoch={}, endPoints=[]) (org.apache.kafka.controller.ClusterControlManager)\n"
STALE = "[2026-11-29 10:{},917] INFO [QuorumController id=102] processBrokerHeartbeat: event failed with StaleBrokerEpochException in 227 microseconds. Exception message: Expected broker epoch 165, but got broker epoch 7 (org.apache.kafka.controller.QuorumController)\n"


@pytest.mark.parametrize("is_complete", [True, False], ids=["paste", "analysis"])
def test_a_late_heartbeat_of_a_former_process_has_no_effect(is_complete):
    """As recorded of 3.9.1: the broker was killed, and had registered again 13 s before its old heartbeat arrived."""

    def messages(text: str) -> dict[str, str]:
        answer = explained(list(lines_of(text, "controller.log")), is_complete=is_complete)
        return {one.key: one.says for one in (*answer.told, *answer.harmless)}

    assert messages(REGISTERED.format(165) + STALE.format("43:04")) == {
        "stale-heartbeat-of-former-process": "Passed: broker 3 had registered again with broker epoch 165 at 10:42:52 when a "
        "heartbeat of its former process (broker epoch 7) reached controller 102."
    }
    assert "stale-heartbeats" in messages(REGISTERED.format(99) + STALE.format("43:04"))  # another registration
    assert "stale-heartbeats" in messages(STALE.format("42:04") + REGISTERED.format(165))  # it registered afterwards
    several = STALE.format("43:04") + STALE.format("43:16") + STALE.format("43:28")
    assert "stale-heartbeats" in messages(REGISTERED.format(165) + several)  # a process of this id lives on


UNANSWERED = "[2026-11-29 10:41:50,075] INFO [BrokerLifecycleManager id=1] Unable to register the broker because the RPC got timed out before it could be sent. (kafka.server.BrokerLifecycleManager)\n"
ANSWERED = "[2026-11-29 10:41:50,467] INFO [BrokerLifecycleManager id=1] Successfully registered broker 1 with broker epoch 6 (kafka.server.BrokerLifecycleManager)\n"


def test_a_registration_that_succeeded_is_no_trouble_of_an_analysis_either():
    answer = explained(list(lines_of(UNANSWERED + ANSWERED, "server.log")), is_complete=False)
    assert [one.key for one in answer.harmless] == ["registered-when-a-controller-answered"] and not answer.told
    (one,) = explained(list(lines_of(UNANSWERED, "server.log")), is_complete=False).told
    assert one.key == "registration-failed"
