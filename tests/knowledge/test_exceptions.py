"""Each exception's meaning is chosen by a text as Kafka, the JDK or the operating system prints it."""

from __future__ import annotations

import pytest

from replay.knowledge.choosing import cause_of
from replay.knowledge.meanings import MEANINGS
from replay.reading.printed_line import Line
from tests.each import for_each


def _under_an_error(trace: str, logger: str | None = None) -> Line:
    first, _, below = trace.partition("\n")
    return Line("server.log", 1, None, "ERROR", logger, "Something failed", trace=f"{first}\n{below}")


EXCEPTIONS = [meaning for meaning in MEANINGS if meaning.exception]


@for_each("meaning", EXCEPTIONS, ids=lambda meaning: meaning.key)
def test_an_exception_is_known_by_its_example_and_not_by_what_looks_alike(meaning):
    assert meaning.example
    logger = "org.apache.kafka.connect.runtime.WorkerTask" if meaning.of_clients else None
    found = cause_of(_under_an_error(meaning.example, logger))
    assert found is not None and found[0].key == meaning.key
    for text, key in meaning.not_examples.items():
        found = cause_of(_under_an_error(text))
        assert found is not None and found[0].key == key != meaning.key


@pytest.mark.parametrize(
    ("trace", "key"),
    [
        ("java.lang.RuntimeException: Tried to apply FeatureLevelRecord FeatureLevelRecord(name='metadata.version', featureLevel=20), but this controller only supports versions 1-19", "start-metadata-version"),
        ("kafka.admin.AdminOperationException: replication factor: 3 larger than available brokers: 1", "replication-factor-refused"),
        ("java.util.zip.DataFormatException: com.github.luben.zstd.ZstdIOException: Unknown frame descriptor", "batch-not-decompressed"),
        ("com.amazonaws.services.s3.model.AmazonS3Exception: Please reduce your request rate. (Service: Amazon S3; Status Code: 503; Error Code: SlowDown)", "remote-store-away"),
    ],
)  # fmt: skip
def test_other_texts_of_an_exception_are_known(trace, key):
    found = cause_of(_under_an_error(trace))
    assert found is not None and found[0].key == key


def test_under_a_warning_an_exception_ends_no_start():
    line = Line("server.log", 1, None, "WARN", None, "x", trace="java.lang.ClassNotFoundException: com.acme.Reporter")
    found = cause_of(line)
    assert found is not None and found[0].key == "other-exception"


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (
            "java.lang.IllegalStateException: Kafka HTTP server failed to start up.",
            "Kafka HTTP server failed to start up.",
        ),
        ("java.lang.RuntimeException: outer\nCaused by: java.lang.IllegalStateException: inner", "inner"),
        ("com.acme.A: outer\n\tat a.b.CException.x(C.java:1)\nCaused by: com.acme.OddException: inner", "inner"),
    ],
)
def test_of_an_exception_that_is_not_known_the_innermost_is_quoted(trace, reason):
    found = cause_of(Line("server.log", 1, None, "ERROR", None, "x", trace=trace))
    assert found is not None and found[1]["reason"] == reason


def test_a_long_reason_is_cut_between_words_and_says_so():
    line = Line("a", 1, None, "ERROR", None, "Odd", "java.lang.OddException: " + "no topic id, which is odd, " * 12)
    known = cause_of(line)
    assert known is not None and known[1]["reason"].endswith("no topic id, which is odd, no topic id, which is …")
    short = Line("a", 1, None, "ERROR", None, "Odd", "java.lang.OddException: no topic id, which is odd")
    known = cause_of(short)
    assert known is not None and known[1]["reason"] == "no topic id, which is odd"


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (
            "Writing failed due to: For requests intended only for the leader, this error indicates that the broker is not the current leader.",
            "not-leader",
        ),
        ("Execution of it failed due to This is not the correct coordinator..", "not-coordinator"),
        ("Offset commit failed: The coordinator is not aware of this member.", "unknown-member"),
        ("Messages are rejected since there are fewer in-sync replicas than required.", "not-enough-replicas"),
    ],
)
def test_an_error_that_prints_only_its_text_is_known_by_it(message, key):
    found = cause_of(Line("server.log", 1, None, "ERROR", None, message))
    assert found is not None and found[0].key == key
