"""What a whole paste shows with its tables and settings, and the row that refutes it."""

from __future__ import annotations

import pytest

from pipelines.answers.lines import as_text, of_text
from replay.knowledge.correlations import case_of

EXPIRED = "[2025-03-01 10:00:00,000] ERROR org.apache.kafka.common.errors.TimeoutException: Expiring 5 record(s) for cars-1:120000 ms has passed since batch creation\n"
IOSTAT = "kb host, iostat -dx 5 1:\nDevice  r/s  w/s  w_await  aqu-sz  %util\nsdc  1.0  90.0  {wait}  {queue}  {busy}\n"
PAUSE = "cars | [18.2s][info][gc] GC(6) Pause Full (G1 Compaction Pause) 255M->254M(256M) 21120.8ms\n"
POD = """\
Name:             b-0
    Last State:     Terminated
      Reason:       {reason}
      Exit Code:    {code}
    Limits:
      memory:  2Gi
    Environment:
      KAFKA_LISTENERS:              PLAINTEXT://0.0.0.0:9092
      KAFKA_ADVERTISED_LISTENERS:   PLAINTEXT://{host}:9092
      KAFKA_HEAP_OPTS:              -Xmx{heap}
"""
LOGIN = "[2025-03-01 10:00:00,000] INFO [SocketServer nodeId=7] Failed authentication with /10.0.0.1 (org.apache.kafka.common.network.Selector)\nCaused by: GSSException: Failure (Mechanism level: {})\n"
KEYS = "   {} 2024-01-17 12:00:09 kafka/k7@ACME\n$ kvno kafka/k7\nkafka/k7@ACME: kvno = 6\n"
HELD = 'Normal Scheduled 9m default-scheduler Successfully assigned mq/b-1 to w1\nWarning FailedAttachVolume 9m ctrl Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) peek\n'
REFUSED = "NotEnoughReplicasException: The size of the current ISR Set(1) is insufficient to satisfy the min.isr requirement of 2 for partition cars-0\n"
ROW = "\tTopic: cars\tPartition: {}\tLeader: 1\tReplicas: {}\tIsr: {}\n"
ASKED = "WARN [Producer clientId=a] Error while fetching metadata with correlation id 4 : {cars_eu=UNKNOWN_TOPIC_OR_PARTITION}\n"
LISTED = "$ kafka-topics.sh --bootstrap-server k:9092 --list\n{}\ntrucks\n"
RANGE = "2025-03-01T10:00:00.100Z ERROR to topic cars:\nInvalidTimestampException: Timestamp {} of message with offset 1 is out of range. The timestamp should be within [{}, {}]\n"
OTHER_ID = "kb | RuntimeException: Invalid cluster.id in: /d/meta.properties. Expected aaaaaaaaaaaaaaaaaaaaaa, but read bbbbbbbbbbbbbbbbbbbbbb\n"
UNHEARD = "[2025-01-27 23:41:07,918] INFO [RaftManager id=9] Did not receive fetch request from the majority of the voters within 3000ms. Current fetched voters are []. (org.apache.kafka.raft.LeaderState)\n"
REPORTER = (
    "[2025-01-27 23:41:0{},918] {} [Producer clientId=MetricsReporter] {} (org.apache.kafka.clients.NetworkClient)\n"
)
TRIES = "Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available."
STARTED = (
    "[2025-01-27 23:41:05,614] INFO [KafkaRaftServer nodeId=3] Kafka Server started (kafka.server.KafkaRaftServer)\n"
)
NOW = 1740823200100  # of RANGE's line
HOUR, DAY = 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (EXPIRED + IOSTAT.format(wait=900, queue=80, busy=100), "disk-saturated"),
        (EXPIRED + IOSTAT.format(wait=2, queue=0.1, busy=7), None),  # the disk is idle
        (EXPIRED + IOSTAT.format(wait=1, queue=0.5, busy=99), None),  # busy, but nobody waits
        (IOSTAT.format(wait=900, queue=80, busy=100), None),  # nothing that it could explain
        (PAUSE + "cars | " + EXPIRED, "client-stood-still"),
        (PAUSE + "vans | " + EXPIRED, None),  # another program's pause
        (POD.format(reason="OOMKilled", code=137, host="b-0.mq", heap="2g"), "container-out-of-memory"),
        (POD.format(reason="Error", code=1, host="0.0.0.0", heap="1g"), "setting-refused"),
        (POD.format(reason="Error", code=1, host="b-0.mq", heap="1g"), None),  # no reason in the environment
        (LOGIN.format("Specified version of key is not available (44)") + KEYS.format(4), "keytab-outdated"),
        (LOGIN.format("Clock skew too great (37)"), "kerberos-clock-skew"),
        (HELD, "volume-held"),
        (HELD + "AttachVolume.Attach succeeded\n" + STARTED, "volume-attached-later"),
        (REFUSED + ROW.format(0, "1,3", "1") + ROW.format(1, "1,2", "1,2"), "one-broker-out-of-isrs"),
        (REFUSED + ROW.format(0, "1,3", "1") + ROW.format(1, "2,3", "2,3"), None),  # broker 3 is in sync elsewhere
        (REFUSED + ROW.format(0, "1", "1"), "fewer-replicas-than-min-isr"),
        (ASKED + LISTED.format("cars-eu"), "topic-does-not-exist"),
        (ASKED + LISTED.format("cars_eu"), None),  # it is there
        (RANGE.format(NOW - 90 * DAY, NOW - 7 * DAY, NOW + HOUR), "record-too-old"),
        (RANGE.format(NOW, NOW - 9 * DAY, NOW - HOUR), "broker-clock-wrong"),
        (
            OTHER_ID + "a.env:CLUSTER_ID=bbbbbbbbbbbbbbbbbbbbbb\nb.env:CLUSTER_ID=aaaaaaaaaaaaaaaaaaaaaa\n",
            "cluster-id-setting-wrong",
        ),
        (OTHER_ID, None),  # no other line shows which id is right
        (UNHEARD * 2, "leader-without-majority"),
        (
            REPORTER.format(1, "WARN", TRIES) + STARTED + REPORTER.format(6, "INFO", "Cluster ID: x"),
            "reporter-before-its-broker",
        ),
        (REPORTER.format(1, "WARN", TRIES) + STARTED + REPORTER.format(6, "WARN", TRIES), None),  # it goes on
        ("Could not upgrade metadata.version to 27. Broker 8 only supports versions 1-25\n", "feature-refused"),
        ("WARN: No action will be performed as the --execute option is missing.\n", "reset-not-executed"),
    ],
)
def test_a_case_needs_its_rows_and_a_row_refutes_it(text, key):
    case = case_of(text)
    assert (case and case.key) == key


def test_the_case_stands_first_and_the_rest_is_behind_all():
    told = list(as_text(of_text(EXPIRED + IOSTAT.format(wait=900, queue=80, busy=100))))
    assert told[0].startswith("kb: its disk sdc is saturated: 100 % busy")
    assert told[-1] == "What each line says: --all" and len(told) < 12
    whole = list(as_text(of_text(EXPIRED + IOSTAT.format(wait=900, queue=80, busy=100)), is_whole=True))
    assert whole[: len(told) - 1] == told[:-1] and any(
        "Expiring" in line or "cars-1" in line for line in whole[len(told) :]
    )


def test_an_unread_line_that_can_be_the_reason_is_quoted_and_no_all_clear_stands_beside_it():
    known = "[2025-03-01 10:00:00,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
    answer = of_text(known + "[2025-03-01 10:00:01,000] ERROR The frobnicator gave way (kafka.server.KafkaServer)\n")
    assert answer.summary.startswith(
        "The reason is probably this line, which I do not know: 'The frobnicator gave way'"
    )


def test_an_unread_error_is_quoted_beside_a_case():
    odd = "[2025-03-01 10:00:01,000] ERROR The frobnicator gave way (kafka.server.KafkaServer)\n"
    told = list(as_text(of_text(EXPIRED + odd + IOSTAT.format(wait=900, queue=80, busy=100))))
    assert any("I do not know this line: 'The frobnicator gave way'" in line for line in told)


def test_what_the_paste_holds_is_not_asked_for():
    shrunk = "[2025-03-01 10:00:00,000] INFO [Partition cars-0 broker=1] Shrinking ISR from 1,3 to 1 (kafka.cluster.Partition)\n"
    asks = "--under-replicated-partitions"
    assert any(asks in one for one in of_text(shrunk).missing)
    assert not any(asks in one for one in of_text(shrunk + ROW.format(0, "1,3", "1")).missing)
