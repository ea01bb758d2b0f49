"""What is concluded of each fault and its effects: role, severity, words, proof, doubts. One history of several incidents, concluded once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.causes.conclusions import Causes, as_finding
from replay.causes.effect_conclusions import controller_changes, damaged_logs
from replay.causes.fault_conclusions import Harm, Placed, _effects_in_words, harm_by_root
from replay.causes.findings import conclusions, findings
from replay.causes.loss_conclusions import likely_unclean_elections, unclean_elections
from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults.witnessed import witnessed
from replay.tables import BLIND_SPOTS, FINDINGS
from replay.tables.brokers import CONTROLLERS
from replay.tables.causes import (
    EDGES,
    EFFECTS,
    OPEN_LOSSES,
    RIVALS,
    ROOT_SPANS,
    TROUBLE,
    VERTICES,
    Effect,
    LeadingBroker,
)
from replay.tables.control_plane import VOTER_SETS
from replay.tables.faults import FAULTS, WITNESSES
from replay.tables.losses import PLACED_LOSSES
from replay.tables.offsets import SHORTENED_LOGS
from replay.tables.partitions import ELECTIONS, LEADER_EPOCHS, TOPIC_SETTINGS
from replay.tables.row import Row
from tests.causes.frames import EACH_ROOT, effects_of, open_losses_of, roots_of
from tests.each import for_each
from tests.tables import DAY, rows, same_rows

# crash: a leader dies, its successor is elected from outside the ISR; sleep: two brokers freeze and the controller moves about;
# rolling, both: brokers stopped one after the other, the second time while another died; apart: two stopped at once, and routine work;
# quorum: a controller dies, and the voters left are no majority.
FOUND = """
    fault_id  | kind                 | code | broker_id | ts       | end_ts   | began_low | began_high | confidence | reason                  | arguments                                      | partitions        | unknowns     | evidence
    kill-1    | killed               | F01  | 1         | 10:00:00 | 10:05:00 | 09:59:58  | 10:00:00   | 0.9        | ended_without_shutdown  | node=1;at_last=2024-05-01T09:59:58.000Z        | []                | when_it_died | k1
    refused-1 | registration_refused | F29  | 1         | 10:05:00 |          |           | 10:05:00   | 0.9        | previous_session_active | broker=1;count=1                                       | []                | []           | k2
    pause-1   | paused               | F04  | 1         | 11:00:00 | 11:00:20 | 10:59:59  | 11:00:00   | 0.97       | session_lost_in_silence | {}                                             | []                | []           | p1
    pause-2   | paused               | F04  | 2         | 11:01:00 | 11:01:20 |           | 11:01:00   | 0.97       | session_lost_in_silence | {}                                             | []                | []           | p2
    stop-1    | stopped              | F02  | 1         | 12:00:00 | 12:01:00 |           | 12:00:00   | 0.98       | told_to_stop            | node=1;at_stop=2024-05-01T12:00:00.000Z        | []                | []           | s1
    stop-2    | stopped              | F02  | 2         | 12:02:00 | 12:03:00 |           | 12:02:00   | 0.98       | told_to_stop            | node=2;at_stop=2024-05-01T12:02:00.000Z        | []                | []           | s2
    stop-3    | stopped              | F02  | 3         | 12:04:00 | 12:05:00 |           | 12:04:00   | 0.98       | told_to_stop            | node=3;at_stop=2024-05-01T12:04:00.000Z        | []                | []           | s3
    again-1   | stopped              | F02  | 1         | 13:00:00 | 13:01:00 |           | 13:00:00   | 0.98       | told_to_stop            | node=1;at_stop=2024-05-01T13:00:00.000Z        | []                | []           | a1
    again-2   | stopped              | F02  | 2         | 13:02:00 | 13:03:00 |           | 13:02:00   | 0.98       | told_to_stop            | node=2;at_stop=2024-05-01T13:02:00.000Z        | []                | []           | a2
    kill-3    | killed               | F01  | 3         | 13:02:30 | 13:04:00 |           | 13:02:30   | 0.9        | ended_without_shutdown  | node=3;at_last=2024-05-01T13:02:30.000Z        | []                | []           | a3
    both-1    | stopped              | F02  | 1         | 14:00:00 | 14:01:00 |           | 14:00:00   | 0.98       | told_to_stop            | node=1;at_stop=2024-05-01T14:00:00.000Z        | []                | []           | b1
    both-2    | stopped              | F02  | 2         | 14:00:30 | 14:01:30 |           | 14:00:30   | 0.98       | told_to_stop            | node=2;at_stop=2024-05-01T14:00:30.000Z        | []                | []           | b2
    moved     | reassigned           | F18  | 3         | 14:00:40 | 14:01:00 |           | 14:00:40   | 0.95       | asked_to_move_partitions | {}                                            | clicks-0,clicks-1 | []           | b3
    kill-101  | killed               | F01  | 101       | 15:00:00 |          |           | 15:00:00   | 0.9        | ended_without_shutdown  | node=101;at_last=2024-05-01T15:00:00.000Z;gone=yes | []            | []           | q1
    quorum    | quorum_lost          | F11  |           | 15:00:02 | 15:00:40 |           | 15:00:02   | 0.9        | sought_leader_in_vain   | elections=27;all_nodes=102;at_from=2024-05-01T15:00:02.000Z;at_to=2024-05-01T15:00:40.000Z | []                | []           | q2 """
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
HAPPENED = """
    id                  | kind              | ts       | node_id | topic  | partition | leader_epoch | incident_id | evidence | end_ts
    kill-1              | killed            | 10:00:00 | 1       |        |           |              | crash       | k1       |
    refused-1           | registration_refused | 10:05:00 | 1    |        |           |              | crash       | k2       |
    detected-1          | detected          | 10:00:06 | 1       |        |           |              | crash       | v1       |
    controller/8        | controller_change | 10:00:07 | 2       |        |           |              | crash       | v2       |
    leaderless/orders-1/5 | leaderless      | 10:00:08 |         | orders | 1         | 5            | crash       | v3       |
    leaderless/orders-2/5 | leaderless      | 10:00:08 |         | orders | 2         | 5            | crash       | v4       | 10:00:12.500
    leaderless/orders-3/5 | leaderless      | 10:00:08 |         | orders | 3         | 5            | crash       | v5       | 10:00:08.900
    election/orders-2/6 | election          | 10:00:12 | 2       | orders | 2         | 6            | crash       | v6       |
    election/orders-0/6 | unclean_election  | 10:00:09 | 2       | orders | 0         | 6            | crash       | v7,v8,v9,v10 |
    election/orders-7/6 | unclean_election  | 10:05:05 | 1       | orders | 7         | 6            | crash       | v15      |
    shrink-2            | isr_shrink        | 10:00:08 | 2       | orders | 2         | 6            | crash       | v11      |
    loss/orders-0/6/committed/S4 | loss     | 10:00:09 |         | orders | 0         | 6            | crash       | l1       |
    refused             | writes_refused    | 10:00:20 | 2       | orders | 2         |              | crash       | v12      | 10:00:38
    cut-1               | recovery_cut      | 10:05:01 | 1       | orders | 1         |              | crash       | v13      |
    cut-2               | recovery_cut      | 10:05:01 | 1       | orders | 2         |              | crash       | v14      |
    pause-1             | paused            | 11:00:00 | 1       |        |           |              | sleep       | p1       |
    pause-2             | paused            | 11:01:00 | 2       |        |           |              | sleep       | p2       |
    controller/9        | controller_change | 11:00:10 | 3       |        |           |              | sleep       | c1       |
    controller/10       | controller_change | 11:00:40 | 1       |        |           |              | sleep       | c2       |
    controller/11       | controller_change | 11:01:10 | 3       |        |           |              | sleep       | c3       |
    stop-1              | stopped           | 12:00:00 | 1       |        |           |              | rolling     | s1       |
    stop-2              | stopped           | 12:02:00 | 2       |        |           |              | rolling     | s2       |
    stop-3              | stopped           | 12:04:00 | 3       |        |           |              | rolling     | s3       |
    again-1             | stopped           | 13:00:00 | 1       |        |           |              | both        | a1       |
    again-2             | stopped           | 13:02:00 | 2       |        |           |              | both        | a2       |
    kill-3              | killed            | 13:02:30 | 3       |        |           |              | both        | a3       |
    both-1              | stopped           | 14:00:00 | 1       |        |           |              | apart       | b1       |
    both-2              | stopped           | 14:00:30 | 2       |        |           |              | apart       | b2       |
    moved               | reassigned        | 14:00:40 | 3       |        |           |              | apart       | b3       |
    controller/12       | controller_change | 12:00:01 | 1       |        |           |              | rolling     | c4       |
    controller/13       | controller_change | 12:02:01 | 2       |        |           |              | rolling     | c5       |
    controller/14       | controller_change | 12:04:01 | 3       |        |           |              | rolling     | c6       |
    election/orders-0/7 | election          | 12:00:01 | 2       | orders | 0         | 7            | rolling     | s4       |
    election/orders-0/8 | election          | 12:06:00 | 1       | orders | 0         | 8            | rolling     | s5       |
    election/orders-9/8 | election          | 20:06:00 | 1       | orders | 9         | 8            |             | s6       |
    refused-3           | writes_refused    | 13:02:40 | 1       | orders | 4         |              | both        | v16      |
    kill-101            | killed            | 15:00:00 | 101     |        |           |              | quorum      | q1       |
    quorum              | quorum_lost       | 15:00:02 |         |        |           |              | quorum      | q2       |
    shrink-5            | isr_shrink        | 16:00:00 | 2       | orders | 0         | 9            |             | u1       |
    shrink-6            | isr_shrink        | 16:10:00 | 2       | clicks | 0         | 9            |             | u2       |
    shrink-7            | isr_shrink        | 17:00:00 | 2       | clicks | 1         | 9            |             | u3       | """
FROM = """
    id                    | root_id  | distance
    kill-1                | kill-1   | 0
    loss/orders-0/6/committed/S4 | kill-1 | 3
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
    src      | dst       | relation | rank | because                                      | confidence
    kill-1   | refused-1 | R17      | 1    | broker 1 crashed and its session lived on    | 0.8
    pause-2  | refused-1 | R17      | 2    | broker 2 froze                               | 0.4
    kill-101 | quorum    | R26      | 1    | node 101 crashed: no majority was left       | 0.6 """
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
LOST = """
    topic  | partition | leader_epoch | ts       | scenario | loss_class     | verdict           | from_offset | to_offset_low | to_offset_high | old_leader_id | premise                        | evidence | incident_id
    orders | 0         | 6            | 10:00:09 | S4       | committed      | PROVEN_LOSS       | 135         | 170           | 170            | 1             | broker 1 was alone in the ISR  | l1 | 
    orders | 2         | 6            | 10:00:12 | S7       | acked_possible | POSSIBLE_LOSS     | 30          |               | 31             | 1             | the log of broker 1 ended at 31 | l2 | 
    orders | 4         | 6            | 11:00:10 | S7       | acked_possible | POSSIBLE_LOSS     | 30          |               |                | 1             | no line tells its log end      | l3 | sleep
    orders | 4         | 6            | 11:00:11 | S2       | committed      | POSSIBLE_LOSS     | 30          |               | 38             | 1             | cut by its high watermark      | l4 | sleep
    orders | 5         | 6            | 11:00:12 | S5       | committed      | UNDETERMINED      | 30          |               |                | 1             | no file of broker 1 tells      | l5 | sleep
    orders | 6         | 6            | 11:00:13 | S1       | committed      | NO_LOSS_OBSERVED  | 30          | 30            | 30             | 1             | nothing was cut                | l6 | sleep """
RIVALRY = """
    fault_id | rival_id | effects | confidence
    pause-1  | pause-2  | 2       | 0.4        """


TABLES = {
    "faults": FAULTS,
    "edges": EDGES,
    "roots": EACH_ROOT,
    "root_spans": ROOT_SPANS,
    "vertices": VERTICES,
    "leader_epochs": LEADER_EPOCHS,
    "elections": ELECTIONS,
    "losses": PLACED_LOSSES,
    "rivals": RIVALS,
    "topic_settings": TOPIC_SETTINGS,
    "trouble": TROUBLE,
    "blind_spots": BLIND_SPOTS,
    "witnesses": WITNESSES,
    "controllers": CONTROLLERS,
    "shortened_logs": SHORTENED_LOGS,
    "voter_sets": VOTER_SETS,
}


def told(window: TimeWindow = ALL_TIME, **texts: str) -> list[Row]:
    """The findings that are drawn from these tables; what is not given is empty."""
    of = {name: rows(columns, texts[name]) if name in texts else [] for name, columns in TABLES.items()}
    roots = roots_of(of["roots"])
    concluded = conclusions(
        of["faults"],
        of["edges"],
        of["root_spans"],
        effects_of(of["vertices"], roots, of["elections"]),
        open_losses_of(of["losses"], of["vertices"], roots),
        [LeadingBroker(broker_id=epoch.leader_id) for epoch in of["leader_epochs"]],
        of["rivals"],
        of["topic_settings"],
        of["trouble"],
        witnessed(of["faults"], of["witnesses"]),
        window,
        of["controllers"],
        shortened_logs=of["shortened_logs"],
        voter_sets=of["voter_sets"],
    )
    return findings(concluded, of["blind_spots"])


@pytest.fixture(scope="module")
def concluded():
    return told(
        faults=FOUND,
        edges=LED_TO,
        roots=FROM,
        root_spans=ROOTED,
        vertices=HAPPENED,
        leader_epochs=EPOCHS,
        elections=MOVED,
        losses=LOST,
        rivals=RIVALRY,
        topic_settings="topic | unclean_allowed\norders | true\nclicks | false",
    )


@pytest.fixture
def of(concluded):
    """The findings of an incident, of some codes only where they are named."""

    def of_(incident, *codes, **values):
        own = [row for row in concluded if row.incident_id == incident and (not codes or row.code in codes)]
        return [row for row in own if all(getattr(row, name) == value for name, value in values.items())]

    return of_


def _losses(findings):
    losses = [row for row in findings if row.finding_id.startswith("loss/")]
    return sorted(losses, key=lambda row: row.start_ts)


def _summary(findings):
    return findings[0].summary


def test_a_death_is_the_root_and_what_followed_its_effects(of):
    """What is lost for sure makes the root critical; who was refused at his return is an effect of it."""
    same_rows(
        of("crash"),
        FINDINGS,
        """
        code | role         | severity | title                                                                                             | broker_ids | partitions                 | evidence | start_ts | end_ts
        F01  | root_cause   | critical | Broker 1 crashed or was killed                                               | 1          | orders-0,orders-1,orders-2 | k1       | 10:00:00 | 10:05:00
        F29  | effect       | low      | Broker 1 had its restart rejected: its previous session was still active                         | 1          | []                         | k2       | 10:05:00 | 10:05:00
        F16  | contributing | critical | Unclean election of broker 2 in 1 partition                                                      | 2          | orders-0                   | v7,v8,v9 | 10:00:09 | 10:00:09
        F16  | contributing | high     | Last known leader elected again: broker 1, in 1 partition                                          | 1          | orders-7                   | v15      | 10:05:05 | 10:05:05
        S4   | effect       | critical | 35 offsets of committed records lost in 1 partition                                                          | 1          | orders-0                   | l1       | 10:00:09 | 10:00:09
        S7   | effect       | low      | Uncommitted records discarded in 1 partition: at most 1 of them acknowledged, only with acks=1 | 1          | orders-2                   | l2       | 10:00:12 | 10:00:12
        F01  | effect       | high     | 2 partitions offline (no leader), 1 to the end of these logs                                      | []         | orders-1,orders-2          | v3,v4    | 10:00:08 | 10:00:12.500
        F20  | effect       | high     | Writes with acks=all to 1 partition rejected: too few in-sync replicas                            | 2          | orders-2                   | v12      | 10:00:20 | 10:00:38
        F24  | effect       | medium   | Log recovery truncated 2 damaged logs of broker 1                                           | 1          | orders-1,orders-2          | v13,v14  | 10:05:01 | 10:05:01
        F08  | effect       | low      | Controller failover to node 2                                                                     | 2          | []                         | v2       | 10:00:07 | 10:00:07 """,
    )


def test_a_full_disk_is_no_damaged_disk():
    """Its own log says what cut the last append short; where it says nothing the host's log may."""
    happened = rows(
        VERTICES,
        """
        id    | kind         | ts       | node_id | topic  | partition | incident_id | evidence
        cut-1 | recovery_cut | 10:05:00 | 1       | orders | 0         | one         | v1 """,
    )
    full = rows(FAULTS, "kind | broker_id | ts\n disk_full | 1 | 10:00:00")
    told = [as_finding(one) for faults in ([], full) for one in damaged_logs(effects_of(happened), faults)]
    assert ["no space left" in one.summary for one in told] == [False, True]
    assert [len(one.blind_spots) for one in told] == [1, 0]


def test_a_root_says_how_it_is_known_what_it_did_and_what_else_it_could_be(of):
    root = of("crash", "F01", role="root_cause")
    assert _summary(root) == (
        "Node 1 stopped logging without a shutdown message (last line 09:59:58.000). As a result, leadership changed twice (1 unclean leader election), "
        "2 partitions had no leader for a while, 1 ISR shrank and the controllers elected an active controller once. "
        "A host or power failure looks the same in these logs; check the host's system log."
    )
    (row,) = root
    assert row.confidence == 0.9
    assert row.blind_spots == [
        "no peer logged when it fell silent: only its last line, its session and its next start bound its death"
    ]
    same_rows(root, FINDINGS, "began_low | began_high\n09:59:58 | 10:00:00")


def test_an_effect_names_the_likeliest_cause_and_no_look_alike(of):
    assert _summary(of("crash", "F29")) == (
        "The start of broker 1 was refused once. "
        "It follows from another fault: broker 1 crashed and its session lived on."
    )


def test_a_fault_that_could_be_another_says_which(of):
    assert "Another fault could have had the same effect: node 2 froze." in _summary(of("sleep", finding_id="pause-1"))


def test_losses_show_ranges_and_premise(of):
    assert [row.summary for row in _losses(of("crash"))] == [
        "Affected offsets: orders-0 [135,170). Basis: broker 1 was alone in the ISR. Counted in offsets, so the "
        "figure includes retries and records that were never acknowledged.",
        "Affected offsets: orders-2 [30,31). Basis: the log of broker 1 ended at 31. No log line shows which records were acknowledged.",
    ]


def test_an_unclean_election_says_how_it_is_judged_and_whether_a_setting_allowed_it(of):
    (row,) = of("crash", "F16", severity="critical", role="contributing")
    assert row.summary == (
        "The controller elected a leader from outside the ISR for 1 partition (orders-0): records that only the old ISR "
        "held are gone. The setting unclean.leader.election.enable=true allowed it."
    )


@for_each(
    ("cut_by", "down", "named"),
    [
        ("3,1", "3 | 10:00:03 | 10:02:00", "broker 3 had held some of the lost records, but was down at that time"),
        ("3,1", "3 | 10:00:03 |         ", "broker 3 had held some of the lost records, but was down at that time"),
        ("3,1", "3 | 10:00:01 | 10:00:04", None),
        ("3,1", "3 | 10:00:12 | 10:02:00", None),
        ("1", "3 | 10:00:03 | 10:02:00", None),
        ("1", "1 | 10:00:03 | 10:02:00", None),
    ],
    ids=["down", "to the end", "back by then", "down only later", "held none of them", "the former leader itself"],
)
def test_an_unclean_election_names_who_else_held_the_records_and_was_down(cut_by, down, named):
    broker, began, end = (part.strip() for part in down.split("|"))
    (unclean,) = unclean_elections(
        rows(
            EFFECTS,
            "kind | incident_id | ts | last_ts | partitions | evidence | evidence_ts\n unclean_election | one | 10:00:09 | 10:00:09 | orders-0 | e1 | 10:00:09",
        ),
        [],
        rows(OPEN_LOSSES, f"scenario | incident_id | old_leader_id | cut_by\n S4 | one | 1 | {cut_by}"),
        rows(FAULTS, f"kind | broker_id | ts | began_high | end_ts\n killed | {broker} | {began} | {began} | {end}"),
    )
    summary = as_finding(unclean).summary
    assert (named is None and "had held some" not in summary) or named in summary


@pytest.mark.parametrize(
    ("set_ts", "says"),
    [
        (
            "10:00:05",
            "The setting unclean.leader.election.enable was set to true for topic orders, first logged at 10:00:05.000, which allowed it.",
        ),
        ("10:30:00", None),
    ],
)
def test_a_setting_that_was_made_before_let_an_unclean_election_happen_and_one_after_did_not(set_ts, says):
    settings = f"topic | unclean_allowed | unclean_set_ts | unclean_set_event\norders | true | {set_ts} | e77"
    found = told(
        faults=FOUND,
        edges=LED_TO,
        roots=FROM,
        root_spans=ROOTED,
        vertices=HAPPENED,
        leader_epochs=EPOCHS,
        elections=MOVED,
        topic_settings=settings,
    )
    (row,) = (one for one in found if one.code == "F16" and one.severity == "critical")
    assert ("allowed it" in row.summary, "e77" in row.evidence) == (says is not None, says is not None)
    assert says is None or says in row.summary


def test_a_time_without_a_leader_is_summed_as_far_as_it_is_known(of):
    """Passing through the state for less than a second is how elections are written down, not an outage: orders-3 is not told of."""
    (row,) = [row for row in of("crash") if row.finding_id.startswith("leaderless/")]
    assert row.summary == (
        "In the cluster's metadata, orders-1 and orders-2 had no leader for at least 4.5 s, summed over partitions; "
        "1 still had none at the end of these logs; clients could neither write nor read there."
    )
    assert row.blind_spots == ["when clients noticed is not in brokers' logs"]


def test_unknown_losses_are_stated_as_unknown(of):
    """The first is of an election that followed from another fault than the incident's first."""
    same_rows(
        _losses(of("sleep")),
        FINDINGS,
        """
        code | role   | severity | title                                                                                                                | confidence | blind_spots               | evidence
        S7   | effect | medium   | Uncommitted records discarded in 1 partition: an unknown number acknowledged, only with acks=1      | 0.8        | []                        | l3
        S2   | effect | high     | At most 8 offsets of committed records may be lost in 1 partition                                           | 0.8        | []                        | l4
        S5   | effect | medium   | Whether records of 1 partition were lost is unknown                                                                  | 0.5        | no file of broker 1 tells | l5 """,
    )


def test_a_pause_without_harm_to_partitions_says_so(of):
    same_rows(
        of("sleep", "F04", role="root_cause"),
        FINDINGS,
        """
        role       | severity | title                            | broker_ids
        root_cause | medium   | Broker 1 froze for 20.0 to 21.0 s | 1
        root_cause | medium   | Broker 2 froze for 20.0 s         | 2          """,
    )
    assert "No line shows that a leader or ISR changed because of it." in _summary(of("sleep", finding_id="pause-2"))


def test_a_controller_that_moves_about_contributes(of):
    same_rows(
        of("sleep", "F09"),
        FINDINGS,
        """
        role         | severity | title                                        | broker_ids | evidence
        contributing | medium   | The controller moved 3 times, last to node 3 | 1,3        | c1,c2,c3 """,
    )
    assert _summary(of("sleep", "F09")).startswith("Nodes 3, 1 and 3 were elected active controller, in this order; ")
    assert _summary(of("crash", "F08")).startswith("Node 2 was elected active controller; ")


@pytest.mark.parametrize(("known", "role"), [(3, "effect"), (2, "contributing")])
def test_a_controller_that_moves_for_known_faults_only_puts_no_blame_on_those_that_take_over(known, role):
    moves = [f"controller/{n}" for n in (9, 10, 11)]
    found = told(
        faults="""
        fault_id | kind   | code | broker_id | ts       | end_ts   | confidence | reason                  | partitions | unknowns | evidence
        pause    | paused | F04  | 1         | 11:00:00 | 11:00:20 | 0.97       | session_lost_in_silence | []         | []       | p """,
        roots="\n".join(
            ["id | root_id | distance", "pause | pause | 0", *[f"{move} | pause | 1" for move in moves[:known]]]
        ),
        root_spans="""
        root_id | code | kind   | broker_id | ts       | end_ts   | incident_id
        pause   | F04  | paused | 1         | 11:00:00 | 11:02:00 | sleep """,
        vertices="\n".join(
            [
                "id | kind | ts | node_id | incident_id",
                "pause | paused | 11:00:00 | 1 | sleep",
                *[f"{move} | controller_change | 11:01:0{n} | {2 + n % 2} | sleep" for n, move in enumerate(moves)],
            ]
        ),
    )
    same_rows(
        [row for row in found if row.code == "F09"], FINDINGS, f"role | severity | broker_ids\n{role} | medium | 2,3"
    )


@pytest.mark.parametrize(
    ("is_other", "count", "title"),
    [
        (True, 1, "Controller failover to node 2"),
        (None, 1, "Controller failover to node 2"),
        (False, 1, "Node 2 was elected active controller again"),
        (False, 2, "Node 2 was elected active controller again, twice"),
    ],
)
def test_a_controller_that_is_elected_again_has_not_moved(is_other, count, title):
    """A voter that comes back calls elections, and the node that was active wins."""
    elected = rows(
        VERTICES,
        """
        id            | kind              | ts       | node_id | incident_id
        controller/20 | controller_change | 11:00:50 | 2       | sleep """,
    )
    effects = [effect.but(is_other_leader=is_other, count=count) for effect in effects_of(elected)]
    (found,) = findings(controller_changes(effects, Causes.of([])), [])
    assert found.title == title


@pytest.mark.parametrize("late", [True, None])
def test_a_controller_that_its_first_line_shows_in_office_began_by_then(late):
    elected = rows(
        VERTICES,
        """
        id           | kind              | ts       | node_id | incident_id
        controller/4 | controller_change | 11:00:04 | 2       | kill """,
    )
    effects = [effect.but(found_late=late) for effect in effects_of(elected)]
    (found,) = findings(controller_changes(effects, Causes.of([])), [])
    assert (found.began_low, found.began_high == found.start_ts) == (None, bool(late))


def test_rounds_of_voting_that_nobody_won_are_part_of_the_time_without_a_controller():
    elected = rows(
        VERTICES,
        """
        id           | kind              | ts       | node_id | incident_id
        controller/4 | controller_change | 11:00:04 | 2       | kill """,
    )
    won = rows(
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts | lost_rounds | lost_rounds_from | lost_rounds_of
        kraft | 2             | 4                | 11:00:04 | 1           | 11:00:02         | 2,3 """,
    )
    (found,) = findings(controller_changes(effects_of(elected), Causes.of([]), won), [])
    assert (
        "; 1 earlier round of voting had no winner (candidate nodes 2 and 3): the election took 2.0 s longer"
        in found.summary
    )
    (found,) = findings(controller_changes(effects_of(elected), Causes.of([]), []), [])
    assert "round" not in found.summary


def test_a_controller_that_moves_about_without_a_known_cause_is_said_and_nobody_blamed():
    """Three moves within minutes; one an hour later is none of them."""
    vertices = "\n".join(
        [
            "id | kind | ts | node_id | incident_id",
            *[
                f"controller/{n} | controller_change | {time} | {node} |"
                for n, (time, node) in enumerate((("10:00:00", 1), ("10:05:00", 2), ("10:07:00", 1), ("11:30:00", 3)))
            ],
        ]
    )
    same_rows(
        told(vertices=vertices),
        FINDINGS,
        """
        code | role   | severity | title                                        | broker_ids | start_ts | end_ts
        F09  | effect | medium   | The controller moved 3 times, cause not logged | 1,2      | 10:00:00 | 10:07:00 """,
    )


def test_brokers_stopped_one_after_the_other_are_a_rolling_restart(of):
    """A stop that moved leaders is worth a line (`low`), one that moved none is not."""
    same_rows(
        of("rolling"),
        FINDINGS,
        """
        code | role       | severity | title                                        | broker_ids | partitions | evidence
        F03  | root_cause | low      | Rolling restart: brokers 1, 2 and 3          | 1,2,3      | []         | s1,s2,s3
        F02  | root_cause | low      | Broker 1 was shut down cleanly               | 1          | orders-0   | s1
        F02  | benign     | info     | Broker 2 was shut down cleanly               | 2          | []         | s2
        F02  | benign     | info     | Broker 3 was shut down cleanly               | 3          | []         | s3
        F08  | effect     | low      | The controller moved 3 times, last to node 3 | 1,2,3      | []         | c4,c5,c6
        F17  | benign     | info     | Preferred leaders took over                  | 1          | orders-0   | s5       """,
    )
    assert _summary(of("rolling", "F03")) == (
        "Brokers 1, 2 and 3 were stopped and started again one after the other, 3 stops in all; no two were down at the same time."
    )
    assert (
        _summary(of("rolling", "F17"))
        == "Leadership of 1 partition moved back to the preferred replica on broker 1: this is routine, and within the ISR."
    )
    assert _summary(of("rolling", "F02", finding_id="stop-1")) == (
        "Node 1 was asked to stop at 12:00:00.000. As a result, leadership changed once and the controllers elected an active controller once."
    )


def test_routine_work_beside_a_fault_is_benign_unless_it_did_harm_as_well(of):
    same_rows(
        of("both"),
        FINDINGS,
        """
        code | role         | severity | title                                                                  | broker_ids
        F01  | root_cause   | medium   | Broker 3 crashed or was killed                    | 3
        F02  | benign       | info     | Broker 1 was shut down cleanly                                         | 1
        F02  | contributing | info     | Broker 2 was shut down cleanly                                         | 2
        F03  | benign       | low      | Rolling restart: brokers 1 and 2                                       | 1,2
        F20  | effect       | high     | Writes with acks=all to 1 partition rejected: too few in-sync replicas | 1 """,
    )


def test_brokers_that_are_down_together_are_no_rolling_restart(of):
    same_rows(
        of("apart"),
        FINDINGS,
        """
        code | role   | severity | title                          | partitions
        F02  | benign | info     | Broker 1 was shut down cleanly | []
        F02  | benign | info     | Broker 2 was shut down cleanly | []
        F18  | benign | info     | Partitions reassigned          | clicks-0,clicks-1 """,
    )


def test_a_controller_that_dies_is_a_node_and_a_lost_quorum_is_grave(of):
    same_rows(
        of("quorum"),
        FINDINGS,
        """
        code | role       | severity | title                                               | broker_ids
        F01  | root_cause | high     | Node 101 crashed or was killed | 101
        F11  | effect     | high     | Metadata quorum lost                                | []         """,
    )
    assert "As a result, the metadata quorum was lost." in _summary(of("quorum", "F01"))


def test_two_voters_without_which_there_is_no_majority_lose_the_quorum_together():
    """Each is blamed, and named as a controller. Combined node 3 is told as the broker that it is, and has no part in it."""
    found = told(
        faults="""
        fault_id | kind        | code | broker_id | peers       | ts       | end_ts   | confidence | reason                | partitions | unknowns | evidence
        first    | killed      | F01  | 101       |             | 16:00:00 | 16:00:30 | 0.9        |                       | []         | []       | p
        second   | killed      | F01  | 102       |             | 16:00:01 | 16:00:30 | 0.9        |                       | []         | []       | q
        third    | killed      | F01  | 3         |             | 16:00:09 | 16:00:30 | 0.9        |                       | []         | []       | r
        voters   | quorum_lost | F11  |           | 101,102,3   | 16:00:04 | 16:00:40 | 0.9        | sought_leader_in_vain | []         | []       | s """,
        edges="""
        src    | dst    | relation | rank | because | confidence
        first  | voters | R26      | 1    | both    | 0.6
        second | voters | R26      | 1    | both    | 0.6 """,
        roots="""
        id     | root_id | distance
        first  | first   | 0
        second | second  | 0
        third  | third   | 0
        voters | first   | 1
        voters | second  | 1 """,
        vertices="""
        id     | kind        | ts       | incident_id
        first  | killed      | 16:00:00 | quorum
        second | killed      | 16:00:01 | quorum
        third  | killed      | 16:00:09 | quorum
        voters | quorum_lost | 16:00:04 | quorum """,
        leader_epochs="leader_id\n3",
        voter_sets="node_id | start_ts | voters\n3 | 15:00:00 | 3,101,102",
    )
    same_rows(
        found,
        FINDINGS,
        """
        code | role       | severity | title                                | broker_ids
        F01  | root_cause | high     | Controller 101 crashed or was killed | 101
        F01  | root_cause | high     | Controller 102 crashed or was killed | 102
        F01  | root_cause | medium   | Broker 3 crashed or was killed       | 3
        F11  | effect     | high     | Metadata quorum lost                 | []         """,
    )
    assert "As a result, the metadata quorum was lost (it also lacked controller 102)." in _summary(found)
    assert "It follows from another fault: both." in found[3].summary


OFFICES = """
    mode  | controller_id | controller_epoch | start_ts | end_ts
    kraft | 1             | 3                | 09:00:00 | {}
    kraft | 2             | 4                | 10:00:04 |          """


@pytest.mark.parametrize(
    "offices, title, says",
    [
        (
            OFFICES.format("10:00:04"),
            "Broker 1, the active controller, crashed or was killed",
            "Node 1 was the active controller: until node 2 took over at 10:00:04.000, no leader could be elected; a new active "
            "controller restarts the sessions of all brokers, so it notices only a whole session timeout later that broker 1 is away.",
        ),
        (OFFICES.format("09:30:00"), "Broker 1 crashed or was killed", None),  # it had renounced before
        (
            "mode | controller_id | controller_epoch | start_ts\n zk | 1 | 3 | 09:00:00",
            "Broker 1, the active controller, crashed or was killed",
            "Node 1 was the active controller, and these logs show no later one.",
        ),
        (
            "mode | controller_id | controller_epoch | start_ts\n zk | 1 | 3 | 09:00:00\n zk | 1 | 4 | 10:00:09",
            "Broker 1, the active controller, crashed or was killed",
            "Node 1 was the active controller: until it was elected again at 10:00:09.000, no leader could be elected.",
        ),
        (
            "mode | controller_id | controller_epoch | start_ts\n zk | 2 | 3 | 09:00:00",
            "Broker 1 crashed or was killed",
            None,
        ),
    ],
)
def test_a_fault_of_the_active_controller_says_that_it_was_and_who_took_over(offices, title, says):
    found = told(faults=FOUND, root_spans=ROOTED, vertices=HAPPENED, leader_epochs="leader_id\n1", controllers=offices)
    (death,) = (finding for finding in found if finding.finding_id == "kill-1")
    assert death.title == title
    assert says in death.summary if says else "active controller:" not in death.summary


@pytest.mark.parametrize(
    "offices, says",
    [
        (
            "mode | controller_id | controller_epoch | start_ts\n zk | 1 | 3 | 09:00:00\n zk | 2 | 4 | 12:00:03",
            "Node 1 was the active controller when its shutdown began; node 2 became the active controller at 12:00:03.000.",
        ),
        (
            "mode | controller_id | controller_epoch | start_ts\n zk | 1 | 3 | 09:00:00\n zk | 1 | 4 | 12:00:09",
            "Node 1 was the active controller when its shutdown began; it became the active controller again at 12:00:09.000.",
        ),
    ],
)
def test_a_controller_that_is_shut_down_elects_leaders_until_it_resigns(offices, says):
    found = told(faults=FOUND, root_spans=ROOTED, vertices=HAPPENED, leader_epochs="leader_id\n1", controllers=offices)
    (stop,) = (finding for finding in found if finding.finding_id == "stop-1")
    assert says in stop.summary
    assert "could be elected" not in stop.summary


def test_changes_that_nothing_explains_are_reported_and_not_guessed(of):
    """The third shrink has a fault as its root, though no incident took it in."""
    same_rows(
        of(None, "F00"),
        FINDINGS,
        """
        code | role   | severity | title                                    | summary                                                         | partitions        | evidence | confidence
        F00  | effect | medium   | Leaders or ISRs changed, cause not logged | 2 changes in clicks-0 and orders-0 have no cause in these logs. | clicks-0,orders-0 | u1,u2    | 0.5       """,
    )
    assert "may be missing here" in of(None, "F00")[0].blind_spots[0]


def test_preferred_leaders_that_take_over_where_nothing_else_is_the_matter_are_the_root_of_it(of):
    same_rows(
        of(None, "F17"),
        FINDINGS,
        """
        code | role       | severity | title                       | broker_ids | partitions | evidence
        F17  | root_cause | info     | Preferred leaders took over | 1          | orders-9   | s6       """,
    )


@pytest.mark.parametrize(
    ("why", "role", "named"),
    [("", "root_cause", "101,102"), ("kill-101 | voters | R26 | 1 | node 101 was killed | 0.6", "effect", "[]")],
)
def test_a_quorum_that_nothing_took_names_who_sought_it(why, role, named):
    found = told(
        faults="""
        fault_id | kind        | code | peers   | ts       | end_ts   | confidence | reason                | partitions | unknowns | evidence
        voters   | quorum_lost | F11  | 101,102 | 16:00:00 | 16:00:40 | 0.9        | sought_leader_in_vain | []         | []       | q """,
        edges=f"src | dst | relation | rank | because | confidence\n{why}",
        roots="id | root_id | distance\nvoters | voters | 0",
        root_spans="root_id | code | kind | ts | end_ts | incident_id\nvoters | F11 | quorum_lost | 16:00:00 | 16:00:40 | quorum",
        vertices="id | kind | ts | incident_id\nvoters | quorum_lost | 16:00:00 | quorum",
    )
    same_rows(found, FINDINGS, f"code | role | severity | broker_ids\nF11 | {role} | high | {named}")


@pytest.mark.parametrize(
    ("kind", "code", "arguments", "title"),
    [
        ("cut_from_peers", "F05", "broker=3;all_peers=1, 2", "Broker 3 was cut off from brokers 1 and 2"),
        ("cut_from_peers", "F05", "broker=3", "Broker 3 was cut off from its peers"),
        (
            "cut_from_controllers",
            "F06",
            "node=3;all_peers=1, 2",
            "Broker 3 was cut off from the controllers and from brokers 1 and 2",
        ),
        (
            "cut_from_zookeeper",
            "F07",
            "node=3;all_peers=1",
            "Broker 3 lost its ZooKeeper session while it ran and did not reach broker 1",
        ),
        ("paused", "F04", "node=3;all_peers=1, 2", "Broker 3 froze for 40.0 s"),
    ],
)
def test_who_was_cut_off_is_told_with_the_brokers_that_it_did_not_reach(kind, code, arguments, title):
    found = told(
        faults=f"""
        fault_id | kind   | code   | broker_id | ts       | began_high | end_ts   | confidence | reason | arguments   | partitions | unknowns | evidence
        cut-3    | {kind} | {code} | 3         | 16:00:00 | 16:00:00   | 16:00:40 | 0.8        | x      | {arguments} | []         | []       | q """,
        roots="id | root_id | distance\ncut-3 | cut-3 | 0",
        root_spans=f"root_id | code | kind | broker_id | ts | end_ts | incident_id\ncut-3 | {code} | {kind} | 3 | 16:00:00 | 16:00:40 | cut",
        vertices=f"id | kind | ts | node_id | incident_id\ncut-3 | {kind} | 16:00:00 | 3 | cut\nled | detected | 15:00:00 | 3 |",
    )
    same_rows(found, FINDINGS, f"code | title\n{code} | {title}")


def test_a_link_that_was_cut_names_the_other_end_and_what_is_missing_of_its_files():
    found = told(
        faults="""
        fault_id | kind     | code | broker_id | peers | ts       | end_ts   | confidence | reason             | partitions | unknowns | evidence
        link-3   | link_cut | F05  | 3         | 1     | 16:00:00 | 16:00:40 | 0.8        | dropped_each_other | []         | []       | q """,
        roots="id | root_id | distance\nlink-3 | link-3 | 0",
        root_spans="root_id | code | kind | broker_id | ts | end_ts | incident_id\nlink-3 | F05 | link_cut | 3 | 16:00:00 | 16:00:40 | link",
        vertices="id | kind | ts | node_id | incident_id\nlink-3 | link_cut | 16:00:00 | 3 | link\nled | detected | 15:00:00 | 3 |",
        blind_spots="kind | node_id | what\nno_file | 3 | no file of node 3\nno_file | 7 | no file of node 7",
    )
    same_rows(
        found,
        FINDINGS,
        "code | role | broker_ids | title | blind_spots\nF05 | root_cause | 1,3 | The connection between brokers 1 and 3 was cut | no file of node 3",
    )


def test_a_death_with_a_witness_is_reported_as_the_witness_says_and_has_no_rival():
    """Both sides' lines carry it, the witness's first."""
    found = told(
        faults="\n".join(FOUND.splitlines()[:3]),
        roots="id | root_id | distance\nkill-1 | kill-1 | 0",
        root_spans="\n".join(ROOTED.splitlines()[:3]),
        vertices="id | kind | ts | node_id | incident_id\nkill-1 | killed | 10:00:00 | 1 | crash\nled | detected | 09:00:00 | 1 |",
        witnesses="""
        node_id | kind                   | ts       | latest_ts | event_id | details
        1       | kernel_cgroup_oom_kill | 09:59:59 | 10:00:00  | w1       | process=java;anon_rss=1048576 """,
    )
    same_rows(
        found,
        FINDINGS,
        """
        code | role       | title                                                            | evidence | began_low | began_high
        F01  | root_cause | Broker 1 was killed by the kernel: over its memory limit, 09:59:59 | w1,k1    | 09:59:58  | 10:00:00 """,
    )
    assert _summary(found) == (
        "The kernel killed it at 09:59:59: its container or unit had used up its memory limit; it held 1,024 MB. "
        "Node 1 stopped logging without a shutdown message (last line 09:59:58.000). No line shows that a leader or "
        "ISR changed because of it."
    )


@pytest.mark.parametrize("node", [1, 2])
def test_logs_that_came_back_shorter_show_that_the_machine_failed_and_no_process_alone(node):
    """The row names the death before the start; the logs of another node say nothing of this one."""
    found = told(
        faults="\n".join(FOUND.splitlines()[:3]),
        roots="id | root_id | distance\nkill-1 | kill-1 | 0",
        root_spans="\n".join(ROOTED.splitlines()[:3]),
        vertices="id | kind | ts | node_id | incident_id\nkill-1 | killed | 10:00:00 | 1 | crash\nled | detected | 09:00:00 | 1 |",
        shortened_logs=f"""
        node_id | start_ts | logs | topic  | partition | held_offset | log_end_offset | evidence
        {node}  | 10:05:00 | 3    | orders | 0         | 433         | 313            | f1,l1 """,
    )
    (death,) = found
    shorter = (
        "3 logs came back shorter than before: orders-0 had reached 433, and ended at 313 when it was loaded again"
    )
    assert (shorter in death.summary) == (node == 1)
    assert ("host or power failure looks the same" in death.summary) == (node == 2)
    assert death.title == f"Broker 1 crashed{' and lost the end of its log' if node == 1 else ' or was killed'}"
    assert death.evidence == (["k1", "f1", "l1"] if node == 1 else ["k1"])


@pytest.mark.parametrize(("since", "is_told"), [("09:59:58", True), ("09:59:59", False)])
def test_no_change_is_not_claimed_for_what_may_be_older_than_the_window(since, is_told):
    found = told(
        TimeWindow(datetime.fromisoformat(f"{DAY}T{since}").replace(tzinfo=UTC)),
        faults="\n".join(FOUND.splitlines()[:3]),
        roots="id | root_id | distance\nkill-1 | kill-1 | 0",
        root_spans="\n".join(ROOTED.splitlines()[:3]),
        vertices="id | kind | ts | node_id | incident_id\nkill-1 | killed | 10:00:00 | 1 | crash",
    )
    assert ("No line shows that a leader or ISR changed because of it." in _summary(found)) is is_told


def test_errors_are_reported_where_no_fault_is_known_and_passed_over_at_the_time_of_one():
    lines = """
        kind               | rank | ts       | end_ts   | count | nodes | example            | caused_by                | evidence
        log_io_error       | 2    | 10:00:00 | 10:10:00 | 3     | 1,2   | Error in the log   | java.io.IOException: bad | e1
        zk_session_expired | 3    | 09:00:00 | 09:30:00 | 1     | 3     | Session expired    |                          | e2     """
    alone = told(trouble=lines)
    same_rows(
        alone,
        FINDINGS,
        """
        code | role   | severity | title                            | broker_ids | start_ts | end_ts   | evidence | confidence
        F00  | effect | low      | Errors were logged, cause unknown | 1,2,3     | 09:00:00 | 10:10:00 | e1,e2    | 0.5        """,
    )
    assert _summary(alone) == (
        "4 errors of 2 kinds, unexplained: log io error and zk session expired; "
        'for instance "Error in the log", caused by "java.io.IOException: bad".'
    )
    fault = "fault_id | kind | code | broker_id | ts | end_ts | reason | partitions | unknowns\nf | {} | F04 | 1 | {} | {} | told_to_stop | [] | []"

    def found(kind: str, ts: str, end_ts: str = "") -> list[list[str]]:
        told_then = told(trouble=lines, faults=fault.format(kind, ts, end_ts))
        return [row.evidence for row in told_then if row.code == "F00"]

    assert found("paused", "10:00:00") == [["e2"]]  # half an hour before it is another matter
    assert found("paused", "09:31:00", "09:59:00") == []
    assert found("paused", "09:31:00") == []  # it may last still
    assert found("paused", "07:00:00", "07:01:00") == [["e1", "e2"]]
    assert found("stopped", "10:00:00") == [["e1", "e2"]]


def test_a_stop_explains_that_fetches_fail_and_no_other_errors():
    lines = """
        kind             | rank | ts       | end_ts   | count | example | evidence
        fetch_send_error | 3    | 10:00:00 | 10:00:10 | 5     | No      | e1
        fetch_send_error | 3    | 12:00:00 | 12:00:10 | 4     | No      | e2
        raft_shutdown    | 2    | 10:00:01 | 10:00:01 | 1     | Failed  | e3 """
    fault = """
        fault_id | kind    | code | broker_id | ts       | end_ts   | reason       | partitions | unknowns
        f        | stopped | F02  | 1         | 10:00:00 | 10:00:30 | told_to_stop | []         | []       """
    found = [row for row in told(trouble=lines, faults=fault) if row.code == "F00"]
    assert [row.evidence for row in found] == [["e3"], ["e2"]]


def test_errors_hours_apart_are_distinguished_and_those_without_a_time_where_nothing_is_known():
    lines = """
        kind         | rank | ts       | end_ts   | count | example          | evidence
        log_io_error | 2    | 10:00:00 | 10:10:00 | 3     | Error in the log | e1
        log_io_error | 2    | 13:00:00 | 13:00:00 | 1     | Error in the log | e4
        any_error    | 2    |          |          | 1     | Error            | e5 """
    assert [row.evidence for row in told(trouble=lines)] == [["e5"], ["e1"], ["e4"]]


def test_findings_have_names_of_their_own(concluded):
    assert len({row.finding_id for row in concluded}) == len(concluded)


def test_no_sentence_lacks_an_argument(concluded):
    """A place that nothing fills shows as `?`."""
    for row in concluded:
        assert "?" not in row.title + row.summary, (row.finding_id, row.title, row.summary)


def test_where_nothing_happened_nothing_is_concluded():
    assert told() == []


def test_rejections_last_until_the_last_of_them(of):
    """They are counted by the minute; its first is not when they ended."""
    same_rows(
        of("crash", "F20"),
        FINDINGS,
        "start_ts | end_ts\n 10:00:20 | 10:00:38",
    )


def test_a_fault_starts_and_ends_within_its_bounds():
    """When the process woke less the time that it found gone is before the last proof that it ran."""
    found = told(
        faults="""
        fault_id | kind   | code | broker_id | ts       | end_ts       | began_low    | began_high | ended_low | ended_high | confidence | reason | arguments | partitions | unknowns | evidence
        froze    | paused | F04  | 1         | 10:00:00 | 10:00:15.700 | 10:00:01.500 | 10:00:03   | 10:00:14  | 10:00:15   | 0.97       | found_time_gone | elapsed_ms=15100;limit_ms=4000 | [] | [] | p1 """,
    )
    same_rows(
        found,
        FINDINGS,
        """
        title                           | start_ts     | end_ts
        Node 1 froze for 11.0 to 13.5 s | 10:00:01.500 | 10:00:15 """,
    )


def test_preferred_leaders_that_cost_records_are_not_harmless():
    """Only producers with acks=1 can have lost them; still, it is no benign work."""
    given = {
        "vertices": """
        id                  | kind     | ts       | node_id | topic  | partition | leader_epoch | incident_id | evidence
        election/orders-0/8 | election | 12:06:00 | 1       | orders | 0         | 8            | rolling     | s5
        election/orders-1/8 | election | 12:06:00 | 1       | orders | 1         | 8            | rolling     | s6 """,
        "elections": """
        topic  | partition | leader_epoch | ts       | new_leader_id | elected_from | trigger   | evidence
        orders | 0         | 8            | 12:06:00 | 1             | isr          | preferred | s5
        orders | 1         | 8            | 12:06:00 | 1             | isr          | preferred | s6 """,
    }
    lost = """
        topic  | partition | leader_epoch | ts       | scenario | loss_class     | verdict       | from_offset | to_offset_low | to_offset_high | premise | evidence
        orders | 1         | 8            | 12:06:00 | S7       | acked_possible | POSSIBLE_LOSS | 30          | 30            | 32             | dropped | l1 """
    assert [(f.role, f.severity) for f in told(**given)] == [("benign", "info")]
    (finding,) = [f for f in told(**given, losses=lost) if f.code == "F17"]
    assert (finding.role, finding.severity) == ("contributing", "low")
    assert "Records that not all in-sync replicas held were discarded in orders-1 (see Losses)." in finding.summary
    (unknown,) = [f for f in told(**given, losses=lost.replace("POSSIBLE_LOSS", "UNDETERMINED")) if f.code == "F17"]
    assert unknown.role == "benign" and "dropped" not in unknown.summary


def test_the_premise_that_is_reported_is_of_the_range_that_is_reported_first():
    """Not of the partition that lost its leader first."""
    lost = """
        topic  | partition | leader_epoch | ts       | scenario | loss_class     | verdict       | from_offset | to_offset_low | to_offset_high | premise        | evidence
        orders | 0         | 8            | 12:06:00 | S7       | acked_possible | POSSIBLE_LOSS | 144         | 144           | 145            | ended at 145   | l1
        clicks | 0         | 8            | 12:06:01 | S7       | acked_possible | POSSIBLE_LOSS | 140         | 140           | 237            | ended at 237   | l2 """
    (finding,) = told(losses=lost)
    assert (
        "Affected offsets: clicks-0 [140,237) and orders-0 [144,145). Basis for the first range: ended at 237."
        in finding.summary
    )


@pytest.mark.parametrize(
    ("roots", "told"),
    [
        (["killed/1"], "6 unclean leader elections followed"),
        (
            ["killed/1", "killed/2"],
            "6 unclean leader elections followed, which other faults contributed to",
        ),
    ],
)
def test_unclean_elections_after_several_faults_are_not_attributed_to_each(roots, told):
    effect = Effect(kind="unclean_election", root_ids=roots, count=6, partitions=["orders-0"])
    harm = harm_by_root([effect], [])
    assert {root: _effects_in_words(harm[root])[0] for root in roots} == dict.fromkeys(roots, told)


@pytest.mark.parametrize(
    ("kind", "severity"),
    [("isr_updates_refused", "medium"), ("isr_changes_refused", "medium"), ("fetcher_died", "low")],
)
def test_an_effect_that_keeps_acks_all_waiting_is_no_trifle(kind, severity):
    """A leader whose ISR changes are refused waits for the members that it cannot remove."""
    (refused,) = rows(FAULTS, f"fault_id | kind | broker_id\n refused | {kind} | 2")
    placed = Placed(refused, None, "incident-1", True, True, "both_dropped_it", None, Harm())
    assert (placed.role, placed.severity) == ("effect", severity)


def test_all_brokers_that_truncated_the_records_are_named():
    """Without a time for the former leader of each range, the sentence is left out."""
    lost = """
        topic  | partition | leader_epoch | ts       | scenario | loss_class     | verdict       | from_offset | to_offset_high | old_leader_id | premise | evidence | cut_ts   | cut_by | cut_times
        orders | 3         | 1            | 10:00:05 | S7       | acked_possible | POSSIBLE_LOSS | 99          | 100            | 1             | why     | e1       | 10:00:16 | 3,1    | 10:00:06,10:00:16
        orders | 4         | 1            | 10:00:05 | S7       | acked_possible | POSSIBLE_LOSS | 99          | 100            | 2             | why     | e2       | 10:00:18 | 2      | 10:00:18"""
    (all_of_them,) = told(losses=lost)
    cut = "Brokers 1, 2 and 3 truncated what they had of them between 10:00:06.000 and 10:00:18.000."
    assert cut in all_of_them.summary
    assert [ts.strftime("%H:%M:%S") for ts in (all_of_them.start_ts, all_of_them.end_ts)] == ["10:00:06", "10:00:18"]
    (single,) = told(losses="\n".join(lost.splitlines()[:2] + lost.splitlines()[3:]))
    assert "Broker 2 truncated them at 10:00:18.000." in single.summary
    (unknown,) = told(losses=lost.replace("10:00:18 |", "         |", 1))
    assert "truncated" not in unknown.summary


def test_a_refused_start_is_no_root_where_the_end_of_the_earlier_process_is_in_no_line():
    header, refused = (next(line for line in FOUND.splitlines() if word in line) for word in ("fault_id", "refused-1"))
    found = told(faults=f"{header}\n{refused}")
    assert [(one.code, one.role) for one in found if one.code == "F29"] == [("F29", "contributing")]


LOST_UNSEEN = """
    topic  | partition | leader_epoch | ts       | scenario | loss_class | verdict      | from_offset | to_offset_low | old_leader_id | new_leader_id | cut_by | incident_id | begun_before | evidence
    orders | 0         | 4            | 10:00:05 | {scenario} | committed | {verdict} | 659         | 1551          |               | 2             | 3,1    | one         | true         | l1
    ledger | 1         | 3            | 10:00:05 |          | committed  | PROVEN_LOSS  | 552         | 794           |               | 2             | 1      | one         | true         | l2 """


@for_each(
    "scenario, verdict, named", [("", "PROVEN_LOSS", ["orders"]), ("S4", "PROVEN_LOSS", []), ("", "UNDETERMINED", [])]
)
def test_a_leader_without_committed_records_of_a_topic_that_allows_unclean_elections_likely_came_from_outside_the_isr(
    scenario, verdict, named
):
    """Ledger does not allow them: its leader more likely lost the end of its log."""
    settings = rows(
        TOPIC_SETTINGS,
        """
        topic  | unclean_allowed | setting_event
        orders | true            | s1
        ledger | false           | s2 """,
    )
    found = list(
        likely_unclean_elections(rows(OPEN_LOSSES, LOST_UNSEEN.format(scenario=scenario, verdict=verdict)), settings)
    )
    assert [one.partitions for one in found] == [[f"{topic}-0"] for topic in named]
    for one in found:
        told = as_finding(one)
        assert (told.code, told.role, told.broker_ids, told.confidence) == ("F16", "contributing", [2], 0.8)
        assert told.title == "Likely an unclean election of broker 2 in 1 partition"
        assert "while brokers 1 and 3 had them" in told.summary
        assert "lost the end of its log on its disk looks the same" in told.blind_spots[0]
        assert "s1" in told.evidence


@pytest.mark.parametrize(
    ("rejecting", "says"),
    [
        ("1, 2, 3", "a change on these hosts: the fetches that failed are those of node 1 and those from it."),
        ("1, 2", "a change on these hosts, or they lost their route to the network."),
    ],
)
def test_hosts_whose_nodes_fetch_from_each_other_have_not_lost_their_route_to_the_network(rejecting, says):
    """A broker is cut off from its peers if fetches between the peers work."""
    (finding,) = told(
        faults=f"""
        fault_id | kind           | code | broker_id | ts       | began_low | began_high | reason         | arguments | partitions | unknowns | evidence
        cut      | cut_from_peers | F05  | 1         | 10:00:00 | 10:00:00  | 10:00:00   | fetches_failed | all_peers=2, 3;rejected=Invalid argument;all_rejecting={rejecting} | [] | [] | p1 """,
    )
    assert f"each rejected connections of their own nodes (Invalid argument): {says}" in finding.summary
