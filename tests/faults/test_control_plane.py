"""Disks of others, metadata that is not applied, features that are refused, voters that change (facts §5, F14, F28, F33, F34)."""

from __future__ import annotations

import pytest

from replay.facts.features import feature_levels
from replay.facts.releases import version_number
from replay.faults import control_plane as stage
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables import SETTINGS
from replay.tables.brokers import PROCESSES, RELEASES
from replay.tables.faults import FAULTS
from tests.each import for_each
from tests.facts.test_voters import A, B, C, D, cut, reads, voters, with_cuts
from tests.tables import facts, rows, same_rows


def told(one) -> str:
    """What a person reads of a fault."""
    return HOW_IT_IS_KNOWN.render(one.reason, one.arguments)


def ended(said: str) -> list:
    return rows(
        PROCESSES,
        f"node_id | start_ts | fatal_ts | fatal_event | fatal_said | next_start_ts | next_start_event\n"
        f"2 | 10:00:00 | 10:00:04 | e7 | {said} | 10:05:00 | e9",
    )


def test_a_start_on_the_disk_of_another_cluster_shows_whose_it_is():
    (found,) = stage.disks_refused(
        ended(
            "Exiting Kafka due to fatal exception: java.lang.RuntimeException: Invalid cluster.id in: "
            "/var/lib/kafka/data0/meta.properties. Expected MkU3OEVBNTcwNTJENDM2Qg, but read Zm9yZWlnbi1jbHVzdGVyMQ"
        )
    )
    same_rows(
        [found],
        FAULTS,
        """
        kind         | code | broker_id | ts       | began_low | end_ts   | evidence
        disk_refused | F14  | 2         | 10:00:04 | 10:00:00  | 10:05:00 | e7,e9 """,
    )
    assert told(found) == (
        "node 2 did not start: its directory /var/lib/kafka/data0 belongs to cluster Zm9yZWlnbi1jbHVzdGVyMQ, and the "
        "node expected cluster MkU3OEVBNTcwNTJENDM2Qg"
    )


@for_each(
    ("said", "reason"),
    [
        (
            "RuntimeException: Stored node id 3 doesn't match previous node id 2 in /d1/meta.properties. If you moved",
            "disk_of_another_node",
        ),
        (
            "InconsistentBrokerIdException: Configured broker.id 2 doesn't match stored broker.id Some(3)",
            "disk_of_another_node",
        ),
        (
            "InconsistentClusterIdException: The Cluster ID abc doesn't match stored clusterId Some(xyz) in meta",
            "disk_of_another_cluster",
        ),
        ("RuntimeException: No `meta.properties` found in /d1 (have you run `kafka-storage.sh`", "disk_not_formatted"),
        ("RuntimeException: No readable meta.properties files found.", "no_disk_readable"),
        (
            "RuntimeException: Duplicate directory ID Optional[x] found. It was the ID of /d1, but also of /d2",
            "directory_id_twice",
        ),
    ],
)
def test_each_check_of_meta_properties_is_reported_as_what_it_is(said, reason):
    (found,) = stage.disks_refused(ended(said))
    assert found.reason == reason and " 2 did not start" in told(found) and "{" not in told(found)


def test_a_start_that_failed_for_something_else_is_no_matter_of_its_disk():
    assert stage.disks_refused(ended("Exiting Kafka: java.net.BindException: Address already in use")) == []


def test_a_broker_goes_on_without_a_record_that_it_cannot_apply():
    """Recorded: a broker of 4.1.1 in a cluster whose metadata version is 4.4."""
    (found,) = stage.metadata_unapplied(
        facts("""
        ts       | node_id | kind         | details                                                                               | message
        10:00:00 | 1       | fault_logged | caused_by=java.lang.IllegalArgumentException: No MetadataVersion with feature level 33 | Encountered metadata loading fault: Error loading metadata log record from offset 224
        10:00:01 | 1       | fault_logged |                                                                                       | Encountered metadata loading fault: Error loading metadata log record from offset 230
        10:00:01 | 2       | fault_logged |                                                                                       | Encountered metadata publishing fault: Error starting GroupCoordinator """),
        rows(RELEASES, f"node_id | version_low\n1 | {version_number('4.1.1')}"),
    )
    assert (found.kind, found.broker_id, found.evidence) == ("metadata_unapplied", 1, ["e1", "e2"])
    assert told(found) == (
        "node 1 could not apply a record of the metadata log at offset 224: java.lang.IllegalArgumentException: No "
        "MetadataVersion with feature level 33; 1 such error more; it continued without the record, so its view of "
        "the cluster may differ from the controllers' view"
    )


def test_a_controller_stops_itself_for_a_record_that_it_cannot_apply():
    (found,) = stage.metadata_unapplied(
        facts("""
        ts       | node_id | kind        | message
        10:00:00 | 101     | fault_fatal | Encountered fatal fault: Unable to apply PartitionChangeRecord record at offset 29 on standby controller, from the batch with baseOffset 25 """),
        [],
    )
    assert told(found) == (
        "node 101 could not apply a record of the metadata log at offset 29, a PartitionChangeRecord; it stopped itself because of this"
    )


@pytest.mark.parametrize(
    ("kind", "message", "reason", "offset"),
    [
        # 3.6 prints base offset and index one behind the other.
        ("fault_logged", "Error loading metadata log record from offset 2240", "could_not_apply_record", None),
        (
            "fault_fatal",
            "Unable to apply TopicRecord record on standby controller, which was 1 of 2 record(s) in the batch",
            "could_not_apply_record",
            None,
        ),
        (
            "fault_fatal",
            "Unable to apply TopicRecord record from snapshot OffsetAndEpoch(offset=90, epoch=3) on standby controller, which was",
            "could_not_load_snapshot",
            90,
        ),
        (
            "fault_logged",
            "Unhandled error publishing the new metadata image from snapshot at offset 12 with publisher X",
            "could_not_take_over_image",
            12,
        ),
    ],
)
def test_each_wording_shows_the_offset_only_where_it_prints_it(kind, message, reason, offset):
    (found,) = stage.metadata_unapplied(
        facts(f"ts | node_id | kind | message\n10:00:00 | 1 | {kind} | Encountered fault: {message}"), []
    )
    assert (found.reason, found.arguments.get("offset")) == (reason, None if offset is None else str(offset))
    assert "{" not in told(found)


def test_a_broker_that_does_not_support_a_feature_is_reported_with_the_levels():
    """Recorded, as above."""
    text = """
        ts       | node_id | kind                       | message
        10:00:00 | 103     | kraft_event_failed         | [QuorumController id=103] registerBroker: event failed with UnsupportedVersionException in 3114 microseconds. Exception message: Unable to register because the broker does not support finalized version 33 of metadata.version. The broker wants a version between 7 and 27, inclusive.
        10:00:00 | 1       | broker_registration_failed | [BrokerLifecycleManager id=1] Unable to register broker 1 because the controller returned error UNSUPPORTED_VERSION
        10:00:09 | 2       | broker_registration_failed | [BrokerLifecycleManager id=2] Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION """
    (found,) = stage.features_unsupported(facts(text))
    assert (found.kind, found.code, found.broker_id) == ("feature_unsupported", "F28", 1)
    assert told(found) == (
        "the controller refused to register broker 1 once: metadata.version is at level 33, and the broker supports 7 to 27"
    )


def test_of_two_brokers_refused_at_once_for_different_levels_none_has_a_reason():
    why = "registerBroker: event failed with UnsupportedVersionException. Exception message: Unable to register because the broker does not support version {} of {}. It wants a version between 1 and {}, inclusive."
    found = stage.features_unsupported(
        facts(f"""
        ts       | node_id | kind                       | message
        10:00:00 | 103     | kraft_event_failed         | {why.format(17, "metadata.version", 14)}
        10:00:00 | 1       | broker_registration_failed | because the controller returned error UNSUPPORTED_VERSION
        10:00:01 | 103     | kraft_event_failed         | {why.format(2, "group.version", 1)}
        10:00:01 | 2       | broker_registration_failed | because the controller returned error UNSUPPORTED_VERSION """)
    )
    assert [told(one) for one in found] == [
        f"the controller refused to register broker {broker} once: the broker does not support the level of a feature"
        for broker in (1, 2)
    ]


def test_a_refused_downgrade_changed_nothing_and_is_reported_as_such():
    (found,) = stage.feature_changes_refused(
        facts("""
        ts       | node_id | kind                | details                                                                           | message
        10:00:00 | 103     | kraft_feature_error | feature_level=25;reason=Refusing to perform the requested downgrade because it is | any """)
    )
    assert told(found) == (
        "the controller refused once to set metadata.version to level 25: Refusing to perform the requested downgrade because it is"
    )


def feature_changes(text: str, starts: str) -> list:
    lives = rows(PROCESSES, f"node_id | start_ts\n{starts}")
    return stage.features_changed(feature_levels(facts(f"ts | node_id | kind | details\n{text}"), lives))


def test_a_level_that_was_set_while_nodes_ran_is_reported_once():
    (found,) = feature_changes(
        """
        10:00:02 | 101     | kraft_feature_replayed | name=group.version;feature_level=1
        10:30:00 | 101     | kraft_feature_replayed | name=group.version;feature_level=0
        10:35:00 | 102     | kraft_feature_replayed | name=group.version;feature_level=0
        11:00:02 | 102     | kraft_feature_replayed | name=group.version;feature_level=1 """,
        "101 | 10:00:00\n102 | 10:00:00\n102 | 11:00:00",
    )
    assert told(found) == "the level of group.version was set to 0, it was 1 before"


def test_a_metadata_version_that_a_start_reads_however_late_is_no_change():
    """It reads the log once there is a leader who tells what is committed: here after five minutes."""
    (found,) = feature_changes(
        """
        10:05:00 | 101     | kraft_metadata_version_replayed | metadata_version=3.7-IV4
        10:05:01 | 101     | kraft_metadata_version_replayed | metadata_version=3.8-IV0
        11:00:00 | 101     | kraft_metadata_version_replayed | metadata_version=3.9-IV0 """,
        "101 | 10:00:00",
    )
    assert (found.code, f"{found.ts:%H:%M:%S}") == ("F28", "11:00:00")
    assert told(found) == "the level of metadata.version was set to 3.9-IV0, it was 3.8-IV0 before"


def test_a_level_logged_in_mid_flow_is_no_change_as_long_as_none_before_is_known():
    assert feature_changes("10:05:00 | 101 | kraft_metadata_version_replayed | metadata_version=3.7-IV4", "") == []


THREE, FOUR = voters(n101=A, n102=B, n103=C), voters(n101=A, n102=B, n103=C, n104=D)


def changed(*lines: str, settings: str = "") -> list:
    text = "\n".join(["ts | node_id | kind | message", *lines])
    starts = rows(PROCESSES, "node_id | start_ts\n101 | 09:59:59\n104 | 10:20:00")
    return stage.voters_changed(facts(text), starts, rows(SETTINGS, f"node_id | name | value\n{settings}"))


def test_who_joined_and_who_left_is_reported_once_however_many_nodes_read_it():
    found = changed(
        reads("10:00:00", 101, THREE, 2),
        reads("10:20:01", 104, THREE, 2),
        reads("10:30:00", 101, FOUR, 700),
        reads("10:30:00.100", 104, FOUR, 700),
        reads("10:40:00", 104, voters(n102=B, n103=C, n104=D), 800),
    )
    assert [told(one) for one in found] == [
        "the voters of the metadata quorum were changed: node 104 joined; from then on they were nodes 101, 102, 103 and 104",
        "the voters of the metadata quorum were changed; node 101 left; from then on they were nodes 102, 103 and 104",
    ]


def test_a_node_that_is_a_voter_again_with_another_directory_came_with_a_new_disk():
    found = changed(
        reads("10:00:00", 101, THREE, 2),
        reads("10:30:00", 101, voters(n101=A, n102=B), 700),
        reads("10:30:20", 101, voters(n101=A, n102=B, n103=D), 710),
    )
    assert [told(one) for one in found] == [
        "the voters of the metadata quorum were changed; node 103 left; from then on they were nodes 101 and 102: a "
        "quorum of two voters needs both, so it stops when one fails",
        "the voters of the metadata quorum were changed; node 103 came with a different directory than before; from "
        "then on they were nodes 101, 102 and 103",
    ]


def test_what_a_leader_of_the_quorum_shows_is_news_also_soon_after_its_start():
    leads = "10:00:02 | {node} | raft_transition | [RaftManager id={node}] Completed transition to Leader(localVoterNode=x, epoch=1"
    lines = [reads("10:00:01", 101, THREE, 2), reads("10:00:40", 101, FOUR, 700)]
    assert changed(*lines) == []
    (found,) = changed(*lines, leads.format(node=101))
    assert found.arguments["all_added"] == "104"
    assert changed(*lines, leads.format(node=102)) == []
    assert (
        changed(
            *lines,
            leads.format(node=101),
            leads.format(node=101).replace("02 |", "20 |", 1).replace("Leader(", "FollowerState("),
        )
        == []
    )


def test_what_only_starting_nodes_read_is_of_the_past():
    assert changed(reads("10:20:01", 104, THREE, 2), reads("10:20:02", 104, FOUR, 700)) == []


def test_who_is_a_voter_again_soon_after_its_removal_came_back():
    lines = [
        reads("10:00:00", 101, THREE, 2),
        reads("10:30:00", 101, voters(n101=A, n102=B), 700),
        reads("10:30:20", 101, THREE, 710),
    ]
    (back,) = [
        one
        for one in changed(*lines, settings="103 | controller.quorum.auto.join.enable | true")
        if one.kind == "voter_came_back"
    ]
    assert (back.code, back.broker_id) == ("F34", 103)
    assert "controller.quorum.auto.join.enable is on" in told(back)
    later = [*lines[:2], reads("11:30:20", 101, THREE, 710)]
    assert not [one for one in changed(*later) if one.kind == "voter_came_back"], "an hour later somebody wanted it"


def test_voters_of_a_record_that_was_cut_off_are_no_change():
    two, three, other = voters(n101=A, n102=B), voters(n101=A, n102=B, n103=C), voters(n101=A, n102=B, n104=D)
    lines = [reads("10:00:00", 101, two, 2), reads("10:05:00", 101, three, 700), cut("10:05:03", 101, 700)]
    assert stage.voters_changed(with_cuts(*lines), [], []) == []
    (found,) = stage.voters_changed(with_cuts(*lines, reads("10:05:09", 102, other, 700)), [], [])
    assert (str(found.ts)[11:19], found.arguments["all_added"], found.evidence) == ("10:05:09", "104", ["e4"])


ASKED = (
    "{ts} | 103 | raft_voter_key_mismatch | [RaftManager id=103] Leader sent a voter key (Optional[ReplicaKey(id=103, directoryId={C})]) in "
    "the BEGIN_QUORUM_EPOCH request that doesn't match the local key (OptionalInt[103], {D}); returning INVALID_VOTER_KEY"
)


def asked(*times: str) -> list:
    return stage.voter_directories_differ(
        facts("\n".join(["ts | node_id | kind | message", *(ASKED.format(ts=ts, C=C, D=D) for ts in times)]))
    )


def test_a_voter_that_came_with_a_new_disk_is_asked_by_its_old_directory():
    (found,) = asked("10:30:00", "10:30:01", "10:30:27")
    assert (found.kind, found.code, found.broker_id) == ("voter_directory_differs", "F34", 103)
    assert told(found) == (
        f"node 103 runs with directory {D}, and the metadata quorum has it as a voter with directory {C}: requests for that directory reached it "
        "3 times from 10:30:00.000 to 10:30:27.000; it has no vote until that voter is removed and this one added, and until then the "
        "others need a majority without it"
    )
    assert asked("10:30:00") == []


ALL = "[101@10.0.0.1:9093, 102@10.0.0.2:9093, 103@10.0.0.3:9093]"
TWO = "[101@10.0.0.1:9093, 102@10.0.0.2:9093]"
MOVED = "[101@10.0.0.1:9093, 102@10.0.0.2:9093, 103@10.0.0.9:9093]"


def configured(*voters: str, lives: str, lines: str = "ts | node_id | kind | message") -> list:
    printed = "\n".join(
        f"{number} | {ts} | controller.quorum.voters | {value} | e{number}"
        for number, (ts, value) in ((int(one.split()[0]), one.split(maxsplit=2)[1:]) for one in voters)
    )
    header = "node_id | first_ts | last_ts | ended | next_start_ts"
    return stage.static_voters_differ(
        facts(lines),
        rows(PROCESSES, f"{header}\n{lives}"),
        rows(SETTINGS, f"node_id | ts | name | value | event_id\n{printed}"),
    )


def test_nodes_that_were_started_with_other_voters_are_named_with_both_values():
    (found,) = configured(
        f"101 10:00:01 {ALL}",
        f"102 10:00:02 {ALL}",
        f"103 10:00:03 {TWO}",
        "1 10:00:04 []",
        lives="101 | 10:00:00 | 11:00:00 | | \n102 | 10:00:00 | 11:00:00 | | \n103 | 10:00:00 | 11:00:00 | | ",
    )
    same_rows(
        [found],
        FAULTS,
        """
        kind                 | code | broker_id | ts       | end_ts | peers | confidence | evidence
        static_voters_differ | F34  |           | 10:00:00 |        | 103   | 0.95       | e101,e103 """,
    )
    assert told(found) == (
        "controller.quorum.voters is not the same on all nodes from 10:00:00.000 on: nodes 101 and 102 have "
        "101@10.0.0.1:9093,102@10.0.0.2:9093,103@10.0.0.3:9093, node 103 has 101@10.0.0.1:9093,102@10.0.0.2:9093; "
        "these nodes do not look for the same controllers"
    )


def test_one_voter_under_two_addresses_may_be_one_host():
    (found,) = configured(
        f"101 10:00:01 {ALL}",
        f"2 10:00:02 {MOVED}",
        lives="101 | 10:00:00 | 11:00:00 | | \n2 | 10:00:00 | 11:00:00 | | ",
    )
    assert found.confidence == 0.6
    assert told(found).endswith("the ids are the same and the addresses differ; they may be names of one host")


def test_nodes_that_are_started_again_one_after_the_other_agree_again():
    told_voters = (f"101 10:00:01 {TWO}", f"102 10:00:02 {TWO}", f"101 10:30:01 {ALL}", f"102 10:30:31 {ALL}")
    lives = (
        "101 | 10:00:00 | 10:29:50 | stopped | 10:30:00\n101 | 10:30:00 | 11:00:00 | | \n"
        "102 | 10:00:00 | 10:30:20 | stopped | 10:30:30\n102 | 10:30:30 | 11:00:00 | | "
    )
    assert configured(*told_voters, lives=lives) == []
    late = lives.replace("10:30:20", "10:42:00").replace("10:30:30", "10:42:10")
    (found,) = configured(*told_voters[:-1], f"102 10:42:11 {ALL}", lives=late)
    assert [str(ts)[11:19] for ts in (found.began_low, found.ts, found.end_ts)] == ["10:29:50", "10:30:00", "10:42:00"]


def test_the_setting_is_not_read_where_voters_stand_in_the_metadata_log():
    dynamic = f"ts | node_id | kind | message\n{reads('10:00:00', 101, voters(n101=A, n102=B), 2)}"
    lives = "101 | 10:00:00 | 11:00:00 | | \n2 | 10:00:00 | 11:00:00 | | "
    assert configured(f"101 10:00:01 {ALL}", f"2 10:00:02 {TWO}", lives=lives, lines=dynamic) == []
    assert len(configured(f"101 10:00:01 {ALL}", f"2 10:00:02 {TWO}", lives=lives)) == 1


@pytest.mark.parametrize(
    ("count", "until", "error", "is_told"),
    [
        (120, "10:00:03", "INCONSISTENT_CLUSTER_ID", True),
        (2, "10:00:03", "INCONSISTENT_CLUSTER_ID", False),  # a stranger asked for its vote
        (120, "10:00:03", "FENCED_LEADER_EPOCH", False),
        (120, "10:00:05", "INCONSISTENT_CLUSTER_ID", False),  # after its end, in its next life
    ],
)
def test_a_start_that_the_quorum_of_another_cluster_refused_says_so(count, until, error, is_told):
    """As recorded of 4.2.0: 21,000 answers in four starts, each of which gave up after a minute."""
    answers = facts(f"""
        ts       | kind                  | node_id | count   | event_id | details
        {until}  | raft_unexpected_error | 2       | {count} | a1       | error={error};api=FETCH """)
    found = stage.refused_by_quorum(answers, ended("Shutting down because we were unable to register"))
    assert len(found) == is_told
    if is_told:
        assert (found[0].kind, found[0].code, found[0].broker_id) == ("disk_refused", "F14", 2)
        assert found[0].evidence == ["a1", "e7", "e9"]
        assert "INCONSISTENT_CLUSTER_ID in 120 answers" in told(found[0])


@pytest.mark.parametrize(
    ("others", "ids"),
    [
        ([("10:00:02", "A", "B"), ("10:00:03", "A", "B")], "; theirs is A, and the directory has B"),
        ([("10:00:02", "A", "B"), ("10:00:03", "A", "C")], ""),  # of two brokers
        ([("09:00:02", "A", "B")], ""),  # of an earlier start
    ],
)
def test_a_start_that_the_quorum_refused_names_both_cluster_ids_where_a_controller_printed_them(others, ids):
    said = "exception_message=Expected cluster ID {}, but got cluster ID {}"
    lines = [
        f"{ts} | kraft_event_failed | 1 | 1 | r{number} | {said.format(expected, got)}"
        for number, (ts, expected, got) in enumerate(others)
    ]
    answers = facts(
        "ts | kind | node_id | count | event_id | details\n"
        "10:00:03 | raft_unexpected_error | 2 | 120 | a1 | error=INCONSISTENT_CLUSTER_ID;api=FETCH\n" + "\n".join(lines)
    )
    (found,) = stage.refused_by_quorum(answers, ended("Shutting down because we were unable to register"))
    assert told(found).endswith(f"10:00:03.000){ids}")
    assert ("r0" in found.evidence) == bool(ids)


@pytest.mark.parametrize(
    ("ended_before", "began"), [("stopped", "09:59:50"), ("killed", "09:59:50"), ("fatal", "10:00:00")]
)
def test_a_directory_was_wrong_before_the_start_that_finds_it_so(ended_before, began):
    """A process that was refused for it, too, shows nothing of the time in between."""
    found = stage.disks_refused(
        rows(
            PROCESSES,
            f"""
            node_id | start_ts | last_ts  | ended          | fatal_ts | fatal_said
            2       | 09:00:00 | 09:59:50 | {ended_before} |          |
            3       | 09:00:00 | 09:59:55 | stopped        |          |
            2       | 10:00:00 | 10:00:04 | fatal          | 10:00:04 | RuntimeException: No readable meta.properties files found. """,
        )
    )
    same_rows(found, FAULTS, f"broker_id | began_low | ts\n2 | {began} | 10:00:04")
