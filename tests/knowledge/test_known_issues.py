"""Known bugs: each is found by lines that have its signs, by release, and on no recording."""

from __future__ import annotations

import re
import string
from dataclasses import replace
from itertools import pairwise
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]

import pytest

from replay.knowledge.explaining import explained
from replay.knowledge.issues_text import issue_named, issues_of
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.knowledge.matching_issues import matches
from replay.knowledge.text_lines import Line, lines_of
from tests.golden import TRACES


def shortest(regex: str) -> str:
    """A short text that `regex` fits."""
    return "".join(_of(item) for item in _parser.parse(regex))


def _of(item) -> str:
    kind, value = item
    if kind is c.LITERAL:
        return chr(value)
    if kind is c.NOT_LITERAL:
        return "x" if value != ord("x") else "y"
    if kind is c.ANY:
        return "x"
    if kind is c.IN:
        return next((ch for ch in "1x" + string.printable if re.match(_class_of(value), ch)), "x")
    if kind is c.BRANCH:
        return "".join(_of(inner) for inner in value[1][0])
    if kind is c.SUBPATTERN:
        return "".join(_of(inner) for inner in value[3])
    if kind in (c.MAX_REPEAT, c.MIN_REPEAT):
        return "".join(_of(inner) for inner in value[2]) * value[0]
    return ""


def _class_of(value) -> str:
    categories = {
        c.CATEGORY_DIGIT: r"\d",
        c.CATEGORY_SPACE: r"\s",
        c.CATEGORY_WORD: r"\w",
        c.CATEGORY_NOT_SPACE: r"\S",
        c.CATEGORY_NOT_DIGIT: r"\D",
        c.CATEGORY_NOT_WORD: r"\W",
    }
    parts = []
    for kind, inner in value:
        if kind is c.NEGATE:
            parts.append("^")
        elif kind is c.LITERAL:
            parts.append(re.escape(chr(inner)))
        elif kind is c.RANGE:
            parts.append(f"{re.escape(chr(inner[0]))}-{re.escape(chr(inner[1]))}")
        else:
            parts.append(categories[inner])
    return f"[{''.join(parts)}]"


def _lines_with(issue) -> list[Line]:
    lines = []
    for sign in issue.signature:
        if not sign.absent:
            text = shortest(re.sub(r"\{([a-z]+)\}", "x", re.sub(r"\(\?P=\w+\)", "x", sign.regex)))
            if sign.same:
                lines[-1] = replace(lines[-1], message=f"{lines[-1].message}\n{text}")
            else:
                lines += [Line("server.log", n, None, "ERROR", sign.logger or None, text) for n in range(sign.times)]
    return lines


# A back reference, or a look-ahead, has no shortest text.
HARD = {
    issue.key
    for issue in KNOWN_ISSUES
    if any(re.search(r"\\[1-9]|\(\?!|\(\?<|\(\?=", sign.regex) for sign in issue.signature)
}


@pytest.mark.parametrize(
    "issue", [issue for issue in KNOWN_ISSUES if issue.key not in HARD], ids=lambda issue: issue.key
)
def test_an_issue_is_found_by_lines_with_its_signs(issue):
    lines = _lines_with(issue)
    assert issue.key in {match.issue.key for match in matches(lines)}


def test_most_issues_are_tested_so():
    assert len(HARD) < 25


@pytest.mark.parametrize(
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


def test_a_bug_of_other_releases_is_not_told():
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
    listed = list(issues_of("3.6.0"))
    assert any(line.startswith("KAFKA-15481") for line in listed)
    assert not any(line.startswith("KAFKA-14337") for line in listed)


TWO_RECORDS = (
    "ERROR Error processing append operation on partition a-0 (kafka.server.ReplicaManager)\n"
    "org.apache.kafka.common.errors.OutOfOrderSequenceException: Invalid sequence number for new epoch: 0 (request epoch)\n"
    "INFO [ReplicaFetcherThread-0-1], Starting  (kafka.server.ReplicaFetcherThread)\n"
)


def test_what_must_stand_in_one_record_is_not_put_together_from_two():
    keys = {match.issue.key for match in matches(list(lines_of(TWO_RECORDS, "server.log")))}
    assert "KAFKA-6003" not in keys
    of_fetcher = TWO_RECORDS.replace(
        "Error processing append operation on partition a-0", "[ReplicaFetcherThread-0-1], Error due to"
    )
    assert "KAFKA-6003" in {match.issue.key for match in matches(list(lines_of(of_fetcher, "server.log")))}


@pytest.mark.parametrize("trace", sorted(path.name for path in TRACES.iterdir() if path.is_dir()))
def test_no_bug_is_told_of_a_recording(trace):
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
def test_what_other_releases_print_too_is_told_only_of_those_that_have_the_bug(release, lines, told):
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
def test_a_bug_is_told_where_its_lines_are_its_own(text, told):
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
