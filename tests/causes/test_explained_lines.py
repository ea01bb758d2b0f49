"""The faults of an analysis as explanations of lines: who they are about, and which lines can follow from them."""

from __future__ import annotations

from replay.causes.explained_lines import Findings, found_of
from replay.knowledge.explaining import explained
from replay.knowledge.meanings import MEANINGS
from replay.reading.texts import lines_of
from replay.tables.brokers import BROKER_SESSIONS, CONTROLLERS, TIMINGS
from replay.tables.causes import EDGES
from replay.tables.control_plane import VOTER_SETS
from replay.tables.faults import FAULTS, WITNESSED
from replay.tables.losses import LOSSES
from replay.tables.offsets import SHORTENED_LOGS
from replay.tables.partitions import ELECTIONS
from tests.each import for_each
from tests.tables import rows

VOTERS = rows(VOTER_SETS, "node_id | start_ts | voters\n 1 | 10:00:00 | 1,101,102")
SESSIONS = rows(BROKER_SESSIONS, "broker_id | start_ts\n 1 | 10:00:00\n 2 | 10:00:00")
FAULT = "kind | broker_id | began_low | ts | end_ts\n {} | {} | 10:01:00 | 10:01:01 | 10:02:00"


@for_each(
    ("kind", "node", "says", "votes", "silences"),
    [
        ("killed", 1, "broker 1 crashed or was killed", True, True),
        ("killed", 2, "broker 2 crashed or was killed", False, True),
        ("paused", 101, "controller 101 froze", True, True),
        ("killed", 9, "node 9 crashed or was killed", False, True),
        ("cut_from_controllers", 2, "broker 2 was cut off from the controllers", False, False),
        ("quorum_lost", "", "Metadata quorum lost", True, False),
    ],
)
def test_a_fault_names_its_node_by_role_and_knows_whether_it_votes(kind, node, says, votes, silences):
    (found,) = found_of(rows(FAULTS, FAULT.format(kind, node)), [], VOTERS, SESSIONS)
    assert (found.says, found.votes, found.silences) == (says, votes, silences)
    (alone,) = found_of(rows(FAULTS, FAULT.format(kind, node)))
    assert alone.votes is (True if kind == "quorum_lost" else None)


def test_a_fault_is_stated_as_its_finding_states_it():
    died = rows(FAULTS, "fault_id | kind | broker_id | ts\ndeath | killed | 2 | 10:01:01")
    shorter = rows(SHORTENED_LOGS, "node_id | start_ts | logs | topic\n2 | 10:02:00 | 1 | orders")
    (found,) = found_of(died, [], VOTERS, SESSIONS, shortened_logs=shorter)
    assert found.says == "broker 2 crashed and left damaged logs"
    told = rows(WITNESSED, "fault_id | predicate\ndeath | was killed by SIGKILL, 10:01:01")
    (found,) = found_of(died, [], VOTERS, SESSIONS, shortened_logs=shorter, witnessed=told)
    assert found.says == "broker 2 was killed by SIGKILL, 10:01:01"


def test_a_controller_that_was_active_as_its_fault_began_led_the_quorum():
    tenure = rows(
        CONTROLLERS,
        "mode | controller_id | controller_epoch | start_ts | end_ts\n kraft | 101 | 3 | 10:00:00 | 10:00:30",
    )
    for kind, begins in (("killed", "10:00:20"), ("killed", "10:05:00")):
        fault = f"kind | broker_id | ts | end_ts\n {kind} | 101 | {begins} | 10:06:00"
        (found,) = found_of(rows(FAULTS, fault), tenure, [], [])
        assert (found.led, found.says) == (begins == "10:00:20", "controller 101 crashed or was killed")


def test_a_fault_of_which_the_lines_say_more_explains_none():
    assert not found_of(rows(FAULTS, FAULT.format("out_of_memory", 1)), [], VOTERS, SESSIONS)


def test_preferred_elections_of_one_time_are_one_change_and_others_are_none():
    elections = """
        topic  | partition | trigger        | ts
        clicks | 1         | preferred      | 10:00:00
        clicks | 2         | preferred      | 10:00:01
        clicks | 3         | preferred      | 10:05:00
        orders | 0         | broker_failure | 10:00:00 """
    found = found_of([], elections=rows(ELECTIONS, elections))
    assert [sorted(one.partitions) for one in found] == [["clicks-1", "clicks-2"], ["clicks-3"]]
    assert {one.code for one in found} == {"F17"}


def test_what_a_follower_cuts_after_an_unclean_election_is_explained_by_that_election():
    """Whenever it returns, unless another leader was elected by then; and only its high watermark."""
    elections = """
        topic  | partition | leader_epoch | new_leader_id | elected_from | ts
        clicks | 1         | 3            | 2             | any_replica  | 10:00:00
        clicks | 2         | 3            | 2             | any_replica  | 10:00:01
        orders | 0         | 3            | 2             | any_replica  | 10:00:01
        orders | 0         | 4            | 1             | isr          | 10:00:30 """
    found = found_of([], elections=rows(ELECTIONS, elections))
    assert [(sorted(one.partitions), one.until is None) for one in found] == [
        (["clicks-1", "clicks-2"], True),
        (["orders-0"], False),
    ]
    assert {(one.says, *one.sorts) for one in found} == {
        ("broker 2 was elected from outside the ISR", "shorter leader")
    }
    assert [meaning.key for meaning in MEANINGS if "shorter leader" in meaning.explained_by] == [
        "unclean-election-info",
        "hw-backwards",
    ]


def test_an_unclean_election_names_the_ranges_that_it_certainly_lost():
    elections = """
        topic  | partition | leader_epoch | new_leader_id | elected_from | ts
        orders | 0         | 3            | 2             | any_replica  | 10:00:00
        orders | 1         | 3            | 2             | any_replica  | 10:00:00
        orders | 2         | 3            | 2             | any_replica  | 10:00:00 """
    losses = """
        topic  | partition | leader_epoch | loss_class     | verdict          | from_offset | discarded_to_offset
        orders | 0         | 3            | committed      | PROVEN_LOSS      | 244         | 900
        orders | 0         | 3            | acked_possible | POSSIBLE_LOSS    | 900         | 981
        orders | 1         | 3            | committed      | UNDETERMINED     | 244         | 981
        orders | 2         | 2            | committed      | PROVEN_LOSS      | 244         | 981 """
    (found,) = found_of([], elections=rows(ELECTIONS, elections), losses=rows(LOSSES, losses))
    assert found.lost == (("orders-0", 244, 981),)
    assert "lost batches" in found.sorts


CUT_AND_LATE = """
    fault_id | code | kind             | broker_id | peers | began_low | ts       | ended_high
    cut      | F05  | cut_from_peers   | 1         | 2,3   | 10:00:00  | 10:00:01 | 10:00:40
    late     | F23  | isr_changes_late | 1         |       | 10:00:11  | 10:00:11 | 10:00:40   """
NOT_REACHED = "[2024-05-01 10:00:30,000] WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Connection to node 1 (/10.77.0.11:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"


@for_each(
    ("edges", "code"),
    [("src | dst | rank\ncut | late | 1", "F05"), ("src | dst | rank\ncut | late | 2", "F23"), ("src", "F23")],
    ids=["it follows from the cut", "that is only a rival of its cause", "what it follows from is unknown"],
)
def test_a_line_that_two_faults_explain_follows_from_the_one_that_caused_the_other(edges, code):
    found = found_of(rows(FAULTS, CUT_AND_LATE), edges=rows(EDGES, edges))
    [one] = explained(list(lines_of(NOT_REACHED, "node-2/server.log")), findings=Findings(found)).consequences
    assert f"({code}, " in one.follows


CUT_THEN_KILLED = """
    fault_id | code | kind           | broker_id | peers | began_low | ts       | ended_high
    cut      | F05  | cut_from_peers | 1         | 2,3   | 10:00:00  | 10:00:01 | 10:01:00
    killed   | F01  | killed         | 1         |       | 10:00:20  | 10:00:20 | 10:01:00   """
REJECTED = """[2024-05-01 10:00:{at},000] WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error connecting to node 10.77.0.11:9092 (id: 1 rack: null) (org.apache.kafka.clients.NetworkClient)
java.net.SocketException: Invalid argument
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)
"""
FAILED = """[2024-05-01 10:00:25,010] WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=2) (kafka.server.ReplicaFetcherThread)
java.io.IOException: Connection to 10.77.0.11:9092 (id: 1 rack: null) failed.
"""


@for_each(
    ("at", "codes"),
    [("25", ["F05", "F05"]), ("05", ["F05", "F01"])],
    ids=["the host just rejected the connection", "it rejected one 20 s before"],
)
def test_a_request_whose_connection_the_own_host_rejected_does_not_follow_from_the_end_of_its_peer(at, codes):
    found = Findings(found_of(rows(FAULTS, CUT_THEN_KILLED)))
    lines = list(lines_of(REJECTED.format(at=at) + FAILED, "node-2/server.log"))
    told = sorted(explained(lines, findings=found).consequences, key=lambda one: one.first)
    assert [one.follows.split("(")[1][:3] for one in told] == codes


SHRUNK = "[2024-05-01 10:00:{at},000] INFO [Partition orders-0 broker=2] Shrinking ISR from 1,2 to 2. Leader: (highWatermark: 5, endOffset: 9). Out of sync replicas: (brokerId: 1, endOffset: 5). (kafka.cluster.Partition)\n"


@for_each(("at", "code"), [("35", "F05"), ("51", "F01")])
def test_a_follower_is_behind_for_the_lag_time_before_it_leaves_the_isr(at, code):
    """As recorded of 3.9.1: cut off, killed 40 s later, and removed 3 s after that for the 30 s before."""
    timings = rows(TIMINGS, "node_id | replica_lag_ms\n 2 | 30000")
    found = Findings(found_of(rows(FAULTS, CUT_THEN_KILLED), timings=timings))
    (one,) = explained(list(lines_of(SHRUNK.format(at=at), "node-2/server.log")), findings=found).consequences
    assert f"({code}, " in one.follows


SET_BACK = "[2024-05-01 10:00:01,000] WARN [UnifiedLog partition=orders-1, dir=/data] Non-monotonic update of high watermark from (offset=283, segment=[0:4]) to (offset=282, segment=[0:4]) (kafka.log.UnifiedLog)\n"


@for_each(
    ("release", "is_told"),
    [("2.8.2", True), ("3.9.1", False), ("", True)],
    ids=["it can be the end of the log", "a later release prints the high watermark", "no line names the release"],
)
def test_the_first_value_of_a_high_watermark_is_called_a_log_end_only_where_it_can_be_one(release, is_told):
    named = f"[2024-05-01 10:00:00,000] INFO Kafka version: {release} (org.apache.kafka.common.utils.AppInfoParser)\n"
    told = explained(list(lines_of((named if release else "") + SET_BACK, "node-2/server.log"))).told
    assert ["KAFKA-14704" in one.says for one in told if "283 to 282" in one.says] == [is_told]


@for_each(
    ("began_low", "says"), [("", "F05, began by 10:00:48"), ("10:00:17", "F05, began between 10:00:17 and 10:00:48")]
)
def test_a_cut_that_only_failed_attempts_show_began_by_the_first_of_them(began_low, says):
    cut = f"kind | code | broker_id | began_low | ts | began_high\n cut_from_peers | F05 | 3 | {began_low} | 10:00:48 | 10:00:48"
    (found,) = found_of(rows(FAULTS, cut))
    assert says in found.description
