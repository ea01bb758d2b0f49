"""Every error of Kafka's protocol has a meaning, whichever library names it."""

from __future__ import annotations

from replay.catalogue.own_tables import rows_of
from replay.catalogue.protocol_errors import COLUMNS, class_of_text, names_an_error
from replay.knowledge.choosing import cause_of
from replay.reading.texts import lines_of
from tests.each import for_each

ROWS = rows_of("protocol_errors.tsv", COLUMNS)


def test_the_codes_are_complete():
    codes = [int(row[0]) for row in ROWS]
    assert codes == [code for code in range(-1, 137) if code != 0]


@for_each("row", ROWS, ids=[row[1] for row in ROWS])
def test_each_error_has_a_meaning_of_its_own_by_its_class_its_names_and_its_texts(row):
    _, name, its_class, others, texts = row
    fixed = texts.split(" | ") if texts != "-" else []
    for text in (f"kafka {name}", *(f"kafka {other}" for other in others.replace("-", "").split()), *fixed):
        assert class_of_text(text) == its_class, text
    (line,) = lines_of(f"ERROR kafka: fetch failed: {name}", "x")
    meaning, _ = cause_of(line)
    assert meaning.key not in ("other-exception", "own-code"), name


@for_each(
    ("text", "its_class"),
    [
        ("[2018-02-09 12:00:01] kafka.ERROR: Heartbeat error, errorCode:27", "RebalanceInProgressException"),
        ("Failed to fetch offsets of group g: error code 16", "NotCoordinatorException"),
        ("heartbeat failed: [27] Rebalance In Progress: the coordinator has begun", "RebalanceInProgressException"),
        (
            "kafka.errors.NotLeaderForPartitionError: [Error 6] NotLeaderForPartitionError",
            "NotLeaderOrFollowerException",
        ),
        ("Error: LeaderNotAvailable", "LeaderNotAvailableException"),
        (
            "unable to join group session: NOT_COORDINATOR: This is not the correct coordinator.",
            "NotCoordinatorException",
        ),
        ("type: 'REBALANCE_IN_PROGRESS', code: 27", "RebalanceInProgressException"),
        ("Kafka::UnknownTopicOrPartition", "UnknownTopicOrPartitionException"),
        # look-alikes
        ("RestClientException: Schema not compatible; error code: 42", None),
        ("broker offline, error code: 409", None),
        ("disk of the broker: error code 5.2", None),
        ("Payment gateway answered RESOURCE_NOT_FOUND", None),
        ("java.net.http: RequestTimedOut", None),
        ("the order service threw InvalidRequestException", None),
    ],
)
def test_the_forms_of_the_libraries_and_what_only_looks_like_them(text, its_class):
    assert class_of_text(text) == its_class


def test_only_a_sure_name_makes_a_line_of_an_application_one_about_kafka():
    assert names_an_error("worker 3 gave up: NotLeaderForPartitionError")
    assert names_an_error("This server does not host this topic-partition")
    assert not names_an_error("Topic authorization failed")
    assert not names_an_error("Heartbeat error, errorCode:27")
