"""Known bugs: each is found by lines as Kafka prints them, by release, and on no recording."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from pipelines.answers.issues_text import issue_named, issues_of
from replay.catalogue import TEMPLATES
from replay.errors import InputError
from replay.knowledge import matching_issues
from replay.knowledge.explaining import explained
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.knowledge.matching_issues import matches
from replay.reading.printed_line import Line
from replay.reading.texts import lines_of
from tests.each import for_each
from tests.golden import TRACES

ISSUES = {issue.key: issue for issue in KNOWN_ISSUES}
_NAMED = re.compile(r"KAFKA-\d+|\b[a-z][a-z0-9]*(?:-[a-z0-9]+)+\b")


def lines_in(example: str) -> list[Line]:
    """An example as the records of one file, each with a time."""
    stamped = re.sub(r"(?m)^(?=(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) )", "[2026-11-26 07:00:00,000] ", example)
    return list(lines_of(stamped, "server.log"))


def a_release_with(issue) -> str | None:
    """Some release that has the bug."""
    bounds = [part for releases in issue.affected for part in (releases.last or releases.first) if part is not None]
    return ".".join(map(str, issue.affected[0].last or issue.affected[0].first)) if bounds else None


def told_bugs(issue) -> set[str]:
    return {
        match.issue.key for match in matches(lines_in(issue.example), a_release_with(issue)) if match.is_reported_as_bug
    }


@for_each("issue", KNOWN_ISSUES, ids=lambda issue: issue.key)
def test_an_example_shows_its_issue(issue):
    assert issue.key in {match.issue.key for match in matches(lines_in(issue.example))}


def test_an_example_shows_no_other_bug_that_its_issue_does_not_name_as_a_look_alike():
    """In a release that has the bug; a bug that is told only with more lines is told of none."""
    for issue in KNOWN_ISSUES:
        others = told_bugs(issue) - {issue.key}
        assert others <= set(_NAMED.findall(issue.look_alike)), issue.key
        assert issue.key in told_bugs(issue) or not issue.is_bug or issue.needs_more or not issue.affected, issue.key


def test_a_line_alone_is_reported_as_a_bug_only_where_it_decides():
    """Of an unknown release. No other line of the catalogue, as Kafka prints it, is taken for a bug."""
    told = set()
    for template in TEMPLATES:
        first, _, below = template.example.partition("\n")
        line = Line("server.log", 1, None, template.level, template.logger.split("|")[0], first, trace=below)
        told |= {match.issue.key for match in matches([line]) if match.is_reported_as_bug}
    assert told == {"KAFKA-14190", "KAFKA-7414", "KAFKA-14887"}


def test_the_records_are_sound():
    assert len(ISSUES) == len(KNOWN_ISSUES)
    signatures = Counter(issue.signature for issue in KNOWN_ISSUES)
    for issue in KNOWN_ISSUES:
        assert issue.confidence in ("sure", "likely"), issue.key
        named = set(re.findall(r"KAFKA-\d+", issue.look_alike)) - {issue.key}
        for other in named & ISSUES.keys():  # both name each other, or what the lines differ in is said
            assert ISSUES[other].look_alike or ISSUES[other].signature != issue.signature, (issue.key, other)
        if signatures[issue.signature] > 1:  # one line for two: the releases tell them apart
            twins = [other for other in KNOWN_ISSUES if other.signature == issue.signature and other is not issue]
            assert all(other.key in issue.look_alike for other in twins), issue.key


def test_what_nobody_has_seen_is_never_sure():
    unseen = [issue for issue in KNOWN_ISSUES if not issue.seen_in]
    assert unseen and not any(issue.is_sure for issue in unseen)
    (bug,) = explained(lines_in(ISSUES["KAFKA-15353"].example)).looks_like
    assert (bug.confidence, bug.maturity) == ("likely", "unseen")


@for_each(
    ("key", "release", "affected"),
    [
        ("KAFKA-2729", "1.0.2", True),
        ("KAFKA-2729", "1.1.0", False),
        ("KAFKA-4477", "0.10.1.0", True),
        ("KAFKA-4477", "0.10.1.1", False),
        ("KAFKA-14337", "3.3.1", True),
        ("KAFKA-14337", "3.3.2", False),
        ("KAFKA-14190", "3.9.1", True),
        ("KAFKA-1194", "2.8.2", True),
        ("KAFKA-14035", "3.0.1", True),
        ("KAFKA-14035", "3.0.2", False),
        ("KAFKA-14035", "3.1.2", False),
        ("KAFKA-6975", "1.0.2", False),
        ("KAFKA-6975", "1.1.0", True),
        ("KAFKA-1398", "0.8.1", True),
        ("KAFKA-1398", "0.8.1.1", False),
        ("KAFKA-1738", "0.8.2.1", False),  # repaired before it came out
        ("KAFKA-664", "0.8.2.2", False),
    ],
)
def test_a_release_has_a_bug_or_not(key, release, affected):
    assert issue_named(key).affects(release) is affected


def test_a_bug_of_other_releases_is_not_reported():
    text = "INFO Kafka version: 3.4.0 (org.apache.kafka.common.utils.AppInfoParser)\n" + ERROR
    assert not explained(list(lines_of(text, "controller.log"))).looks_like
    told = explained(list(lines_of(text.replace("3.4.0", "3.3.1"), "controller.log"))).looks_like
    assert [bug.key for bug in told] == ["KAFKA-14337"]
    assert "runs 3.3.1" in told[0].says and "fixed in 3.3.2" in told[0].says


ERROR = (
    "WARN [Controller 1] createTopics: failed with unknown server exception NoSuchElementException at epoch 14 in 193 us.  "
    "Renouncing leadership and reverting to the last committed offset 28. (org.apache.kafka.controller.QuorumController)\n"
    "java.util.NoSuchElementException\n"
    "\tat org.apache.kafka.controller.ReplicationControlManager.validateNewTopicNames(ReplicationControlManager.java:799)\n"
)


def test_the_bugs_of_a_release_are_listed():
    listed = {issue.key for issue in issues_of("3.6.0")}
    assert "KAFKA-15481" in listed and "KAFKA-14337" not in listed
    with pytest.raises(InputError, match="99: not a release of Kafka"):
        issues_of("99")


TWO_RECORDS = (
    "ERROR Error processing append operation on partition a-0 (kafka.server.ReplicaManager)\n"
    "org.apache.kafka.common.errors.OutOfOrderSequenceException: Invalid sequence number for new epoch: 0 (request epoch)\n"
    "INFO [ReplicaFetcherThread-0-1], Starting  (kafka.server.ReplicaFetcherThread)\n"
)


def test_a_protocol_version_from_before_an_upgrade_is_not_older_than_the_binary():
    """The node ran 2.7.2 with 2.7, then 3.4.1 with 3.4."""
    one = ISSUES["ibp-left-behind"].example
    upgraded = "\n".join(
        f"INFO KafkaConfig values: \n\tinter.broker.protocol.version = {protocol}\n (kafka.server.KafkaConfig)\n"
        f"INFO Kafka version: {binary} (org.apache.kafka.common.utils.AppInfoParser)"
        for protocol, binary in (("2.7-IV2", "2.7.2"), ("3.4-IV0", "3.4.1"))
    )
    assert [
        any(match.issue.key == "ibp-left-behind" for match in matches(lines_in(text))) for text in (one, upgraded)
    ] == [True, False]


def test_what_must_stand_in_one_record_is_not_put_together_from_two():
    keys = {match.issue.key for match in matches(list(lines_of(TWO_RECORDS, "server.log")))}
    assert "KAFKA-6003" not in keys
    of_fetcher = TWO_RECORDS.replace(
        "Error processing append operation on partition a-0", "[ReplicaFetcherThread-0-1], Error due to"
    )
    assert "KAFKA-6003" in {match.issue.key for match in matches(list(lines_of(of_fetcher, "server.log")))}


@for_each("trace", sorted(path.name for path in TRACES.iterdir() if any(path.rglob("*.log"))))
def test_no_bug_is_reported_for_a_recording(trace):
    lines: list[Line] = []
    for file in sorted((TRACES / trace).rglob("*.log*")):
        if file.is_file() and file.suffix != ".gz":
            lines += lines_of(file.read_text(errors="replace"), str(file))
    answer = explained(lines)
    assert lines and not answer.looks_like and not answer.unknown
    if trace.startswith("calm"):
        assert not answer.told and answer.summary.startswith("No fault found")


STALE = "INFO Partition [t,0] on broker 1: Cached zkVersion [{n}] not equal to that in zookeeper, skip updating ISR (kafka.cluster.Partition)\n"


@pytest.mark.parametrize(
    ("release", "lines", "told"), [("1.0.2", 20, True), ("1.0.2", 3, False), ("1.1.0", 20, False), (None, 20, False)]
)
def test_lines_that_other_releases_also_print_show_a_bug_only_in_releases_that_have_it(release, lines, told):
    version = f"INFO Kafka version : {release} (org.apache.kafka.common.utils.AppInfoParser)\n" if release else ""
    text = version + "".join(STALE.format(n=n) for n in range(lines))
    answer = explained(list(lines_of(text, "server.log")))
    assert [bug.key for bug in answer.looks_like] == (["KAFKA-2729"] if told else [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "ERROR Error while renaming dir for t-0 in log dir C:\\kafka-logs (kafka.server.LogDirFailureChannel)\n"
            "java.nio.file.FileSystemException: C:\\kafka-logs\\t-0 -> C:\\kafka-logs\\t-0.9f3-delete: The process cannot access the file because it is being used by another process.\n",
            ["KAFKA-8811"],
        ),
        (
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Unexpected error occurred while processing data for partition t-0 at offset 9 (kafka.server.ReplicaFetcherThread)\n"
            "org.apache.kafka.common.errors.TransactionCoordinatorFencedException: Invalid coordinator epoch for producerId 6 at offset 9 in partition t-0: 7 (zombie), 8 (current)\n",
            ["KAFKA-9144"],
        ),
        # on the leader it is a coordinator of before that is refused, as it should
        (
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition t-0 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.TransactionCoordinatorFencedException: Invalid coordinator epoch for producerId 6 at offset 9 in partition t-0: 7 (zombie), 8 (current)\n",
            [],
        ),
        # the prefix of this line came with 1.0, the bug went with 0.8.2.0
        (
            "WARN [RequestSendThread controllerId=5] Controller 5 epoch 12 fails to send request (type: UpdateMetadataRequest=) to broker kafka1:9091 (id: 1 rack: null). Reconnecting to broker. (kafka.controller.RequestSendThread)\n"
            "java.io.IOException: Connection to 1 was disconnected before the response was read\n",
            [],
        ),
    ],
)  # fmt: skip
def test_a_bug_is_reported_where_its_lines_are_its_own(text, told):
    assert [bug.key for bug in explained(list(lines_of(text, "server.log"))).looks_like] == told


DRIVER = "INFO [KRaftMigrationDriver id=8] 8 transitioning from {} to {} state (org.apache.kafka.metadata.migration.KRaftMigrationDriver)\n"


@pytest.mark.parametrize(
    ("states", "told"),
    [
        (("WAIT_FOR_BROKERS", "BECOME_CONTROLLER", "SYNC_KRAFT_TO_ZK"), True),
        (("WAIT_FOR_BROKERS", "BECOME_CONTROLLER", "ZK_MIGRATION", "SYNC_KRAFT_TO_ZK"), False),
        # a controller that takes over in the midst of a migration
        (("WAIT_FOR_CONTROLLER_QUORUM", "BECOME_CONTROLLER", "SYNC_KRAFT_TO_ZK"), False),
    ],
)
def test_a_migration_that_left_out_its_first_copy(states, told):
    text = "".join(DRIVER.format(*pair) for pair in pairwise(states))
    assert ("Migration left out its first copy" in explained(list(lines_of(text, "controller.log"))).summary) is told


def test_a_node_with_too_many_texts_says_that_no_known_bug_was_looked_for(monkeypatch):
    issue = next(one for one in KNOWN_ISSUES if told_bugs(one))
    lines = lines_in(issue.example)
    other = [
        replace(lines[0], number=number, message=f"Text {word}", trace="") for number, word in enumerate("abc", 900)
    ]
    assert not any("known bugs" in note for note in explained([*lines, *other]).notes)
    monkeypatch.setattr(matching_issues, "MOST_TEXTS", 2)
    assert not list(matches([*lines, *other]))
    (note,) = (note for note in explained([*lines, *other]).notes if "known bugs" in note)
    assert "different texts. Above 40,000, known bugs are not looked for" in note
