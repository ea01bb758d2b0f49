"""What the last words of a program mean for the lines before them, and whose certificate, record or line is meant."""

from __future__ import annotations

import pytest

from pipelines.answers.lines import as_text, of_text

DOWN = "[2023-09-22 17:46:3{},774] WARN [AdminClient clientId=a] Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"
ENDED = "[2023-09-22 17:46:35,960] ERROR Failed to start KSQL\n"
EXPIRED = "java.security.cert.CertPathValidatorException: validity check failed\n"
HANDSHAKE = (
    "[2026-04-09 10:14:12,991] {} ({})\njavax.net.ssl.SSLHandshakeException: PKIX path validation failed: " + EXPIRED
)
POLL = "Consume exception: Local: {} - Local: {} (ConsumeException)\n"
GAP = "kafka_1 | [2019-12-13 10:21:07,402] ERROR [ReplicaManager broker=0] Error processing append operation on partition cars-1 (kafka.server.ReplicaManager)\nkafka_1 | org.apache.kafka.common.errors.OutOfOrderSequenceException: Out of order sequence number for producerId 74: {} (incoming seq. number), 156 (current end sequence number)\n"
KAFKAJS = "app_1 | KafkaJSProtocolError: The broker received an out of order sequence number\n"


def first(text):
    return of_text(text).told[0]


def test_what_a_program_that_ended_reported_before_does_not_recover_by_itself():
    told = of_text(DOWN.format(3) + DOWN.format(4) + ENDED)
    assert told.summary.endswith("could not connect to localhost/127.0.0.1:9092. ksqlDB did not start.")
    assert told.told[0].heals.startswith("no: ") and "again" not in told.told[0].effect
    assert [one.key for one in told.told if one.follows] == ["ksql-not-started"]


def test_a_program_that_still_tries_recovers_by_itself():
    assert first(DOWN.format(3)).heals.startswith("yes")
    restarted = of_text(DOWN.format(3) + ENDED + DOWN.format(8)).told
    assert [one.heals[:3] for one in restarted if one.key == "node-unreachable"] == ["yes"]


def test_an_end_with_its_own_exception_leaves_the_reason_to_it():
    one = first("ERROR Caught exception, shutting down...\n" + EXPIRED)
    assert (one.key, one.cause, one.follows) == ("application-gave-up", "tls-certificate-expired", "")
    assert of_text("[2023-09-22 17:46:35,960] INFO Consumer was closed normally\n").told == ()


@pytest.mark.parametrize(
    ("message", "logger", "whose"),
    [
        ("WARN Exception caught", "org.apache.zookeeper.server.NettyServerCnxnFactory", "a client of this ZooKeeper"),
        (
            "ERROR [Producer clientId=p] Connection to node -1 (k/10.0.0.1:9093) failed authentication due to: SSL handshake failed",
            "org.apache.kafka.clients.NetworkClient",
            "the other side presents to this client",
        ),
        (
            "INFO [SocketServer listenerType=BROKER, nodeId=1] Failed authentication with /10.0.0.9 (SSL handshake failed)",
            "org.apache.kafka.common.network.Selector",
            "a client (or another broker) presents",
        ),
    ],
)
def test_the_side_that_prints_the_exception_refused_the_certificate_of_the_other(message, logger, whose):
    texts = [f"{one.says} {one.because}" for one in of_text(HANDSHAKE.format(message, logger)).told]
    assert any(whose in text for text in texts), texts


def test_what_a_consumer_did_not_do_loses_no_record_of_a_producer():
    slow = "Maximum application poll interval (max.poll.interval.ms) exceeded"
    one = first(POLL.format(slow, slow))
    assert one.key == "rd-poll-interval" and "read again" in one.data and "left the group" in one.says
    assert first(POLL.format("Erroneous state", "Erroneous state")).key == "rd-own-error-of-a-consumer"
    assert "not stored" in first("ERROR Flush returned with error code -185: 'Local: Timed out'\n").data


def test_a_line_of_another_program_is_no_part_of_the_record_above_it():
    answer = of_text(GAP.format(158) + KAFKAJS)
    assert answer.case is not None and answer.case.key == "sequence-left-out"
    assert "it sent 158, and the last one that broker 0 has of cars-1 is 156" in answer.case.says
    assert not any("KafkaJSProtocolError" in one.says for one in answer.told)
    assert "sequence number 157 is missing" in first(GAP.format(158)).because
    assert "an older batch came again" in first(GAP.format(150)).because
    assert "numbers 157 to 159 are missing" in first(GAP.format(160)).because


def test_a_record_of_json_whose_end_is_cut_off_is_read():
    cut = '{"time":"2025-03-13T01:51:51.191+05:00","level":"error","message":"join and sync loop errored","group":"apigw","err":"FENCED_INSTANCE_ID: The broker rejec\n'
    assert '":"' not in of_text(cut).summary and "FENCED_INSTANCE_ID" in "".join(as_text(of_text(cut)))


@pytest.mark.parametrize(("up", "key"), [("2282706", "rd-disconnected"), ("12", "rd-closed-soon")])
def test_a_connection_that_was_open_for_long_is_no_wrong_protocol(up, key):
    row = f"%6|1666077427.328|FAIL|rdkafka#consumer-1| [thrd:ssl://k:9092/bootstrap]: ssl://k:9092/6: Disconnected (after {up}ms in state UP)\n"
    one = first(row)
    assert one.key == key and ("log.connection.close" in one.next) == (key == "rd-disconnected")
