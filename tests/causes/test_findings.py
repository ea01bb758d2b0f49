"""What is concluded of each fault and its effects: role, severity, words, proof, doubts. One history of several incidents, concluded once."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from replay.causes.findings import findings
from replay.tables import EDGES, FINDINGS, VERTICES
from tests.causes.test_edges import ELECTED, LOST
from tests.causes.test_graph import ROOTS
from tests.partitions.test_elections import FAULTS, JUDGED
from tests.tables import same, table

SPANS = "root_id string, code string, kind string, broker_id int, ts timestamp, end_ts timestamp, effects bigint, incident_id string"

# crash: a leader dies, its successor is elected from outside the ISR; sleep: two brokers stand still and the controller moves about;
# rolling, both: brokers stopped one after the other, the second time while another died; apart: two stopped at once, and routine work;
# quorum: a controller dies, and the voters left are no majority.
FOUND = """
    fault_id  | kind                 | code | broker_id | ts       | end_ts   | confidence | because                                   | partitions        | blind_spots       | evidence
    kill-1    | killed               | F01  | 1         | 10:00:00 | 10:05:00 | 0.9        | node 1 ended without a shutdown line      |                   | its last seconds  | k1
    refused-1 | registration_refused | F29  | 1         | 10:05:00 |          | 0.9        | broker 1 was refused at its start         |                   |                   | k2
    pause-1   | paused               | F04  | 1         | 11:00:00 | 11:00:20 | 0.97       | no file of broker 1 has a line            |                   |                   | p1
    pause-2   | paused               | F04  | 2         | 11:01:00 | 11:01:20 | 0.97       | no file of broker 2 has a line            |                   |                   | p2
    stop-1    | stopped              | F02  | 1         | 12:00:00 | 12:01:00 | 0.98       | broker 1 was told to stop                 |                   |                   | s1
    stop-2    | stopped              | F02  | 2         | 12:02:00 | 12:03:00 | 0.98       | broker 2 was told to stop                 |                   |                   | s2
    stop-3    | stopped              | F02  | 3         | 12:04:00 | 12:05:00 | 0.98       | broker 3 was told to stop                 |                   |                   | s3
    again-1   | stopped              | F02  | 1         | 13:00:00 | 13:01:00 | 0.98       | broker 1 was told to stop                 |                   |                   | a1
    again-2   | stopped              | F02  | 2         | 13:02:00 | 13:03:00 | 0.98       | broker 2 was told to stop                 |                   |                   | a2
    kill-3    | killed               | F01  | 3         | 13:02:30 | 13:04:00 | 0.9        | node 3 ended without a shutdown line      |                   |                   | a3
    both-1    | stopped              | F02  | 1         | 14:00:00 | 14:01:00 | 0.98       | broker 1 was told to stop                 |                   |                   | b1
    both-2    | stopped              | F02  | 2         | 14:00:30 | 14:01:30 | 0.98       | broker 2 was told to stop                 |                   |                   | b2
    moved     | reassigned           | F18  | 3         | 14:00:40 | 14:01:00 | 0.95       | partitions were reassigned by request     | clicks-0,clicks-1 |                   | b3
    kill-101  | killed               | F01  | 101       | 15:00:00 |          | 0.9        | node 101 ended without a shutdown line    |                   |                   | q1
    quorum    | quorum_lost          | F11  |           | 15:00:02 | 15:00:40 | 0.9        | 27 attempts to elect a controller failed  |                   |                   | q2 """
ROOTED = """
    root_id  | code | kind       | broker_id | ts       | end_ts   | incident_id
    kill-1   | F01  | killed     | 1         | 10:00:00 | 10:05:00 | crash
    pause-1  | F04  | paused     | 1         | 11:00:00 | 11:01:20 | sleep
    pause-2  | F04  | paused     | 2         | 11:01:00 | 11:01:20 | sleep
    stop-1   | F02  | stopped    | 1         | 12:00:00 | 12:01:00 | rolling
    stop-2   | F02  | stopped    | 2         | 12:02:00 | 12:03:00 | rolling
    stop-3   | F02  | stopped    | 3         | 12:04:00 | 12:05:00 | rolling
    again-1  | F02  | stopped    | 1         | 13:00:00 | 13:01:00 | both
    again-2  | F02  | stopped    | 2         | 13:02:00 | 13:03:00 | both
    kill-3   | F01  | killed     | 3         | 13:02:30 | 13:04:00 | both
    both-1   | F02  | stopped    | 1         | 14:00:00 | 14:01:00 | apart
    both-2   | F02  | stopped    | 2         | 14:00:30 | 14:01:30 | apart
    moved    | F18  | reassigned | 3         | 14:00:40 | 14:01:00 | apart
    kill-101 | F01  | killed     | 101       | 15:00:00 | 15:00:40 | quorum """
HAPPENINGS = """
    id                  | kind              | ts       | node_id | topic  | partition | leader_epoch | incident_id | evidence | label
    kill-1              | killed            | 10:00:00 | 1       |        |           |              | crash       | k1       |
    refused-1           | registration_refused | 10:05:00 | 1    |        |           |              | crash       | k2       |
    detected-1          | detected          | 10:00:06 | 1       |        |           |              | crash       | v1       |
    controller/8        | controller_change | 10:00:07 | 2       |        |           |              | crash       | v2       |
    leaderless/orders-1/5 | leaderless      | 10:00:08 |         | orders | 1         | 5            | crash       | v3       |
    leaderless/orders-2/5 | leaderless      | 10:00:08 |         | orders | 2         | 5            | crash       | v4       |
    leaderless/orders-3/5 | leaderless      | 10:00:08 |         | orders | 3         | 5            | crash       | v5       |
    election/orders-2/6 | election          | 10:00:12 | 2       | orders | 2         | 6            | crash       | v6       |
    election/orders-0/6 | unclean_election  | 10:00:09 | 2       | orders | 0         | 6            | crash       | v7,v8,v9,v10 |
    election/orders-7/6 | unclean_election  | 10:05:05 | 1       | orders | 7         | 6            | crash       | v15      |
    shrink-2            | isr_shrink        | 10:00:08 | 2       | orders | 2         | 6            | crash       | v11      |
    loss-0              | loss              | 10:00:09 |         | orders | 0         | 6            | crash       | l1       | PROVEN_LOSS committed orders-0 [135, 170)
    refused             | writes_refused    | 10:00:20 | 2       | orders | 2         |              | crash       | v12      |
    cut-1               | recovery_cut      | 10:05:01 | 1       | orders | 1         |              | crash       | v13      | recovery of broker 1 cut orders-1 to 118
    cut-2               | recovery_cut      | 10:05:01 | 1       | orders | 2         |              | crash       | v14      | recovery of broker 1 cut orders-2 to 20
    pause-1             | paused            | 11:00:00 | 1       |        |           |              | sleep       | p1       |
    pause-2             | paused            | 11:01:00 | 2       |        |           |              | sleep       | p2       |
    controller/9        | controller_change | 11:00:10 | 3       |        |           |              | sleep       | c1       |
    controller/10       | controller_change | 11:00:40 | 1       |        |           |              | sleep       | c2       |
    controller/11       | controller_change | 11:01:10 | 3       |        |           |              | sleep       | c3       |
    stop-1              | stopped           | 12:00:00 | 1       |        |           |              | rolling     | s1       |
    controller/12       | controller_change | 12:00:01 | 1       |        |           |              | rolling     | c4       |
    controller/13       | controller_change | 12:02:01 | 2       |        |           |              | rolling     | c5       |
    controller/14       | controller_change | 12:04:01 | 3       |        |           |              | rolling     | c6       |
    election/orders-0/7 | election          | 12:00:01 | 2       | orders | 0         | 7            | rolling     | s4       |
    election/orders-0/8 | election          | 12:06:00 | 1       | orders | 0         | 8            | rolling     | s5       |
    refused-3           | writes_refused    | 13:02:40 | 1       | orders | 4         |              | both        | v16      |
    kill-101            | killed            | 15:00:00 | 101     |        |           |              | quorum      | q1       |
    quorum              | quorum_lost       | 15:00:02 |         |        |           |              | quorum      | q2       |
    shrink-5            | isr_shrink        | 16:00:00 | 2       | orders | 0         | 9            |             | u1       |
    shrink-6            | isr_shrink        | 16:10:00 | 2       | clicks | 0         | 9            |             | u2       |
    shrink-7            | isr_shrink        | 17:00:00 | 2       | clicks | 1         | 9            |             | u3       | """
FROM = """
    id                    | root_id  | distance
    kill-1                | kill-1   | 0
    leaderless/orders-1/5 | kill-1   | 2
    leaderless/orders-2/5 | kill-1   | 2
    election/orders-2/6   | kill-1   | 3
    election/orders-0/6   | kill-1   | 2
    shrink-2              | kill-1   | 2
    controller/8          | kill-1   | 1
    election/orders-0/7   | stop-1   | 1
    controller/12         | stop-1   | 1
    controller/13         | stop-2   | 1
    controller/14         | stop-3   | 1
    election/orders-4/6   | kill-3   | 1
    refused-3             | again-2  | 2
    quorum                | kill-101 | 1
    shrink-7              | kill-3   | 1 """
LED_TO = """
    src      | dst       | relation | because                                            | confidence
    kill-1   | refused-1 | R17      | broker 1 was killed: its old session had not ended | 0.8
    kill-101 | quorum    | R26      | node 101 was killed: the voters left were no majority | 0.6 """
EPOCHS = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts
    orders | 1         | 5            | -1        | 10:00:08 |
    orders | 2         | 5            | -1        | 10:00:08 | 10:00:12.500
    orders | 3         | 5            | -1        | 10:00:08 | 10:00:08.900
    orders | 0         | 6            | 2         | 10:00:09 |
    orders | 0         | 7            | 3         | 12:00:01 |             """
MOVED = """
    topic  | partition | leader_epoch | ts       | new_leader_id | elected_from      | trigger             | evidence
    orders | 7         | 6            | 10:05:05 | 1             | last_known_leader | broker_failure      | v15
    orders | 0         | 7            | 12:00:01 | 2             | isr               | controlled_shutdown | s4
    orders | 0         | 8            | 12:06:00 | 1             | isr               | preferred           | s5
    orders | 9         | 8            | 20:06:00 | 1             | isr               | preferred           | s6 """
LEDGER = """
    topic  | partition | leader_epoch | ts       | scenario | loss_class     | verdict           | from_offset | to_offset_low | to_offset_high | old_leader_id | premise                        | evidence
    orders | 0         | 6            | 10:00:09 | S4       | committed      | PROVEN_LOSS       | 135         | 170           | 170            | 1             | broker 1 was alone in the ISR  | l1
    orders | 2         | 6            | 10:00:12 | S7       | acked_possible | POSSIBLE_LOSS     | 30          |               | 31             | 1             | the log of broker 1 ended at 31 | l2
    orders | 4         | 6            | 11:00:10 | S7       | acked_possible | POSSIBLE_LOSS     | 30          |               |                | 1             | no line tells its log end      | l3
    orders | 4         | 6            | 11:00:11 | S2       | committed      | POSSIBLE_LOSS     | 30          |               | 38             | 1             | cut by its high watermark      | l4
    orders | 5         | 6            | 11:00:12 | S5       | committed      | UNDETERMINED      | 30          |               |                | 1             | no file of broker 1 tells      | l5
    orders | 6         | 6            | 11:00:13 | S1       | committed      | NO_LOSS_OBSERVED  | 30          | 30            | 30             | 1             | nothing was cut                | l6 """


@pytest.fixture(scope="module")
def concluded(spark):
    told = findings(
        table(spark, FAULTS, FOUND),
        table(spark, EDGES, LED_TO),
        table(spark, ROOTS, FROM),
        table(spark, SPANS, ROOTED),
        table(spark, VERTICES, HAPPENINGS),
        table(spark, JUDGED, EPOCHS),
        table(spark, ELECTED, MOVED),
        table(spark, LOST, LEDGER),
    )
    return spark.createDataFrame(told.collect(), FINDINGS.schema)  # concluded once, looked at by many


@pytest.fixture
def of(concluded):
    """The findings of an incident, of some codes only where they are named."""

    def of_(incident, *codes):
        rows = concluded.where(F.col("incident_id").eqNullSafe(incident))
        return rows.where(F.col("code").isin(*codes)) if codes else rows

    return of_


def _summary(rows):
    return rows.first()["summary"]


def test_a_death_is_the_root_and_what_followed_its_effects(of):
    """What is lost for sure makes the root critical; who was refused at his return is an effect of it."""
    same(
        of("crash"),
        FINDINGS,
        """
        code | role         | severity | title                                                                           | broker_ids | partitions                          | evidence          | start_ts | end_ts
        F01  | root_cause   | critical | Broker 1 died without a shutdown                                                | 1          | orders-0,orders-1,orders-2          | k1                | 10:00:00 | 10:05:00
        F29  | effect       | low      | Broker 1 was refused at its start: its old session had not ended                | 1          | []                                  | k2                | 10:05:00 | 10:05:00
        F16  | contributing | critical | Unclean election of 1 partition, to broker 2                                    | 2          | orders-0                            | v7,v8,v9          | 10:00:09 | 10:00:09
        F16  | contributing | high     | Unclean election of 1 partition, to broker 1, the last known leader             | 1          | orders-7                            | v15               | 10:05:05 | 10:05:05
        F16  | effect       | critical | 35 committed offsets lost in 1 partition                                        | 1          | orders-0                            | l1                | 10:00:09 | 10:00:09
        F01  | effect       | low      | At most 1 offset discarded above the commit point: lost only to producers with acks=1 or acks=0 | 1 | orders-2                     | l2                | 10:00:12 | 10:00:12
        F01  | effect       | high     | 2 partitions without a leader, 1 to the end of these logs                       | []         | orders-1,orders-2                   | v3,v4             | 10:00:08 | 10:00:12.500
        F20  | effect       | high     | Writes with acks=all to 1 partition refused for want of in-sync replicas        | 2          | orders-2                            | v12               | 10:00:20 | 10:00:20
        F24  | effect       | medium   | 2 logs of broker 1 found damaged, and cut, at a restart                         | 1          | orders-1,orders-2                   | v13,v14           | 10:05:01 | 10:05:01
        F08  | effect       | low      | Controller failover to node 2                                                   | 2          | []                                  | v2                | 10:00:07 | 10:00:07 """,
    )


def test_a_root_says_how_it_is_known_what_it_did_and_what_else_it_could_be(of):
    root = of("crash", "F01").where("role = 'root_cause'")
    assert _summary(root) == (
        "Node 1 ended without a shutdown line. It led to: 2 changes of leader (1 unclean), 2 partitions without a leader, 1 ISR shrunk, 1 change of the active controller. "
        "A host or power failure looks the same from these logs; the host's own log would tell."
    )
    same(
        root,
        FINDINGS,
        """
        confidence | blind_spots
        0.9        | its last seconds """,
    )


def test_an_effect_names_what_it_follows_from(of):
    assert (
        _summary(of("crash", "F29"))
        == "Broker 1 was refused at its start. It follows from another fault: broker 1 was killed: its old session had not ended."
    )


def test_losses_tell_ranges_and_premise(of):
    losses = of("crash").where("title like '%offset%'").orderBy("start_ts").collect()
    assert [row.summary for row in losses] == [
        "orders-0 [135, 170). Premise: broker 1 was alone in the ISR.",
        "orders-2 [30, 31). Premise: the log of broker 1 ended at 31. No log line shows which records were acknowledged.",
    ]


def test_a_time_without_a_leader_is_summed_as_far_as_it_is_known(of):
    """Passing through the state for less than a second is how elections are written down, not an outage: orders-3 is not told of."""
    row = of("crash").where("title like '%without a leader%'").first()
    assert (
        row.summary
        == "orders-1 and orders-2 had no leader by the controller's record: at least 4.5 partition-seconds in all; 1 still had none at the end of these logs. Clients could neither write nor read there."
    )
    assert row.blind_spots == ["when clients noticed is not in brokers' logs"]


def test_what_cannot_be_told_of_losses_is_said_so(of):
    """The first is of an election that followed from another fault than the incident's first."""
    same(
        of("sleep").where("finding_id like 'loss/%'"),
        FINDINGS,
        """
        code | role   | severity | title                                                                                      | confidence | blind_spots               | evidence
        F01  | effect | low      | An unknown number of offsets discarded above the commit point: lost only to producers with acks=1 or acks=0 | 0.8 | [] | l3
        F31  | effect | high     | Committed records possibly lost in 1 partition: at most 8 offsets                          | 0.8        | []                        | l4
        F24  | effect | medium   | Whether records of 1 partition are gone cannot be told from these logs                     | 0.5        | no file of broker 1 tells | l5 """,
    )


def test_a_pause_without_harm_to_partitions_says_so(of):
    same(
        of("sleep", "F04").where("finding_id like 'pause%'"),
        FINDINGS,
        """
        role       | severity | title                          | broker_ids
        root_cause | medium   | Broker 1 stood still (a pause) | 1
        root_cause | medium   | Broker 2 stood still (a pause) | 2          """,
    )
    assert "No partition's leader or ISR changed for it." in _summary(
        of("sleep", "F04").where("finding_id = 'pause-2'")
    )


def test_a_controller_that_moves_about_contributes(of):
    same(
        of("sleep", "F09"),
        FINDINGS,
        """
        role         | severity | title                                       | broker_ids | evidence
        contributing | medium   | The controller moved 3 times, last to node 3 | 1,3       | c1,c2,c3 """,
    )
    assert _summary(of("sleep", "F09")).startswith("The active controller changed 3 times: to nodes 3, 1, 3. ")
    assert _summary(of("crash", "F08")).startswith("The active controller changed once, to node 2. ")


@pytest.mark.parametrize(("known", "role"), [(3, "effect"), (2, "contributing")])
def test_a_controller_that_moves_for_known_faults_only_puts_no_blame_on_those_that_take_over(spark, known, role):
    moves = [f"controller/{n}" for n in (9, 10, 11)]
    told = findings(
        table(
            spark,
            FAULTS,
            """
        fault_id | kind   | code | broker_id | ts       | end_ts   | confidence | because                          | partitions | blind_spots | evidence
        pause    | paused | F04  | 1         | 11:00:00 | 11:00:20 | 0.97       | no file of broker 1 has a line   | []         | []          | p """,
        ),
        table(spark, EDGES, "src"),
        table(
            spark,
            ROOTS,
            "\n".join(
                ["id | root_id | distance", "pause | pause | 0", *[f"{move} | pause | 1" for move in moves[:known]]]
            ),
        ),
        table(
            spark,
            SPANS,
            "root_id | code | kind | broker_id | ts | end_ts | incident_id\npause | F04 | paused | 1 | 11:00:00 | 11:02:00 | sleep",
        ),
        table(
            spark,
            VERTICES,
            "\n".join(
                [
                    "id | kind | ts | node_id | incident_id",
                    "pause | paused | 11:00:00 | 1 | sleep",
                    *[f"{move} | controller_change | 11:01:0{n} | {2 + n % 2} | sleep" for n, move in enumerate(moves)],
                ]
            ),
        ),
        table(spark, JUDGED, "start_ts"),
        table(spark, ELECTED, "ts"),
        table(spark, LOST, "ts"),
    )
    same(told.where("code = 'F09'"), FINDINGS, f"role | severity | broker_ids\n{role} | medium | 2,3")


def test_brokers_stopped_one_after_the_other_are_a_rolling_restart(of):
    """A stop that moved leaders is worth a line (`low`), one that moved none is not."""
    same(
        of("rolling"),
        FINDINGS,
        """
        code | role       | severity | title                                     | broker_ids | partitions | evidence
        F03  | root_cause | low      | Rolling restart: brokers 1, 2 and 3       | 1,2,3      | []         | s1,s2,s3
        F02  | root_cause | low      | Broker 1 was stopped in order             | 1          | orders-0   | s1
        F02  | benign     | info     | Broker 2 was stopped in order             | 2          | []         | s2
        F02  | benign     | info     | Broker 3 was stopped in order             | 3          | []         | s3
        F08  | effect     | low      | The controller moved 3 times, last to node 3 | 1,2,3   | []         | c4,c5,c6
        F17  | benign     | info     | Preferred leaders took over               | 1          | orders-0   | s5       """,
    )
    assert (
        _summary(of("rolling", "F03"))
        == "Brokers 1, 2 and 3 were told to stop and started again one after the other, 3 stops in all; none was down while another was."
    )
    assert (
        _summary(of("rolling", "F17"))
        == "1 partition was given back to its preferred leader, broker 1: routine, within the ISR."
    )
    assert (
        _summary(of("rolling", "F02").where("finding_id = 'stop-1'"))
        == "Broker 1 was told to stop. It led to: 1 change of leader, 1 change of the active controller."
    )


def test_routine_work_beside_a_fault_is_benign_unless_it_did_harm_as_well(of):
    same(
        of("both"),
        FINDINGS,
        """
        code | role         | severity | title                                                                     | broker_ids
        F01  | root_cause   | medium   | Broker 3 died without a shutdown                                          | 3
        F02  | benign       | info     | Broker 1 was stopped in order                                             | 1
        F02  | contributing | info     | Broker 2 was stopped in order                                             | 2
        F03  | benign       | low      | Rolling restart: brokers 1 and 2                                          | 1,2
        F20  | effect       | high     | Writes with acks=all to 1 partition refused for want of in-sync replicas  | 1 """,
    )


def test_brokers_that_are_down_together_are_no_rolling_restart(of):
    same(
        of("apart"),
        FINDINGS,
        """
        code | role   | severity | title                         | partitions
        F02  | benign | info     | Broker 1 was stopped in order | []
        F02  | benign | info     | Broker 2 was stopped in order | []
        F18  | benign | info     | Partitions reassigned         | clicks-0,clicks-1 """,
    )


def test_a_controller_that_dies_is_a_node_and_a_lost_quorum_is_grave(of):
    same(
        of("quorum"),
        FINDINGS,
        """
        code | role       | severity | title                            | broker_ids
        F01  | root_cause | high     | Node 101 died without a shutdown | 101
        F11  | effect     | high     | Metadata quorum lost             | []         """,
    )
    assert "It led to: the loss of the metadata quorum. " in _summary(of("quorum", "F01"))


def test_changes_that_nothing_explains_are_told_and_not_guessed(of):
    """The third shrink has a fault as its root, though no incident took it in."""
    same(
        of(None, "F00"),
        FINDINGS,
        """
        code | role   | severity | title                                             | summary                                                       | partitions        | evidence | confidence
        F00  | effect | medium   | Leaders or ISRs changed and no line tells why      | 2 changes in clicks-0 and orders-0 have no cause in these logs. | clicks-0,orders-0 | u1,u2  | 0.5       """,
    )
    assert "may be missing here" in of(None, "F00").first()["blind_spots"][0]


def test_preferred_leaders_that_take_over_where_nothing_else_is_the_matter_are_the_root_of_it(of):
    same(
        of(None, "F17"),
        FINDINGS,
        """
        code | role       | severity | title                       | broker_ids | partitions | evidence
        F17  | root_cause | info     | Preferred leaders took over | 1          | orders-9   | s6       """,
    )


@pytest.mark.parametrize(
    ("why", "role", "named"),
    [("", "root_cause", "101,102"), ("kill-101 | voters | R26 | node 101 was killed | 0.6", "effect", "[]")],
)
def test_a_quorum_that_nothing_took_names_who_sought_it(spark, why, role, named):
    told = findings(
        table(
            spark,
            FAULTS,
            """
        fault_id | kind        | code | nodes   | ts       | end_ts   | confidence | because                             | partitions | blind_spots | evidence
        voters   | quorum_lost | F11  | 101,102 | 16:00:00 | 16:00:40 | 0.9        | 27 attempts to elect one failed     | []         | []          | q """,
        ),
        table(spark, EDGES, f"src | dst | relation | because | confidence\n{why}"),
        table(spark, ROOTS, "id | root_id | distance\nvoters | voters | 0"),
        table(
            spark,
            SPANS,
            "root_id | code | kind | ts | end_ts | incident_id\nvoters | F11 | quorum_lost | 16:00:00 | 16:00:40 | quorum",
        ),
        table(spark, VERTICES, "id | kind | ts | incident_id\nvoters | quorum_lost | 16:00:00 | quorum"),
        table(spark, JUDGED, "start_ts"),
        table(spark, ELECTED, "ts"),
        table(spark, LOST, "ts"),
    )
    same(told, FINDINGS, f"code | role | severity | broker_ids\nF11 | {role} | high | {named}")


def test_a_link_that_was_cut_names_the_other_end(spark):
    told = findings(
        table(
            spark,
            FAULTS,
            """
        fault_id | kind     | code | broker_id | nodes | ts       | end_ts   | confidence | because                              | partitions | blind_spots | evidence
        link-3   | link_cut | F05  | 3         | 1     | 16:00:00 | 16:00:40 | 0.8        | brokers 3 and 1 dropped each other   | []         | []          | q """,
        ),
        table(spark, EDGES, "src"),
        table(spark, ROOTS, "id | root_id | distance\nlink-3 | link-3 | 0"),
        table(
            spark,
            SPANS,
            "root_id | code | kind | broker_id | ts | end_ts | incident_id\nlink-3 | F05 | link_cut | 3 | 16:00:00 | 16:00:40 | link",
        ),
        table(
            spark,
            VERTICES,
            "id | kind | ts | node_id | incident_id\nlink-3 | link_cut | 16:00:00 | 3 | link\nled | detected | 15:00:00 | 3 |",
        ),
        table(spark, JUDGED, "start_ts"),
        table(spark, ELECTED, "ts"),
        table(spark, LOST, "ts"),
    )
    same(
        told, FINDINGS, "code | role | broker_ids | title\nF05 | root_cause | 3 | Broker 3 was cut from broker 1 alone"
    )


def test_findings_have_names_of_their_own(concluded):
    assert concluded.select("finding_id").distinct().count() == concluded.count()


def test_where_nothing_happened_nothing_is_concluded(spark):
    empty = findings(
        table(spark, FAULTS, "kind"),
        table(spark, EDGES, "src"),
        table(spark, ROOTS, "id"),
        table(spark, SPANS, "root_id"),
        table(spark, VERTICES, "id"),
        table(spark, JUDGED, "start_ts"),
        table(spark, ELECTED, "ts"),
        table(spark, LOST, "ts"),
    )
    assert empty.isEmpty()
